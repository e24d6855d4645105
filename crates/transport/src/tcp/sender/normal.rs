//! The short way of a sender in its normal state: nothing is missing, nothing is repaired, and no option asks for more.
//!
//! An acknowledgment that advances and new data are all that there is then. The way of all segments does the same.

use units::Time;

use super::{Phase, Sender};
use crate::segment::{Flags, Segment};
use crate::tcp::config::{Config, EcnFeedback, WindowValidation};
use crate::tcp::recovery::Choice;

/// Whether no option asks for more than windows and a timer.
fn asks_for_no_more(config: &Config) -> bool {
    let marks = config.ecn || config.ecn_feedback == EcnFeedback::Accurate;
    let linux = config.window_validation == WindowValidation::Linux;
    !marks && !linux && !config.pacing && config.silly_window_avoidance
}

impl Sender {
    /// Whether it is in its normal state: asked for anew where it may have changed.
    pub(super) fn is_normal(&self) -> bool {
        #[cfg(test)]
        if self.takes_long_way {
            return false;
        }
        let is_plain = self.delivery.is_none() && self.circuits.is_none();
        // First what most connections are told apart by: this is asked for with each segment that takes the long way.
        self.recovery.is_normal(&self.board)
            && is_plain
            && self.phase == Phase::Established
            && asks_for_no_more(&self.config)
    }

    /// From now on it takes the way of all segments.
    #[cfg(test)]
    pub(in crate::tcp) fn take_long_way(&mut self) {
        (self.takes_long_way, self.normal) = (true, false);
    }

    /// Whether a segment is an acknowledgment that advances in the normal state, and says nothing else.
    #[inline]
    pub(super) fn is_expected(&self, segment: &Segment) -> bool {
        self.normal
            && segment.flags == Flags::ACK
            && segment.sack.is_empty()
            && segment.ack > self.board.una()
            && segment.ack <= self.board.high()
    }

    /// An [expected](Self::is_expected) acknowledgment has arrived.
    #[inline]
    pub(super) fn on_expected(&mut self, now: Time, segment: &Segment) {
        debug_assert!(self.is_normal(), "kept up to date");
        self.echo = segment.ts_val;
        self.note_window(segment);
        let sent = self.take_timed(now, segment);
        self.on_delivered(now, segment.ack, sent, 0);
        self.on_progress(now, segment.ack, sent, false);
    }

    /// Whether it sends new data alone, as [`Self::next_in_order`] says.
    #[inline]
    pub fn sends_in_order(&self) -> bool {
        self.normal && !self.ack_due
    }

    /// The next segment in the normal state: new data, as far as both windows have room for a full segment or the last.
    #[inline]
    pub fn next_in_order(&mut self, now: Time) -> Option<Segment> {
        debug_assert!(self.is_normal(), "kept up to date");
        let (high, full) = (self.board.high(), self.config.segment.0);
        let window = self.congestion.cwnd().min(self.config.max_window.0);
        let wanted = (self.end() - high).min(full);
        if wanted == 0 || self.board.flight() + wanted > window || !self.fits_receiver() {
            return None;
        }
        Some(self.send(now, Choice::New, full))
    }
}
