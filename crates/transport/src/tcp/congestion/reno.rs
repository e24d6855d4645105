//! Slow start and congestion avoidance (RFC 5681 section 3.1): the defaults of every hook.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::Rule;
use super::window::Window;

/// Slow start and congestion avoidance (RFC 5681).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {}

/// RFC 5681's window: doubles per round trip in slow start, then grows by a segment; a loss halves it.
#[derive(Clone, Debug)]
pub(super) struct Reno {
    window: Window,
}

impl Rule for Reno {
    type Options = Options;

    fn new(window: Window, _: &Options) -> Self {
        Self { window }
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
