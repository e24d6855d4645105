//! A set of octets as sorted, disjoint ranges that do not touch: what a receiver holds out of
//! order, and what a sender knows of it.

use std::collections::VecDeque;

/// A set of octets. Extending the last range and removing from the front cost no search, the rest
/// costs the logarithm of the number of ranges and a move of the smaller side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges {
    ranges: VecDeque<(u64, u64)>,
    octets: u64,
}

impl Ranges {
    /// How many octets it holds.
    pub(crate) fn octets(&self) -> u64 {
        self.octets
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub(crate) fn last(&self) -> Option<(u64, u64)> {
        self.ranges.back().copied()
    }

    /// The ranges, ascending.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        self.ranges.iter().copied()
    }

    /// The first range that ends above `octet`.
    pub(crate) fn first_ending_above(&self, octet: u64) -> Option<(u64, u64)> {
        self.from(octet).next()
    }

    /// The ranges that end above `octet`, ascending.
    pub(crate) fn from(&self, octet: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let first = match self.ranges.front() {
            Some(range) if range.1 > octet => 0,
            _ => self.ranges.partition_point(|range| range.1 <= octet),
        };
        self.ranges.range(first..).copied()
    }

    /// Adds `start .. end`; `fresh` is called with each new part.
    pub(crate) fn insert(&mut self, start: u64, end: u64, mut fresh: impl FnMut(u64, u64)) {
        if start >= end {
            return;
        }
        let mut add = |from: u64, to: u64| {
            self.octets += to - from;
            fresh(from, to);
        };
        match self.ranges.back_mut() {
            Some(last) if start >= last.0 && start <= last.1 => {
                if end > last.1 {
                    add(last.1, end);
                    last.1 = end;
                }
                return;
            }
            Some(last) if start < last.0 => {}
            _ => {
                add(start, end);
                self.ranges.push_back((start, end));
                return;
            }
        }
        let first = self.ranges.partition_point(|range| range.1 < start);
        let mut merged = (start, end);
        let mut covered = start;
        let mut after = first;
        while let Some(&range) = self.ranges.get(after).filter(|range| range.0 <= end) {
            if covered < range.0 {
                add(covered, range.0);
            }
            covered = covered.max(range.1);
            merged = (merged.0.min(range.0), merged.1.max(range.1));
            after += 1;
        }
        if covered < end {
            add(covered, end);
        }
        if after == first {
            self.ranges.insert(first, merged);
        } else {
            self.ranges[first] = merged;
            self.ranges.drain(first + 1..after);
        }
    }

    /// Removes what lies below `octet`; `gone` is called with each part.
    pub(crate) fn remove_below(&mut self, octet: u64, mut gone: impl FnMut(u64, u64)) {
        while let Some(first) = self.ranges.front_mut() {
            if first.0 >= octet {
                return;
            }
            let end = first.1.min(octet);
            self.octets -= end - first.0;
            gone(first.0, end);
            if first.1 > octet {
                first.0 = octet;
                return;
            }
            self.ranges.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// The ranges of a plain set of octets.
    fn ranges_of(set: &BTreeSet<u64>) -> Vec<(u64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for &octet in set {
            match ranges.last_mut() {
                Some(last) if last.1 == octet => last.1 += 1,
                _ => ranges.push((octet, octet + 1)),
            }
        }
        ranges
    }

    proptest! {
        #[test]
        fn ranges_equal_a_plain_set(
            steps in prop::collection::vec((0u64..100, 0u64..20, prop::bool::weighted(0.2)), 0..60),
        ) {
            let mut ranges = Ranges::default();
            let mut set = BTreeSet::new();
            for (start, len, remove) in steps {
                let before = set.clone();
                let mut told = BTreeSet::new();
                let note = |from: u64, to: u64| told.extend(from..to);
                if remove {
                    ranges.remove_below(start, note);
                    set.retain(|octet| *octet >= start);
                    prop_assert_eq!(told, &before - &set);
                } else {
                    ranges.insert(start, start + len, note);
                    set.extend(start..start + len);
                    prop_assert_eq!(told, &set - &before);
                }
                prop_assert_eq!(ranges.octets(), set.len() as u64);
                prop_assert_eq!(ranges.iter().collect::<Vec<_>>(), ranges_of(&set));
                let above = ranges_of(&set).into_iter().find(|range| range.1 > 50);
                prop_assert_eq!(ranges.first_ending_above(50), above);
            }
        }
    }
}
