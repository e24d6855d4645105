//! Tahoe: fast retransmit, then slow start from one segment (Jacobson 1988; Fall and Floyd 1996,
//! section 2.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::repair::Repair;
use super::state::State;
use crate::tcp::congestion::Signal;
use crate::tcp::scoreboard::Scoreboard;

/// Fast retransmit, then slow start from one segment and go-back-N.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {}

#[derive(Clone, Debug)]
pub(super) struct Tahoe;

impl Repair for Tahoe {
    type Options = Options;

    fn new(_: &Options) -> Self {
        Self
    }

    #[inline]
    fn facts(_: &Options) -> Facts {
        Facts { signal: Signal::LossRestart, ..Facts::PLAIN }
    }

    /// Goes back to the oldest hole, as after a timeout (go-back-N): the receiver keeps what it has,
    /// so acknowledgments may jump ahead of what is sent again.
    fn enter(&mut self, state: &mut State, board: &mut Scoreboard) {
        state.go_back(board);
        state.guard = board.high() + 1;
    }
}
