//! Arrears: packets that have crossed the fabric may join the queue of a busy output late, and that of a quiet one.
//!
//! They wait there anyway as long as the link is busy with others, and a link computes when a packet leaves
//! from when it joined; what arrives over a quiet link is looked at later in any case. So the switch is updated less
//! often, and no result changes.

use optics::cioq::Fabric;
use units::{LinkId, Span, Time};
use wire::context::Context;

/// How late packets that have crossed a fabric may join the queues of busy outputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrears {
    /// So much.
    span: Span,
    /// The maximum number of bytes that arrive at an output in that time.
    bytes: u64,
    /// And no more packets.
    packets: u64,
}

impl Arrears {
    /// Long enough that packets arrive meanwhile, short enough that queues of usual sizes have room
    /// for them.
    const SPAN: Span = Span::from_us(20);
    /// No packet is larger, headers included.
    const PACKET: u64 = 1 << 17;

    /// A slot brings at most one cell to an output; the packets of every input may lack only one cell
    /// when it begins. With links that change during the run no packet joins late.
    pub(super) fn new(fabric: &Fabric, late: bool) -> Self {
        let span = if late { Self::SPAN } else { Span::ZERO };
        let slots = span.0.div_ceil(fabric.slot.0) + 1;
        let bytes = slots * u64::from(fabric.payload) + u64::from(fabric.inputs) * Self::PACKET;
        Self { span, bytes, packets: slots }
    }

    /// The time until which a packet that has crossed the fabric may join the queue of its output
    /// in arrears: while the link is busy, and any time if it is quiet.
    ///
    /// Only a queue that may fill up meanwhile, or one that does more than drop-tail, must be updated at
    /// once.
    #[inline]
    pub(super) fn until(&self, context: &Context, output: LinkId) -> Time {
        let (now, link) = (context.now(), context.link(output));
        let room = (self.bytes, self.packets);
        let has_room = link.has_room(self.bytes, self.packets)
            || link.has_room_after_arrivals(now, room, context.packets());
        let latest = now + self.span;
        match has_room {
            true if link.is_quiet() => latest,
            true => link.free_at().min(latest),
            false => Time::ZERO,
        }
    }
}
