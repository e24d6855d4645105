//! Random loss of packets on links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Random loss of packets on a link, drawn after the queue: a lost packet still takes transmission
/// time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum LossSpec {
    /// Each packet is lost independently of the others.
    Bernoulli {
        /// The probability that a packet is lost.
        #[schemars(range(min = 0, max = 1))]
        p: f64,
        /// The direction in which packets are lost.
        #[serde(default)]
        direction: Direction,
    },
    /// Two states, good and bad, with one transition per packet (Gilbert 1960, Elliott 1963).
    GilbertElliott {
        /// The probability of a transition from good to bad.
        #[schemars(range(min = 0, max = 1))]
        good_to_bad: f64,
        /// The probability of a transition from bad to good.
        #[schemars(range(min = 0, max = 1))]
        bad_to_good: f64,
        /// The probability that a packet is lost in the good state.
        #[serde(default)]
        #[schemars(range(min = 0, max = 1))]
        loss_good: f64,
        /// The probability that a packet is lost in the bad state.
        #[serde(default = "certain")]
        #[schemars(range(min = 0, max = 1))]
        loss_bad: f64,
        /// The direction in which packets are lost.
        #[serde(default)]
        direction: Direction,
    },
}

impl LossSpec {
    /// The direction in which packets are lost.
    pub fn direction(&self) -> Direction {
        match *self {
            Self::Bernoulli { direction, .. } | Self::GilbertElliott { direction, .. } => direction,
        }
    }
}

fn certain() -> f64 {
    1.0
}

/// One direction of a link or both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Both directions, with independent random numbers.
    #[default]
    Both,
    /// Only the direction in which the link is defined.
    Forward,
    /// Only the opposite direction.
    Backward,
}
