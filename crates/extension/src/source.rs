//! The text of a program in a scenario, compiled when it is read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::interface::Interface;
use crate::mistake::Mistake;
use crate::program::Program;

/// A program of one kind, with its hooks looked up.
pub trait Hooks: Sized {
    /// What programs of this kind see.
    fn interface() -> &'static Interface;

    /// The hooks of a program.
    fn of(program: Program) -> Self;

    /// The program.
    fn program(&self) -> &Program;
}

/// The text of a program. Two are equal if their texts are.
pub struct Source<H> {
    text: String,
    compiled: Result<Arc<H>, Mistake>,
}

/// What is wrong with a program, or with the values of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Whether it is in the values of the parameters, else in the text.
    pub in_parameters: bool,
    /// The line of the text, from 1.
    pub line: Option<u32>,
    /// What is wrong.
    pub problem: String,
    /// What was found; empty if the problem says it.
    pub found: String,
    /// What is accepted; empty if nothing helps.
    pub accepted: String,
}

impl<H: Hooks> Source<H> {
    /// Compiles a text.
    pub fn new(text: &str) -> Self {
        let compiled = Program::compile(text, H::interface());
        Self { text: text.to_owned(), compiled: compiled.map(|program| Arc::new(H::of(program))) }
    }

    /// The program, shared by all who run it; none if it has errors.
    pub fn compiled(&self) -> Option<&Arc<H>> {
        self.compiled.as_ref().ok()
    }

    /// What is wrong with the program, or with values of its parameters.
    pub fn flaws(&self, given: &BTreeMap<String, f64>) -> Vec<Flaw> {
        let program = match &self.compiled {
            Ok(hooks) => hooks.program(),
            Err(Mistake { line, column, problem, found, accepted }) => {
                return vec![Flaw {
                    in_parameters: false,
                    line: Some(*line),
                    problem: format!("line {line}, column {column}: {problem}"),
                    found: found.clone(),
                    accepted: accepted.clone(),
                }];
            }
        };
        let parameters = program.parameters();
        let flaw = |problem: String, found: String, accepted| Flaw {
            in_parameters: true,
            line: None,
            problem,
            found,
            accepted,
        };
        let mut flaws = Vec::new();
        for (name, value) in given {
            let Some(known) = parameters.iter().find(|one| one.name == *name) else {
                let names: Vec<&str> = parameters.iter().map(|one| one.name.as_str()).collect();
                let problem = "unknown parameter".to_owned();
                flaws.push(flaw(problem, name.clone(), names.join(", ")));
                continue;
            };
            if !(*value >= known.least && *value <= known.most) {
                let accepted = format!("{} to {}", known.least, known.most);
                flaws.push(flaw(format!("{name} is out of range"), value.to_string(), accepted));
            }
        }
        flaws
    }
}

impl<H> Clone for Source<H> {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), compiled: self.compiled.clone() }
    }
}

impl<H> fmt::Debug for Source<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl<H: Hooks> Default for Source<H> {
    fn default() -> Self {
        Self::new("")
    }
}

impl<H> Deref for Source<H> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl<H> PartialEq for Source<H> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<H> Serialize for Source<H> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de, H: Hooks> Deserialize<'de> for Source<H> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Ok(Self::new(&text))
    }
}

impl<H> JsonSchema for Source<H> {
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
