//! What a sweep's file says. The JSON Schema and the reference of its keys come from these types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::sample::SampleSpec;

/// The most runs that a sweep may have: points times seeds.
pub const MOST_RUNS: u64 = 1_000_000;

/// A sweep: one scenario at many points, with several seeds each. The points are every combination of what
/// `over`, `zip`, `cases` and `sample` have, as far as they are given, in this order from the outermost. All points
/// and seeds together are at most 1,000,000 runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SweepSpec {
    /// What the sweep is about, in a few words; the scenario's title where it is left out.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub title: String,
    /// The scenario's file; a path that is not absolute starts at the folder of the sweep's file.
    #[schemars(length(min = 1, max = 4_096))]
    pub scenario: String,
    /// The seeds of each point.
    #[serde(default)]
    pub seeds: Seeds,
    /// Dotted keys of the scenario with the value that they have at every point.
    #[serde(default)]
    pub set: Map<String, Json>,
    /// The grid: dotted keys of the scenario, each with the list of its values. The first key is
    /// outermost.
    #[serde(default)]
    pub over: Map<String, Json>,
    /// Keys that vary in step: tables of dotted keys, each with the list of its values. The lists of a
    /// table have one length, and all first values go together, then all second ones.
    #[serde(default)]
    pub zip: Vec<Map<String, Json>>,
    /// Points one by one: tables of dotted keys, each with its value. All tables have the same keys.
    #[serde(default)]
    pub cases: Vec<Map<String, Json>>,
    /// Points drawn from ranges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleSpec>,
    /// The rule by which a point takes further seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<UntilSpec>,
}

/// Seeds: how many, or which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Seeds {
    /// A number says how many, counted from 1.
    Count(#[schemars(range(min = 1, max = 10_000))] u64),
    /// A list says which.
    List(
        #[schemars(
            length(min = 1, max = 10_000),
            inner(range(min = 0, max = 9_007_199_254_740_992u64))
        )]
        Vec<u64>,
    ),
}

impl Default for Seeds {
    fn default() -> Self {
        Self::Count(5)
    }
}

impl Seeds {
    /// How many.
    pub fn count(&self) -> u64 {
        match self {
            Self::Count(count) => *count,
            Self::List(seeds) => seeds.len() as u64,
        }
    }

    /// Which.
    pub fn list(&self) -> Vec<u64> {
        match self {
            Self::Count(count) => (1..=*count).collect(),
            Self::List(seeds) => seeds.clone(),
        }
    }
}

/// A rule: a point takes one seed after the other until the 95% interval of a measure, or of each of
/// several, is narrow enough. It begins with the seeds of `seeds`; further ones follow the largest of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct UntilSpec {
    /// A column of the results, such as `goodput`, or a list of several.
    pub measure: Measures,
    /// The half width of the interval over the mean at which it is enough.
    #[serde(default = "five_percent")]
    #[schemars(range(min = 0.001, max = 1))]
    pub relative_half_width: f64,
    /// The number of seeds before the first look, where `seeds` gives fewer.
    #[serde(default = "five")]
    #[schemars(range(min = 2, max = 100))]
    pub at_least: u64,
    /// The number of seeds at which it ends, whatever is found.
    #[serde(default = "hundred")]
    #[schemars(range(min = 2, max = 100))]
    pub at_most: u64,
}

/// What a rule looks at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Measures {
    /// One column.
    One(#[schemars(length(min = 1, max = 200))] String),
    /// Several: the rule ends when each is narrow enough.
    Each(#[schemars(length(min = 1, max = 20), inner(length(min = 1, max = 200)))] Vec<String>),
}

fn five_percent() -> f64 {
    0.05
}

fn five() -> u64 {
    5
}

fn hundred() -> u64 {
    100
}

/// The JSON Schema (draft 2020-12) of a sweep.
pub fn sweep_json_schema() -> Json {
    schemars::schema_for!(SweepSpec).to_value()
}
