//! The names that a place in a program sees, and the registers in use there.

use std::collections::{BTreeMap, BTreeSet};

use crate::interface::{Record, Type};

/// What a name of a function stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Binding {
    Value { register: u8, kind: Type },
    Record(&'static Record),
}

/// The variables of a function while it is compiled.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) names: BTreeMap<String, Binding>,
    /// The variables with a value here; `None` where the code is never reached.
    pub(crate) assigned: Option<BTreeSet<String>>,
    pub(crate) exit: Exit,
    pub(crate) loops: Vec<Loop>,
}

impl Scope {
    pub(crate) fn new(exit: Exit) -> Self {
        Self { assigned: Some(BTreeSet::new()), exit, ..Self::default() }
    }

    pub(crate) fn bind(&mut self, name: &str, binding: Binding) {
        self.names.insert(name.to_owned(), binding);
        if let Some(assigned) = &mut self.assigned {
            assigned.insert(name.to_owned());
        }
    }

    pub(crate) fn has_value(&self, name: &str) -> bool {
        self.assigned.as_ref().is_none_or(|assigned| assigned.contains(name))
    }

    /// Two ways meet: what both have assigned.
    pub(crate) fn meet(&mut self, other: Option<BTreeSet<String>>) {
        self.assigned = match (self.assigned.take(), other) {
            (Some(one), Some(other)) => Some(&one & &other),
            (one, other) => one.or(other),
        };
    }
}

/// What a `return` does.
#[derive(Debug, Default)]
pub(crate) enum Exit {
    /// There is none outside of functions.
    #[default]
    Nowhere,
    /// It ends the hook.
    Hook { name: &'static str, gives: Option<Type> },
    /// It goes on after the call, from these jumps, with the result in a register.
    Call { to: u8, gives: Option<Type>, bare: bool, jumps: Vec<usize> },
}

/// The jumps out of a loop that are not yet aimed.
#[derive(Debug, Default)]
pub(crate) struct Loop {
    pub(crate) breaks: Vec<usize>,
    pub(crate) continues: Vec<usize>,
}

/// A variable of the whole program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) register: u8,
    pub(crate) kind: Type,
    /// Whether it is a parameter, which does not change.
    pub(crate) is_parameter: bool,
}
