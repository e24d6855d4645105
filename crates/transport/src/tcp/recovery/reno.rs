//! Reno: fast retransmit and fast recovery (RFC 2581 section 3.2; RFC 5681 the same).
//!
//! The first acknowledgment that advances ends the recovery, also if it covers only part of what
//! was outstanding. A second loss in the window then needs three more duplicates, which halve the
//! window again, or the timer (Fall and Floyd 1996, section 3).

use super::Recovery;
use crate::config::Config;

impl Recovery {
    /// Steps 3 and 4 of RFC 5681 section 3.2: the lost segment at once, and a window inflated by the
    /// segments that have left the network.
    pub(super) fn enter_reno(&mut self, config: &Config) {
        self.inflate_by_duplicates(config);
        self.guard = if config.repeated_fast_retransmit { 0 } else { self.recover + 1 };
    }

    pub(super) fn inflate_by_duplicates(&mut self, config: &Config) {
        self.active = true;
        self.head_due = true;
        self.inflation = i64::from(config.dup_acks).saturating_mul(config.segment.0.cast_signed());
    }
}
