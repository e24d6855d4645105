//! DualPI2.

use units::Span;

use super::{Acts, QueueFacts, Rules};

options! {
    /// DualPI2 (RFC 9332): a queue for L4S traffic (`congestion = "prague"`) that is marked from a low threshold on, and one
    /// for all other, coupled so that flows of both share alike. It acts where a link leaves a router; the interface of a
    /// host is drop-tail with the same limit.
    pub struct Options {
        /// The wait at which the Classic queue is held.
        #[schemars(extend("x-min" = "1 us", "x-max" = "10 s"))]
        target: Span = Span::from_ms(15),
        /// How often the probability is updated (Tupdate).
        #[schemars(extend("x-min" = "1 us", "x-max" = "10 s"))]
        update: Span = Span::from_ms(16),
        /// The gain of the difference from the target, in Hz.
        #[schemars(range(min = 0, max = 1_000))]
        alpha: f64 = 0.16,
        /// The gain of the growth of the wait, in Hz.
        #[schemars(range(min = 0, max = 1_000))]
        beta: f64 = 3.2,
        /// How much more often L4S packets are marked than the square root of Classic losses is (k).
        #[schemars(range(min = 0.1, max = 100))]
        coupling: f64 = 2.0,
        /// The wait from which L4S packets are marked by their own queue (minTh).
        #[schemars(extend("x-max" = "10 s"))]
        threshold: Span = Span::from_us(800),
        /// By how much longer waits are marked always; with 0 s the threshold is a step.
        #[schemars(extend("x-max" = "10 s"))]
        range: Span = Span::from_us(400),
        /// The share of Classic traffic where packets of both wait.
        #[schemars(range(min = 0, max = 0.9))]
        classic_weight: f64 = 1.0 / 16.0,
    }
}

impl Rules for Options {
    /// Without marks it still drops, and what it marks is not all that it is for: no key only marks.
    fn facts(&self) -> QueueFacts {
        QueueFacts { acts: Acts::OnDeparture, marks: true, ..QueueFacts::plain(self.limit) }
    }
}
