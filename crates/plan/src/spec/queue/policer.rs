//! A token bucket that drops.

use units::{Bytes, Rate};

use super::{Acts, QueueFacts, Rules};

options! {
    /// Drop-tail behind a token-bucket policer: packets for which there are no tokens are dropped.
    pub struct Options {
        /// The rate at which tokens come.
        #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
        rate: Rate,
        /// The most tokens, in bytes on the wire.
        #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
        burst: Bytes,
    }
}

impl Rules for Options {
    fn facts(&self) -> QueueFacts {
        QueueFacts { acts: Acts::Always, ..QueueFacts::plain(self.limit) }
    }
}
