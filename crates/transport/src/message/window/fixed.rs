//! A window that stays as it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Rule, Terms};
use crate::mistake::Mistakes;

/// A window that stays as it is: for networks without congestion, and with `credits` where the receiver alone decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The window in multiples of what fills the path of an idle network, 0.01 to 1,000.
    #[schemars(range(min = 0.01, max = 1000.0))]
    pub paths: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { paths: 1.5 }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Fixed {
    window: f64,
}

impl Rule for Fixed {
    type Options = Options;

    fn new(options: &Options, terms: &Terms) -> Self {
        Self { window: (options.paths * terms.path()).max(terms.packet as f64) }
    }

    fn check(options: &Options, found: &mut Mistakes) {
        let fits = (0.01..=1000.0).contains(&options.paths);
        found.number("window.paths", options.paths, fits, "0.01 to 1000");
    }

    fn window(&self) -> f64 {
        self.window
    }
}
