//! Schedulers of an electronic fabric: a scenario's words for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which inputs the fabric of an input-queued switch connects with which outputs, slot by slot: a
/// matching, in which no input and no output occurs twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum SchedulerSpec {
    /// iSLIP (McKeown 1999): each output grants the first request from its round-robin pointer on,
    /// each input accepts the first grant from its own. Both pointers move to one beyond the match,
    /// only for matches of the first iteration.
    Islip {
        /// Rounds of request, grant and accept a slot; further rounds only add matches, and end when
        /// there is nothing to add.
        #[serde(default = "one")]
        #[schemars(range(min = 1, max = 64))]
        iterations: u32,
    },
    /// Parallel iterative matching (Anderson et al. 1993): each output grants one of its requests at
    /// random, each input accepts one of its grants at random.
    Pim {
        /// Rounds of request, grant and accept a slot; further rounds only add matches, and end when
        /// there is nothing to add.
        #[serde(default = "one")]
        #[schemars(range(min = 1, max = 64))]
        iterations: u32,
    },
    /// The largest possible number of pairs in each slot, found by augmenting paths from the lowest
    /// input on: a reference that is too expensive for hardware, and not fair.
    MaximumSize {},
    /// The wrapped wave front arbiter (Tamir and Chi 1993): a wave front goes over the diagonals of the
    /// crossbar, on each of which input and output have the same sum modulo the number of ports, and
    /// matches every request whose ports are both free. It begins one diagonal further on in each slot,
    /// so that a request that stays is served once in as many slots as there are ports, at least. With
    /// more inputs than outputs, or fewer, the greater number counts.
    Wavefront {},
}

fn one() -> u32 {
    1
}

impl Default for SchedulerSpec {
    fn default() -> Self {
        Self::Islip { iterations: one() }
    }
}
