//! A flow's reordering, packet by packet.

use std::collections::VecDeque;

use units::Time;

use super::{Density, Extents, ReorderingCounts, THRESHOLD};

/// How many packets are sent until a missing one is dropped from the study. It bounds the memory of
/// a study, and the largest extent that it can detect.
pub const HISTORY: u64 = 65_536;

/// Measures the reordering of a flow's data packets.
#[derive(Debug, Clone)]
pub struct Study {
    /// Packets sent.
    sent: u64,
    /// Those that have not arrived, in the order of sending: instant, sequence number, number.
    missing: VecDeque<(Time, u64, u64)>,
    /// The numbers of the last three that arrived.
    last: [u64; 3],
    extents: Extents,
    density: Density,
    counts: ReorderingCounts,
}

impl Default for Study {
    fn default() -> Self {
        Self {
            sent: 0,
            missing: VecDeque::new(),
            last: [0; 3],
            extents: Extents::default(),
            density: Density::new(THRESHOLD),
            counts: ReorderingCounts::default(),
        }
    }
}

impl Study {
    /// A packet is sent; `(at, seq)` identifies it.
    pub fn sent(&mut self, at: Time, seq: u64) {
        self.sent += 1;
        self.missing.push_back((at, seq, self.sent));
        while self.missing.front().is_some_and(|&(_, _, number)| number + HISTORY <= self.sent) {
            self.missing.pop_front();
        }
    }

    /// The packet with this `(at, seq)` arrives. A duplicate, or one already dropped, does not
    /// count.
    pub fn arrived(&mut self, at: Time, seq: u64) {
        let from = self.missing.partition_point(|&(sent, _, _)| sent < at);
        let mut of_instant = self.missing.range(from..).take_while(|&&(sent, _, _)| sent == at);
        let Some(place) = of_instant.position(|&(_, other, _)| other == seq) else { return };
        let Some((_, _, number)) = self.missing.remove(from + place) else { return };
        let least = self.missing.front().map_or(self.sent + 1, |&(_, _, number)| number);
        self.counts.arrived += 1;
        if let Some(extent) = self.extents.arrived(number, least) {
            self.counts.reordered += 1;
            self.counts.extent_sum += extent;
            self.counts.extent_max = self.counts.extent_max.max(extent);
            self.counts.three += u64::from(self.last.iter().all(|&before| before > number));
        }
        self.last = [self.last[1], self.last[2], number];
        self.density.arrived(number);
    }

    /// The results since the start, or since [`Self::forget`].
    pub fn counts(&self) -> ReorderingCounts {
        ReorderingCounts { displaced: self.density.displaced(), ..self.counts.clone() }
    }

    /// Counts from here on.
    pub fn forget(&mut self) {
        self.counts = ReorderingCounts::default();
        self.density.forget();
    }
}
