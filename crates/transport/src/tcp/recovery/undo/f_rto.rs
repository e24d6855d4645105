//! F-RTO (RFC 5682): what follows a timeout shows whether it was spurious, a delay instead of a loss.
//!
//! After the timer has expired the oldest segment is sent again (step 1). If the next acknowledgment advances, but
//! not to the end of what was sent, two new segments follow instead of the next old ones (step 2). If the one after
//! it tells of data that were sent once, before the timer expired, these were not lost: the timeout was spurious
//! (step 3), and the window is what it was (RFC 9438 section 4.9.1 for CUBIC). Anything else is a loss.
//!
//! `Deviation:` where new data were followed by a duplicate, they count as lost with all before them, so that the
//! window has room for what is sent again (step 3a has a window of three segments for that).
//!
//! `Deviation:` the response is to restore the window, as in Linux, not that of RFC 4015, which restarts from what is in
//! flight; the timer is not made longer.

use crate::tcp::recovery::state::Before;
use crate::tcp::scoreboard::Scoreboard;

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No timeout is in question.
    Off,
    /// The timer is about to be handled.
    Begun,
    /// The oldest segment is sent again.
    Resent,
    /// New data are sent.
    Probing,
}

/// What an acknowledgment shows.
#[derive(Debug)]
pub(in crate::tcp::recovery) enum Verdict {
    /// Nothing, or what was supposed before.
    Open,
    /// The timeout was spurious: what is to be restored.
    Spurious(Box<Trial>),
    /// It was not, after new data had been sent.
    Loss,
}

/// The detection of spurious timeouts.
#[derive(Clone, Debug)]
pub(super) struct FRto {
    enabled: bool,
    stage: Stage,
    /// What it knows of a timeout in question.
    trial: Option<Box<Trial>>,
}

/// A timeout in question.
#[derive(Clone, Debug)]
pub(in crate::tcp::recovery) struct Trial {
    /// The end of what was outstanding when the timer expired (`recover`).
    recover: u64,
    /// Octets below that which had arrived out of order when new data were sent.
    sacked: u64,
    /// What is to be restored if it was spurious.
    pub(in crate::tcp::recovery) before: Before,
}

impl FRto {
    pub(super) fn new(enabled: bool) -> Self {
        Self { enabled, stage: Stage::Off, trial: None }
    }

    /// The timer has expired while no loss was being repaired (step 1).
    pub(super) fn begin(&mut self, before: impl FnOnce() -> Before) {
        if self.enabled {
            let trial = Trial { recover: 0, sacked: 0, before: before() };
            self.trial = Some(Box::new(trial));
            self.stage = Stage::Begun;
        }
    }

    /// The oldest segment, of what is outstanding up to `high`, is about to be sent again. Another timeout in the
    /// meantime is none that could be spurious alone.
    pub(super) fn on_timeout(&mut self, high: u64) {
        match &mut self.trial {
            Some(trial) if self.stage == Stage::Begun => {
                (self.stage, trial.recover) = (Stage::Resent, high);
            }
            _ => self.stop(),
        }
    }

    /// Whether new data are sent instead of what is deemed lost; without any the timeout counts as one.
    #[inline]
    pub(super) fn probes(&self) -> bool {
        self.stage == Stage::Probing
    }

    pub(super) fn stop(&mut self) {
        (self.stage, self.trial) = (Stage::Off, None);
    }

    /// Whether the next acknowledgment matters.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.stage != Stage::Off
    }

    /// An acknowledgment is booked, which may have advanced. With selective acknowledgments duplicates before the first
    /// that advances are waited for (section 3.1 step 2).
    pub(super) fn on_ack(&mut self, board: &Scoreboard, advances: bool, has_sack: bool) -> Verdict {
        let Some(trial) = &mut self.trial else { return Verdict::Open };
        let una = board.una();
        let sacked = board.sacked_between(una, trial.recover.max(una));
        match self.stage {
            Stage::Resent if advances && una < trial.recover => {
                (self.stage, trial.sacked) = (Stage::Probing, sacked);
                return Verdict::Open;
            }
            Stage::Resent if !advances && has_sack => {}
            Stage::Probing => {
                // What was sent once and is reported has arrived, too.
                let arrived = advances || sacked > trial.sacked;
                let trial = self.trial.take();
                self.stop();
                return trial.filter(|_| arrived).map_or(Verdict::Loss, Verdict::Spurious);
            }
            Stage::Off | Stage::Begun | Stage::Resent => self.stop(),
        }
        Verdict::Open
    }
}
