//! Round-trip times between hosts that a run draws.

use random::Seed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{LinkId, Span};

use super::Graph;

/// A round-trip time, drawn uniformly between two times for each pair of hosts in each run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RttSpec {
    /// The shortest.
    #[schemars(extend("x-max" = "1 h"))]
    pub min: Span,
    /// The longest; equal to `min` for a fixed time.
    #[schemars(extend("x-max" = "1 h"))]
    pub max: Span,
}

impl RttSpec {
    /// From the shortest to the longest; none if they are in the wrong order.
    pub fn width(&self) -> Span {
        Span(self.max.0.saturating_sub(self.min.0))
    }

    /// The mean.
    pub fn mean(&self) -> Span {
        self.min + self.width() / 2
    }
}

/// A round-trip time between two hosts that a run draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RttRange {
    /// The links of the two hosts, in both directions: their delays are set to give the drawn
    /// round-trip time.
    pub links: [LinkId; 4],
    /// Propagation of a round trip on the other links of the path.
    pub others: Span,
    /// The range from which it is drawn, both ends included.
    pub range: RttSpec,
}

impl RttRange {
    /// The delay of each of the four links that gives this round-trip time, rounded down to a
    /// picosecond.
    fn delay(&self, rtt: Span) -> Span {
        Span(rtt.0.saturating_sub(self.others.0) / 4)
    }
}

impl Graph {
    /// Draws the round-trip times of a run, uniformly within their ranges, each from its own stream.
    /// Before that, they are the means of the ranges.
    pub fn draw_rtts(&mut self, seed: Seed) {
        for at in 0..self.rtts.len() {
            let range = self.rtts[at].range;
            let mut stream = seed.stream(&format!("topology/rtt/{at}"));
            self.set_rtt(at, range.min + Span(stream.below(range.width().0 + 1)));
        }
    }

    /// Sets the drawn round-trip times to the means of their ranges.
    pub fn mean_rtts(&mut self) {
        for at in 0..self.rtts.len() {
            self.set_rtt(at, self.rtts[at].range.mean());
        }
    }

    fn set_rtt(&mut self, at: usize, rtt: Span) {
        let delay = self.rtts[at].delay(rtt);
        for link in self.rtts[at].links {
            self.links[link.index()].delay = delay;
        }
    }
}
