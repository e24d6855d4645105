//! CoDel (RFC 8289): packets are dropped, or marked, when the time that they wait has been above a target for an
//! interval; the next ones the sooner, the more there were.
//!
//! The names in brackets are those of the pseudo-code in section 5.

use plan::spec::queue::codel::Options;
use units::Time;

use super::{Discarded, Leaving, Queue};
use crate::chain::Chain;
use crate::packet::{Marks, PacketId, Packets};

/// Within so many intervals a queue that begins to drop again goes on where it stopped (section 5.6).
const MEMORY: u64 = 16;

/// A queue with CoDel.
#[derive(Debug, Clone)]
pub(in crate::link) struct Codel {
    queue: Chain,
    control: Control,
    terms: Options,
}

impl Codel {
    pub(in crate::link) fn new(terms: &Options) -> Self {
        Self { queue: Chain::EMPTY, control: Control::default(), terms: *terms }
    }
}

impl Queue for Codel {
    fn put(&mut self, _now: Time, packets: &mut Packets, id: PacketId) {
        self.queue.push(packets, id);
    }

    fn take(&mut self, now: Time, packets: &mut Packets, out: &mut Discarded) -> Leaving {
        self.control.take(&self.terms, now, (&mut self.queue, packets), out)
    }

    fn each_chain(&self, visit: &mut dyn FnMut(&Chain)) {
        visit(&self.queue);
    }

    fn branch(&mut self, _key: u64) {}
}

/// The state of one queue.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Control {
    count: u64,
    last_count: u64,
    dropping: bool,
    drop_next: Time,
    first_above: Option<Time>,
    /// The largest packet so far (`maxpacket`).
    largest: u64,
}

impl Control {
    /// The packet that leaves next, and whether it is marked; packets that are dropped before it are discarded.
    pub(super) fn take(
        &mut self,
        terms: &Options,
        now: Time,
        (queue, packets): (&mut Chain, &mut Packets),
        discarded: &mut Discarded,
    ) -> Option<(PacketId, bool)> {
        let (mut next, mut is_above) = self.next(terms, now, queue, packets);
        if self.dropping {
            self.dropping &= is_above;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if let Some(marked) = Self::marked(terms, next, packets) {
                    self.drop_next = control_law(self.drop_next, terms, self.count);
                    return Some(marked);
                }
                discarded.push(packets, next?);
                (next, is_above) = self.next(terms, now, queue, packets);
                self.dropping = is_above;
                if is_above {
                    self.drop_next = control_law(self.drop_next, terms, self.count);
                }
            }
        } else if is_above {
            let marked = Self::marked(terms, next, packets);
            if marked.is_none() {
                discarded.push(packets, next?);
                next = self.next(terms, now, queue, packets).0;
            }
            self.dropping = true;
            let delta = self.count.saturating_sub(self.last_count);
            let is_recent = now.since(self.drop_next).0 < MEMORY * terms.interval.0;
            self.count = if delta > 1 && is_recent { delta } else { 1 };
            self.drop_next = control_law(now, terms, self.count);
            self.last_count = self.count;
            if marked.is_some() {
                return marked;
            }
        }
        next.map(|id| (id, false))
    }

    /// The packet, marked, where it can carry a mark and marks are used.
    fn marked(
        terms: &Options,
        id: Option<PacketId>,
        packets: &Packets,
    ) -> Option<(PacketId, bool)> {
        let capable = |id: &PacketId| packets.transit(*id).marks.has(Marks::ECN_CAPABLE);
        id.filter(capable).filter(|_| terms.ecn).map(|id| (id, true))
    }

    /// `dodequeue`: the next packet, and whether it may be dropped (`ok_to_drop`).
    fn next(
        &mut self,
        terms: &Options,
        now: Time,
        queue: &mut Chain,
        packets: &Packets,
    ) -> (Option<PacketId>, bool) {
        let Some(id) = queue.pop(packets) else {
            self.first_above = None;
            return (None, false);
        };
        let transit = packets.transit(id);
        self.largest = self.largest.max(u64::from(transit.bytes));
        if now.since(transit.arrives) < terms.target || queue.bytes() <= self.largest {
            self.first_above = None;
            return (Some(id), false);
        }
        let since = *self.first_above.get_or_insert(now.saturating_add(terms.interval));
        (Some(id), now >= since)
    }
}

/// `control_law`: the next drop is an interval over the square root of the count later.
fn control_law(at: Time, terms: &Options, count: u64) -> Time {
    at.saturating_add(terms.interval.scaled(1.0 / libm::sqrt(count as f64)))
}

#[cfg(test)]
mod tests {
    use plan::spec::QueueSpec;
    use plan::spec::queue::Limit;

    use super::*;
    use crate::link::managed::bench::{Bench, MS};

    fn codel(ecn: bool) -> QueueSpec {
        QueueSpec::Codel(Options { limit: Limit::packets(100_000), ecn, ..Options::default() })
    }

    /// A packet each half millisecond. The one that leaves at 10 ms is the first to have waited for 5 ms, so that the first
    /// drop is at 110 ms, the next an interval later, then 100/√2, 100/√3 and 100/√4 ms after each other (RFC 8289 section
    /// 5.4), each with the packet that leaves next, on a millisecond.
    #[test]
    fn codel_drops_an_interval_over_the_square_root_of_the_count_later() {
        let mut bench = Bench::new(codel(false));
        bench.stream((0, 450_000), 500, (0, 1000, 0));
        let drops: Vec<u64> = bench.dropped.iter().map(|&(at, _)| at / 1000).collect();
        assert_eq!(drops, [110, 210, 281, 339, 389, 434]);
        // A drop takes no time: a packet leaves each millisecond.
        assert!(bench.sent.windows(2).all(|pair| pair[1].0 - pair[0].0 == 1000));
    }

    #[test]
    fn codel_marks_where_it_may_and_drops_nothing_then() {
        let mut bench = Bench::new(codel(true));
        bench.stream((0, 300_000), 500, (0, 1000, Marks::ECN_CAPABLE));
        assert_eq!((bench.marked.len(), bench.dropped.len()), (3, 0));
        // Packets that cannot carry a mark are dropped.
        let mut bench = Bench::new(codel(true));
        bench.stream((0, 300_000), 500, (0, 1000, 0));
        assert_eq!((bench.marked.len(), bench.dropped.len()), (0, 3));
    }

    #[test]
    fn codel_leaves_a_short_queue_and_a_burst_alone() {
        // Ten packets at once each 20 ms: the last waits for 9 ms, but each burst ends.
        let mut bench = Bench::new(codel(false));
        for burst in 0..100 {
            (0..10).for_each(|_| bench.offer(burst * 20 * MS, (0, 1000, 0)));
        }
        bench.run_to(u64::MAX / 2);
        assert_eq!((bench.dropped.len(), bench.sent.len()), (0, 1000));
    }

    /// After a quiet time within 16 intervals it goes on where it stopped (section 5.6), after a longer one anew.
    #[test]
    fn codel_remembers_how_much_it_dropped() {
        let second = |pause: u64| {
            let mut bench = Bench::new(codel(false));
            bench.stream((0, 700_000), 500, (0, 1000, 0));
            bench.run_to((1_400 + pause) * MS);
            let start = 1_400_000 + pause * 1000;
            bench.dropped.clear();
            bench.stream((start, start + 400_000), 500, (0, 1000, 0));
            bench.dropped.len()
        };
        assert!(second(100) > second(5000) + 2, "{} {}", second(100), second(5000));
        assert_eq!(second(5000), 5);
    }
}
