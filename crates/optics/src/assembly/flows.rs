//! The state of flows in a policy.

#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated over")]
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use units::{Span, Time};

/// How long a flow that an assignment outlives may be silent: longer than the longest retransmission
/// timeout of a host, 60 s (RFC 6298, section 2.5).
pub(super) const SILENT: Span = Span::from_secs(120);

/// A table by numbers, the same on every machine.
#[expect(clippy::disallowed_types, reason = "looked up by key, never iterated over")]
pub(super) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Multiply>>;

/// Hashes a number by multiplication, as D. Knuth does (TAOCP volume 3, section 6.4). The factor is
/// 2^64 / φ, made odd. Ids are not chosen by an adversary.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Multiply(u64);

impl Multiply {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
}

impl Hasher for Multiply {
    #[inline]
    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }

    /// The upper half of the product, which depends on all bits, is folded into the lower half,
    /// which the table uses.
    #[inline]
    fn write_u64(&mut self, x: u64) {
        let product = x.wrapping_mul(Self::FACTOR);
        self.0 = product ^ product >> 32;
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only whole numbers are keys");
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// Data about each active flow, by its id.
///
/// An edge is not notified when a flow ends. A flow is removed after a period of silence: at least
/// `keep`, at most twice as long while packets of others arrive. So memory is bounded by the flows
/// that were seen within that time.
#[derive(Debug, Clone)]
pub(super) struct Flows<T> {
    /// The flows seen since the last turn, each with its life.
    recent: Table<u32, (u32, T)>,
    /// Those seen between the turn before and the last one, and not since.
    older: Table<u32, (u32, T)>,
    keep: Span,
    turn: Time,
}

impl<T> Flows<T> {
    pub(super) fn new(keep: Span) -> Self {
        Self { recent: Table::default(), older: Table::default(), keep, turn: Time::ZERO }
    }

    /// What is known of a flow of which a packet comes now. A late packet of an earlier flow of that
    /// id, which has ended, goes with the latest one.
    #[inline]
    pub(super) fn get(&mut self, now: Time, flow: u32, life: u32) -> Option<&mut T> {
        if now > self.turn {
            self.turn(now);
        }
        let known = match self.recent.entry(flow) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(self.older.remove(&flow)?),
        };
        (life <= known.0).then_some(&mut known.1)
    }

    #[cold]
    fn turn(&mut self, now: Time) {
        std::mem::swap(&mut self.recent, &mut self.older);
        self.recent.clear();
        self.turn = now.saturating_add(self.keep);
    }

    /// Remembers a flow of which a packet came now, in place of an earlier one of its id.
    pub(super) fn insert(&mut self, flow: u32, life: u32, about: T) {
        self.recent.insert(flow, (life, about));
    }

    /// What is known of the latest flow of an id.
    pub(super) fn latest(&mut self, flow: u32) -> Option<&mut T> {
        let known = self.recent.get_mut(&flow).or_else(|| self.older.get_mut(&flow))?;
        Some(&mut known.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: u64) -> Time {
        Time::ZERO + Span::from_secs(secs)
    }

    #[test]
    fn a_flow_is_known_until_it_was_silent_for_a_while() {
        let mut flows = Flows::new(Span::from_secs(10));
        for second in 0..1_000 {
            let now = at(second);
            assert!(flows.get(now, 3, 0).is_none());
            // One that comes every ten seconds, and one that comes once.
            if second % 10 == 0 {
                assert_eq!(flows.get(now, 1, 0).copied(), (second > 0).then_some('a'), "{second}");
                flows.insert(1, 0, 'a');
            }
            if second == 35 {
                flows.insert(2, 0, 'b');
            }
            assert_eq!(flows.latest(2).is_some(), (35..56).contains(&second), "{second}");
        }
    }

    #[test]
    fn memory_is_bounded_by_the_flows_of_a_while() {
        let mut flows = Flows::new(Span::from_secs(10));
        for flow in 0..100_000 {
            let now = at(u64::from(flow / 10));
            assert_eq!(flows.get(now, flow, 0), None);
            flows.insert(flow, 0, ());
            assert!(flows.recent.len() + flows.older.len() <= 220);
        }
        assert!(flows.recent.capacity() + flows.older.capacity() < 1_000);
    }

    #[test]
    fn a_later_flow_of_an_id_is_another_one() {
        let mut flows = Flows::new(Span::from_secs(10));
        flows.insert(7, 3, 'a');
        assert_eq!(flows.get(at(1), 7, 4), None);
        flows.insert(7, 4, 'b');
        assert_eq!(flows.get(at(1), 7, 4), Some(&mut 'b'));
        assert_eq!(flows.get(at(1), 7, 3), Some(&mut 'b'));
        assert_eq!(flows.latest(7), Some(&mut 'b'));
        assert_eq!(flows.latest(8), None);
    }

    /// Ids in a row, and ids at a distance of a power of two, spread over the lower bits.
    #[test]
    fn hashes_of_like_ids_differ_where_the_table_looks() {
        for shift in [0, 8, 16, 22] {
            let places: std::collections::BTreeSet<u64> = (0..1_000_u32)
                .map(|id| {
                    let mut hasher = Multiply::default();
                    hasher.write_u32(id << shift);
                    hasher.finish() % 4_096
                })
                .collect();
            // By chance it would be 4096 (1 - e^(-1000 / 4096)) = 887.
            assert!(places.len() > 700, "{} at {shift}", places.len());
        }
    }
}
