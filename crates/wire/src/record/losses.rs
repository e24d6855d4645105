//! What the network has lost of each flow, and which fast retransmits were spurious.
//!
//! It is an oracle: hosts do not know it, and nothing acts on it.

use units::FlowId;

/// Octets that the network has lost and that were not acknowledged when the sender last sent data again,
/// flow by flow: sorted, disjoint ranges that do not touch. A flow without losses takes no further
/// memory.
#[derive(Debug, Clone, Default)]
pub struct Losses(Vec<Vec<(u64, u64)>>);

impl Losses {
    /// A flow takes this id.
    pub fn begin(&mut self, id: FlowId) {
        if let Some(ranges) = self.0.get_mut(id.index()) {
            ranges.clear();
        }
    }

    /// The network loses octets `start .. end` of a flow.
    pub fn lost(&mut self, id: FlowId, start: u64, end: u64) {
        if start >= end {
            return;
        }
        if self.0.len() <= id.index() {
            self.0.resize_with(id.index() + 1, Vec::new);
        }
        let ranges = &mut self.0[id.index()];
        let first = ranges.partition_point(|range| range.1 < start);
        let after = ranges.partition_point(|range| range.0 <= end);
        let merged = match ranges.get(first..after) {
            Some([one, .., other]) => (start.min(one.0), end.max(other.1)),
            Some([one]) => (start.min(one.0), end.max(one.1)),
            _ => (start, end),
        };
        ranges.splice(first..after, [merged]);
    }

    /// Forgets acknowledged octets of a flow; returns whether any of the octets `start .. end` were
    /// lost.
    fn look(&mut self, id: FlowId, acked: u64, (start, end): (u64, u64)) -> bool {
        let Some(ranges) = self.0.get_mut(id.index()) else { return false };
        let gone = ranges.partition_point(|range| range.1 <= acked);
        ranges.drain(..gone);
        let first = ranges.partition_point(|range| range.1 <= start);
        ranges.get(first).is_some_and(|range| range.0 < end)
    }
}

/// The fast retransmits of a flow that were spurious: no copy of what they retransmit was ever lost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spurious {
    /// Fast retransmits that have been examined.
    seen: u64,
    /// How many of them were spurious.
    pub count: u64,
}

/// Data that are retransmitted.
#[derive(Debug, Clone, Copy)]
pub struct Resent {
    /// The octets, from the first and below the second.
    pub octets: (u64, u64),
    /// Octets acknowledged before.
    pub acked: u64,
    /// How often the sender has entered fast retransmit.
    pub entered: u64,
}

impl Spurious {
    /// A sender retransmits data. The first after it has entered fast retransmit are those that it
    /// considers lost.
    pub fn resent(&mut self, losses: &mut Losses, id: FlowId, resent: Resent) {
        let fast = resent.entered > self.seen;
        self.seen = resent.entered;
        let lost = losses.look(id, resent.acked, resent.octets);
        self.count += u64::from(fast && !lost);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const FLOW: FlowId = FlowId(3);

    fn count(losses: &mut Losses, steps: &[((u64, u64), u64, u64)]) -> Vec<u64> {
        let mut spurious = Spurious::default();
        let mut count = |&(octets, acked, entered): &((u64, u64), u64, u64)| {
            spurious.resent(losses, FLOW, Resent { octets, acked, entered });
            spurious.count
        };
        steps.iter().map(&mut count).collect()
    }

    #[test]
    fn a_fast_retransmit_is_spurious_unless_a_copy_was_lost() {
        let mut losses = Losses::default();
        losses.lost(FLOW, 1000, 2000);
        losses.lost(FlowId(2), 5000, 6000);
        // Lost, and resent twice; lost by another flow; between what was lost.
        losses.lost(FLOW, 7000, 8000);
        let steps = [
            ((1000, 2000), 1000, 1),
            ((1000, 2000), 1000, 2),
            ((5000, 6000), 5000, 3),
            ((6000, 7000), 6000, 4),
            ((6500, 7500), 6000, 5),
        ];
        assert_eq!(count(&mut losses, &steps), [0, 0, 1, 2, 2]);
    }

    #[test]
    fn what_a_recovery_or_a_timeout_sends_again_is_no_fast_retransmit() {
        let steps = [((0, 1000), 0, 0), ((0, 1000), 0, 1), ((1000, 2000), 1000, 1)];
        assert_eq!(count(&mut Losses::default(), &steps), [0, 1, 1]);
    }

    #[test]
    fn a_place_that_is_used_again_has_lost_nothing() {
        let mut losses = Losses::default();
        losses.lost(FLOW, 0, 1000);
        losses.begin(FLOW);
        assert!(!losses.look(FLOW, 0, (0, 1000)));
    }

    #[test]
    fn what_is_acknowledged_is_forgotten() {
        let mut losses = Losses::default();
        losses.lost(FLOW, 0, 1000);
        losses.lost(FLOW, 3000, 4000);
        assert!(losses.look(FLOW, 2000, (3000, 4000)));
        assert_eq!(losses.0[FLOW.index()], [(3000, 4000)]);
    }

    proptest! {
        #[test]
        fn ranges_equal_a_plain_set(
            steps in prop::collection::vec((0u64..60, 0u64..12, prop::bool::weighted(0.7)), 0..60),
        ) {
            let mut losses = Losses::default();
            let mut set = BTreeSet::new();
            let mut acked = 0;
            for (start, len, lost) in steps {
                if lost {
                    losses.lost(FLOW, start, start + len);
                    set.extend(start..start + len);
                } else {
                    acked += u64::from(start % 5 == 0);
                    // A range is removed when all of it is acknowledged.
                    set.retain(|octet| *octet >= acked);
                    let start = start.max(acked);
                    let end = start + len.max(1);
                    let hit = losses.look(FLOW, acked, (start, end));
                    prop_assert_eq!(hit, set.range(start..end).next().is_some());
                }
                let ranges = losses.0.get(FLOW.index()).cloned().unwrap_or_default();
                let octets = ranges.iter().flat_map(|&(from, to)| from..to);
                prop_assert!(octets.filter(|&o| o >= acked).eq(set.iter().copied().filter(|&o| o >= acked)));
                prop_assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
            }
        }
    }
}
