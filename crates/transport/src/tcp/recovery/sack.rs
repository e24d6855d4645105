//! Recovery from selective acknowledgments (RFC 6675).
//!
//! `Recovery::choose` is rule 1 of `NextSeg`, new data are rule 2, and rules 3 and 4 are here.

use super::{Choice, Recovery};
use crate::config::Config;
use crate::tcp::scoreboard::Scoreboard;

impl Recovery {
    /// Step 4 of RFC 6675 section 5: `RecoveryPoint`, then the first segment at once, whatever the
    /// window. `HighRxt` begins anew.
    pub(super) fn enter_sack(&mut self, board: &mut Scoreboard) {
        board.forget_resent();
        self.active = true;
        self.head_due = true;
        self.inflation = 0;
        self.guard = self.recover;
        self.rescued_to = 0;
    }

    /// `NextSeg` rule 3, a hole below the highest sacked octet that is not yet deemed lost; then
    /// rule 4, the rescue: once a recovery, the end of the highest hole.
    pub(super) fn last_resort(&mut self, board: &Scoreboard, config: &Config) -> Option<Choice> {
        if let Some((start, end)) = board.next_hole(board.sacked_up_to()) {
            return Some(Choice::Resend(start, end));
        }
        if board.una() < self.rescued_to {
            return None;
        }
        let (start, end) = board.last_hole(config.segment.0)?;
        self.rescued_to = self.recover;
        Some(Choice::ResendAside(start, end))
    }
}
