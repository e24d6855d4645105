//! Packets recorded one by one: one row for each link that accepts or refuses a packet.
//!
//! A row is written when a packet is offered to a link, with the instants that the link has computed; a
//! change of the link corrects those of packets that still wait. What is recorded is bounded here: by a
//! span of time (of the instant of the offer), flows, links and a number of rows. Of the others, only
//! the packet numbers are kept.

mod forget;
mod rows;

pub use rows::{Cause, HopRow, PacketRow, TracedFlow};
use transport::tcp::{Flags, SackBlocks};
use units::{FlowId, LinkId, Span, Time};

use crate::link::Passage;
use crate::packet::{Marks, Packet, PacketId, Transit};

/// What is recorded.
#[derive(Debug, Clone)]
pub struct TraceSpec {
    /// Offers from this instant on.
    pub from: Time,
    /// Offers before this one.
    pub to: Time,
    /// Flows by their number, in order; all if there is no list.
    pub flows: Option<Vec<u64>>,
    /// For each link whether it is recorded; all if there is no list.
    pub links: Option<Vec<bool>>,
    /// The most rows.
    pub limit: usize,
}

impl TraceSpec {
    /// Whether an instant is in the span.
    fn covers(&self, at: Time) -> bool {
        self.from <= at && at < self.to
    }

    /// Whether a flow is recorded.
    pub fn has_flow(&self, number: u64) -> bool {
        self.flows.as_ref().is_none_or(|flows| flows.binary_search(&number).is_ok())
    }

    /// Whether a link is recorded.
    pub fn has_link(&self, link: LinkId) -> bool {
        self.links.as_ref().is_none_or(|links| links[link.index()])
    }
}

/// No row.
const NONE: u32 = u32::MAX;

/// The state of a packet by its place in the arena.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// Its number in the order of sending.
    number: u64,
    /// Its first octet: for an empty segment that of the next data.
    seq: u64,
    /// The burst that was granted a channel, by its number, and after how many fibres.
    granted: Option<(u64, u16)>,
    /// Its row among the packets.
    packet: u32,
    /// The row of the link that it is on, or was last on.
    hop: u32,
    /// Links that it was offered to.
    hops: u16,
}

/// A flow that has an id.
#[derive(Debug, Clone, Copy)]
struct Live {
    flow: TracedFlow,
    wanted: bool,
    /// The first octet not sent yet, in each direction.
    high: [u64; 2],
    /// Its row among the flows.
    row: u32,
}

/// A link accepts or refuses a packet.
#[derive(Debug, Clone, Copy)]
pub struct Offer {
    /// The link.
    pub link: LinkId,
    /// When.
    pub at: Time,
    /// The data channel and the burst's number, on an optical link.
    pub burst: Option<(u16, u64)>,
}

/// The loss of a packet.
#[derive(Debug, Clone, Copy)]
pub struct Loss {
    /// The link that it was on, or that refused it; none outside the network.
    pub link: Option<LinkId>,
    /// When.
    pub at: Time,
    /// Why.
    pub cause: Cause,
    /// Whether the link had accepted it.
    pub taken_in: bool,
}

/// Records packets.
#[derive(Debug, Clone)]
pub struct Trace {
    spec: TraceSpec,
    slots: Vec<Slot>,
    live: Vec<Live>,
    sent: u64,
    latest: Time,
    /// The earliest offer for which there was no room: all before it have their rows.
    pub cut: Option<Time>,
    /// The links that packets were offered to, in the order of recording.
    hops: Vec<HopRow>,
    /// The packets of these rows.
    pub packets: Vec<PacketRow>,
    /// The flows of these packets.
    pub flows: Vec<TracedFlow>,
}

impl Trace {
    /// A trace without rows.
    pub fn new(spec: TraceSpec) -> Self {
        Self {
            spec,
            slots: Vec::new(),
            live: Vec::new(),
            sent: 0,
            latest: Time::ZERO,
            cut: None,
            hops: Vec::new(),
            packets: Vec::new(),
            flows: Vec::new(),
        }
    }

    /// A flow takes this id.
    pub fn begin(&mut self, id: FlowId, flow: TracedFlow) {
        let wanted = self.spec.has_flow(flow.number);
        let live = Live { flow, wanted, high: [0; 2], row: NONE };
        match self.live.get_mut(id.index()) {
            Some(place) => *place = live,
            None => self.live.push(live),
        }
    }

