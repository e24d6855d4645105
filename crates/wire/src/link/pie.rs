//! PIE (RFC 8033): packets that come are dropped, or marked, with a probability that a PI controller holds so that the
//! queue delay is at a target. The names in brackets are those of its pseudo-code.
//!
//! Of what section 5 leaves open there are marks (5.1), drops at even distances (5.4) and the limit of an increase (5.5).
//! The delay is what waits over the rate of the link, which is known, so that the rate is not estimated (5.2), and the
//! controller is always active (5.3).
//!
//! `Deviation:` updates are computed when a packet comes (`pi`), with the delays at their own instants: the same as with a
//! timer. A packet that finds no room is judged before it is dropped.

use plan::spec::queue::pie::Options;
use random::Stream;
use units::Span;

use super::discipline::{Arriving, Verdict};
use super::pi::Controller;

/// Up to twice as many bytes wait without a drop (`MEAN_PKTSIZE`).
const MEAN_PACKET: u64 = 1500;
/// From this probability on packets are dropped even where they could be marked (`MAX_ECNTH`).
const MOST_MARKED: f64 = 0.1;
/// The sum of probabilities below which none is dropped, and from which one is (section 5.4).
const APART: [f64; 2] = [0.85, 8.5];
/// The most by which a probability of a tenth or more increases (section 5.5).
const MOST_INCREASE: f64 = 0.02;
/// Below these probabilities changes are divided (section 4.2).
const SCALES: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];

/// The state of PIE at one queue.
#[derive(Debug, Clone)]
pub(super) struct Pie {
    options: Options,
    /// `drop_prob_` and `qdelay_old_`.
    pi: Controller,
    /// `accu_prob_`.
    sum: f64,
    /// `burst_allowance_`.
    allowance: Span,
    /// Draws for the drops.
    draws: Stream,
}

impl Pie {
    pub(super) fn new(options: &Options, draws: Stream) -> Self {
        let Options { target, update, alpha, beta, max_burst, .. } = *options;
        let pi = Controller::new(target, update, [alpha, beta]);
        Self { options: *options, pi, sum: 0.0, allowance: max_burst, draws }
    }

    /// Decides on a packet that arrives, also at a full queue (sections 4.1 and 4.4).
    pub(super) fn judge(&mut self, packet: &Arriving) -> Verdict {
        while let Some(delay) = self.pi.next_update(packet.now, |due| packet.free_at.since(due)) {
            self.update(delay);
        }
        let is_calm = self.is_short(self.pi.before) && self.pi.probability < 0.2;
        let is_burst = self.allowance > Span::ZERO;
        if is_burst || is_calm || packet.waiting.1 <= 2 * MEAN_PACKET || !self.strikes() {
            return Verdict::Enqueue;
        }
        let marks = self.options.ecn && packet.is_capable && self.pi.probability < MOST_MARKED;
        if marks { Verdict::Mark } else { Verdict::Drop }
    }

    /// From now on what is decided by chance is drawn anew.
    pub(super) fn branch(&mut self, key: u64) {
        self.draws.branch(key);
    }

    /// Whether a delay is below half of the target.
    fn is_short(&self, delay: Span) -> bool {
        delay.0 < self.options.target.0.div_ceil(2)
    }

    /// `drop_early`, where a packet may be dropped.
    fn strikes(&mut self) -> bool {
        let probability = self.pi.probability;
        self.sum = if probability == 0.0 { 0.0 } else { self.sum + probability };
        let strikes =
            self.sum >= APART[0] && (self.sum >= APART[1] || self.draws.chance(probability));
        if strikes {
            self.sum = 0.0;
        }
        strikes
    }

    /// `calculate_drop_prob`.
    fn update(&mut self, delay: Span) {
        let before = self.pi.before;
        let mut probability = self.pi.probability;
        let scale = SCALES.iter().find(|(below, _)| probability < *below);
        let mut change = self.pi.change(delay) / scale.map_or(1.0, |(_, scale)| *scale);
        if probability >= 0.1 {
            change = change.min(MOST_INCREASE);
        }
        probability += change;
        // Section 4.2; in appendix B it decays below half of the target already.
        if delay == Span::ZERO && before == Span::ZERO {
            probability *= 0.98;
        }
        self.pi.note(probability, delay);
        let has_gone = self.pi.probability == 0.0 && self.is_short(delay) && self.is_short(before);
        let Options { update, max_burst, .. } = self.options;
        self.allowance =
            if has_gone { max_burst } else { Span(self.allowance.0.saturating_sub(update.0)) };
    }
}

#[cfg(test)]
mod tests {
    use plan::spec::QueueSpec;
    use plan::spec::queue::Limit;
    use random::Seed;
    use units::Time;

    use super::*;
    use crate::link::managed::bench::{Bench, MS};
    use crate::packet::Marks;

    fn pie(probability: f64, before_ms: u64) -> Pie {
        let mut pie = Pie::new(&Options::default(), Seed(1).stream("pie"));
        pie.pi.note(probability, Span::from_ms(before_ms));
        pie
    }

    fn bench(ecn: bool) -> Bench {
        let limit = Limit::packets(100_000);
        Bench::new(QueueSpec::Pie(Options { limit, ecn, ..Options::default() }))
    }

    fn packet(waiting: (u32, u64), is_capable: bool) -> Arriving {
        let (now, free_at, typical) = (Time(0), Time(0), Span(1));
        Arriving { now, bytes: 1000, is_capable, waiting, free_at, typical }
    }

