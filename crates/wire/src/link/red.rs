//! Random early detection: Floyd and Jacobson, "Random Early Detection Gateways for Congestion
//! Avoidance", IEEE/ACM Transactions on Networking 1(4), 1993; the gentle form after Floyd 2000.

use random::Stream;
use units::{Span, Time};

/// The state of RED at one queue; lengths in packets.
#[derive(Debug, Clone)]
pub struct Red {
    /// `min_th`.
    pub min: f64,
    /// `max_th`.
    pub max: f64,
    /// `max_p`.
    pub max_probability: f64,
    /// `w_q`.
    pub weight: f64,
    /// Whether the probability rises to 1 between `max` and twice `max`.
    pub gentle: bool,
    /// Whether packets that can carry a mark are marked while the average is below `max`.
    pub ecn: bool,
    /// The average queue.
    pub average: f64,
    /// Packets since the last drop or mark, −1 while the average is below `min`.
    pub count: i64,
    /// When the last decision was made.
    pub judged: Time,
    /// Draws for the early drops.
    pub stream: Stream,
}

/// The decision of RED on a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Accept it.
    Enqueue,
    /// Mark it if it can be marked, else drop it.
    Notify,
    /// Drop it.
    Drop,
}

impl Red {
    /// Decides on a packet that arrives at `now` and finds `waiting` packets (also if the queue is
    /// full); the wire has been idle since `free_at`, `typical` is the time of a typical
    /// transmission.
    ///
    /// Section 4 of the paper: the average decays over an idle time as if `idle / typical` packets
    /// had found the queue empty; early drops are spread evenly by the count.
    pub fn judge(&mut self, now: Time, waiting: u32, free_at: Time, typical: Span) -> Verdict {
        let idle = now.since(free_at.max(self.judged));
        self.judged = now;
        if waiting == 0 && idle > Span::ZERO {
            let missed = idle.as_secs_f64() / typical.as_secs_f64().max(1e-12);
            self.average *= libm::pow(1.0 - self.weight, missed);
        } else {
            self.average += self.weight * (f64::from(waiting) - self.average);
        }
        if self.average < self.min {
            self.count = -1;
            return Verdict::Enqueue;
        }
        self.count += 1;
        let base = if self.average < self.max {
            self.max_probability * (self.average - self.min) / (self.max - self.min)
        } else if self.gentle && self.average < 2.0 * self.max {
            let over = (self.average - self.max) / self.max;
            self.max_probability + (1.0 - self.max_probability) * over
        } else {
            self.count = 0;
            return Verdict::Drop;
        };
        let spread = 1.0 - self.count as f64 * base;
        if spread <= 0.0 || self.stream.chance((base / spread).min(1.0)) {
            self.count = 0;
            let marks = self.ecn && self.average < self.max;
            return if marks { Verdict::Notify } else { Verdict::Drop };
        }
        Verdict::Enqueue
    }
}

#[cfg(test)]
mod tests {
    use random::Seed;

    use super::*;

    fn red(average: f64) -> Red {
        Red {
            min: 5.0,
            max: 15.0,
            max_probability: 0.1,
            weight: 0.002,
            gentle: false,
            ecn: false,
            average,
            count: -1,
            judged: Time::ZERO,
            stream: Seed(1).stream("red"),
        }
    }

    #[test]
    fn nothing_is_dropped_below_min() {
        let mut red = red(0.0);
        for _ in 0..1000 {
            assert_eq!(red.judge(Time(0), 4, Time(9), Span(1)), Verdict::Enqueue);
        }
        // The average after n packets that see q: q (1 − (1 − w)ⁿ).
        assert!((red.average - 4.0 * (1.0 - 0.998_f64.powi(1000))).abs() < 1e-9);
    }

    #[test]
    fn everything_is_dropped_from_max_on() {
        let mut red = red(15.0);
        assert_eq!(red.judge(Time(0), 15, Time(9), Span(1)), Verdict::Drop);
    }

    /// Section 7 of the paper: with the count, the gap between drops is uniform on 1 … 1/p.
    #[test]
    fn gaps_between_drops_are_uniform() {
        let mut red = red(10.0);
        red.weight = 0.0;
        let (mut gaps, mut gap) = (Vec::new(), 0u32);
        while gaps.len() < 20_000 {
            gap += 1;
            if red.judge(Time(0), 10, Time(9), Span(1)) == Verdict::Drop {
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
        let mut red = red(10.0);
        red.judge(Time(1000), 0, Time(0), Span(1));
        assert!((red.average - 10.0 * 0.998_f64.powi(1000)).abs() < 1e-9);
    }
}
