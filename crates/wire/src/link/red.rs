//! Random early detection: Floyd and Jacobson, "Random Early Detection Gateways for Congestion
//! Avoidance", IEEE/ACM Transactions on Networking 1(4), 1993; the gentle form after Floyd 2000.

use plan::spec::queue::red;
use random::Stream;
use units::{Span, Time};

use super::{Arriving, Verdict};

/// The state of RED at one queue; lengths in packets.
#[derive(Debug, Clone)]
pub(super) struct Red {
    options: red::Options,
    /// The average queue.
    average: f64,
    /// Packets since the last drop or mark, −1 while the average is below `min`.
    count: i64,
    /// When the last decision was made.
    judged: Time,
    /// Draws for the early drops.
    draws: Stream,
}

impl Red {
    pub(super) fn new(options: &red::Options, draws: Stream) -> Self {
        Self { options: *options, average: 0.0, count: -1, judged: Time::ZERO, draws }
    }

    /// Decides on a packet that arrives, also at a full queue.
    ///
    /// Section 4 of the paper: the average decays over an idle time as if `idle / typical` packets
    /// had found the queue empty; early drops are spread evenly by the count.
    pub(super) fn judge(&mut self, packet: &Arriving) -> Verdict {
        let &Arriving { now, waiting: (waiting, _), free_at, typical, .. } = packet;
        let red::Options { min, max, max_probability, weight, gentle, ecn, .. } = self.options;
        let idle = now.since(free_at.max(self.judged));
        self.judged = now;
        if waiting == 0 && idle > Span::ZERO {
            let missed = idle.as_secs_f64() / typical.as_secs_f64().max(1e-12);
            self.average *= libm::pow(1.0 - weight, missed);
        } else {
            self.average += weight * (f64::from(waiting) - self.average);
        }
        if self.average < min {
            self.count = -1;
            return Verdict::Enqueue;
        }
        self.count += 1;
        let base = if self.average < max {
            max_probability * (self.average - min) / (max - min)
        } else if gentle && self.average < 2.0 * max {
            let over = (self.average - max) / max;
            max_probability + (1.0 - max_probability) * over
        } else {
            self.count = 0;
            return Verdict::Drop;
        };
        let spread = 1.0 - self.count as f64 * base;
        if spread <= 0.0 || self.draws.chance((base / spread).min(1.0)) {
            self.count = 0;
            let marks = ecn && packet.is_capable && self.average < max;
            return if marks { Verdict::Mark } else { Verdict::Drop };
        }
        Verdict::Enqueue
    }

    pub(super) fn branch(&mut self, key: u64) {
        self.draws.branch(key);
    }
}

#[cfg(test)]
mod tests {
    use plan::spec::queue::Limit;
    use random::Seed;

    use super::*;

    fn red(average: f64, weight: f64) -> Red {
        let options = red::Options {
            limit: Limit::packets(100),
            min: 5.0,
            max: 15.0,
            max_probability: 0.1,
            weight,
            gentle: false,
            ecn: false,
        };
        Red { average, ..Red::new(&options, Seed(1).stream("red")) }
    }

    /// A packet at an instant that finds some waiting for a wire that was free at another.
    fn packet(now: u64, waiting: u32, free_at: u64) -> Arriving {
        let (now, free_at, waiting) = (Time(now), Time(free_at), (waiting, 0));
        Arriving { now, bytes: 1000, is_capable: false, waiting, free_at, typical: Span(1) }
    }

    #[test]
    fn nothing_is_dropped_below_min() {
        let mut red = red(0.0, 0.002);
        for _ in 0..1000 {
            assert_eq!(red.judge(&packet(0, 4, 9)), Verdict::Enqueue);
        }
        // The average after n packets that see q: q (1 − (1 − w)ⁿ).
        assert!((red.average - 4.0 * (1.0 - 0.998_f64.powi(1000))).abs() < 1e-9);
    }

    #[test]
    fn everything_is_dropped_from_max_on() {
        let mut red = red(15.0, 0.002);
        assert_eq!(red.judge(&packet(0, 15, 9)), Verdict::Drop);
    }

    /// Section 7 of the paper: with the count, the gap between drops is uniform on 1 … 1/p.
    #[test]
    fn gaps_between_drops_are_uniform() {
        let mut red = red(10.0, 0.0);
        let (mut gaps, mut gap) = (Vec::new(), 0u32);
        while gaps.len() < 20_000 {
            gap += 1;
            if red.judge(&packet(0, 10, 9)) == Verdict::Drop {
                gaps.push(gap);
                gap = 0;
            }
        }
        // p = 0.05 and the count is raised before it is used: uniform on 1 … 19, mean 10,
        // standard deviation 5.48, standard error 0.039.
        let mean = gaps.iter().map(|&g| f64::from(g)).sum::<f64>() / gaps.len() as f64;
        assert!((mean - 10.0).abs() < 4.0 * 0.039, "{mean}");
        assert!(gaps.iter().all(|&g| g <= 20), "{:?}", gaps.iter().max());
    }

    #[test]
    fn an_idle_queue_forgets() {
        let mut red = red(10.0, 0.002);
        red.judge(&packet(1000, 0, 0));
        assert!((red.average - 10.0 * 0.998_f64.powi(1000)).abs() < 1e-9);
    }
}
