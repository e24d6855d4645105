//! What a policy as a program sees, and its hooks.

use extension::{Entry, Field, Hook, Interface, Method, Program, Record, Type, Wanted};

/// What a program does, by number.
pub(crate) struct Do;

impl Do {
    pub(crate) const FLOWS: u8 = 0;
    pub(crate) const WINDOWS: u8 = 1;
    pub(crate) const BELOW: u8 = 2;
}

const QUEUES: Record = Record {
    name: "queues",
    fields: &[Field::read("count", Type::Number)],
    methods: &[
        Method {
            name: "flows",
            wants: &[Wanted::Value(Type::Number)],
            gives: Some(Type::Number),
            number: Do::FLOWS,
        },
        Method {
            name: "windows",
            wants: &[Wanted::Value(Type::Number)],
            gives: Some(Type::Number),
            number: Do::WINDOWS,
        },
    ],
};

const DRAW: Record = Record {
    name: "draw",
    fields: &[],
    methods: &[Method {
        name: "below",
        wants: &[Wanted::Value(Type::Number)],
        gives: Some(Type::Number),
        number: Do::BELOW,
    }],
};

static PACKET: Record = Record {
    name: "packet",
    fields: &[
        Field::read("now", Type::Time),
        Field::read("flow", Type::Number),
        Field::read("known", Type::Truth),
        Field::read("queue", Type::Number),
        Field::read("lost", Type::Truth),
        Field::read("resent", Type::Truth),
        Field::read("window", Type::Number),
    ],
    methods: &[],
};

/// The register of the packet's first field.
pub(crate) const SEEN: usize = QUEUES.fields.len() + DRAW.fields.len();

const ASSIGN: &str = "assign";

static INTERFACE: Interface = Interface {
    standing: &[QUEUES, DRAW],
    hooks: &[Hook { name: ASSIGN, takes: Some(&PACKET), gives: Some(Type::Number) }],
    constants: &[],
    declarations: &[],
    earlier: None,
};

/// A program with its hook.
#[derive(Debug)]
pub struct AssignHooks {
    pub(crate) program: Program,
    pub(crate) assign: Option<Entry>,
}

impl AssignHooks {
    /// Whether it says where flows go.
    pub fn is_complete(&self) -> bool {
        self.assign.is_some()
    }
}

impl extension::Hooks for AssignHooks {
    fn interface() -> &'static Interface {
        &INTERFACE
    }

    fn of(program: Program) -> Self {
        Self { assign: program.entry(ASSIGN), program }
    }

    fn program(&self) -> &Program {
        &self.program
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packet_lies_where_the_policy_writes_it() {
        assert_eq!((INTERFACE.place("queues"), INTERFACE.place("packet")), (0, SEEN));
    }
}