    /// A packet is sent.
    pub fn sends(&mut self, id: PacketId, packet: &Packet) {
        let Transit { marks, flags, .. } = packet.transit;
        let high =
            &mut self.live[packet.body.flow.index()].high[usize::from(marks.has(Marks::BACKWARD))];
        let octets = u64::from(packet.data()) + u64::from(flags.has(Flags::FIN));
        let seq = if octets == 0 && !flags.has(Flags::SYN) { *high } else { packet.body.seq };
        *high = (*high).max(seq + octets);
        let slot = Slot { number: self.sent, seq, granted: None, packet: NONE, hop: NONE, hops: 0 };
        self.sent += 1;
        let at = id.0 as usize;
        if at >= self.slots.len() {
            self.slots.resize(at + 1, slot);
        }
        self.slots[at] = slot;
    }

    /// A packet is offered to a link: adds a row, if requested.
    pub fn offer(&mut self, id: PacketId, (packet, sack): (&Packet, SackBlocks), offer: &Offer) {
        let slot = &mut self.slots[id.0 as usize];
        slot.hop = NONE;
        slot.hops += 1;
        let live = &mut self.live[packet.body.flow.index()];
        if !live.wanted || !self.spec.covers(offer.at) || !self.spec.has_link(offer.link) {
            return;
        }
        if self.hops.len() >= self.spec.limit {
            // Packets that join in arrears are reported late.
            self.cut = Some(self.cut.map_or(offer.at, |cut| cut.min(offer.at)));
            return;
        }
        if slot.packet == NONE {
            if live.row == NONE {
                live.row = row(self.flows.len());
                self.flows.push(live.flow);
            }
            slot.packet = row(self.packets.len());
            self.packets.push(PacketRow::new(slot.number, live.flow.number, packet, sack));
            self.packets.last_mut().expect("just put there").seq = slot.seq;
        }
        slot.hop = row(self.hops.len());
        self.hops.push(HopRow {
            packet: slot.packet,
            link: offer.link,
            hop: slot.hops,
            offered: offer.at,
            passage: Passage::UNKNOWN,
            burst: offer.burst,
            marked: packet.transit.marks.has(Marks::CONGESTION_EXPERIENCED),
            lost: None,
        });
    }

    /// The times of the packet on the link that has accepted it.
    pub fn passes(&mut self, id: PacketId, passage: Passage) {
        if let Some(row) = self.hops.get_mut(self.slots[id.0 as usize].hop as usize) {
            row.passage = passage;
            self.latest = self.latest.max(passage.arrives);
        }
    }

    /// The packet passes the link that has accepted it at another time, unless its transmission has
    /// started.
    pub fn moves(&mut self, id: PacketId, now: Time, passage: Passage) {
        let row = self.hops.get(self.slots[id.0 as usize].hop as usize);
        if row.is_some_and(|row| row.passage.start > now) {
            self.passes(id, passage);
        }
    }

    /// The burst of a packet was granted a channel.
    pub fn grants(&mut self, id: PacketId, burst: u64, hop: u16) {
        self.slots[id.0 as usize].granted = Some((burst, hop));
    }

    /// Whether the burst of a packet was granted a channel after this number of fibres.
    pub fn is_granted(&self, id: PacketId, burst: u64, hop: u16) -> bool {
        self.slots[id.0 as usize].granted == Some((burst, hop))
    }

    /// The packet is lost on the link that has accepted it, or that it was last offered to.
    pub fn loses(&mut self, id: PacketId, at: Time, cause: Cause) {
        if let Some(row) = self.hops.get_mut(self.slots[id.0 as usize].hop as usize) {
            row.lost = Some((at, cause));
        }
    }

    /// Whether nothing more will be recorded after `now`, in a network whose links do not change.
    pub fn is_over(&self, now: Time) -> bool {
        (now >= self.spec.to || self.cut.is_some()) && now > self.latest
    }

    /// The rows until the limit was reached, in the order of time.
    pub fn rows(&self) -> Vec<HopRow> {
        let cut = self.cut.unwrap_or(Time::NEVER);
        let mut rows: Vec<_> = self.hops.iter().filter(|row| row.offered <= cut).copied().collect();
        rows.sort_by_key(|row| row.offered);
        rows
    }
}

/// The number of a row.
fn row(len: usize) -> u32 {
    u32::try_from(len).expect("fewer than 2^32 rows")
}

/// The packets of a burst in order: the start and end of each, from the burst's first bit.
pub fn laid_out(
    start: Time,
    delay: Span,
    length: impl Fn(u64) -> Span,
) -> impl FnMut(u32) -> Passage {
    let mut before = 0;
    move |bytes| {
        let first = start + length(before);
        before += u64::from(bytes);
        let last = start + length(before);
        Passage { start: first, end: last, arrives: last + delay }
    }
}
