//! Ideal switches: a scenario's words for them, and what others ask of them.

use optics::Switching;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CoreFacts, Waiting};

/// Electronic switches without contention: a packet takes the transmission time and the delay of its next link, however
/// many others are on it, and never waits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct IdealCoreSpec {
    /// When a packet leaves: once its last bit has arrived, or its first bit.
    pub switching: Switching,
}

impl IdealCoreSpec {
    /// What others ask of the kind.
    pub(super) fn facts(&self) -> CoreFacts<'_> {
        CoreFacts {
            kind: "ideal",
            switches: Some(("ideal", "ideal-switches")),
            waiting: Waiting::Nowhere,
            acts_on_first_bit: self.switching == Switching::CutThrough,
            ..CoreFacts::PLAIN
        }
    }
}
