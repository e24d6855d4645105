//! `ProbeBW`: the cycle that probes for bandwidth (section 5.3.3).

use units::{Span, Time};

use super::super::bbr::UNBOUNDED;
use super::super::sample::RateSample;
use super::flow::{AckPhase, CWND_GAIN, Flow, HEADROOM, State};

/// Pacing gains of the four phases.
const DOWN_PACING_GAIN: f64 = 0.9;
const CRUISE_PACING_GAIN: f64 = 1.0;
const UP_PACING_GAIN: f64 = 1.25;
/// The gain of the window while it is probed.
const UP_CWND_GAIN: f64 = 2.25;
/// Rounds after which it is probed in any case, for flows with Reno or CUBIC beside it.
const MOST_ROUNDS: f64 = 63.0;
/// The most doublings of the step by which the long-term bound is raised.
const MOST_UP_ROUNDS: u32 = 30;
/// The least time between two probes, to which up to a second is added by chance.
const LEAST_WAIT: Span = Span::from_secs(2);

impl Flow {
    /// `StartProbeBW_DOWN`.
    pub(super) fn start_down(&mut self, now: Time, delivered: u64) {
        self.reset_congestion_signals();
        self.probe.acked_per_increase = UNBOUNDED;
        self.pick_probe_wait();
        self.probe.cycle_start = now;
        self.probe.phase = AckPhase::ProbeStopping;
        self.rounds.begin(delivered);
        self.state = State::Down;
        (self.pacing_gain, self.cwnd_gain) = (DOWN_PACING_GAIN, CWND_GAIN);
    }

    /// `StartProbeBW_CRUISE`.
    pub(super) fn start_cruise(&mut self) {
        self.state = State::Cruise;
        (self.pacing_gain, self.cwnd_gain) = (CRUISE_PACING_GAIN, CWND_GAIN);
    }

    /// `StartProbeBW_REFILL`.
    pub(super) fn start_refill(&mut self, delivered: u64) {
        self.reset_shortterm();
        self.probe.up_rounds = 0;
        self.probe.up_acked = 0.0;
        self.probe.was_precautionary = false;
        self.probe.phase = AckPhase::Refilling;
        self.rounds.begin(delivered);
        self.state = State::Refill;
        (self.pacing_gain, self.cwnd_gain) = (CRUISE_PACING_GAIN, CWND_GAIN);
    }

    /// `StartProbeBW_UP`.
    fn start_up(&mut self, rs: &RateSample) {
        self.probe.phase = AckPhase::ProbeStarting;
        self.rounds.begin(rs.total_delivered);
        self.plateau.reset(rs.rate);
        self.state = State::Up;
        (self.pacing_gain, self.cwnd_gain) = (UP_PACING_GAIN, UP_CWND_GAIN);
        self.raise_slope();
    }

    /// `PickProbeWait`.
    fn pick_probe_wait(&mut self) {
        self.probe.rounds_since_up = self.stream.below(2);
        let chance = Span::from_secs(1).scaled(self.stream.uniform());
        self.probe.wait = Span(LEAST_WAIT.0 + chance.0);
    }

    /// `UpdateProbeBWCyclePhase`.
    pub(super) fn update_cycle(&mut self, rs: &RateSample) {
        if !self.plateau.reached || self.adapt_longterm(rs) {
            return;
        }
        match self.state {
            State::Down => {
                if !self.try_refill(rs) && self.is_time_to_cruise(rs) {
                    self.start_cruise();
                }
            }
            State::Cruise => {
                self.try_refill(rs);
            }
            State::Refill => {
                if self.rounds.starts {
                    self.probe.is_sample = true;
                    self.start_up(rs);
                }
            }
            State::Up => {
                if self.is_time_to_go_down(rs) {
                    self.probe.was_too_high = false;
                    self.start_down(rs.now, rs.total_delivered);
                }
            }
            State::Startup | State::Drain | State::ProbeRtt => {}
        }
    }

