//! All entropies in turn but those that met congestion: path-aware spraying by the ECN bit.

use random::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Time;

use super::round_robin::{self, RoundRobin};
use super::{Fate, Kind};

/// The most by which an entropy is put back.
const MOST: u8 = 15;

/// All entropies in turn, but one whose packet was marked is passed over once, one whose packet was trimmed four
/// times, and one whose packet was lost fifteen times (path-aware spraying by the ECN bit).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {}

#[derive(Clone, Debug)]
pub(super) struct Bitmap {
    turns: RoundRobin,
    /// How often each entropy is still passed over.
    penalties: Box<[u8]>,
}

impl Kind for Bitmap {
    type Options = Options;

    fn new(_: &Options, entropies: u32, draws: &mut Stream) -> Self {
        let turns = RoundRobin::new(&round_robin::Options {}, entropies, draws);
        Self { turns, penalties: vec![0; entropies as usize].into() }
    }

    /// Of those that are passed over for one packet only the first comes nearer to its turn, so that a packet that
    /// finds many of them does not forgive all. If none is left, the next one is taken.
    fn next(&mut self, now: Time, draws: &mut Stream) -> u16 {
        let first = &mut self.penalties[usize::from(self.turns.peek())];
        if *first > 0 {
            *first -= 1;
            for _ in 0..self.penalties.len() {
                self.turns.advance(draws);
                if self.penalties[usize::from(self.turns.peek())] == 0 {
                    break;
                }
            }
        }
        self.turns.next(now, draws)
    }

    fn on_fate(&mut self, _: Time, entropy: u16, fate: Fate) {
        let more = match fate {
            Fate::Good => 0,
            Fate::Marked => 1,
            Fate::Trimmed => 4,
            Fate::Lost => MOST,
        };
        let penalty = &mut self.penalties[usize::from(entropy)];
        *penalty = (*penalty + more).min(MOST);
    }
}
