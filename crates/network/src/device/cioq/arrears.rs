//! Arrears: packets that are through the fabric may join the queue of a busy output late.
//!
//! They wait there anyway as long as the link is busy with others, and a link computes when a packet leaves
//! from when it joined. So the switch is looked at less often, and no result changes.

use optics::cioq::Fabric;
use units::{LinkId, Span, Time};

use crate::context::Context;

/// How late packets that are through a fabric may join the queues of busy outputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrears {
    /// So much.
    span: Span,
    /// In that time no more bytes than this come to an output.
    bytes: u64,
    /// And no more packets.
    packets: u64,
}

impl Arrears {
    /// Long enough that packets come meanwhile, short enough that queues of usual sizes have the room.
    const SPAN: Span = Span::from_us(20);
    /// No packet is larger, headers included.
    const PACKET: u64 = 1 << 17;

    /// A slot brings a cell to an output at most; packets of each input may lack but one when it begins.
    /// Links that change during the run let nothing join late.
    pub(super) fn new(fabric: &Fabric, late: bool) -> Self {
        let span = if late { Self::SPAN } else { Span::ZERO };
        let slots = span.0.div_ceil(fabric.slot.0) + 1;
        let bytes = slots * u64::from(fabric.payload) + u64::from(fabric.inputs) * Self::PACKET;
        Self { span, bytes, packets: slots }
    }

    /// Until when a packet that is through may join the queue of its output in arrears.
    ///
    /// Only a queue that may be full meanwhile must know at once, or one that does more than drop at the
    /// tail.
    #[inline]
    pub(super) fn until(&self, context: &Context, output: LinkId) -> Time {
        let (now, link) = (context.now(), context.link(output));
        let room = (self.bytes, self.packets);
        let has_room = link.has_room(self.bytes, self.packets)
            || link.has_room_after_arrivals(now, room, context.packets());
        if has_room { link.free_at().min(now + self.span) } else { Time::ZERO }
    }
}
