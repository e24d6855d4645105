//! NewReno: a partial acknowledgment sends the next hole again (RFC 6582).
//!
//! Recovery lasts until everything is acknowledged that was outstanding at its begin, and repairs
//! one hole a round trip. The retransmission timer restarts at the first partial acknowledgment
//! only, the "impatient" variant of section 4, so that a long series of holes ends in a timeout and
//! slow start, or at each ([`Timer`]). At the end cwnd is ssthresh (step 3, option 2), or no
//! more than is in flight and a segment ([`Exit`]).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::Rule;
use super::state::{Progress, State};
use crate::tcp::scoreboard::Scoreboard;

/// Fast recovery that retransmits one segment for each partial acknowledgment (RFC 6582).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The window at the end of a recovery: `ssthresh`, or at most the data in `flight` plus a segment.
    /// Default: that of the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// Which partial acknowledgments restart the retransmission timer: the `first` of a recovery, or
    /// `each`. Default: that of the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer: Option<Timer>,
}

/// The window of NewReno at the end of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NewRenoExit")]
pub enum Exit {
    /// ssthresh (RFC 6582 section 3.2 step 3, option 2; ns-2).
    Ssthresh,
    /// At most the data in flight plus one segment, which avoids a burst (RFC 3782 section 3 step 5,
    /// option 1; INET).
    Flight,
}

/// Which partial acknowledgments of a recovery by NewReno restart the retransmission timer (RFC 6582
/// section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "NewRenoTimer")]
pub enum Timer {
    /// The first: a long series of holes ends in a timeout and slow start ("impatient").
    First,
    /// Each: one hole per round trip, regardless of their number ("slow-but-steady"; INET).
    Each,
}

#[derive(Clone, Debug)]
pub(super) struct NewReno {
    exit: Exit,
    timer: Timer,
    /// Partial acknowledgments of this recovery.
    partials: u32,
}

impl Rule for NewReno {
    type Options = Options;

    fn new(options: &Options) -> Self {
        let exit = options.exit.unwrap_or(Exit::Ssthresh);
        Self { exit, timer: options.timer.unwrap_or(Timer::First), partials: 0 }
    }

    fn complete(given: &Options, profile: &Options) -> Options {
        Options { exit: given.exit.or(profile.exit), timer: given.timer.or(profile.timer) }
    }

    /// Step 2 of RFC 6582 section 3.2, and its careful guard: the next fast retransmit waits for an
    /// acknowledgment of more than was outstanding.
    fn enter(&mut self, state: &mut State, _: &mut Scoreboard) {
        self.partials = 0;
        state.inflate_by_duplicates();
        state.guard = state.recover + 1;
    }

    fn on_duplicate(&mut self, state: &mut State) {
        state.inflate();
    }

    /// Step 3: the oldest hole at once, the window less what was acknowledged, plus a segment if it
    /// was at least that much.
    fn on_partial(&mut self, state: &mut State, acked: u64) -> Progress {
        state.inflation = state.inflation.saturating_sub_unsigned(acked);
        if acked >= state.terms.segment {
            state.inflate();
        }
        state.head_due = true;
        self.partials = self.partials.saturating_add(1);
        let each = self.timer == Timer::Each;
        Progress::Partial { restart_timer: each || self.partials == 1 }
    }

    /// RFC 3782 section 3 step 5.
    fn most_at_exit(&self, state: &State, board: &Scoreboard) -> Option<u64> {
        (self.exit == Exit::Flight).then(|| board.flight() + state.terms.segment)
    }
}
