//! Each packet by chance.

use random::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Time;

use super::{Kind, any};

/// Each packet takes any entropy, all alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {}

#[derive(Clone, Debug)]
pub(super) struct Random {
    entropies: u32,
}

impl Kind for Random {
    type Options = Options;

    fn new(_: &Options, entropies: u32, _: &mut Stream) -> Self {
        Self { entropies }
    }

    fn next(&mut self, _: Time, draws: &mut Stream) -> u16 {
        any(self.entropies, draws)
    }
}
