//! The results of a study of reordering.

use std::collections::BTreeMap;

/// Counts over the packets of a flow, or of an entry's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReorderingCounts {
    /// Packets that have arrived.
    pub arrived: u64,
    /// Of these, those after one sent later (RFC 4737 section 3.3).
    pub reordered: u64,
    /// The sum of their extents (RFC 4737 section 4.2).
    pub extent_sum: u64,
    /// The largest of them.
    pub extent_max: u64,
    /// Packets that are 3-reordered: the three that arrived just before were all sent later (RFC 4737
    /// section 5.4). Each causes a spurious retransmission by a TCP with a threshold of three.
    pub three: u64,
    /// Packets by their displacement (`F[D]` of RFC 5236).
    pub displaced: BTreeMap<i32, u64>,
}

impl ReorderingCounts {
    /// Adds another flow's.
    pub fn add(&mut self, other: &Self) {
        self.arrived += other.arrived;
        self.reordered += other.reordered;
        self.extent_sum += other.extent_sum;
        self.extent_max = self.extent_max.max(other.extent_max);
        self.three += other.three;
        for (&displacement, packets) in &other.displaced {
            *self.displaced.entry(displacement).or_default() += packets;
        }
    }

    /// The mean extent of reordered packets, NaN if there are none.
    pub fn extent_mean(&self) -> f64 {
        self.extent_sum as f64 / self.reordered as f64
    }

    /// The share of packets that are 3-reordered, NaN if none has arrived.
    pub fn three_share(&self) -> f64 {
        self.three as f64 / self.arrived as f64
    }

    /// The reorder density: displacement, packets, and their share of all that have one (RFC 5236).
    pub fn density(&self) -> impl Iterator<Item = (i32, u64, f64)> + '_ {
        let all: u64 = self.displaced.values().sum();
        self.displaced.iter().map(move |(&d, &packets)| (d, packets, packets as f64 / all as f64))
    }
}
