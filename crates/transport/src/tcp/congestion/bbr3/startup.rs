//! Startup and Drain (sections 5.3.1 and 5.3.2).

use super::super::sample::RateSample;
use super::flow::{CWND_GAIN, DRAIN_PACING_GAIN, Flow, LOSS_THRESHOLD, STARTUP_PACING_GAIN, State};

/// Ranges of lost octets in a round that end Startup (`BBRStartupFullLossCnt`).
const STARTUP_LOST_RANGES: u32 = 6;

/// Rounds after which Drain ends.
const DRAIN_ROUNDS: u64 = 3;

impl Flow {
    /// `EnterStartup`.
    pub(super) fn enter_startup(&mut self) {
        self.state = State::Startup;
        (self.pacing_gain, self.cwnd_gain) = (STARTUP_PACING_GAIN, CWND_GAIN);
    }

    /// `CheckFullBWReached`.
    pub(super) fn check_plateau(&mut self, rs: &RateSample) {
        if self.rounds.starts && !rs.app_limited {
            self.plateau.check(rs.rate);
        }
    }

    /// `CheckStartupDone`.
    pub(super) fn check_startup(&mut self, rs: &RateSample) {
        if self.state == State::Startup {
            self.check_startup_losses(rs);
            if self.plateau.reached {
                self.enter_drain();
            }
        }
        if self.loss.starts {
            self.loss.ranges = 0;
        }
    }

    /// `CheckStartupHighLoss`: a round of a recovery has ended in which much was lost.
    fn check_startup_losses(&mut self, rs: &RateSample) {
        let is_much = rs.lost as f64 > LOSS_THRESHOLD * rs.sent_in_flight as f64;
        let ends = self.loss.starts && rs.recovers && self.loss.ranges >= STARTUP_LOST_RANGES;
        if self.plateau.reached || !ends || !is_much {
            return;
        }
        self.saved.state = Some(State::Startup);
        self.plateau.declare();
        self.inflight_longterm = self.bdp().max(self.loss.inflight_latest);
    }

    /// `EnterDrain`.
    fn enter_drain(&mut self) {
        self.state = State::Drain;
        (self.pacing_gain, self.cwnd_gain) = (DRAIN_PACING_GAIN, CWND_GAIN);
        self.drain_start = self.rounds.count;
    }

    /// `CheckDrainDone`.
    pub(super) fn check_drain(&mut self, rs: &RateSample) {
        if self.state != State::Drain {
            return;
        }
        let is_drained = rs.in_flight as f64 <= self.inflight(self.bw, 1.0);
        if is_drained || self.rounds.count > self.drain_start + DRAIN_ROUNDS {
            self.start_down(rs.now, rs.total_delivered);
        }
    }
}
