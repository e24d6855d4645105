//! The modes, and the cycle of gains that probes for bandwidth.

use units::{Span, Time};

use super::super::sample::{RateSample, Start};
use super::flow::{CWND_GAIN, Flow, HIGH_GAIN, Mode};

/// `bbr_pacing_gain`.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Of them, how many the first phase is drawn from (`bbr_cycle_rand`): all but the one that drains.
const CYCLE_DRAWN: u64 = 7;
/// `bbr_min_rtt_win_sec`.
const MIN_RTT_FILTER: Span = Span::from_secs(10);
/// `bbr_probe_rtt_mode_ms`.
const PROBE_RTT_DURATION: Span = Span::from_ms(200);

impl Flow {
    /// `bbr_update_gains`.
    pub(super) fn pacing_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => 1.0 / HIGH_GAIN,
            Mode::ProbeBw(_) if self.policer.rate().is_some() => 1.0,
            Mode::ProbeBw(phase) => CYCLE[phase],
            Mode::ProbeRtt => 1.0,
        }
    }

    /// `bbr_update_gains`.
    pub(super) fn cwnd_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBw(_) => CWND_GAIN,
            Mode::ProbeRtt => 1.0,
        }
    }

    /// `bbr_reset_probe_bw_mode`: a phase drawn by chance, but not the one that drains.
    pub(super) fn enter_probe_bw(&mut self, now: Time) {
        let drawn = usize::try_from(self.stream.below(CYCLE_DRAWN)).expect("below seven");
        self.mode = Mode::ProbeBw((CYCLE.len() - drawn) % CYCLE.len());
        self.phase_start = now;
    }

    /// `bbr_update_cycle_phase` with `bbr_is_next_cycle_phase`.
    pub(super) fn update_cycle(&mut self, rs: &RateSample) {
        let Mode::ProbeBw(phase) = self.mode else { return };
        let gain = self.pacing_gain();
        let in_flight = rs.in_flight as f64;
        let is_long = self.min_rtt.is_some_and(|rtt| rs.now.since(self.phase_start) > rtt);
        let is_over = if gain > 1.0 {
            is_long && (rs.newly_lost > 0 || in_flight >= self.inflight(self.max_bw(), gain))
        } else if gain < 1.0 {
            is_long || in_flight <= self.inflight(self.max_bw(), 1.0)
        } else {
            is_long
        };
        if is_over {
            self.mode = Mode::ProbeBw((phase + 1) % CYCLE.len());
            self.phase_start = rs.now;
        }
    }

    /// `bbr_check_full_bw_reached`.
    pub(super) fn check_plateau(&mut self, rs: &RateSample) {
        if self.rounds.starts && !rs.app_limited {
            self.plateau.check(self.max_bw());
        }
    }

    /// `bbr_check_drain`.
    pub(super) fn check_drain(&mut self, rs: &RateSample) {
        if self.mode == Mode::Startup && self.plateau.reached {
            self.mode = Mode::Drain;
        }
        let target = self.inflight(self.max_bw(), 1.0);
        if self.mode == Mode::Drain && rs.in_flight as f64 <= target {
            self.enter_probe_bw(rs.now);
        }
    }

    /// `bbr_update_min_rtt`.
    pub(super) fn update_min_rtt(&mut self, rs: &RateSample) {
        let expired = rs.now > self.min_rtt_at.saturating_add(MIN_RTT_FILTER);
        if let Some(rtt) = rs.rtt
            && (expired || self.min_rtt.is_none_or(|least| rtt < least))
        {
            (self.min_rtt, self.min_rtt_at) = (Some(rtt), rs.now);
        }
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.save_cwnd();
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_done = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.stay_in_probe_rtt(rs);
        }
        self.idle_restart &= rs.delivered == 0;
    }

    fn stay_in_probe_rtt(&mut self, rs: &RateSample) {
        if self.probe_rtt_done.is_some() {
            self.probe_rtt_round |= self.rounds.starts;
            if self.probe_rtt_round {
                self.check_probe_rtt_done(rs.now);
            }
        } else if rs.in_flight as f64 <= self.least() {
            self.probe_rtt_done = Some(rs.now.saturating_add(PROBE_RTT_DURATION));
            self.probe_rtt_round = false;
            self.rounds.begin(rs.total_delivered);
        }
    }

    /// `bbr_check_probe_rtt_done`.
    fn check_probe_rtt_done(&mut self, now: Time) {
        if self.probe_rtt_done.is_none_or(|done| now <= done) {
            return;
        }
        self.min_rtt_at = now;
        self.window.set(self.window.cwnd.max(self.prior_cwnd));
        if self.plateau.reached {
            self.enter_probe_bw(now);
        } else {
            self.mode = Mode::Startup;
        }
    }

    /// Data are about to be sent (`bbr_cwnd_event`, `CA_EVENT_TX_START`).
    pub(super) fn on_start(&mut self, start: &Start) {
        if !self.has_begun {
            self.has_begun = true;
            self.min_rtt_at = start.now;
            self.aggregation.begin(start.now);
        }
        if let (false, Some(srtt)) = (self.has_seen_rtt, start.srtt) {
            self.has_seen_rtt = true;
            self.min_rtt = self.min_rtt.or(Some(srtt));
            self.pace.start(HIGH_GAIN, self.initial, Some(srtt.as_secs_f64()));
        }
        if !start.after_idle {
            return;
        }
        self.idle_restart = true;
        self.aggregation.begin(start.now);
        match self.mode {
            Mode::ProbeBw(_) => self.pace.follow(self.bw(), 1.0, self.plateau.reached),
            Mode::ProbeRtt => self.check_probe_rtt_done(start.now),
            Mode::Startup | Mode::Drain => {}
        }
    }
}
