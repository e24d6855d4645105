//! The text of a program in a scenario, compiled when it is read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use extension::{Entry, Mistake, Program};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::interface::{EVERY_MARK, INTERFACE};
use crate::mistake::Mistakes;

/// The text of a program. Two are equal if their texts are.
#[derive(Clone, Debug)]
pub struct Source {
    text: String,
    compiled: Result<Compiled, Mistake>,
}

/// A program with its hooks, shared by the flows that it controls.
pub(super) type Compiled = Arc<Hooks>;

#[derive(Debug)]
pub(super) struct Hooks {
    pub(super) program: Program,
    pub(super) on_ack: Option<Entry>,
    pub(super) on_loss: Option<Entry>,
    pub(super) on_delivered: Option<Entry>,
    pub(super) on_undo: Option<Entry>,
    pub(super) on_lost_syn: Option<Entry>,
    pub(super) on_restart: Option<Entry>,
    pub(super) pacing: Option<Entry>,
}

impl Source {
    /// Compiles a text.
    pub fn new(text: &str) -> Self {
        let compiled = Program::compile(text, &INTERFACE).map(|program| {
            let entry = |name| program.entry(name);
            Arc::new(Hooks {
                on_ack: entry("on_ack"),
                on_loss: entry("on_loss"),
                on_delivered: entry("on_delivered"),
                on_undo: entry("on_undo"),
                on_lost_syn: entry("on_lost_syn"),
                on_restart: entry("on_restart"),
                pacing: entry("pacing"),
                program,
            })
        });
        Self { text: text.to_owned(), compiled }
    }

    /// The program, which has been checked.
    pub(super) fn compiled(&self) -> Compiled {
        match &self.compiled {
            Ok(compiled) => Arc::clone(compiled),
            Err(mistake) => unreachable!("a check finds it: {mistake}"),
        }
    }

    pub(super) fn needs_every_mark(&self) -> bool {
        self.compiled.as_ref().is_ok_and(|hooks| hooks.program.declares(EVERY_MARK))
    }

    /// Notes what is wrong with the program and with values of its parameters.
    pub(super) fn check(&self, given: &BTreeMap<String, f64>, found: &mut Mistakes) {
        let compiled = match &self.compiled {
            Ok(compiled) => compiled,
            Err(Mistake { line, column, problem, found: what, accepted }) => {
                let problem = format!("line {line}, column {column}: {problem}");
                found.add("congestion.source", &problem, what, accepted);
                return found.in_line(*line);
            }
        };
        let parameters = compiled.program.parameters();
        for (name, value) in given {
            let Some(known) = parameters.iter().find(|one| one.name == *name) else {
                let names: Vec<&str> = parameters.iter().map(|one| one.name.as_str()).collect();
                let accepted = names.join(", ");
                found.add("congestion.parameters", "unknown parameter", name, &accepted);
                continue;
            };
            if !(*value >= known.least && *value <= known.most) {
                let problem = format!("{name} is out of range");
                let accepted = format!("{} to {}", known.least, known.most);
                found.add("congestion.parameters", &problem, value, &accepted);
            }
        }
    }
}

impl Default for Source {
    fn default() -> Self {
        Self::new("")
    }
}

impl Deref for Source {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Ok(Self::new(&text))
    }
}

impl JsonSchema for Source {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Source".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}
