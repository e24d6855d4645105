//! What is wrong with a program, before it runs and while it runs.

use std::fmt;

/// A place in the source, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// An error in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What is wrong.
    pub problem: String,
    /// What was found; empty if the problem says it.
    pub found: String,
    /// What is accepted; empty if nothing helps.
    pub accepted: String,
}

impl Mistake {
    pub(crate) fn new(at: At, problem: impl Into<String>) -> Self {
        let At { line, column } = at;
        let (found, accepted) = (String::new(), String::new());
        Self { line, column, problem: problem.into(), found, accepted }
    }

    pub(crate) fn found(mut self, found: impl Into<String>) -> Self {
        self.found = found.into();
        self
    }

    pub(crate) fn accepted(mut self, accepted: impl Into<String>) -> Self {
        self.accepted = accepted.into();
        self
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, problem, found, accepted } = self;
        write!(f, "line {line}, column {column}: {problem}")?;
        for (word, part) in [("found", found), ("accepted", accepted)] {
            if !part.is_empty() {
                write!(f, "; {word} {part}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Mistake {}

/// Why a program cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line of the source, from 1.
    pub line: u32,
    /// What has happened.
    pub problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for Fault {}
