//! What can happen: 16 bytes of plain data.

use units::{FlowId, LinkId};

use crate::optical::BurstId;

/// One entry of the agenda.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The first packet on a link reaches the far end. Nothing happens when that packet is not due:
    /// the link has changed since the event was entered.
    Arrival(LinkId),
    /// A timer of a flow's sender may be due.
    SenderAlarm(FlowId, Life),
    /// A timer of a flow's receiver may be due.
    ReceiverAlarm(FlowId, Life),
    /// The application of a flow has something to send.
    Offer(FlowId, Life),
    /// A process of file transfers starts the next one.
    Transfer(u32),
    /// A scheduled change of a link.
    Change(u32),
    /// The timer of an assembly queue of a class may be due.
    Assembly(u32, u32),
    /// The header of a burst that has waited at its ingress edge is to leave.
    HeaderDue(BurstId),
    /// A core router has processed the header of a burst.
    Header(BurstId),
    /// The first bit of an optical packet is at a node that switches it.
    FirstBit(BurstId),
    /// The buffer of a hybrid switch may have something to send.
    Buffer(u32),
    /// The last bit of a burst is in at its egress edge.
    Burst(BurstId),
}

/// Which of the flows that had the same id one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Life(pub u32);

const _: () = assert!(size_of::<Event>() <= 16);
