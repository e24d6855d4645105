//! A token bucket that delays.

use units::{Bytes, Rate};

use super::{Acts, QueueFacts, Rules};

options! {
    /// First in, first out at the rate of a token bucket, if that is below the link's. It acts where a link leaves a
    /// router; the interface of a host is drop-tail with the same limit.
    pub struct Options {
        /// The rate at which tokens come.
        #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
        rate: Rate,
        /// The most tokens, in bytes on the wire: they pass at the rate of the link.
        #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
        burst: Bytes,
    }
}

impl Rules for Options {
    fn facts(&self) -> QueueFacts {
        QueueFacts {
            acts: Acts::OnDeparture,
            rate: Some(self.rate),
            ..QueueFacts::plain(self.limit)
        }
    }
}