    /// A delay of 25 ms after one of 15 ms: ⅛ · 10 ms + 1¼ · 10 ms = 0.01375, divided where the probability is small.
    #[test]
    fn the_probability_follows_the_delay_and_its_growth() {
        for (before, divided) in [
            (0.2, 1.0),
            (0.1, 1.0),
            (0.05, 2.0),
            (0.005, 8.0),
            (5e-4, 32.0),
            (5e-5, 128.0),
            (5e-6, 512.0),
            (5e-7, 2048.0),
            (0.0, 2048.0),
        ] {
            let mut pie = pie(before, 15);
            pie.update(Span::from_ms(25));
            let expected = before + 0.01375 / divided;
            assert!(
                (pie.pi.probability - expected).abs() < 1e-12,
                "{before} {}",
                pie.pi.probability
            );
            assert_eq!(pie.pi.before, Span::from_ms(25));
        }
    }

    #[test]
    fn a_large_probability_grows_by_two_percent_at_most_and_falls_by_more() {
        let mut grown = pie(0.1, 0);
        grown.update(Span::from_ms(100));
        assert!((grown.pi.probability - 0.12).abs() < 1e-12);
        // ⅛ · (0 − 15 ms) + 1¼ · (0 − 40 ms).
        let mut fallen = pie(0.5, 40);
        fallen.update(Span::ZERO);
        assert!((fallen.pi.probability - (0.5 - 0.051_875)).abs() < 1e-12);
    }

    #[test]
    fn the_probability_decays_when_nothing_waits() {
        let mut pie = pie(0.5, 0);
        pie.update(Span::ZERO);
        assert!((pie.pi.probability - (0.5 - 0.001_875) * 0.98).abs() < 1e-12);
        (0..1_000).for_each(|_| pie.update(Span::ZERO));
        assert_eq!((pie.pi.probability, pie.allowance), (0.0, Span::from_ms(150)));
    }

    /// 0.1 at a time: below 0.85 none is dropped, at 8.5 one is.
    #[test]
    fn drops_are_neither_close_nor_far_apart() {
        let mut pie = pie(0.1, 15);
        let (mut gaps, mut gap) = (Vec::new(), 0);
        while gaps.len() < 20_000 {
            gap += 1;
            if pie.strikes() {
                gaps.push(gap);
                gap = 0;
            }
        }
        assert_eq!(gaps.iter().min(), Some(&9));
        assert!(gaps.iter().max() <= Some(&86), "{:?}", gaps.iter().max());
        // Eight and then a geometric gap of mean 10, whose standard error is 0.067.
        let mean = f64::from(gaps.iter().sum::<i32>()) / gaps.len() as f64;
        assert!((mean - 18.0).abs() < 4.0 * 0.067, "{mean}");
    }

    #[test]
    fn a_short_queue_and_a_calm_one_lose_nothing() {
        let judged = |probability, before_ms, allowance, waiting| {
            let mut pie =
                Pie { allowance: Span::from_ms(allowance), ..pie(probability, before_ms) };
            pie.sum = APART[1];
            pie.judge(&packet(waiting, false))
        };
        assert_eq!(judged(0.9, 15, 0, (4, 4000)), Verdict::Drop);
        assert_eq!(judged(0.9, 15, 0, (3, 3000)), Verdict::Enqueue);
        assert_eq!(judged(0.9, 15, 1, (4, 4000)), Verdict::Enqueue);
        assert_eq!(judged(0.9, 7, 0, (4, 4000)), Verdict::Drop);
        assert_eq!(judged(0.19, 8, 0, (4, 4000)), Verdict::Drop);
        assert_eq!(judged(0.19, 7, 0, (4, 4000)), Verdict::Enqueue);
    }

    /// Twice what the link carries: nothing is dropped for 150 ms, and after a second with nothing for as long again.
    #[test]
    fn a_burst_passes() {
        let mut bench = bench(false);
        bench.stream((0, 149_000), 500, (1, 1000, 0));
        assert_eq!(bench.refused, 0);
        bench.stream((149_000, 1_000_000), 500, (1, 1000, 0));
        let dropped = bench.refused;
        assert!(dropped > 100, "{dropped}");
        bench.stream((20_000_000, 20_100_000), 500, (1, 1000, 0));
        assert_eq!(bench.refused, dropped);
    }

    /// An overload of a quarter that reacts to nothing: a fifth is dropped, and the wait is the target.
    #[test]
    fn the_controller_holds_the_queue_at_the_target() {
        let mut bench = bench(false);
        bench.stream((0, 40_000_000), 800, (1, 1000, 0));
        let counted =
            |bench: &Bench, ms: u64| bench.link.counters(Time(ms * MS), &bench.packets).queue_time;
        let (before, refused) = (counted(&bench, 40_000), bench.refused);
        bench.stream((40_000_000, 60_000_000), 800, (1, 1000, 0));
        let share = (bench.refused - refused) as f64 / 25_000.0;
        assert!((share - 0.2).abs() < 0.005, "{share}");
        // Little's law: a packet a millisecond waits.
        let mean = (counted(&bench, 60_000) - before) as f64 / (20_000.0 * MS as f64);
        assert!((mean - 15.0).abs() < 1.0, "{mean} ms");
    }

    /// A twentieth has to go, which marks do not bring about: the probability rises until packets are dropped.
    #[test]
    fn packets_are_marked_below_a_tenth_and_dropped_above() {
        let mut bench = bench(true);
        bench.stream((0, 10_000_000), 950, (1, 1000, Marks::ECN_CAPABLE));
        assert!(bench.marked.len() > 10 && bench.refused > 10);
        let mut capable = Pie { sum: APART[1], allowance: Span::ZERO, ..pie(0.099, 15) };
        capable.options.ecn = true;
        let packet = packet((9, 9000), true);
        assert_eq!(capable.judge(&packet), Verdict::Mark);
        (capable.sum, capable.pi.probability) = (APART[1], 0.1);
        assert_eq!(capable.judge(&packet), Verdict::Drop);
    }
}
