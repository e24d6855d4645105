//! What is lost and what is sent again: fast retransmit and recovery of each kind. What RACK deems lost
//! and sends again is [`rack`](super::rack)'s business; its recovery begins and ends as that of RFC 6675.
//!
//! The state is the same for all kinds; their files say what each does when a loss is found
//! (`enter`), when an acknowledgment advances during recovery (`partial`) and which segment to send
//! again. How far the window is reduced is `congestion`'s business. To add one, write its
//! file and add a variant to [`RecoveryKind`].
//!
//! After a timeout all kinds go back to the oldest hole and send again what is not known to have
//! arrived, in slow start. Until that is acknowledged, duplicate acknowledgments cause no fast
//! retransmit: they may be the answer to data sent twice (RFC 6582 section 3.2 step 1, the careful
//! variant; ns-2's `bugFix_`; RFC 6675 section 5.1).

mod newreno;
mod reno;
mod sack;
mod tahoe;

use crate::config::{Config, RecoveryKind};

use super::congestion::Signal;
use super::scoreboard::Scoreboard;

/// The state of loss recovery.
#[derive(Clone, Debug)]
pub(crate) struct Recovery {
    kind: RecoveryKind,
    /// Whether a fast recovery is under way.
    active: bool,
    /// Whether the oldest hole is to be sent at once, whatever the window.
    head_due: bool,
    /// Partial acknowledgments of this recovery.
    partials: u32,
    /// Duplicate acknowledgments since the last that advanced.
    dup_acks: u32,
    /// Octets by which Reno and NewReno change the window during recovery.
    inflation: i64,
    /// The end of what was outstanding when this recovery began (`recover`, `RecoveryPoint`).
    recover: u64,
    /// Fast retransmit is allowed from this acknowledgment on.
    guard: u64,
    /// The end of what is sent again by going back after a timeout, or Tahoe's loss.
    resend_end: u64,
    /// `RescueRxt` of RFC 6675: one rescue until this is acknowledged.
    rescued_to: u64,
}

/// What an acknowledgment that advances means to recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// No recovery is under way.
    None,
    /// Recovery goes on; whether the retransmission timer restarts.
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

impl Recovery {
    pub(crate) fn new(kind: RecoveryKind) -> Self {
        Self {
            kind,
            active: false,
            head_due: false,
            partials: 0,
            dup_acks: 0,
            inflation: 0,
            recover: 0,
            guard: 0,
            resend_end: 0,
            rescued_to: 0,
        }
    }

    pub(crate) fn is_active(&self) -> bool {
        self.active
    }

    /// Whether data are being sent again by going back.
    pub(crate) fn goes_back(&self, board: &Scoreboard) -> bool {
        !self.active && board.una() < self.resend_end
    }

    /// What a loss found by duplicate acknowledgments tells the window rule.
    pub(crate) fn signal(&self) -> Signal {
        match self.kind {
            RecoveryKind::Tahoe => Signal::LossRestart,
            RecoveryKind::Reno
            | RecoveryKind::Newreno
            | RecoveryKind::Sack
            | RecoveryKind::Rack => Signal::Loss,
        }
    }

    /// Whether duplicate acknowledgments are pending that have not led to a recovery.
    pub(crate) fn counts_duplicates(&self) -> bool {
        self.dup_acks > 0 && !self.active
    }

    /// A duplicate acknowledgment arrived; whether it shows a loss, so that [`Self::enter`] must
    /// follow.
    pub(crate) fn on_duplicate(&mut self, board: &Scoreboard, config: &Config) -> bool {
        self.dup_acks = self.dup_acks.saturating_add(1);
        if self.active {
            match self.kind {
                RecoveryKind::Reno | RecoveryKind::Newreno => self.inflate(config),
                RecoveryKind::Tahoe | RecoveryKind::Sack | RecoveryKind::Rack => {}
            }
            return false;
        }
        if self.kind == RecoveryKind::Rack {
            return false;
        }
        let shows_loss = self.dup_acks >= config.dup_acks
            || (self.kind == RecoveryKind::Sack && board.head_is_lost());
        shows_loss && self.allows(board)
    }

    /// Whether a loss may begin a recovery: what was outstanding at the last one is acknowledged.
    pub(crate) fn allows(&self, board: &Scoreboard) -> bool {
        board.una() >= self.guard
    }

    /// There was no loss.
    pub(crate) fn stop(&mut self) {
        self.leave();
        self.guard = 0;
        self.resend_end = 0;
    }

