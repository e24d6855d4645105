//! Random early detection.

use super::{Acts, QueueFacts, Rules};
use crate::flaw::Flaw;

options! {
    /// Random early detection (Floyd and Jacobson 1993).
    pub struct Options {
        /// The average queue, in packets, from which packets are dropped or marked.
        #[schemars(range(min = 0, max = 10_000_000))]
        min: f64,
        /// The average queue, in packets, at which `max-probability` is reached.
        #[schemars(range(min = 0, max = 10_000_000))]
        max: f64,
        /// The probability of a drop or mark when the average reaches `max`.
        #[serde(default = "max_probability")]
        #[schemars(range(min = 0, max = 1))]
        max_probability: f64,
        /// The weight of the current queue length in the average.
        #[serde(default = "weight")]
        #[schemars(range(min = 0, max = 1))]
        weight: f64,
        /// Whether the probability rises linearly to 1 between `max` and twice `max` instead of
        /// jumping to 1.
        #[serde(default = "gentle")]
        gentle: bool,
        /// Whether packets that can carry a mark are marked instead of dropped; it has an effect only
        /// if a flow uses ECN.
        #[serde(default)]
        ecn: bool,
    }
}

impl Rules for Options {
    fn facts(&self) -> QueueFacts {
        QueueFacts { acts: Acts::ByAverage, ..QueueFacts::with_ecn(self.limit, self.ecn) }
    }

    fn flaw(&self) -> Option<Flaw> {
        let flaw = || Flaw::new("max", "not above min").found(self.max.to_string());
        (self.min >= self.max).then(|| flaw().accepted(format!("more than {}", self.min)))
    }
}

fn max_probability() -> f64 {
    0.1
}

fn weight() -> f64 {
    0.002
}

fn gentle() -> bool {
    true
}
