//! `ProbeRTT` and the shortest round-trip time (sections 5.3.4 and 5.4).

use units::Time;

use super::super::sample::{RateSample, Start};
use super::super::window::Bounded;
use super::flow::{
    AckPhase, Flow, MIN_RTT_FILTER, PROBE_RTT_CWND_GAIN, PROBE_RTT_DURATION, PROBE_RTT_INTERVAL,
    STARTUP_PACING_GAIN, State,
};

impl Flow {
    /// `UpdateMinRTT`.
    pub(super) fn update_min_rtt(&mut self, rs: &RateSample) {
        let known = &mut self.min_rtt;
        known.expired = rs.now > known.probe_at.saturating_add(PROBE_RTT_INTERVAL);
        if let Some(rtt) = rs.rtt
            && (known.expired || known.probe.is_none_or(|least| rtt < least))
        {
            (known.probe, known.probe_at) = (Some(rtt), rs.now);
        }
        let expired = rs.now > known.min_at.saturating_add(MIN_RTT_FILTER);
        if let Some(probe) = known.probe
            && (expired || known.min.is_none_or(|least| probe < least))
        {
            (known.min, known.min_at) = (Some(probe), known.probe_at);
        }
    }

    /// `CheckProbeRTT`.
    pub(super) fn check_probe_rtt(&mut self, rs: &RateSample) {
        if self.state != State::ProbeRtt && self.min_rtt.expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            (self.pacing_gain, self.cwnd_gain) = (1.0, PROBE_RTT_CWND_GAIN);
            self.min_rtt.done_at = None;
            self.probe.phase = AckPhase::ProbeStopping;
            self.rounds.begin(rs.total_delivered);
        }
        if self.state == State::ProbeRtt {
            self.stay_in_probe_rtt(rs);
        }
        if rs.delivered > 0 {
            self.idle_restart = false;
        }
    }

    /// `HandleProbeRTT`.
    fn stay_in_probe_rtt(&mut self, rs: &RateSample) {
        if self.min_rtt.done_at.is_some() {
            self.min_rtt.round_done |= self.rounds.starts;
            if self.min_rtt.round_done {
                self.check_probe_rtt_done(rs.now, rs.total_delivered);
            }
        } else if rs.in_flight as f64 <= self.probe_rtt_cwnd() {
            self.min_rtt.done_at = Some(rs.now.saturating_add(PROBE_RTT_DURATION));
            self.min_rtt.round_done = false;
            self.rounds.begin(rs.total_delivered);
        }
    }

    /// `CheckProbeRTTDone`, with `ExitProbeRTT`.
    fn check_probe_rtt_done(&mut self, now: Time, delivered: u64) {
        if self.min_rtt.done_at.is_none_or(|done| now <= done) {
            return;
        }
        self.min_rtt.probe_at = now;
        self.restore_cwnd();
        self.reset_shortterm();
        if self.plateau.reached {
            self.start_down(now, delivered);
            self.start_cruise();
        } else {
            self.enter_startup();
        }
    }

    /// `ProbeRTTCwnd`.
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.bw, PROBE_RTT_CWND_GAIN).at_least(self.min_pipe())
    }

    /// `HandleRestartFromIdle`; before the first data what `OnInit` needs of the connection.
    pub(super) fn on_start(&mut self, start: &Start) {
        if !self.has_begun {
            self.has_begun = true;
            self.aggregation.since = start.now;
            (self.min_rtt.min_at, self.min_rtt.probe_at) = (start.now, start.now);
        }
        if let (false, Some(srtt)) = (self.has_seen_rtt, start.srtt) {
            self.has_seen_rtt = true;
            let known = &mut self.min_rtt;
            (known.min, known.probe) = (known.min.or(Some(srtt)), known.probe.or(Some(srtt)));
            self.pace.start(STARTUP_PACING_GAIN, self.initial, Some(srtt.as_secs_f64()));
        }
        if !start.after_idle {
            return;
        }
        self.idle_restart = true;
        self.aggregation.since = start.now;
        if self.state.probes_bandwidth() {
            self.pace.follow(self.bw, 1.0, self.plateau.reached);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(start.now, self.delivered);
        }
    }
}
