//! The state of loss recovery that all kinds share, and its results for the sender.

use units::{Span, Time};

use super::prr::Prr;
use crate::tcp::congestion::Congestion;
use crate::tcp::scoreboard::Scoreboard;

/// The options of a connection that recovery reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Data octets of a full segment.
    pub(crate) segment: u64,
    /// Duplicate acknowledgments that cause a fast retransmit.
    pub(crate) dup_acks: u32,
    /// Whether the duplicates before them permit new segments (RFC 3042).
    pub(crate) limited_transmit: bool,
    /// Whether acknowledgments echo the instant of what they answer.
    pub(crate) timestamps: bool,
    /// Whether spurious timeouts are detected (RFC 5682).
    pub(crate) f_rto: bool,
    /// The maximum delay of the acknowledgment of a single segment.
    pub(crate) ack_delay: Span,
}

/// The state of loss recovery.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct State {
    /// Whether a fast recovery is in progress.
    pub(super) active: bool,
    /// Whether the oldest hole is to be sent immediately, regardless of the window.
    pub(super) head_due: bool,
    /// Duplicate acknowledgments since the last that advanced.
    pub(super) dup_acks: u32,
    /// The end of what is sent again by going back after a timeout, or Tahoe's loss.
    pub(super) resend_end: u64,
    /// The reduction of the window that is under way, where it is one in proportion.
    pub(super) prr: Option<Box<Prr>>,
    /// Octets by which Reno and NewReno change the window during recovery.
    pub(super) inflation: i64,
    /// The end of what was outstanding when this recovery began (`recover`, `RecoveryPoint`).
    pub(super) recover: u64,
    /// Fast retransmit is allowed from this acknowledgment on.
    pub(super) guard: u64,
    pub(super) terms: Terms,
}

/// What an acknowledgment that advances means to recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// No recovery is under way.
    None,
    /// Recovery continues; whether the retransmission timer restarts.
    Partial { restart_timer: bool },
    /// Recovery is over.
    Over,
}

/// Which octets to send next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// `start .. end` again.
    Resend(u64, u64),
    /// `start .. end` again without a trace in the scoreboard (NewReno's head, SACK's rescue).
    ResendAside(u64, u64),
    /// New data.
    New,
}

/// What the blocks of a selective acknowledgment say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Noted {
    /// Octets that have arrived out of order, which was not known.
    pub(crate) news: u64,
    /// The first octet of a duplicate that is reported.
    pub(crate) duplicate: Option<u64>,
    /// A probe repaired a loss: the end of its data.
    pub(crate) repaired: Option<u64>,
}

/// What has become of segments since it was read last, by their numbers: the first segment of a connection is
/// 0, and each new one a number higher.
#[derive(Clone, Debug, Default)]
pub(crate) struct News {
    /// Those that have arrived.
    pub(crate) arrived: Vec<u64>,
    /// Those that are lost.
    pub(crate) lost: Vec<u64>,
}

/// The result of loss detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing that requires an action.
    Nothing,
    /// A loss that begins a recovery.
    Loss,
    /// A loss during a recovery that requires another reduction of the window.
    LossAgain,
}

/// Nothing arrives: what arms the timer of a probe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quiet {
    /// Now.
    pub(crate) now: Time,
    /// The smoothed round-trip time.
    pub(crate) srtt: Span,
    /// When the retransmission timer expires.
    pub(crate) rto_at: Time,
}

/// The state that is restored if a reduction proves to be spurious.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    /// The window rule.
    pub(crate) congestion: Congestion,
    /// What the last reduction before had concerned.
    pub(crate) reduced_below: u64,
}

impl State {
    pub(super) fn new(terms: Terms) -> Self {
        Self {
            terms,
            active: false,
            head_due: false,
            dup_acks: 0,
            prr: None,
            inflation: 0,
            recover: 0,
            guard: 0,
            resend_end: 0,
        }
    }

    /// Whether data are being sent again by going back.
    pub(super) fn goes_back(&self, board: &Scoreboard) -> bool {
        !self.active && board.una() < self.resend_end
    }

    /// Whether a recovery, or what a timeout began, is in progress.
    pub(super) fn repairs(&self, board: &Scoreboard) -> bool {
        self.active || self.goes_back(board)
    }

    /// Whether no loss is repaired or suspected.
    pub(super) fn is_normal(&self, board: &Scoreboard) -> bool {
        let is_reduced = self.head_due || self.prr.is_some();
        self.dup_acks == 0 && !is_reduced && !self.repairs(board)
    }

    /// Whether duplicate acknowledgments are pending that have not led to a recovery.
    pub(super) fn counts_duplicates(&self) -> bool {
        self.dup_acks > 0 && !self.active
    }

    /// Whether a loss may begin a recovery: what was outstanding at the last one is acknowledged.
    pub(super) fn allows(&self, board: &Scoreboard) -> bool {
        board.una() >= self.guard
    }

    /// What to send where a recovery that is under way sends again what is lost below `lost_below`.
    pub(super) fn choose(&self, board: &Scoreboard, lost_below: u64) -> Choice {
        let limit = if self.active {
            lost_below
        } else if self.goes_back(board) {
            board.lost_below().min(self.resend_end)
        } else {
            0
        };
        match board.next_hole(limit) {
            Some((start, end)) => Choice::Resend(start, end),
            None => Choice::New,
        }
    }

    /// Sends everything again from the oldest hole on.
    pub(super) fn go_back(&mut self, board: &mut Scoreboard) {
        board.lose_all();
        self.resend_end = board.high();
    }

    /// Begins a recovery with the oldest hole at once, and a window inflated by the segments that have left
    /// the network (RFC 5681 section 3.2 steps 3 and 4).
    pub(super) fn inflate_by_duplicates(&mut self) {
        self.active = true;
        self.head_due = true;
        let segment = self.terms.segment.cast_signed();
        self.inflation = i64::from(self.terms.dup_acks).saturating_mul(segment);
    }

    /// The window during a recovery: at least a segment.
    #[inline]
    pub(super) fn window(&self, cwnd: u64) -> u64 {
        cwnd.saturating_add_signed(self.inflation).max(self.terms.segment)
    }

    pub(super) fn inflate(&mut self) {
        self.inflation = self.inflation.saturating_add_unsigned(self.terms.segment);
    }

    /// Begins a recovery from selective acknowledgments, step 4 of RFC 6675 section 5: `RecoveryPoint`,
    /// then the first segment immediately, regardless of the window. `HighRxt` is reset.
    pub(super) fn enter_by_sack(&mut self, board: &mut Scoreboard) {
        board.forget_resent();
        self.active = true;
        self.head_due = true;
        self.inflation = 0;
        self.guard = self.recover;
    }

    pub(super) fn leave(&mut self) {
        self.active = false;
        self.head_due = false;
        self.inflation = 0;
        self.dup_acks = 0;
        self.prr = None;
    }

    /// There was no loss.
    pub(super) fn stop(&mut self) {
        self.leave();
        self.guard = 0;
        self.resend_end = 0;
    }
}
