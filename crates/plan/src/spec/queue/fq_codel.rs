//! FQ-CoDel.

use units::{Bytes, Span};

use super::{Acts, QueueFacts, Rules};

options! {
    /// FQ-CoDel (RFC 8290): a CoDel queue for each flow, served in turn, those that have just begun first. It acts where a
    /// link leaves a router; the interface of a host is drop-tail with the same limit.
    pub struct Options {
        /// The wait that is acceptable.
        #[schemars(extend("x-min" = "1 us", "x-max" = "10 s"))]
        target: Span = Span::from_ms(5),
        /// For how long the wait has to be above `target`: a round-trip time that is long for the path.
        #[schemars(extend("x-min" = "1 us", "x-max" = "100 s"))]
        interval: Span = Span::from_ms(100),
        /// Whether packets that can carry a mark are marked instead of dropped; it has an effect only
        /// if a flow uses ECN.
        ecn: bool = true,
        /// The number of queues, over which flows are spread by their hash.
        #[schemars(range(min = 1, max = 65_536))]
        flows: u32 = 1024,
        /// The bytes on the wire that a queue sends in its turn.
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 MB"))]
        quantum: Bytes = Bytes(1514),
    }
}

impl Rules for Options {
    fn facts(&self) -> QueueFacts {
        QueueFacts {
            acts: Acts::OnDeparture,
            flow_queues: self.flows,
            ..QueueFacts::with_ecn(self.limit, self.ecn)
        }
    }
}
