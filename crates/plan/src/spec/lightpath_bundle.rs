//! The scenario keys for the two pairs of TCP hosts beside a bundle of lightpaths.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

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
