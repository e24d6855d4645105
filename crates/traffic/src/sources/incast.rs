//! Rounds in which many send to one: what the network runs as an incast.

use super::prelude::*;

/// Reads that wait for all of their parts (Phanishayee et al. 2008): in each round several
/// senders send a block to one receiver at the same instant, and the next round begins when the
/// last block has been acknowledged completely, which is when a new request would reach that
/// sender. Needs the pattern `all`; each receiver has its own rounds and its own `start`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Incast {
    /// The size of a block.
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub block: Bytes,
    /// The rounds of each receiver.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub rounds: u32,
    /// The number of senders of a round, drawn for each round; by default all except the
    /// receiver itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub senders: Option<u32>,
}

impl Kind for Incast {
    fn facts(&self) -> Facts<'_> {
        Facts::of(Form::ClosedLoop(ClosedLoop::Incast(self)))
    }

    fn scale(&mut self, _: f64) {}

    fn check(&self, problems: &mut Problems) {
        problems.some_bytes(self.block, "block");
        problems.demand(self.rounds > 0, "rounds", "must be at least 1");
        problems.demand(self.senders != Some(0), "senders", "must be at least 1");
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        None
    }
}
