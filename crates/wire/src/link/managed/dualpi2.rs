//! DualPI2 (RFC 9332): two queues, one for L4S and one for Classic traffic, coupled so that both have about the same
//! rate a flow. The names in brackets are those of the pseudo-code in appendix A.
//!
//! A PI controller holds the delay of the Classic queue at a target by a probability p′. Classic packets are dropped
//! or marked with p′², L4S packets marked with k·p′ or, if this is more, by a ramp of their own delay. Which packets is
//! not drawn by chance: probabilities are added up (`recur`).
//!
//! `Deviation:` the controller's updates are computed when a packet comes or leaves, with the delays at their own
//! instants: the same as with a timer. The scheduler is a weighted round robin (section 2.5.1.1 recommends either this
//! or a time-shifted FIFO).

use plan::spec::queue::dualpi2;
use units::{Span, Time};

use super::{Discarded, Leaving, Queue};
use crate::chain::Chain;
use crate::link::pi::Controller;
use crate::packet::{Marks, PacketId, Packets};

/// A queue with the sum of its probabilities.
#[derive(Debug, Clone, Copy)]
struct Half {
    queue: Chain,
    sum: f64,
}

impl Half {
    const EMPTY: Self = Self { queue: Chain::EMPTY, sum: 0.0 };

    /// `recur`.
    fn strikes(&mut self, probability: f64) -> bool {
        self.sum += probability;
        let strikes = self.sum > 1.0;
        if strikes {
            self.sum -= 1.0;
        }
        strikes
    }
}

/// Both queues.
#[derive(Debug, Clone)]
pub(in crate::link) struct DualPi2 {
    terms: dualpi2::Options,
    l4s: Half,
    classic: Half,
    /// `p'` and `prevq`.
    pi: Controller,
    /// Bytes that Classic traffic may send before L4S.
    credit: f64,
}

impl DualPi2 {
    pub(in crate::link) fn new(terms: &dualpi2::Options) -> Self {
        Self {
            terms: *terms,
            l4s: Half::EMPTY,
            classic: Half::EMPTY,
            pi: Controller::new(terms.target, terms.update, [terms.alpha, terms.beta]),
            credit: 0.0,
        }
    }

    /// Whether the next packet is L4S; none where no packet waits.
    fn is_turn_of_l4s(&mut self, packets: &Packets) -> Option<bool> {
        let size = |half: &Half| half.queue.head().map(|id| f64::from(packets.transit(id).bytes));
        let sizes = (size(&self.l4s), size(&self.classic));
        let (Some(l4s), Some(classic)) = sizes else {
            self.credit = 0.0;
            return sizes.0.or(sizes.1).map(|_| sizes.0.is_some());
        };
        if self.credit >= classic {
            self.credit -= classic;
            return Some(false);
        }
        let weight = self.terms.classic_weight;
        self.credit += l4s * weight / (1.0 - weight);
        Some(true)
    }

    /// `laqm`.
    fn ramp(&self, wait: Span) -> f64 {
        let over = wait.0.saturating_sub(self.terms.threshold.0);
        if over == 0 && wait < self.terms.threshold {
            return 0.0;
        }
        if self.terms.range == Span::ZERO { 1.0 } else { over as f64 / self.terms.range.0 as f64 }
    }

    /// `dualpi2_update` for each instant that has come.
    fn catch_up(&mut self, now: Time, packets: &Packets) {
        while let Some(delay) =
            self.pi.next_update(now, |due| self.classic.queue.wait(due, packets))
        {
            self.pi.note(self.pi.probability + self.pi.change(delay), delay);
        }
    }
}

impl Queue for DualPi2 {
    fn put(&mut self, now: Time, packets: &mut Packets, id: PacketId) {
        self.catch_up(now, packets);
        let marks = packets.transit(id).marks;
        // Packets that are marked already are taken for L4S, as it is not known what they were (section 2.3).
        let is_l4s = marks.has(Marks::L4S) || marks.has(Marks::CONGESTION_EXPERIENCED);
        let half = if is_l4s { &mut self.l4s } else { &mut self.classic };
        half.queue.push(packets, id);
    }

    fn take(&mut self, now: Time, packets: &mut Packets, out: &mut Discarded) -> Leaving {
        self.catch_up(now, packets);
        loop {
            let base = self.pi.probability;
            let coupled = self.terms.coupling * base;
            let squared = base * base;
            if self.is_turn_of_l4s(packets)? {
                let wait = self.l4s.queue.wait(now, packets);
                let native = if self.l4s.queue.len() > 1 { self.ramp(wait) } else { 0.0 };
                let id = self.l4s.queue.pop(packets)?;
                if coupled >= 1.0 {
                    // Overload: L4S packets are dropped as Classic ones are.
                    if self.l4s.strikes(squared) {
                        out.push(packets, id);
                        continue;
                    }
                }
                return Some((id, self.l4s.strikes(native.max(coupled).min(1.0))));
            }
            let id = self.classic.queue.pop(packets)?;
            if !self.classic.strikes(squared) {
                return Some((id, false));
            }
            let is_overload = squared > 1.0 / (self.terms.coupling * self.terms.coupling);
            if packets.transit(id).marks.has(Marks::ECN_CAPABLE) && !is_overload {
                return Some((id, true));
            }
            out.push(packets, id);
        }
    }

    fn each_chain(&self, visit: &mut dyn FnMut(&Chain)) {
        visit(&self.l4s.queue);
        visit(&self.classic.queue);
    }

    fn branch(&mut self, _key: u64) {}
}

#[cfg(test)]
mod tests {
    use plan::spec::QueueSpec;
    use plan::spec::queue::Limit;
    use plan::spec::queue::dualpi2::Options;

