//! The start time of a source.

use random::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

/// When a flow starts, counted from the start of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Start {
    /// At this time.
    At(Span),
    /// At a time drawn for every flow.
    Drawn(StartLaw),
}

/// How start times are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum StartLaw {
    /// Uniformly between two times, independently for every flow.
    Uniform {
        /// The earliest start.
        from: Span,
        /// The end of the interval, which is itself excluded (unless it equals `from`).
        to: Span,
    },
}

impl Default for Start {
    fn default() -> Self {
        Self::At(Span::ZERO)
    }
}

impl From<StartLaw> for Start {
    fn from(law: StartLaw) -> Self {
        Self::Drawn(law)
    }
}

impl Start {
    /// The earliest start time.
    pub fn earliest(&self) -> Span {
        match *self {
            Self::At(start) | Self::Drawn(StartLaw::Uniform { from: start, .. }) => start,
        }
    }

    /// A start time. Panics on what [`Start::check`] reports.
    pub fn draw(&self, stream: &mut Stream) -> Span {
        match *self {
            Self::At(start) => start,
            Self::Drawn(StartLaw::Uniform { from, to }) if from == to => from,
            Self::Drawn(StartLaw::Uniform { from, to }) => {
                from + Span::from_ps(stream.below((to - from).0))
            }
        }
    }
}
