//! REPS: entropies that were good are used again (T. Bonato et al., "REPS: Recycled Entropies for Packet Spraying",
//! 2024, Algorithm 1).

use random::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Span, Time};

use super::{Fate, Kind, any};
use crate::mistake::Mistakes;

/// REPS: an entropy whose packet came without a mark is used again, once and the oldest first; any of all where there
/// is none. After a loss those of the buffer are used in turn for a while, since another one may lead to what has
/// failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Entropies that are kept, 1 to 1,024.
    #[schemars(range(min = 1, max = 1024))]
    pub buffer: u32,
    /// For how long those of the buffer alone are used after a loss.
    #[schemars(extend("x-max" = "10 s"))]
    pub freeze: Span,
}

/// Those of UEC's simulator.
impl Default for Options {
    fn default() -> Self {
        Self { buffer: 8, freeze: Span::from_ms(10) }
    }
}

/// Packets whose entropies are drawn after a freeze, before the buffer counts again.
const EXPLORED: u32 = 16;

#[derive(Clone, Debug)]
pub(super) struct Reps {
    entropies: u32,
    /// The latest good entropies; the next one is written at `head`.
    buffer: Box<[u16]>,
    head: usize,
    /// How many of the buffer hold an entropy.
    len: usize,
    /// How many of them, the latest, have not been used again.
    fresh: usize,
    freeze: Span,
    /// Until when it is frozen, and the place that is used next then.
    frozen: Option<(Time, usize)>,
    /// Packets that are still sent by chance.
    exploring: u32,
}

impl Kind for Reps {
    type Options = Options;

    fn new(options: &Options, entropies: u32, _: &mut Stream) -> Self {
        Self {
            entropies,
            buffer: vec![0; options.buffer as usize].into(),
            head: 0,
            len: 0,
            fresh: 0,
            freeze: options.freeze,
            frozen: None,
            exploring: 0,
        }
    }

    fn check(options: &Options, found: &mut Mistakes) {
        found.count("spraying.buffer", options.buffer, 1024);
    }

    fn next(&mut self, now: Time, draws: &mut Stream) -> u16 {
        if let Some((until, place)) = self.frozen {
            if now <= until && self.len > 0 {
                self.frozen = Some((until, (place + 1) % self.len));
                return self.buffer[place];
            }
            (self.frozen, self.head, self.len, self.fresh) = (None, 0, 0, 0);
            self.exploring = EXPLORED;
        }
        if self.exploring > 0 {
            self.exploring -= 1;
        } else if self.fresh > 0 {
            let size = self.buffer.len();
            let oldest = (self.head + size - self.fresh) % size;
            self.fresh -= 1;
            return self.buffer[oldest];
        }
        any(self.entropies, draws)
    }

    fn on_fate(&mut self, now: Time, entropy: u16, fate: Fate) {
        match fate {
            Fate::Good => {
                let size = self.buffer.len();
                self.buffer[self.head] = entropy;
                self.head = (self.head + 1) % size;
                self.len = (self.len + 1).min(size);
                self.fresh = (self.fresh + 1).min(size);
            }
            Fate::Lost if self.frozen.is_none() && self.exploring == 0 && self.len > 0 => {
                self.frozen = Some((now.saturating_add(self.freeze), 0));
            }
            Fate::Marked | Fate::Trimmed | Fate::Lost => {}
        }
    }
}
