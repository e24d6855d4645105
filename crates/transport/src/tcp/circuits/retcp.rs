//! reTCP (Mukerjee et al., *Adapting TCP for reconfigurable datacenter networks*, NSDI 2020, section 5): the window is
//! multiplied when a circuit opens, and divided when it closes.
//!
//! As in its implementation (`retcp.c` of Etalon) this waits until a recovery is over, and ssthresh stays: a window
//! that falls below it grows by slow start.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The congestion window is multiplied when a circuit to the rack of the receiver opens, and divided when it closes
/// (reTCP, Mukerjee et al., NSDI 2020). Their window rule is that of `preset = "newreno"` and `"sack"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// By how much the window is multiplied when a circuit opens.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub up: f64,
    /// By how much it is divided when the circuit closes.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub down: f64,
}

/// `jump_up` and `jump_down` of `retcp.c`.
impl Default for Options {
    fn default() -> Self {
        Self { up: 2.0, down: 2.0 }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ReTcp {
    up: f64,
    down: f64,
    /// Whether there is a circuit.
    pub(crate) open: bool,
    /// Whether the window is that for a circuit.
    resized: bool,
}

impl ReTcp {
    pub(crate) fn new(options: &Options) -> Self {
        Self { up: options.up, down: options.down, open: false, resized: false }
    }

    /// By what the window is to be multiplied now, if it may be.
    pub(crate) fn take_factor(&mut self) -> Option<f64> {
        if self.open == self.resized {
            return None;
        }
        self.resized = self.open;
        Some(if self.open { self.up } else { 1.0 / self.down })
    }
}
