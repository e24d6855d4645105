//! RACK-TLP (RFC 8985): losses are detected by time, not by counting.
//!
//! A segment is lost if a segment that was sent later has arrived and a timeout has passed: a round trip and
//! the reordering window. This window is a quarter of the minimum round-trip time, longer where duplicates
//! show that it was too short, and zero from the third sacked segment on, as long as no reordering has been
//! seen. The loss of a retransmission is detected in the same way. If no acknowledgment follows the last
//! segment, a probe requests one (`probe`); if all retransmissions prove to be spurious, the window is
//! restored (`undo`).
//!
//! The names in brackets are those of RFC 8985.
//!
//! `Deviation:` of two segments sent at the same instant, the one handed over later was sent later; the RFC,
//! which has only clocks, compares their sequence numbers.
//!
//! `Deviation:` before the first measurement of the round-trip time there is no timer for the probe: it would
//! expire with the retransmission timer, and section 7.3 forbids a probe then.
//!
//! `Deviation:` the minimum round-trip time is that of the whole connection; section 6.2 step 1 recommends
//! that of a window of time. The timers for reordering and for the probe run in parallel with the
//! retransmission timer, which is not stopped (section 8).
//!
//! Section 9.3 recommends proportional rate reduction, which is an option (`prr`). Without it recovery sends as
//! much as the reduced window permits, as in RFC 6675, and losses among these segments reduce the window
//! again, as the section requires in this case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::{Evidence, Facts, Means};
use super::repair::Repair;
use super::state::{Progress, State};
use crate::tcp::scoreboard::Scoreboard;

/// Loss detection by time from selective acknowledgments, with a probe for losses at the tail (RACK-TLP,
/// RFC 8985); duplicates are reported (RFC 2883).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Whether a reduction of the window is undone when the receiver reports all retransmissions as
    /// duplicates (RFC 3708), as in Linux.
    pub undo: bool,
    /// Whether the window is reduced in proportion to what arrives (RFC 9937), and once a recovery. Default:
    /// false; true in the profile `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prr: Option<bool>,
    /// Whether a reduction of the window is undone when an acknowledgment echoes an instant from before anything was sent
    /// again (the Eifel detection, RFC 3522), as in Linux; it needs `timestamps`. Default: false; true in the profile
    /// `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eifel: Option<bool>,
}

impl Default for Options {
    fn default() -> Self {
        Self { undo: true, prr: None, eifel: None }
    }
}

/// What is lost is sent again.
#[derive(Clone, Debug)]
pub(super) struct Rack;

impl Repair for Rack {
    type Options = Options;

    fn new(_: &Options) -> Self {
        Self
    }

    fn complete(given: &Options, profile: &Options) -> Options {
        let (prr, eifel) = (given.prr.or(profile.prr), given.eifel.or(profile.eifel));
        Options { prr, eifel, ..given.clone() }
    }

    #[inline]
    fn facts(options: &Options) -> Facts {
        Facts {
            detects_by: Means::Time,
            has_reports: true,
            undoes_by: Evidence { reports: options.undo, echoes: options.eifel == Some(true) },
            has_prr: options.prr == Some(true),
            ..Facts::PLAIN
        }
    }

    fn enter(&mut self, state: &mut State, board: &mut Scoreboard) {
        state.enter_by_sack(board);
    }

    fn on_partial(&mut self, _: &mut State, _: u64) -> Progress {
        Progress::Partial { restart_timer: true }
    }
}
