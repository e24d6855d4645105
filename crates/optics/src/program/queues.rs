//! What an assembly policy as a program sees.

use extension::{Field, Hook, Interface, Record, Type};
use schemars::JsonSchema;

use super::{COUNTED, DRAW, Do, Kind, of_number};

/// Programs that say in which assembly queue a flow waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename = "Assembly")]
pub struct Queues;

const QUEUES: Record = Record {
    name: "queues",
    fields: COUNTED,
    methods: &[of_number("flows", Do::FLOWS), of_number("windows", Do::WINDOWS)],
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

impl Kind for Queues {
    const HOOK: &'static str = "assign";
    const ONE: &'static str = "queue";
    const INTERFACE: &'static Interface = &Interface {
        standing: &[QUEUES, DRAW],
        hooks: &[Hook { name: Self::HOOK, takes: Some(&PACKET), gives: Some(Type::Number) }],
        constants: &[],
        declarations: &[],
        earlier: None,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packet_lies_where_the_policy_writes_it() {
        let place = |name| Queues::INTERFACE.place(name);
        assert_eq!((place("queues"), place("packet")), (super::super::COUNT, SEEN));
    }
}