    use super::*;
    use crate::link::Discipline;
    use crate::link::managed::Any;
    use crate::link::managed::bench::{Bench, MS, US};

    fn dualpi2() -> QueueSpec {
        QueueSpec::DualPi2(Options { limit: Limit::packets(100_000), ..Options::default() })
    }

    const L4S: u8 = Marks::ECN_CAPABLE | Marks::L4S;

    fn held(base: f64) -> Bench {
        let mut bench = Bench::new(dualpi2());
        let Discipline::Managed(managed) = &mut bench.link.rare.discipline else {
            panic!("managed")
        };
        let Any::DualPi2(queues) = &mut managed.queue else { panic!("it is DualPI2") };
        (queues.pi.probability, queues.pi.due) = (base, Time::NEVER);
        bench
    }

    /// RFC 9332 section 2.1: `p_C` = p′², `p_CL` = k p′.
    #[test]
    fn classic_packets_are_dropped_with_the_square_and_l4s_marked_with_k_times_the_base() {
        let mut bench = held(0.1);
        // Without a queue: only the coupling acts.
        bench.stream((0, 10_000_000), 2000, (1, 1000, 0));
        assert_eq!(bench.dropped.len(), 5000 / 100);
        let mut bench = held(0.1);
        bench.stream((0, 10_000_000), 2000, (1, 1000, Marks::ECN_CAPABLE));
        assert_eq!((bench.dropped.len(), bench.marked.len()), (0, 5000 / 100));
        let mut bench = held(0.1);
        bench.stream((0, 10_000_000), 2000, (2, 1000, L4S));
        assert!((999..=1000).contains(&bench.marked.len()), "{}", bench.marked.len());
    }

    /// Above a quarter (1/k²) Classic packets are dropped even where they could be marked; from p′ = 1/k on L4S ones are
    /// dropped as Classic ones (appendix A.2).
    #[test]
    fn overload_is_met_by_drops() {
        let mut bench = held(0.6);
        bench.stream((0, 2_000_000), 2000, (1, 1000, Marks::ECN_CAPABLE));
        assert!((359..=361).contains(&bench.dropped.len()), "{}", bench.dropped.len());
        let mut bench = held(0.6);
        bench.stream((0, 2_000_000), 2000, (2, 1000, L4S));
        assert!(bench.dropped.len() > 150, "{}", bench.dropped.len());
        assert_eq!(
            bench.marked.len(),
            bench.sent.len() - usize::from(bench.marked.len() < bench.sent.len())
        );
    }

    /// The ramp begins at 0.8 ms and ends at 1.2 ms; a single packet is not marked.
    #[test]
    fn l4s_packets_are_marked_by_their_own_wait() {
        let mut bench = held(0.0);
        // Two at once each 10 ms: the second waits for 1 ms, but alone.
        for at in 0..100 {
            (0..2).for_each(|_| bench.offer(at * 10 * MS, (2, 1000, L4S)));
        }
        assert_eq!(bench.marked.len(), 0);
        // Four at once: the second waits for 1 ms (half of the ramp), the third for 2 ms, the last alone.
        for at in 100..200 {
            (0..4).for_each(|_| bench.offer(at * 10 * MS, (2, 1000, L4S)));
        }
        bench.run_to(10_000 * MS);
        assert!((148..=150).contains(&bench.marked.len()), "{}", bench.marked.len());
    }

    /// A packet that a queue before has marked may have been L4S: it takes the queue of L4S (section 2.3).
    #[test]
    fn packets_that_are_marked_already_wait_with_l4s_ones() {
        let mut bench = held(0.0);
        (0..5).for_each(|_| bench.offer(0, (1, 1000, Marks::ECN_CAPABLE)));
        bench.offer(0, (2, 1000, Marks::ECN_CAPABLE | Marks::CONGESTION_EXPERIENCED));
        bench.run_to(100 * MS);
        let order: Vec<u16> = bench.sent.iter().map(|sent| sent.1).collect();
        assert_eq!(order, [1, 2, 1, 1, 1, 1]);
    }

    /// An overload of a quarter that reacts to nothing: a fifth has to be dropped, so p′ is its root, and the wait the target.
    #[test]
    fn the_controller_holds_the_classic_queue_at_the_target() {
        let mut bench = Bench::new(dualpi2());
        bench.stream((0, 40_000_000), 800, (1, 1000, 0));
        let spent =
            |bench: &Bench, ms: u64| bench.link.counters(Time(ms * MS), &bench.packets).queue_time;
        let before = spent(&bench, 40_000);
        bench.stream((40_000_000, 60_000_000), 800, (1, 1000, 0));
        let late = bench.dropped.iter().filter(|drop| drop.0 > 40_000_000).count() as f64;
        assert!((late / 25_000.0 - 0.2).abs() < 0.005, "{late}");
        // Little's law: 1.25 packets come in a millisecond.
        let mean = (spent(&bench, 60_000) - before) as f64 / (20_000.0 * MS as f64) / 1.25;
        assert!((mean - 15.0).abs() < 0.5, "{mean} ms");
    }

    /// Both wait: Classic traffic has its sixteenth.
    #[test]
    fn neither_queue_starves() {
        let mut bench = held(0.0);
        for at in (0..1_000_000).step_by(500) {
            bench.offer(at * US, (1, 1000, 0));
            bench.offer(at * US, (2, 1000, L4S));
        }
        let classic = bench.sent.iter().filter(|sent| sent.1 == 1).count() as f64;
        let share = classic / bench.sent.len() as f64;
        assert!((share - 1.0 / 16.0).abs() < 0.005, "{share}");
    }
}
