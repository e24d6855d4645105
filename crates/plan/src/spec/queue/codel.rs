//! CoDel.

use units::Span;

use super::{Acts, QueueFacts, Rules};

options! {
    /// CoDel (RFC 8289): packets are dropped, or marked, when they have waited for longer than a target for an interval. It
    /// acts where a link leaves a router; the interface of a host is drop-tail with the same limit.
    pub struct Options {
        /// The wait that is acceptable.
        #[schemars(extend("x-min" = "1 us", "x-max" = "10 s"))]
        target: Span = Span::from_ms(5),
        /// For how long the wait has to be above `target`: a round-trip time that is long for the path.
        #[schemars(extend("x-min" = "1 us", "x-max" = "100 s"))]
        interval: Span = Span::from_ms(100),
        /// Whether packets that can carry a mark are marked instead of dropped; it has an effect only
        /// if a flow uses ECN.
        ecn: bool = false,
    }
}

impl Rules for Options {
    fn facts(&self) -> QueueFacts {
        QueueFacts { acts: Acts::OnDeparture, ..QueueFacts::with_ecn(self.limit, self.ecn) }
    }
}
