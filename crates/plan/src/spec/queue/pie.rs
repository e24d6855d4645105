//! PIE.

use units::Span;

use super::{Acts, QueueFacts, Rules};

options! {
    /// PIE (RFC 8033): packets that come are dropped, or marked, with a probability that holds the wait at a target.
    pub struct Options {
        /// The wait at which the queue is held.
        #[schemars(extend("x-min" = "1 us", "x-max" = "10 s"))]
        target: Span = Span::from_ms(15),
        /// How often the probability is updated.
        #[schemars(extend("x-min" = "1 us", "x-max" = "10 s"))]
        update: Span = Span::from_ms(15),
        /// The gain of the difference from the target, in Hz.
        #[schemars(range(min = 0, max = 1_000))]
        alpha: f64 = 0.125,
        /// The gain of the growth of the wait, in Hz.
        #[schemars(range(min = 0, max = 1_000))]
        beta: f64 = 1.25,
        /// For how long a burst passes that meets a queue without congestion.
        #[schemars(extend("x-max" = "100 s"))]
        max_burst: Span = Span::from_ms(150),
        /// Whether packets that can carry a mark are marked instead of dropped while the probability is below 0.1; it has
        /// an effect only if a flow uses ECN.
        ecn: bool = false,
    }
}

impl Rules for Options {
    fn facts(&self) -> QueueFacts {
        QueueFacts { acts: Acts::ByAverage, ..QueueFacts::with_ecn(self.limit, self.ecn) }
    }
}
