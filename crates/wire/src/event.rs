//! What can happen: 12 bytes of plain data.

use units::{FlowId, LinkId, NodeId};

use crate::optical::BurstId;
use crate::packet::PacketId;

/// Which part of a burst is at a node that switches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BurstInstant {
    /// Its header, which has waited at the ingress edge, leaves.
    HeaderDue,
    /// Its header has been processed.
    Header,
    /// Its first bit.
    FirstBit,
}

/// What an entry of the agenda means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The first packet on a link reaches the far end. Nothing happens if that packet is not due:
    /// the link has changed since the event was entered.
    Arrival(LinkId),
    /// A packet that did not wait for a link is at the far end.
    Across(LinkId, PacketId),
    /// A timer of a flow's sender may be due.
    SenderAlarm(FlowId, Life),
    /// A timer of a flow's receiver may be due.
    ReceiverAlarm(FlowId, Life),
    /// The application of a flow has something to send.
    Offer(FlowId, Life),
    /// The application of a flow has something to send, and right after it the first packet on the link
    /// of its host reaches the far end: for a source that sends packets back to back.
    Train(FlowId, Life),
    /// A process of file transfers starts the next transfer.
    Transfer(u32),
    /// A scheduled change of a link.
    Change(u32),
    /// The timer of an assembly queue of a class may be due.
    Assembly(u32, u32),
    /// A burst, or its header, is at a node that switches it.
    AtCore(BurstInstant, BurstId),
    /// A core, by its number, has an alarm.
    Alarm(u32),
    /// A core, by its number, is to be updated: an alarm that is not counted as an event.
    Look(u32),
    /// A link whose queue decides when a packet leaves is free, or may be.
    Serve(LinkId),
    /// A receiver at a host is granted credit, if one wants some.
    Credit(NodeId),
    /// The core has a signal for the sender of a flow.
    Signal(FlowId, Life),
    /// The last bit of a burst has arrived at its egress edge.
    Burst(BurstId),
    /// All data of a flow, which is a send of a graph, are there.
    Delivered(FlowId, Life),
    /// A computation of a graph, by its process and its number, starts or is over.
    Compute(u32, u32),
    /// The condition that ends the run has occurred.
    Stop,
}

/// Which of the flows that have used the same id in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Life(pub u32);

/// An event as stored in the agenda: its kind and two numbers.
///
/// It is plain integers for speed, of a size that leaves room in an entry of 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Packed {
    kind: u32,
    first: u32,
    second: u32,
}

const _: () = assert!(size_of::<Packed>() == 12);

/// The kind of an arrival.
const ARRIVAL: u32 = 0;
/// The kind of a look at a core.
const LOOK: u32 = 12;
/// The kind of an arrival at a router.
const ONWARD: u32 = 20;

impl Packed {
    #[inline]
    fn of(kind: u32, first: u32, second: u32) -> Self {
        Self { kind, first, second }
    }

    /// The link of an arrival that is not known to be at a router.
    #[inline]
    pub fn arrival(self) -> Option<LinkId> {
        (self.kind == ARRIVAL).then_some(LinkId(self.first))
    }

    /// An arrival, with the packet that is probably the one that arrives.
    #[inline]
    pub fn arriving(link: LinkId, packet: PacketId) -> Self {
        Self::of(ARRIVAL, link.0, packet.0)
    }

    /// An arrival at a router, which sends the packet on the second link.
    #[inline]
    pub fn onward(link: LinkId, out: LinkId) -> Self {
        Self::of(ONWARD, link.0, out.0)
    }

    /// The two links of an arrival at a router.
    #[inline]
    pub fn both_links(self) -> Option<(LinkId, LinkId)> {
        (self.kind == ONWARD).then_some((LinkId(self.first), LinkId(self.second)))
    }

    /// The packet that was said to arrive, for prefetching it, where that is not at a router.
    #[inline]
    pub fn packet(self) -> Option<PacketId> {
        (self.kind == ARRIVAL).then_some(PacketId(self.second))
    }

    /// Whether it is a look at a core. Its time changes nothing, and an observer or a packet that updates
    /// the core before may make it superfluous.
    #[inline]
    pub fn is_look(self) -> bool {
        self.kind == LOOK
    }

