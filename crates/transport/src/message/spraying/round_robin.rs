//! All entropies in turn, each round in another order.

use random::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Time;

use super::{Kind, any};

/// All entropies in turn, each round in another order: the oblivious spraying of UEC's simulator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {}

/// The next place in a round, whose order is a number with which places are combined bit by bit.
#[derive(Clone, Debug)]
pub(super) struct RoundRobin {
    entropies: u32,
    place: u32,
    order: u16,
}

impl RoundRobin {
    /// The entropy that is next.
    #[expect(clippy::cast_possible_truncation, reason = "places are below 65,536")]
    pub(super) fn peek(&self) -> u16 {
        self.place as u16 ^ self.order
    }

    /// Goes on to the one after it.
    pub(super) fn advance(&mut self, draws: &mut Stream) {
        self.place += 1;
        if self.place == self.entropies {
            self.place = 0;
            self.order = any(self.entropies, draws);
        }
    }
}

impl Kind for RoundRobin {
    type Options = Options;

    fn new(_: &Options, entropies: u32, draws: &mut Stream) -> Self {
        Self { entropies, place: 0, order: any(entropies, draws) }
    }

    fn next(&mut self, _: Time, draws: &mut Stream) -> u16 {
        let entropy = self.peek();
        self.advance(draws);
        entropy
    }
}
