//! NewReno: a partial acknowledgment sends the next hole again (RFC 6582).
//!
//! Recovery lasts until everything is acknowledged that was outstanding at its begin, and repairs
//! one hole a round trip. The retransmission timer restarts at the first partial acknowledgment
//! only, the "impatient" variant of section 4, so that a long series of holes ends in a timeout and
//! slow start, or at each ([`RecoveryTimer`]). At the end cwnd is ssthresh (step 3, option 2), or no
//! more than is in flight and a segment ([`RecoveryExit`]).
//!
//! [`RecoveryExit`]: crate::config::RecoveryExit

use super::{Progress, Recovery};
use crate::config::{Config, RecoveryExit, RecoveryKind, RecoveryTimer};
use crate::tcp::scoreboard::Scoreboard;

impl Recovery {
    /// Step 2 of RFC 6582 section 3.2, and its careful guard: the next fast retransmit waits for an
    /// acknowledgment of more than was outstanding.
    pub(super) fn enter_newreno(&mut self, config: &Config) {
        self.inflate_by_duplicates(config);
        self.guard = self.recover + 1;
    }

    /// Step 3: the oldest hole at once, the window less what was acknowledged, plus a segment if it
    /// was at least that much.
    pub(super) fn partial_newreno(&mut self, acked: u64, config: &Config) -> Progress {
        self.inflation = self.inflation.saturating_sub_unsigned(acked);
        if acked >= config.segment.0 {
            self.inflate(config);
        }
        self.head_due = true;
        self.partials = self.partials.saturating_add(1);
        let each = config.recovery_timer == RecoveryTimer::Each;
        Progress::Partial { restart_timer: each || self.partials == 1 }
    }

    /// The largest window with which a recovery that is over may go on (RFC 3782 section 3 step 5).
    pub(crate) fn most_at_exit(&self, board: &Scoreboard, config: &Config) -> Option<u64> {
        let limits =
            self.kind == RecoveryKind::Newreno && config.recovery_exit == RecoveryExit::Flight;
        limits.then(|| board.flight() + config.segment.0)
    }
}
