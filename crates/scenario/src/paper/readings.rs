//! The keys of `readings.toml`, and of a reading that is kept.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Map, Value as Json};

use super::sweeps::PointsSpec;

/// What the paper leaves unsaid, and how readings of it are searched.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReadingsSpec {
    /// What assumptions are about that do not say it.
    #[schemars(flatten)]
    pub scope: ScopeSpec,
    /// The assumptions by name.
    pub assumptions: BTreeMap<String, AssumptionSpec>,
    /// Further scales: of each the grids, each with its products.
    pub scales: Option<BTreeMap<String, BTreeMap<String, Vec<PointsSpec>>>>,
    /// The searches by name.
    pub searches: Option<BTreeMap<String, SearchSpec>>,
}

/// What something applies to; all if there are none.
#[derive(Debug, JsonSchema)]
pub struct ScopeSpec {
    /// The grids: patterns of their names.
    pub grids: Option<Vec<String>>,
    /// Grids with these scenarios: the names of their files.
    pub scenarios: Option<Vec<String>>,
    /// The variants: patterns of their names.
    pub variants: Option<Vec<String>>,
}

/// What the paper leaves unsaid: values by name, or a range. A range needs `from`, `to`, `source` and `why`.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AssumptionSpec {
    /// What it is about.
    pub what: String,
    /// The value that is assumed beforehand.
    pub default: Quantity,
    /// Where it applies.
    #[schemars(flatten)]
    pub scope: ScopeSpec,
    /// The claims that it can affect; all by default.
    pub touches: Option<Vec<String>>,
    /// Its values by name.
    pub values: Option<BTreeMap<String, ValueSpec>>,
    /// The lower end of a range.
    pub from: Option<Quantity>,
    /// The upper end of a range.
    pub to: Option<Quantity>,
    /// How a range is drawn; uniformly by default.
    pub scale: Option<Scale>,
    /// The dotted keys that a range sets.
    pub keys: Option<Keys>,
    /// Where a range comes from.
    pub source: Option<Support>,
    /// The paper's words, or the reason.
    pub why: Option<String>,
}

/// A number, or a quantity with its unit.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Quantity {
    /// Without a unit.
    Number(f64),
    /// With its unit, or a name.
    Text(String),
}

/// How a range is drawn.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum Scale {
    /// Uniformly.
    Linear,
    /// Its logarithm uniformly.
    Log,
}

/// Keys that a range sets.
#[derive(Debug, JsonSchema)]
#[schemars(untagged, inline)]
pub enum Keys {
    /// In a list, all have the value; in a table, each has a factor.
    Each(Vec<String>),
    /// Each has the value times its factor.
    Times(BTreeMap<String, f64>),
}

/// Where a value comes from, from the strongest to the weakest.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum Support {
    /// The paper states it.
    Stated,
    /// The paper states it elsewhere, or of something similar.
    Nearby,
    /// Public copies of the original simulator have it.
    Simulator,
    /// Usual at the time.
    Convention,
    /// Nothing speaks for it or against it.
    Possible,
    /// A sentence of the paper contradicts it.
    Contradicts,
}

/// A value of an assumption.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ValueSpec {
    /// What it changes.
    #[schemars(flatten)]
    pub change: ChangeSpec,
    /// Further changes of runs.
    pub changes: Option<Vec<ChangeSpec>>,
    /// Other definitions of measures: columns, each with another column or a formula of columns in SQL.
    pub measures: Option<BTreeMap<String, String>>,
    /// Where the value comes from.
    pub source: Support,
    /// The paper's words, or the reason.
    pub why: String,
}

/// A change of the runs of some grids.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ChangeSpec {
    /// What it applies to.
    #[schemars(flatten)]
    pub scope: ScopeSpec,
    /// Dotted keys with their values.
    pub set: Option<Map<String, Json>>,
    /// Dotted keys that the grid or its variants set, and that these runs do not have.
    pub without: Option<Vec<String>>,
    /// The scenario's file in place of the grid's.
    pub scenario: Option<String>,
}

/// A search over some assumptions.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SearchSpec {
    /// What is searched.
    pub what: String,
    /// The assumptions that vary.
    #[schemars(length(min = 1))]
    pub assumptions: Vec<String>,
    /// The claims that exclude readings.
    #[schemars(length(min = 1))]
    pub fit: Vec<String>,
    /// The claims that are only looked at.
    pub predict: Option<Vec<String>>,
    /// Further parts of claims that exclude readings although no verdict depends on them: patterns of `claim: part`.
    pub also: Option<Vec<String>>,
    /// The scales at which readings are compared, the cheapest first; the last is the reference.
    #[schemars(length(min = 1))]
    pub scales: Vec<String>,
    /// The scale at which the best readings are run again; `full` by default.
    pub confirmed: Option<String>,
    /// Readings of a wave; 32 by default.
    #[schemars(range(min = 1, max = 100_000))]
    pub points: Option<u32>,
    /// Waves; 3 by default.
    #[schemars(range(min = 1, max = 100_000))]
    pub waves: Option<u32>,
    /// Joint readings that are run again; 1 by default.
    #[schemars(range(min = 1, max = 100_000))]
    pub best: Option<u32>,
    /// The implausibility above which a target excludes a reading; 3 by default.
    pub cutoff: Option<f64>,
    /// The error of any model, as a share of the published number; 0.1 by default.
    pub discrepancy: Option<f64>,
    /// The seed of the design; 1 by default.
    pub seed: Option<u32>,
    /// Readings that the first wave has, beside those that change one thing: values by assumption.
    pub first: Option<Vec<BTreeMap<String, String>>>,
}

/// A choice of values for some assumptions; the others are as assumed.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ReadingSpec {
    /// What the reading is.
    pub about: Option<String>,
    /// The number of the first seed of its runs; 1 by default.
    #[schemars(range(min = 1))]
    pub first_seed: Option<u32>,
    /// The least seeds of a point.
    pub seeds: Option<u32>,
    /// Its values by assumption.
    pub values: BTreeMap<String, String>,
}
