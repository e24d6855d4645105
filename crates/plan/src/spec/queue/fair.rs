//! Deficit round robin.

use units::Bytes;

use super::{Acts, QueueFacts, Rules};

options! {
    /// A queue for each flow, served in turn (deficit round robin, Shreedhar and Varghese 1996): flows that always have packets
    /// waiting get the same rate, and one that has few waits for a packet of each other. Where it is full the flow with the
    /// most bytes loses its first packet. It acts where a link leaves a router; the interface of a host is drop-tail with
    /// the same limit.
    pub struct Options {
        /// The bytes on the wire that a flow sends in its turn.
        #[schemars(extend("x-min" = "64 B", "x-max" = "1 MB"))]
        quantum: Bytes = Bytes(1514),
    }
}

impl Rules for Options {
    fn facts(&self) -> QueueFacts {
        QueueFacts { acts: Acts::OnDeparture, ..QueueFacts::plain(self.limit) }
    }
}
