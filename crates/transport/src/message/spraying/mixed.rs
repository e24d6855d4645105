//! Recycled entropies where there are some, else those in turn that met no congestion.

use std::collections::VecDeque;

use random::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Time;

use super::bitmap::{self, Bitmap};
use super::{Fate, Kind};

/// An entropy whose packet came without a mark is used again, once and the oldest first; where there is none, as
/// `bitmap` does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {}

#[derive(Clone, Debug)]
pub(super) struct Mixed {
    good: VecDeque<u16>,
    others: Bitmap,
}

impl Kind for Mixed {
    type Options = Options;

    fn new(_: &Options, entropies: u32, draws: &mut Stream) -> Self {
        let others = Bitmap::new(&bitmap::Options {}, entropies, draws);
        Self { good: VecDeque::new(), others }
    }

    fn next(&mut self, now: Time, draws: &mut Stream) -> u16 {
        self.good.pop_front().unwrap_or_else(|| self.others.next(now, draws))
    }

    fn on_fate(&mut self, now: Time, entropy: u16, fate: Fate) {
        if fate == Fate::Good {
            self.good.push_back(entropy);
        }
        self.others.on_fate(now, entropy, fate);
    }
}
