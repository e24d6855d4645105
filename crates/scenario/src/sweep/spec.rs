//! The keys of a sweep's file. The JSON Schema and the reference of its keys come from these types.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::sample::SampleSpec;

/// The most runs that a sweep may have: points times seeds.
pub const MOST_RUNS: u64 = 1_000_000;

/// A sweep: one scenario at many points, with several seeds each. The points are all combinations of the
/// values in `over`, `zip`, `cases` and `sample` (those that are given), in this order from the outermost.
/// Points times seeds are at most 1,000,000 runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SweepSpec {
    /// What the sweep is about, in a few words; by default the scenario's title.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub title: String,
    /// The scenario's file; a relative path starts at the folder of the sweep's file.
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
    /// Keys that vary together: tables of dotted keys, each with the list of its values. The lists of
    /// a table have the same length: the first values go together, then the second ones, and so on.
    /// `label` is a list of their names.
    #[serde(default)]
    pub zip: Vec<Map<String, Json>>,
    /// Points one by one: tables of dotted keys, each with its value. All tables have the same keys.
    /// `label` is the name of a case.
    #[serde(default)]
    pub cases: Vec<Map<String, Json>>,
    /// Points drawn from ranges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleSpec>,
    /// Names for tables and figures, which change no point and no run: dotted keys that vary, each with its
    /// name, `"ports"`, or with names of its values in the order of their list, `{ name = "ports", values =
    /// ["none", "3 ports"] }`. The key `case` is the axis of the rows that have a `label`.
    #[serde(default)]
    pub labels: Map<String, Json>,
    /// The tables of each run that are kept with it.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub keep: Vec<KeptTable>,
    /// The rule that decides how many seeds a point takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<UntilSpec>,
}

/// A table of a run's report that a sweep can keep: its rows are not recorded one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeptTable {
    /// Flows.
    Flows,
    /// Links.
    Links,
    /// Entries of the traffic.
    Traffic,
    /// Assembly queues of edge routers.
    Fecs,
    /// Data channels.
    Channels,
    /// How flows share what they lose.
    Synchronization,
    /// Flows in bursts.
    BurstFlows,
    /// Spans of time.
    Spans,
    /// Switches.
    Switches,
    /// Line cards of switches.
    LineCards,
    /// Energy.
    Energy,
    /// How far packets are reordered.
    Reordering,
    /// Flows by their size.
    Sizes,
}

/// Seeds: how many, or which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Seeds {
    /// The number of seeds, counted from 1.
    Count(#[schemars(range(min = 1, max = 10_000))] u64),
    /// A list of seeds.
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
/// several, is narrow enough. It starts with those of `seeds`; further seeds follow the largest of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct UntilSpec {
    /// A column of the results, such as `goodput`, or a list of several.
    pub measure: Measures,
    /// The half-width of the interval, relative to the mean, at which the rule stops.
    #[serde(default = "five_percent")]
    #[schemars(range(min = 0.001, max = 1))]
    pub relative_half_width: f64,
    /// The number of seeds before the first check, if `seeds` gives fewer. Ten make the interval cover as often as it
    /// says, within two percent, though it is checked after each seed; they are fewer where `at-most` is.
    #[serde(default = "ten")]
    #[schemars(range(min = 2, max = 100))]
    pub at_least: u64,
    /// The number of seeds at which the rule stops in any case.
    #[serde(default = "hundred")]
    #[schemars(range(min = 2, max = 100))]
    pub at_most: u64,
    /// Control variates, the most important first: columns of the results whose names end in `-surplus`, such as
    /// `offered-surplus` and `bursts.lost-random-surplus`. Their expectation is 0, so what they explain of the measures
    /// is chance, and is taken out: intervals are narrower, and fewer seeds are enough. There is one for every eight
    /// seeds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10), inner(length(min = 1, max = 200)))]
    pub controls: Vec<String>,
    /// Dotted keys that vary, each with one of its values: every point is compared with the one that has these. The
    /// interval is then that of the ratio of the two means, seed by seed, and `relative-half-width` is a part of the
    /// other's mean. Equal seeds draw equal random numbers, so differences need far fewer seeds than means. The points
    /// with these values take as many seeds as any that is compared with them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub against: Map<String, Json>,
}

/// The default of the seeds before the first check.
const FEWEST: u64 = 10;

impl UntilSpec {
    /// The seeds before the first check.
    pub fn fewest(&self) -> u64 {
        if self.at_least == FEWEST { FEWEST.min(self.at_most) } else { self.at_least }
    }
}

/// The measures of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Measures {
    /// One column.
    One(#[schemars(length(min = 1, max = 200))] String),
    /// Several columns: the rule stops when the interval of each is narrow enough.
    Each(#[schemars(length(min = 1, max = 20), inner(length(min = 1, max = 200)))] Vec<String>),
}

fn five_percent() -> f64 {
    0.05
}

fn ten() -> u64 {
    FEWEST
}

fn hundred() -> u64 {
    100
}

/// The JSON Schema (draft 2020-12) of a sweep.
pub fn sweep_json_schema() -> &'static Json {
    static SCHEMA: LazyLock<Json> = LazyLock::new(|| schemars::schema_for!(SweepSpec).to_value());
    &SCHEMA
}
