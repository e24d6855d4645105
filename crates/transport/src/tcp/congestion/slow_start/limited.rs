//! Limited slow start (RFC 3742): a large window grows by so many segments a round trip, not by itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, Present};
use crate::mistake::Mistakes;

/// Limited slow start (RFC 3742): above `max-ssthresh` the window grows by at most half of that a round
/// trip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The window in segments from which on growth is limited, 1 to 1,000,000. Section 2 suggests 100.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_ssthresh: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_ssthresh: 100 }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Limited {
    /// In segments.
    max_ssthresh: f64,
}

impl Kind for Limited {
    type Options = Options;

    fn new(options: &Options, _: bool) -> Self {
        Self { max_ssthresh: f64::from(options.max_ssthresh) }
    }

    fn check(options: &Options, found: &mut Mistakes) {
        found.count("slow-start.max-ssthresh", options.max_ssthresh, 1_000_000);
    }

    /// Section 2: K = int(cwnd / (0.5 `max_ssthresh`)), and each segment adds a Kth of one.
    fn step(&self, window: &Present, octets: f64) -> f64 {
        if window.cwnd <= self.max_ssthresh * window.segment {
            return octets;
        }
        octets / (window.cwnd / (0.5 * self.max_ssthresh * window.segment)).floor()
    }
}