    /// `IsTimeToProbeBW`, with `IsRenoCoexistenceProbeTime`.
    fn try_refill(&mut self, rs: &RateSample) -> bool {
        let has_waited = rs.now > self.probe.cycle_start.saturating_add(self.probe.wait);
        let reno_rounds = (self.target_inflight() / self.window.segment).min(MOST_ROUNDS);
        let is_time = has_waited || self.probe.rounds_since_up as f64 >= reno_rounds;
        if is_time {
            self.start_refill(rs.total_delivered);
        }
        is_time
    }

    /// `IsTimeToCruise`.
    fn is_time_to_cruise(&self, rs: &RateSample) -> bool {
        let in_flight = rs.in_flight as f64;
        in_flight <= self.inflight_with_headroom() && in_flight <= self.inflight(self.max_bw(), 1.0)
    }

    /// `IsTimeToGoDown`.
    fn is_time_to_go_down(&mut self, rs: &RateSample) -> bool {
        if self.probe.was_too_high && rs.in_flight as f64 >= self.inflight_longterm {
            self.probe.was_precautionary = true;
            return true;
        }
        if self.uses_longterm(rs) {
            self.plateau.reset(rs.rate);
            return false;
        }
        self.plateau.now
    }

    /// Whether the window is used in full and the long-term bound is what limits it.
    fn uses_longterm(&self, rs: &RateSample) -> bool {
        rs.window_limited && self.window.cwnd >= self.inflight_longterm
    }

    /// `InflightWithHeadroom`.
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        if self.inflight_longterm == UNBOUNDED {
            return UNBOUNDED;
        }
        let headroom = (HEADROOM * self.inflight_longterm).max(self.window.segment);
        (self.inflight_longterm - headroom).max(self.min_pipe())
    }

    /// `RaiseInflightLongtermSlope`.
    fn raise_slope(&mut self) {
        let growth = f64::from(1u32 << self.probe.up_rounds);
        self.probe.up_rounds = (self.probe.up_rounds + 1).min(MOST_UP_ROUNDS);
        self.probe.acked_per_increase = (self.window.cwnd / growth).max(self.window.segment);
    }

    /// `ProbeInflightLongtermUpward`.
    fn raise_longterm(&mut self, rs: &RateSample) {
        if !self.uses_longterm(rs) {
            return;
        }
        let probe = &mut self.probe;
        probe.up_acked += rs.newly_delivered as f64;
        if probe.up_acked >= probe.acked_per_increase {
            let steps = (probe.up_acked / probe.acked_per_increase).floor();
            probe.up_acked -= steps * probe.acked_per_increase;
            self.inflight_longterm += steps * self.window.segment;
        }
        if self.rounds.starts {
            self.raise_slope();
        }
    }

    /// `AdaptLongTermModel`: whether it has changed the state.
    fn adapt_longterm(&mut self, rs: &RateSample) -> bool {
        let probes = self.state.probes_bandwidth();
        if self.rounds.starts && self.probe.phase == AckPhase::ProbeStarting {
            self.probe.phase = AckPhase::ProbeFeedback;
        }
        if self.rounds.starts && self.probe.phase == AckPhase::ProbeStopping {
            self.probe.is_sample = false;
            self.probe.phase = AckPhase::Init;
            if probes && !rs.app_limited {
                self.advance_max_bw();
            }
            if probes && self.probe.was_precautionary && !self.probe.was_too_high {
                self.start_refill(rs.total_delivered);
                return true;
            }
        }
        let is_safe = !Self::is_too_high(rs.lost as f64, rs.sent_in_flight as f64);
        if is_safe && self.inflight_longterm != UNBOUNDED {
            self.inflight_longterm = self.inflight_longterm.max(rs.sent_in_flight as f64);
            if self.state == State::Up {
                self.raise_longterm(rs);
            }
        }
        false
    }
}
