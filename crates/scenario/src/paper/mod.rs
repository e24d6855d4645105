//! The files of a paper: what is run, what is claimed, what the paper leaves unsaid.
//!
//! They are checked like scenarios and sweeps, by a recovering parse and a walk along their schema. What names refer to
//! is checked where the files are used.

pub mod claims;
pub mod readings;
pub mod sweeps;

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde_json::Value as Json;

use claims::ClaimsSpec;
use readings::{ReadingSpec, ReadingsSpec};
use sweeps::SweepsSpec;

use crate::load::{LARGEST_FILE, too_large};
use crate::mistake::{Mistake, Mistakes, Place};
use crate::tree::{self, Entry, Node, Value};
use crate::walk;

/// The files of a paper's folder.
#[derive(Debug, JsonSchema)]
pub struct PaperSpec {
    /// What is run for which figure.
    #[schemars(rename = "sweeps.toml")]
    pub sweeps: SweepsSpec,
    /// The claims, each with the rules of its parts.
    #[schemars(rename = "claims.toml")]
    pub claims: ClaimsSpec,
    /// What the paper leaves unsaid, and which readings of it are searched.
    #[schemars(rename = "readings.toml")]
    pub readings: ReadingsSpec,
    /// A reading that is kept under a name.
    #[schemars(rename = "readings/NAME.toml")]
    pub reading: ReadingSpec,
}

/// The JSON Schema (draft 2020-12) of the files of a paper: each is the property with its name.
pub fn paper_json_schema() -> &'static Json {
    static SCHEMA: LazyLock<Json> = LazyLock::new(|| schemars::schema_for!(PaperSpec).to_value());
    &SCHEMA
}

/// A file of a paper without errors of its own.
#[derive(Debug)]
pub struct Document(Node);

impl Document {
    /// Checks a file of a paper. `kind` is a key of [`PaperSpec`], `file` the name for messages.
    pub fn load(kind: &str, file: &str, text: &str) -> Result<Self, Vec<Mistake>> {
        if text.len() > LARGEST_FILE {
            return Err(vec![too_large(file)]);
        }
        let root = paper_json_schema();
        let schema = &root["properties"][kind];
        let mut mistakes = Mistakes::new(file, &[]);
        let tree = tree::parse(text, &mut mistakes);
        walk::walk_value(root, &[schema], ("", &tree), &mut mistakes);
        if !mistakes.is_empty() {
            return Err(mistakes.into_list());
        }
        Ok(Self(tree))
    }

    /// Its content as JSON, in which numbers may also be `Infinity` and `NaN`, as Python reads it.
    pub fn content(&self) -> String {
        written(&self.0)
    }

    /// The line of the value that some keys and numbers of items lead to, or of the nearest one above it.
    pub fn line(&self, keys: &[String]) -> Option<usize> {
        match self.0.place_below(keys.iter().map(String::as_str)) {
            Place::Line(line) => Some(line),
            Place::Override(_) | Place::File(..) | Place::Nowhere => None,
        }
    }
}

fn written(node: &Node) -> String {
    let joined = |parts: Vec<String>| parts.join(",");
    match &node.value {
        Value::Integer(number) => number.to_string(),
        Value::Float(number) if !number.is_finite() => {
            number.to_string().replace("inf", "Infinity")
        }
        Value::Array(items) => format!("[{}]", joined(items.iter().map(written).collect())),
        Value::Table(entries) => {
            let pair = |one: &Entry| format!("{}:{}", Json::from(&*one.key), written(&one.node));
            format!("{{{}}}", joined(entries.iter().map(pair).collect()))
        }
        _ => node.to_json().to_string(),
    }
}
