//! The keys of `sweeps.toml`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Map, Value as Json};

use crate::sweep::{Seeds, UntilSpec};

/// Sets of tables of dotted keys with their values, by name.
pub type Sets = BTreeMap<String, BTreeMap<String, Map<String, Json>>>;

/// What is run for which figure. An artefact is a figure with its table, made of some grids; points that several grids
/// have are run once.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SweepsSpec {
    /// The title of the paper.
    pub title: String,
    /// Its authors, place and year.
    pub source: String,
    /// Sets of variants by name: each variant is a table of dotted keys with their values; the key `scenario` is a
    /// file in place of the grid's.
    pub variants: Option<Sets>,
    /// Sets of cells by name, which are like variants; what a cell sets is a column of tables.
    pub cells: Option<Sets>,
    /// The grids by name.
    pub grids: BTreeMap<String, GridSpec>,
    /// The artefacts by name.
    pub artefacts: BTreeMap<String, ArtefactSpec>,
    /// Control variates, by which figures and rules see measures with less noise.
    pub controls: Option<ControlsSpec>,
}

/// A scenario, keys that are set, and under the name of each scale, such as `quick` and `full`, the products that are run.
#[derive(Debug, JsonSchema)]
pub struct GridSpec {
    /// The scenario's file in the paper's folder.
    pub scenario: String,
    /// Dotted keys with the value that they have at every point.
    pub set: Option<Map<String, Json>>,
    /// The tables of each run that are kept with it.
    pub keep: Option<Vec<String>>,
    /// The set of variants, for each of which the grid is run.
    pub variants: Option<String>,
    /// The set of cells, for each of which the grid is run.
    pub cells: Option<String>,
    /// Each scale with its products.
    #[schemars(flatten)]
    pub scales: BTreeMap<String, Vec<ProductSpec>>,
}

/// All combinations of some values, with several seeds each.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProductSpec {
    /// What is run.
    #[schemars(flatten)]
    pub points: PointsSpec,
    /// The rule that decides how many seeds a point takes.
    pub until: Option<UntilSpec>,
}

/// All combinations of some values, with several seeds each.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PointsSpec {
    /// The seeds of each point.
    pub seeds: Seeds,
    /// Dotted keys that vary, each with the list of its values.
    pub over: Map<String, Json>,
    /// Dotted keys with the value that they have at these points.
    pub set: Option<Map<String, Json>>,
    /// Those of the grid's variants that are run; all by default.
    pub variants: Option<Vec<String>>,
    /// Those of the grid's cells that are run; all by default.
    pub cells: Option<Vec<String>>,
}

/// A figure with its table.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ArtefactSpec {
    /// Its title.
    pub title: String,
    /// The grids of which it is made.
    pub grids: Vec<String>,
    /// The grids without which the artefact is not made.
    pub needs: Option<Vec<String>>,
    /// The kept table of runs of which its rows are; by default they are the measures of runs.
    pub table: Option<String>,
    /// What is drawn; papers of the package have functions instead.
    pub plot: Option<PlotSpec>,
}

/// A chart with lines.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PlotSpec {
    /// The column of the horizontal axis.
    pub x: String,
    /// The measure of the vertical axis.
    pub y: String,
    /// The column with a line for each of its values.
    pub by: Option<String>,
    /// The unit of the vertical axis.
    pub unit: Option<String>,
    /// The title of the vertical axis.
    pub title: Option<String>,
}

/// Which measures are controlled by what.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ControlsSpec {
    /// The measures that are controlled.
    pub measures: Option<Vec<String>>,
    /// Columns whose names end in `-surplus` and whose expectation is 0, the most important first.
    pub surpluses: Option<Vec<String>>,
}
