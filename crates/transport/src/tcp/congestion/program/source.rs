//! The hooks of a program, and what is wrong with its text.

use std::collections::BTreeMap;
use std::sync::Arc;

use extension::{Entry, Flaw, Interface, Program};

use super::interface::{EVERY_MARK, INTERFACE};
use crate::mistake::Mistakes;

/// The text of a program.
pub type Source = extension::Source<Hooks>;

/// A program with its hooks.
#[derive(Debug)]
pub struct Hooks {
    pub(super) program: Program,
    pub(super) on_ack: Option<Entry>,
    pub(super) on_loss: Option<Entry>,
    pub(super) on_delivered: Option<Entry>,
    pub(super) on_undo: Option<Entry>,
    pub(super) on_lost_syn: Option<Entry>,
    pub(super) on_restart: Option<Entry>,
    pub(super) pacing: Option<Entry>,
}

impl extension::Hooks for Hooks {
    fn interface() -> &'static Interface {
        &INTERFACE
    }

    fn of(program: Program) -> Self {
        let entry = |name| program.entry(name);
        Self {
            on_ack: entry("on_ack"),
            on_loss: entry("on_loss"),
            on_delivered: entry("on_delivered"),
            on_undo: entry("on_undo"),
            on_lost_syn: entry("on_lost_syn"),
            on_restart: entry("on_restart"),
            pacing: entry("pacing"),
            program,
        }
    }

    fn program(&self) -> &Program {
        &self.program
    }
}

/// The program, which has been checked.
pub(super) fn compiled(source: &Source) -> Arc<Hooks> {
    Arc::clone(source.compiled().expect("a check finds its errors"))
}

pub(super) fn needs_every_mark(source: &Source) -> bool {
    source.compiled().is_some_and(|hooks| hooks.program.declares(EVERY_MARK))
}

/// Notes what is wrong with the program and with values of its parameters.
pub(super) fn check(source: &Source, given: &BTreeMap<String, f64>, found: &mut Mistakes) {
    for Flaw { in_parameters, line, problem, found: what, accepted } in source.flaws(given) {
        let key = if in_parameters { "congestion.parameters" } else { "congestion.source" };
        found.add(key, &problem, what, &accepted);
        if let Some(line) = line {
            found.in_line(line);
        }
    }
}
