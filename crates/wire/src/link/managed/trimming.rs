//! Packet trimming (M. Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
//! performance", SIGCOMM 2017, section 3.1; UEC specification 1.0): a packet of a message transport that finds the
//! queue full loses its data, and what is left goes before all data, as acknowledgments do.
//!
//! Data are marked when they leave, the more of them wait the more likely (Kmin and Kmax of RED on the length itself).
//!
//! `Deviation:` NDP trims the packet at the end of the queue instead of the one that comes half of the times, and
//! gives data a turn after ten headers.

use random::Stream;

use crate::chain::Chain;
use crate::packet::{Marks, PacketId, Packets};

/// The parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// The bytes that are left of a packet.
    pub(super) header: u32,
    /// The most packets without data that wait.
    pub(super) headers: u32,
    /// The shares of the limit between which data are marked more and more likely.
    pub(super) mark: (f64, f64),
}

/// Whether there is room for a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::link) enum Room {
    /// There is.
    Whole,
    /// For so many of its bytes.
    Header(u32),
    /// There is none.
    None,
}

/// Both queues.
#[derive(Debug, Clone)]
pub(super) struct Trimming {
    terms: Terms,
    urgent: Chain,
    data: Chain,
    draws: Stream,
}

impl Trimming {
    pub(super) fn new(terms: Terms, draws: Stream) -> Self {
        Self { terms, urgent: Chain::EMPTY, data: Chain::EMPTY, draws }
    }

    /// From now on what is decided by chance is drawn anew.
    pub(super) fn branch(&mut self, key: u64) {
        self.draws.branch(key);
    }

    /// The share of a limit, in packets or in bytes, that data use.
    fn content(&self, (_, counts_bytes): (u64, bool)) -> u64 {
        if counts_bytes { self.data.bytes() } else { u64::from(self.data.len()) }
    }

    /// Whether there is room for a packet beside data up to a limit.
    pub(super) fn room(&self, marks: Marks, bytes: u32, limit: (u64, bool)) -> Room {
        let has_header_room = self.urgent.len() < self.terms.headers;
        if marks.has(Marks::URGENT) {
            return if has_header_room { Room::Whole } else { Room::None };
        }
        let more = if limit.1 { u64::from(bytes) } else { 1 };
        if self.content(limit) + more <= limit.0 {
            Room::Whole
        } else if marks.has(Marks::SPRAYED) && has_header_room {
            Room::Header(self.terms.header.min(bytes))
        } else {
            Room::None
        }
    }

    /// A packet for which there is room comes in.
    pub(super) fn put(&mut self, packets: &mut Packets, id: PacketId) {
        let urgent = packets.transit(id).marks.has(Marks::URGENT);
        if urgent { &mut self.urgent } else { &mut self.data }.push(packets, id);
    }

    /// The packet that leaves next, and whether it is marked.
    pub(super) fn take(
        &mut self,
        packets: &Packets,
        limit: (u64, bool),
    ) -> Option<(PacketId, bool)> {
        if let Some(id) = self.urgent.pop(packets) {
            return Some((id, false));
        }
        let content = self.content(limit) as f64 / limit.0 as f64;
        let id = self.data.pop(packets)?;
        let (from, until) = self.terms.mark;
        let capable = packets.transit(id).marks.has(Marks::ECN_CAPABLE);
        let mark = capable
            && content > from
            && (content >= until || self.draws.chance((content - from) / (until - from)));
        Some((id, mark))
    }

    /// What waits.
    pub(super) fn chains(&self) -> [&Chain; 2] {
        [&self.urgent, &self.data]
    }
}
