//! The state of a flow, and what it knows of the path.

use random::Stream;
use units::{Span, Time};

use super::super::bbr::{Pace, Plateau, Rounds, WindowedMax};
use super::super::sample::RateSample;
use super::super::window::{Bounded, Window, whole};
use super::aggregation::Aggregation;
use super::policer::Policer;

/// `bbr_high_gain`, 2/ln 2: the rate doubles each round.
pub(super) const HIGH_GAIN: f64 = 2885.0 / 1000.0;
/// `bbr_cwnd_gain`.
pub(super) const CWND_GAIN: f64 = 2.0;
/// `bbr_bw_rtts`: rounds of which the largest rate is the bandwidth.
const BW_ROUNDS: u64 = 10;
/// `bbr_cwnd_min_target` in segments.
const MIN_SEGMENTS: f64 = 4.0;
/// The rate in octets per second below which a quantum is one segment (`bbr_min_tso_rate`, 1.2 Mb/s).
const SLOW: f64 = 1.2e6 / 8.0;

/// `bbr_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Doubles the rate each round until the path is full.
    Startup,
    /// Drains the queue that this has made.
    Drain,
    /// Cycles through eight gains; the phase it is in.
    ProbeBw(usize),
    /// Little in flight, to measure the round-trip time of an empty path.
    ProbeRtt,
}

/// A flow.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Flow {
    pub(super) window: Window,
    pub(super) pace: Pace,
    pub(super) stream: Stream,
    pub(super) most_quantum: u64,
    /// The initial window.
    pub(super) initial: f64,
    pub(super) mode: Mode,
    pub(super) rounds: Rounds,
    pub(super) plateau: Plateau,
    bw: WindowedMax,
    pub(super) min_rtt: Option<Span>,
    pub(super) min_rtt_at: Time,
    /// When the phase of the cycle began (`cycle_mstamp`).
    pub(super) phase_start: Time,
    /// When `ProbeRtt` ends, once little is in flight, and whether a round has passed.
    pub(super) probe_rtt_done: Option<Time>,
    pub(super) probe_rtt_round: bool,
    pub(super) aggregation: Aggregation,
    pub(super) policer: Policer,
    /// The window before a recovery or `ProbeRtt` (`prior_cwnd`).
    pub(super) prior_cwnd: f64,
    /// Whether losses are being repaired, and whether this began with the last acknowledgment.
    pub(super) recovers: bool,
    pub(super) enters: bool,
    /// Whether as much is sent as arrives (`packet_conservation`).
    pub(super) conserves: bool,
    pub(super) idle_restart: bool,
    pub(super) has_begun: bool,
    pub(super) has_seen_rtt: bool,
}

impl Flow {
    pub(super) fn new(window: Window, most_quantum: u64) -> Self {
        let mut pace = Pace { rate: 0.0, quantum: whole(2.0 * window.segment) };
        pace.start(HIGH_GAIN, window.cwnd, None);
        Self {
            pace,
            stream: random::Seed(0).stream("bbr"),
            most_quantum,
            initial: window.cwnd,
            window,
            mode: Mode::Startup,
            rounds: Rounds::default(),
            plateau: Plateau::default(),
            bw: WindowedMax::default(),
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            phase_start: Time::ZERO,
            probe_rtt_done: None,
            probe_rtt_round: false,
            aggregation: Aggregation::default(),
            policer: Policer::default(),
            prior_cwnd: 0.0,
            recovers: false,
            enters: false,
            conserves: false,
            idle_restart: false,
            has_begun: false,
            has_seen_rtt: false,
        }
    }

    /// The largest rate of the last rounds (`bbr_max_bw`).
    pub(super) fn max_bw(&self) -> f64 {
        self.bw.get()
    }

    /// The bandwidth that it goes by: that of a policer, where there is one (`bbr_bw`).
    pub(super) fn bw(&self) -> f64 {
        self.policer.rate().unwrap_or(self.max_bw())
    }

    /// `bbr_update_bw`.
    pub(super) fn update_bw(&mut self, rs: &RateSample) {
        self.rounds.update(rs);
        if self.rounds.starts {
            self.conserves = false;
        }
        if rs.rate > 0.0 && (!rs.app_limited || rs.rate >= self.max_bw()) {
            self.bw.update(BW_ROUNDS, self.rounds.count, rs.rate);
        }
    }

    /// `bbr_bdp`: a multiple of what the path holds, the initial window before it was measured.
    fn bdp(&self, bw: f64, gain: f64) -> f64 {
        self.min_rtt.map_or(self.initial, |rtt| gain * bw * rtt.as_secs_f64())
    }

    /// `bbr_quantization_budget`.
    fn quantized(&self, inflight: f64) -> f64 {
        let segment = self.window.segment;
        let even = ((inflight + 3.0 * self.pace.quantum as f64) / (2.0 * segment)).ceil();
        let probes = self.mode == Mode::ProbeBw(0);
        2.0 * segment * (even + if probes { 1.0 } else { 0.0 })
    }

    /// `bbr_inflight`.
    pub(super) fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.quantized(self.bdp(bw, gain))
    }

    /// The least window.
    pub(super) fn least(&self) -> f64 {
        MIN_SEGMENTS * self.window.segment
    }

    /// `bbr_set_pacing_rate`, and the quantum that follows from the rate (`bbr_tso_segs_goal`): a millisecond.
    pub(super) fn set_pace(&mut self) {
        self.pace.follow(self.bw(), self.pacing_gain(), self.plateau.reached);
        let least = if self.pace.rate < SLOW { 1.0 } else { 2.0 } * self.window.segment;
        let quantum = (self.pace.rate / 1024.0).at_most(self.most_quantum as f64).at_least(least);
        self.pace.quantum = whole(quantum);
    }

    /// `bbr_save_cwnd`.
    pub(super) fn save_cwnd(&mut self) {
        let cwnd = self.window.cwnd;
        let is_modulated = self.recovers || self.mode == Mode::ProbeRtt;
        self.prior_cwnd = if is_modulated { self.prior_cwnd.at_least(cwnd) } else { cwnd };
    }

    /// `bbr_set_cwnd`.
    pub(super) fn set_cwnd(&mut self, rs: &RateSample) {
        let acked = rs.newly_delivered as f64;
        let segment = self.window.segment;
        let mut cwnd = (self.window.cwnd - rs.newly_lost as f64).at_least(segment);
        if self.enters {
            (self.enters, self.conserves) = (false, true);
            self.rounds.begin(rs.total_delivered);
            cwnd = rs.in_flight as f64 + acked;
        } else if self.recovers && !rs.repairs {
            self.conserves = false;
            cwnd = cwnd.at_least(self.prior_cwnd);
        }
        self.recovers = rs.repairs;
        if self.conserves {
            cwnd = cwnd.at_least(rs.in_flight as f64 + acked);
        } else {
            let extra = self.aggregation.extra(self.bw());
            let extra = if self.plateau.reached { extra } else { 0.0 };
            let target = self.quantized(self.bdp(self.bw(), self.cwnd_gain()) + extra);
            if self.plateau.reached {
                cwnd = (cwnd + acked).at_most(target);
            } else if cwnd < target || (rs.total_delivered as f64) < self.initial {
                cwnd += acked;
            }
            cwnd = cwnd.at_least(self.least());
        }
        if self.mode == Mode::ProbeRtt {
            cwnd = cwnd.at_most(self.least());
        }
        self.window.set(cwnd);
    }
}
