//! Taking back a reduction of the window that proves to be spurious.

mod copies;
mod f_rto;

use units::Time;

use copies::Copies;
use f_rto::FRto;
pub(super) use f_rto::Verdict;

use super::facts::{Evidence, Facts};
use super::state::{Before, Terms};
use crate::tcp::scoreboard::Scoreboard;

/// The detection of spurious reductions.
#[derive(Clone, Debug)]
pub(super) struct Undo {
    by: Evidence,
    f_rto: FRto,
    /// Boxed: few connections have losses at the same time.
    copies: Option<Box<Copies>>,
}

impl Undo {
    /// Nothing was reduced yet. Timeouts are not in question where `by_time` says that losses are detected by time.
    pub(super) fn new(facts: Facts, terms: &Terms, by_time: bool) -> Self {
        let Evidence { reports, echoes } = facts.undoes_by;
        let by = Evidence { reports, echoes: echoes && terms.timestamps };
        let copies = (by.reports || by.echoes).then(Box::default);
        Self { by, f_rto: FRto::new(terms.f_rto && !by_time), copies }
    }

    /// Whether it takes notice of each segment that is sent again.
    pub(super) fn tracks(&self) -> bool {
        self.copies.is_some()
    }

    /// The window is about to be reduced for a loss; `probe` is what is open of a probe.
    pub(super) fn keep(&mut self, before: impl FnOnce() -> Before, probe: Option<u64>) {
        if let Some(copies) = &mut self.copies {
            copies.begin(before(), probe);
        }
    }

    /// The retransmission timer is about to reduce the window while no loss is being repaired.
    pub(super) fn try_f_rto(&mut self, before: impl FnOnce() -> Before) {
        self.f_rto.begin(before);
    }

    /// Something other than a loss showed congestion: nothing is undone.
    pub(super) fn forget(&mut self) {
        self.f_rto.stop();
        if let Some(copies) = &mut self.copies {
            copies.forget();
        }
    }

    /// A recovery begins, so that no timeout is in question.
    pub(super) fn stop_f_rto(&mut self) {
        self.f_rto.stop();
    }

    /// The retransmission timer has expired, with data outstanding up to `high`.
    pub(super) fn on_timeout(&mut self, high: u64) {
        self.f_rto.on_timeout(high);
    }

    /// The segment that begins with this octet is sent again.
    pub(super) fn on_resent(&mut self, start: u64, now: Time) {
        if let Some(copies) = &mut self.copies {
            copies.on_resent(start, now);
        }
    }

    /// Whether a timeout is in question.
    #[inline]
    pub(super) fn doubts_timeout(&self) -> bool {
        self.f_rto.is_on()
    }

    /// Whether what an acknowledgment brings may show that a reduction was spurious.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.by.echoes || self.f_rto.is_on()
    }

    /// Whether new data are to show if a timeout was spurious.
    #[inline]
    pub(super) fn probes(&self) -> bool {
        self.f_rto.probes()
    }

    /// An acknowledgment is booked, which may have advanced: whether a timeout was spurious.
    pub(super) fn on_ack(&mut self, board: &Scoreboard, advances: bool, has_sack: bool) -> Verdict {
        let verdict = self.f_rto.on_ack(board, advances, has_sack);
        if let Verdict::Spurious(_) = verdict {
            self.forget();
        }
        verdict
    }

    /// An acknowledgment advances that echoes this instant; the state to restore if the reduction was spurious.
    #[inline]
    pub(super) fn on_echo(&mut self, echo: Time) -> Option<Before> {
        if !self.by.echoes {
            return None;
        }
        let before = self.copies.as_mut()?.on_echo(echo)?;
        self.f_rto.stop();
        Some(before)
    }

    /// The segment that begins with this octet was reported as a duplicate; `some_wait` says whether others are lost and
    /// not sent again. The state to restore if the reduction was spurious.
    pub(super) fn on_report(&mut self, start: u64, some_wait: bool) -> Option<Before> {
        let before = self.copies.as_mut()?.on_duplicate(start, some_wait)?;
        self.by.reports.then_some(before)
    }
}
