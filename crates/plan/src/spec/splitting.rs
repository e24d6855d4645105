//! How rare losses are estimated.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

fn factor() -> u32 {
    4
}

/// Estimates how much of what is offered to a link is lost there, where that is too rare to be counted (10⁻⁶ and below),
/// by importance splitting: whenever the queue of the link, or the use of its channels, rises above a level, the run is
/// copied, and copies go on with other random numbers until they fall below it again (RESTART, Villén-Altamirano 1991).
/// The run itself and all else that is recorded stay the same; it takes one thread. The result is in the table
/// `splitting` and the summary of the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SplittingSpec {
    /// The link, in one direction: `"A -> B"`, or `"A -> B:2"` for one lightpath of a bundle. An electronic link with a
    /// queue of its own, whose packets are counted that the queue drops; or an optical link, whose bursts (optical
    /// packets) are counted that are lost there.
    #[schemars(length(min = 1, max = 140))]
    pub link: String,
    /// How many trials go on from each that reaches a level. The levels are found so that each is reached by one in as
    /// many of those that have reached the one below.
    #[serde(default = "factor")]
    #[schemars(range(min = 2, max = 32))]
    pub factor: u32,
    /// The levels, rising, instead of those that are found by a pilot run: packets that wait, or bytes if the limit of
    /// the queue is in bytes, or data channels in use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1_000), inner(range(min = 1, max = 100_000_000_000u64)))]
    pub levels: Vec<u64>,
}
