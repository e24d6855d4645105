//! Recovery from selective acknowledgments (RFC 6675).
//!
//! Rule 1 of `NextSeg` and new data, rule 2, are `detection`'s; `choose_without_new` has rules 3 and 4.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::{Evidence, Facts, Means};
use super::repair::Repair;
use super::state::{Choice, Progress, State};
use crate::tcp::scoreboard::Scoreboard;

/// Recovery from selective acknowledgments (RFC 6675).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Whether the window is reduced in proportion to what arrives (RFC 9937). Default: false; true in the
    /// profile `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prr: Option<bool>,
    /// Whether the receiver reports duplicates (RFC 2883), and a reduction of the window is undone when it has reported
    /// all retransmissions so (RFC 3708), as in Linux.
    pub undo: bool,
    /// Whether a reduction of the window is undone when an acknowledgment echoes an instant from before anything was sent
    /// again (the Eifel detection, RFC 3522), as in Linux; it needs `timestamps`. Default: false; true in the profile
    /// `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eifel: Option<bool>,
}

#[derive(Clone, Debug)]
pub(super) struct Sack {
    /// `RescueRxt` of RFC 6675: one rescue until this is acknowledged.
    rescued_to: u64,
}

impl Repair for Sack {
    type Options = Options;

    fn new(_: &Options) -> Self {
        Self { rescued_to: 0 }
    }

    fn complete(given: &Options, profile: &Options) -> Options {
        Options { prr: given.prr.or(profile.prr), eifel: given.eifel.or(profile.eifel), ..*given }
    }

    #[inline]
    fn facts(options: &Options) -> Facts {
        Facts {
            detects_by: Means::Blocks,
            has_reports: options.undo,
            undoes_by: Evidence { reports: options.undo, echoes: options.eifel == Some(true) },
            has_prr: options.prr == Some(true),
            ..Facts::PLAIN
        }
    }

    fn enter(&mut self, state: &mut State, board: &mut Scoreboard) {
        state.enter_by_sack(board);
        self.rescued_to = 0;
    }

    fn on_partial(&mut self, _: &mut State, _: u64) -> Progress {
        Progress::Partial { restart_timer: true }
    }

    /// `NextSeg` rule 3, a hole below the highest sacked octet that is not yet deemed lost; then
    /// rule 4, the rescue: once a recovery, the end of the highest hole.
    fn choose_without_new(&mut self, state: &State, board: &Scoreboard) -> Option<Choice> {
        if !state.active {
            return None;
        }
        if let Some((start, end)) = board.next_hole(board.sacked_up_to()) {
            return Some(Choice::Resend(start, end));
        }
        if board.una() < self.rescued_to {
            return None;
        }
        let (start, end) = board.last_hole(state.terms.segment)?;
        self.rescued_to = state.recover;
        Some(Choice::ResendAside(start, end))
    }
}
