//! What an anycast policy as a program sees.

use extension::{Field, Hook, Interface, Record, Type};
use schemars::JsonSchema;

use super::{COUNTED, DRAW, Do, Hooks, Kind, of_number};

/// Programs that say which lightpath of a bundle a packet takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema)]
#[schemars(rename = "Anycast")]
pub struct Lightpaths;

const LIGHTPATHS: Record = Record {
    name: "lightpaths",
    fields: COUNTED,
    methods: &[of_number("queued", Do::QUEUED), of_number("wait", Do::WAIT)],
};

static PACKET: Record = Record {
    name: "packet",
    fields: &[
        Field::read("now", Type::Time),
        Field::read("flow", Type::Number),
        Field::read("octets", Type::Number),
        Field::read("hashed", Type::Number),
        Field::read("destination", Type::Number),
        Field::read("input", Type::Number),
    ],
    methods: &[],
};

/// The register of the packet's first field.
pub(crate) const SEEN: usize = LIGHTPATHS.fields.len() + DRAW.fields.len();

/// The declaration of a program whose packets wait in one queue for a bundle.
const ONE_QUEUE: &str = "shares_queue";

impl Kind for Lightpaths {
    const HOOK: &'static str = "choose";
    const ONE: &'static str = "lightpath";
    const INTERFACE: &'static Interface = &Interface {
        standing: &[LIGHTPATHS, DRAW],
        hooks: &[Hook { name: Self::HOOK, takes: Some(&PACKET), gives: Some(Type::Number) }],
        constants: &[],
        declarations: &[ONE_QUEUE],
        earlier: None,
    };
}

impl Hooks<Lightpaths> {
    /// Whether the packets of an input for a bundle wait in one queue.
    pub fn shares_queue(&self) -> bool {
        self.program.declares(ONE_QUEUE)
    }

    /// Whether it reads the queues of inputs.
    pub fn looks_at_queues(&self) -> bool {
        self.program.calls(Do::QUEUED)
    }

    /// Whether it reads when outputs are free.
    pub fn looks_at_outputs(&self) -> bool {
        self.program.calls(Do::WAIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packet_lies_where_the_policy_writes_it() {
        let place = |name| Lightpaths::INTERFACE.place(name);
        assert_eq!((place("lightpaths"), place("packet")), (super::super::COUNT, SEEN));
    }
}