    /// Fast retransmit: the window has been reduced.
    pub(crate) fn enter(&mut self, board: &mut Scoreboard, config: &Config) {
        self.recover = board.high();
        self.partials = 0;
        match self.kind {
            RecoveryKind::Tahoe => self.enter_tahoe(board),
            RecoveryKind::Reno => self.enter_reno(config),
            RecoveryKind::Newreno => self.enter_newreno(config),
            RecoveryKind::Sack | RecoveryKind::Rack => self.enter_sack(board),
        }
    }

    /// An acknowledgment advanced by `acked` octets.
    pub(crate) fn on_acked(&mut self, acked: u64, board: &Scoreboard, config: &Config) -> Progress {
        self.dup_acks = 0;
        if !self.active {
            return Progress::None;
        }
        if board.una() >= self.recover {
            self.leave();
            return Progress::Over;
        }
        match self.kind {
            RecoveryKind::Tahoe | RecoveryKind::Reno => {
                self.leave();
                Progress::Over
            }
            RecoveryKind::Newreno => self.partial_newreno(acked, config),
            RecoveryKind::Sack | RecoveryKind::Rack => Progress::Partial { restart_timer: true },
        }
    }

    /// The retransmission timer expired.
    pub(crate) fn on_timeout(&mut self, board: &mut Scoreboard) {
        self.leave();
        self.go_back(board);
        // What RACK does not deem lost fills the window: the oldest is sent again all the same.
        self.head_due = self.kind == RecoveryKind::Rack;
        // RFC 6675 section 5.1 waits for HighACK >= RecoveryPoint; what it calls a duplicate
        // carries news, so it needs no more care.
        self.guard = board.high() + u64::from(!self.kind.has_sack());
    }

    /// The octets that the window rule's cwnd allows, and by which the window differs from it.
    pub(crate) fn window(&self, cwnd: u64, board: &Scoreboard, config: &Config) -> u64 {
        if self.dup_acks == 0 && !self.active {
            return cwnd;
        }
        let segment = config.segment.0;
        if self.active {
            return cwnd.saturating_add_signed(self.inflation).max(segment);
        }
        // RFC 3042 section 2: new data, for the duplicates before the one that shows a loss.
        // With selective acknowledgments the pipe has made room already (RFC 6675 step 3).
        let limited = config.limited_transmit
            && !self.kind.has_sack()
            && self.dup_acks < config.dup_acks
            && !self.goes_back(board);
        if limited { cwnd.saturating_add(u64::from(self.dup_acks) * segment) } else { cwnd }
    }

    /// The octets in flight that the window is compared with.
    pub(crate) fn in_flight(&self, board: &Scoreboard, config: &Config) -> u64 {
        let no_limited_transmit = self.kind == RecoveryKind::Sack
            && !config.limited_transmit
            && self.counts_duplicates()
            && !self.goes_back(board);
        if no_limited_transmit { board.flight() } else { board.pipe() }
    }

    /// Whether the oldest hole is to be sent at once.
    pub(crate) fn head_is_due(&self) -> bool {
        self.head_due
    }

    /// The oldest hole, to be sent at once.
    pub(crate) fn take_head(&mut self, board: &Scoreboard) -> Choice {
        self.head_due = false;
        let (start, end) = board.head();
        match self.kind {
            RecoveryKind::Sack | RecoveryKind::Rack => Choice::Resend(start, end),
            RecoveryKind::Tahoe | RecoveryKind::Reno | RecoveryKind::Newreno => {
                Choice::ResendAside(start, end)
            }
        }
    }

    /// What to send when the window allows a segment.
    pub(crate) fn choose(&self, board: &Scoreboard) -> Choice {
        let limit = if self.active {
            match self.kind {
                RecoveryKind::Sack => board.lost_below(),
                RecoveryKind::Tahoe
                | RecoveryKind::Reno
                | RecoveryKind::Newreno
                | RecoveryKind::Rack => 0,
            }
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

    /// What to send when the window allows a segment and there are no new data.
    pub(crate) fn choose_without_new(
        &mut self,
        board: &Scoreboard,
        config: &Config,
    ) -> Option<Choice> {
        if self.active && self.kind == RecoveryKind::Sack {
            self.last_resort(board, config)
        } else {
            None
        }
    }

    /// Sends everything again from the oldest hole on.
    fn go_back(&mut self, board: &mut Scoreboard) {
        board.lose_all();
        self.resend_end = board.high();
    }

    fn inflate(&mut self, config: &Config) {
        self.inflation = self.inflation.saturating_add_unsigned(config.segment.0);
    }

    fn leave(&mut self) {
        self.active = false;
        self.head_due = false;
        self.inflation = 0;
        self.dup_acks = 0;
    }
}
