//! Tahoe: fast retransmit, then slow start from one segment (Jacobson 1988; Fall and Floyd 1996,
//! section 2.1).

use super::Recovery;
use crate::tcp::scoreboard::Scoreboard;

impl Recovery {
    /// Goes back to the oldest hole, as after a timeout (go-back-N): the receiver keeps what it has,
    /// so acknowledgments may jump ahead of what is sent again.
    pub(super) fn enter_tahoe(&mut self, board: &mut Scoreboard) {
        self.go_back(board);
        self.guard = board.high() + 1;
    }
}
