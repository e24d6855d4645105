//! The keys of `claims.toml`.

use schemars::JsonSchema;
use serde_json::{Map, Value as Json};

/// The claims of a paper. `{name}` in a text stands for what has that name.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ClaimsSpec {
    /// Names, each with what it stands for.
    pub names: Option<Map<String, Json>>,
    /// The claims, written as `[[claims]]`.
    pub claims: Option<Vec<ClaimSpec>>,
}

/// What a paper states, and how it is judged. A part has the keys of its rule.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ClaimSpec {
    /// Its name: the paper's and a number, as in `queue.1`.
    pub claim: String,
    /// What the paper states.
    pub statement: String,
    /// What it prints.
    pub published: String,
    /// How the claim is judged, in words.
    pub rule: Option<String>,
    /// Its parts, written as `[[claims.parts]]`.
    #[schemars(length(min = 1))]
    pub parts: Vec<Map<String, Json>>,
    /// Which parts have to hold; all by default.
    pub combine: Option<Combine>,
    /// Further parts, which show how much the verdict depends on details.
    pub sensitivity: Option<Vec<Map<String, Json>>>,
    /// Changes of the rule since it was committed.
    pub changes: Option<Vec<String>>,
    /// Why the full run does not meet it, in a line.
    pub because: Option<String>,
    /// Why printed numbers are far from those of the runs, in a few words, for the figure of them.
    pub far: Option<String>,
}

/// Which parts of a claim have to hold.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum Combine {
    /// All that count.
    All,
    /// At least one, where the paper leaves a parameter open.
    Any,
    /// Some, and none differs: parts may be undecided by their nature.
    Some,
}
