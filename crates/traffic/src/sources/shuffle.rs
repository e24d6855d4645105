//! All to all: what the network runs as a shuffle.

use super::prelude::*;

/// All to all: each sender sends a block to each receiver except itself, in its own random
/// order; the next block begins when one has been acknowledged completely. Needs the pattern
/// `all`; each sender begins at its own `start`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Shuffle {
    /// The size of a block.
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub block: Bytes,
    /// The maximum number of blocks that a sender sends at a time.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 100_000))]
    pub parallel: u32,
}

impl Kind for Shuffle {
    fn facts(&self) -> Facts<'_> {
        Facts::of(Form::ClosedLoop(ClosedLoop::Shuffle(self)))
    }

    fn scale(&mut self, _: f64) {}

    fn check(&self, problems: &mut Problems) {
        problems.some_bytes(self.block, "block");
        problems.demand(self.parallel > 0, "parallel", "must be at least 1");
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        None
    }
}