    /// The event.
    #[inline]
    pub fn event(self) -> Event {
        let Self { kind, first, second } = self;
        match kind {
            ARRIVAL | ONWARD => Event::Arrival(LinkId(first)),
            1 => Event::SenderAlarm(FlowId(first), Life(second)),
            2 => Event::ReceiverAlarm(FlowId(first), Life(second)),
            3 => Event::Offer(FlowId(first), Life(second)),
            4 => Event::Transfer(first),
            5 => Event::Change(first),
            6 => Event::Assembly(first, second),
            7 => Event::AtCore(BurstInstant::HeaderDue, BurstId(first)),
            8 => Event::AtCore(BurstInstant::Header, BurstId(first)),
            9 => Event::AtCore(BurstInstant::FirstBit, BurstId(first)),
            10 => Event::Burst(BurstId(first)),
            11 => Event::Alarm(first),
            LOOK => Event::Look(first),
            13 => Event::Stop,
            14 => Event::Train(FlowId(first), Life(second)),
            15 => Event::Serve(LinkId(first)),
            16 => Event::Credit(NodeId(first)),
            17 => Event::Signal(FlowId(first), Life(second)),
            18 => Event::Delivered(FlowId(first), Life(second)),
            19 => Event::Compute(first, second),
            21 => Event::Across(LinkId(first), PacketId(second)),
            _ => unreachable!("no such kind is ever packed"),
        }
    }
}

impl From<Event> for Packed {
    #[inline]
    fn from(event: Event) -> Self {
        match event {
            Event::Arrival(link) => Self::of(ARRIVAL, link.0, 0),
            Event::SenderAlarm(flow, life) => Self::of(1, flow.0, life.0),
            Event::ReceiverAlarm(flow, life) => Self::of(2, flow.0, life.0),
            Event::Offer(flow, life) => Self::of(3, flow.0, life.0),
            Event::Transfer(process) => Self::of(4, process, 0),
            Event::Change(change) => Self::of(5, change, 0),
            Event::Assembly(class, queue) => Self::of(6, class, queue),
            Event::AtCore(BurstInstant::HeaderDue, burst) => Self::of(7, burst.0, 0),
            Event::AtCore(BurstInstant::Header, burst) => Self::of(8, burst.0, 0),
            Event::AtCore(BurstInstant::FirstBit, burst) => Self::of(9, burst.0, 0),
            Event::Burst(burst) => Self::of(10, burst.0, 0),
            Event::Alarm(core) => Self::of(11, core, 0),
            Event::Look(core) => Self::of(LOOK, core, 0),
            Event::Stop => Self::of(13, 0, 0),
            Event::Train(flow, life) => Self::of(14, flow.0, life.0),
            Event::Serve(link) => Self::of(15, link.0, 0),
            Event::Credit(host) => Self::of(16, host.0, 0),
            Event::Signal(flow, life) => Self::of(17, flow.0, life.0),
            Event::Delivered(flow, life) => Self::of(18, flow.0, life.0),
            Event::Compute(process, operation) => Self::of(19, process, operation),
            Event::Across(link, packet) => Self::of(21, link.0, packet.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_what_was_packed() {
        let (flow, life, burst) = (FlowId(7), Life(9), BurstId(u32::MAX));
        for event in [
            Event::Arrival(LinkId(u32::MAX)),
            Event::SenderAlarm(flow, life),
            Event::ReceiverAlarm(flow, life),
            Event::Offer(flow, life),
            Event::Train(flow, life),
            Event::Transfer(3),
            Event::Change(4),
            Event::Assembly(5, 6),
            Event::AtCore(BurstInstant::HeaderDue, burst),
            Event::AtCore(BurstInstant::Header, burst),
            Event::AtCore(BurstInstant::FirstBit, burst),
            Event::Burst(burst),
            Event::Alarm(8),
            Event::Look(9),
            Event::Serve(LinkId(11)),
            Event::Credit(NodeId(12)),
            Event::Signal(flow, life),
            Event::Delivered(flow, life),
            Event::Compute(13, 14),
            Event::Across(LinkId(17), PacketId(u32::MAX)),
            Event::Stop,
        ] {
            let packed = Packed::from(event);
            assert_eq!(packed.event(), event);
            assert_eq!(packed.arrival().is_some(), matches!(event, Event::Arrival(_)));
            assert_eq!(packed.is_look(), matches!(event, Event::Look(_)));
        }
        let packed = Packed::onward(LinkId(15), LinkId(16));
        assert_eq!(packed.event(), Event::Arrival(LinkId(15)));
        assert_eq!(packed.both_links(), Some((LinkId(15), LinkId(16))));
        assert_eq!((packed.arrival(), packed.packet()), (None, None));
    }
}
