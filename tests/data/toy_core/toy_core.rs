//! Toy switches: a scenario's words for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Electronic switches that send a packet on when its last bit has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ToyCoreSpec {
    /// The most links that leave a switch.
    #[schemars(range(min = 1, max = 1_024))]
    pub ports: u32,
}
