//! Reno: fast retransmit and fast recovery (RFC 2581 section 3.2; RFC 5681 the same).
//!
//! The first acknowledgment that advances ends the recovery, also if it covers only part of what
//! was outstanding. A second loss in the window then needs three more duplicates, which halve the
//! window again, or the timer (Fall and Floyd 1996, section 3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::repair::Repair;
use super::state::State;
use crate::tcp::scoreboard::Scoreboard;

/// Fast retransmit and fast recovery, ended by the first partial acknowledgment (RFC 2581).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// Whether the window may be halved again for a further loss in the same window of data (BSD,
    /// RFC 2581). Otherwise the further loss waits for the timer (ns-2's `bugFix_`). Default: that of the
    /// profile. The other recoveries never halve it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated_fast_retransmit: Option<bool>,
}

#[derive(Clone, Debug)]
pub(super) struct Reno {
    repeats: bool,
}

impl Repair for Reno {
    type Options = Options;

    fn new(options: &Options) -> Self {
        Self { repeats: options.repeated_fast_retransmit.unwrap_or(true) }
    }

    fn complete(given: &Options, profile: &Options) -> Options {
        let profile = profile.repeated_fast_retransmit;
        Options { repeated_fast_retransmit: given.repeated_fast_retransmit.or(profile) }
    }

    /// Steps 3 and 4 of RFC 5681 section 3.2: the lost segment at once, and a window inflated by the
    /// segments that have left the network.
    fn enter(&mut self, state: &mut State, _: &mut Scoreboard) {
        state.inflate_by_duplicates();
        state.guard = if self.repeats { 0 } else { state.recover + 1 };
    }

    fn on_duplicate(&mut self, state: &mut State) {
        state.inflate();
    }
}
