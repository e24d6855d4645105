//! The counters of an input line card of a CIOQ switch.

use kinds::{Counters, counters};
use units::{LinkId, NodeId, Span};
use wire::record::Quantiles;

counters! {
/// Counters of a line card.
pub struct CardCounters {
    /// Packets that arrived.
    packets_in: sum u64,
    /// Their bytes.
    bytes_in: sum u64,
    /// Packets whose last cell has crossed the fabric.
    packets_out: sum u64,
    /// Their cells.
    cells: sum u64,
    /// Packets lost because the card's buffer was full.
    lost_full: sum u64,
    /// Time from last bit in to last cell at the output, sum over packets, in picoseconds.
    stay_sum: sum u128,
    /// The longest of these.
    stay_max: max u64,
    /// Bytes in their queue that packets found, sum over packets.
    found_sum: sum u128,
    /// The maximum number of bytes in one queue, including the arriving packet.
    queue_max: max u64,
}
}

/// An input line card.
#[derive(Debug, Clone)]
pub struct LineCard {
    /// Its switch.
    pub node: NodeId,
    /// The link that leads to it.
    pub link: LinkId,
    counters: CardCounters,
    /// Bytes in a virtual output queue right after a packet has joined it.
    content: Quantiles,
    baseline: CardCounters,
}

impl LineCard {
    /// Nothing has happened yet.
    pub(super) fn new(node: NodeId, link: LinkId) -> Self {
        Self {
            node,
            link,
            counters: CardCounters::default(),
            content: Quantiles::default(),
            baseline: CardCounters::default(),
        }
    }

    /// A packet arrives.
    #[inline]
    fn came(&mut self, bytes: u32) {
        self.counters.packets_in += 1;
        self.counters.bytes_in += u64::from(bytes);
    }

    /// A packet arrives and finds this number of bytes in its queue.
    #[inline]
    pub fn joins(&mut self, bytes: u32, found: u64) {
        self.came(bytes);
        let content = found + u64::from(bytes);
        self.counters.found_sum += u128::from(found);
        self.counters.queue_max = self.counters.queue_max.max(content);
        self.content.count(content);
    }

    /// A packet arrives and finds no room.
    pub fn loses(&mut self, bytes: u32) {
        self.came(bytes);
        self.counters.lost_full += 1;
    }

    /// Its last cell is at the output.
    #[inline]
    pub fn done(&mut self, cells: u32, stay: Span) {
        self.counters.packets_out += 1;
        self.counters.cells += u64::from(cells);
        self.counters.stay_sum += u128::from(stay.0);
        self.counters.stay_max = self.counters.stay_max.max(stay.0);
    }

    pub(super) fn begin_measuring(&mut self) {
        self.baseline = self.counters;
        self.content.clear();
    }

    /// The counters since measuring began; the maxima are those of the whole run.
    pub fn counters(&self) -> CardCounters {
        self.counters.since(&self.baseline)
    }

    /// Bytes in a queue right after a packet has joined it, since measuring began.
    pub fn content(&self) -> &Quantiles {
        &self.content
    }

    pub(super) fn packets_in(&self) -> u64 {
        self.counters.packets_in
    }

    pub(super) fn packets_out(&self) -> u64 {
        self.counters.packets_out
    }

    pub(super) fn lost(&self) -> u64 {
        self.counters.lost_full
    }

    /// The counters of the whole run in a fixed order, for a digest.
    pub fn words(&self, put: &mut dyn FnMut(u64)) {
        self.counters.words(put);
    }
}
