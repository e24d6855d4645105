//! The state of a flow: what it knows of the path, what it does, and the constants.
//!
//! The names in brackets, here and in the files beside it, are those of the draft.

use random::Stream;
use units::{Span, Time};

use super::super::bbr::{Pace, Plateau, Rounds, UNBOUNDED, WindowedMax};
use super::super::window::{Bounded, Window, whole};

/// `BBR.StartupPacingGain`.
pub(super) const STARTUP_PACING_GAIN: f64 = 2.77;
/// `BBR.DrainPacingGain`.
pub(super) const DRAIN_PACING_GAIN: f64 = 0.5;
/// `BBR.DefaultCwndGain`.
pub(super) const CWND_GAIN: f64 = 2.0;
/// `BBR.ProbeRTTCwndGain`.
pub(super) const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// `BBR.LossThresh`.
pub(super) const LOSS_THRESHOLD: f64 = 0.02;
/// `BBR.Beta`.
pub(super) const BETA: f64 = 0.7;
/// `BBR.Headroom`.
pub(super) const HEADROOM: f64 = 0.15;
/// `BBR.MinPipeCwnd` in segments.
const MIN_PIPE_SEGMENTS: f64 = 4.0;
/// `BBR.MinRTTFilterLen`.
pub(super) const MIN_RTT_FILTER: Span = Span::from_secs(10);
/// `BBR.ProbeRTTInterval`.
pub(super) const PROBE_RTT_INTERVAL: Span = Span::from_secs(5);
/// `BBR.ProbeRTTDuration`.
pub(super) const PROBE_RTT_DURATION: Span = Span::from_ms(200);

/// `BBR.state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Doubles the rate each round until the path is full.
    Startup,
    /// Drains the queue that this has made.
    Drain,
    /// `ProbeBW_DOWN`: slower than the path delivers.
    Down,
    /// `ProbeBW_CRUISE`: as fast.
    Cruise,
    /// `ProbeBW_REFILL`: as fast, without the short-term bounds.
    Refill,
    /// `ProbeBW_UP`: faster.
    Up,
    /// Little in flight, to measure the round-trip time of an empty path.
    ProbeRtt,
}

impl State {
    /// `IsInAProbeBWState`.
    pub(super) fn probes_bandwidth(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// `IsProbingBW`: whether it tries to send more than it knows to be delivered.
    pub(super) fn accelerates(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }
}

/// What the acknowledgments say that arrive now (`BBR.ack_phase`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    /// Nothing of a probe.
    Init,
    /// The path is being filled.
    Refilling,
    /// More is in flight, and no answer to it has come.
    ProbeStarting,
    /// The answers to a probe arrive.
    ProbeFeedback,
    /// The probe has ended, and its last answers arrive.
    ProbeStopping,
}

/// What is restored if a recovery proves to be spurious.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saved {
    /// The state that losses have ended (`BBR.undo_state`).
    pub(super) state: Option<State>,
    pub(super) bw_shortterm: f64,
    pub(super) inflight_shortterm: f64,
    pub(super) inflight_longterm: f64,
}

/// The extra data that are acknowledged at once (`BBR.extra_acked`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Aggregation {
    pub(super) since: Time,
    pub(super) delivered: f64,
    pub(super) filter: WindowedMax,
}

/// What the losses of the current round show.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LossRound {
    /// `BBR.loss_round_delivered`.
    pub(super) delivered: u64,
    /// Whether the last acknowledgment ended it (`BBR.loss_round_start`).
    pub(super) starts: bool,
    /// `BBR.is_loss_in_round`.
    pub(super) has_loss: bool,
    /// Ranges of octets that were lost in it.
    pub(super) ranges: u32,
    /// `BBR.bw_latest`.
    pub(super) bw_latest: f64,
    /// `BBR.inflight_latest`.
    pub(super) inflight_latest: f64,
}

/// When and how far the bandwidth is probed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    pub(super) phase: AckPhase,
    /// `BBR.is_bw_probe_sample`.
    pub(super) is_sample: bool,
    /// `BBR.bw_probe_up_acked`.
    pub(super) up_acked: f64,
    /// `BBR.probe_up_acked_per_inc`.
    pub(super) acked_per_increase: f64,
    /// `BBR.bw_probe_up_rounds`.
    pub(super) up_rounds: u32,
    /// `BBR.rounds_since_probe_up`.
    pub(super) rounds_since_up: u64,
    /// `BBR.bw_probe_wait`.
    pub(super) wait: Span,
    /// `BBR.cycle_stamp`.
    pub(super) cycle_start: Time,
    /// `BBR.prev_probe_too_high`.
    pub(super) was_too_high: bool,
    /// `BBR.prev_probe_precautionary`.
    pub(super) was_precautionary: bool,
}

/// The shortest round-trip time, and when it is measured anew.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    /// `BBR.min_rtt`, none before the first measurement.
    pub(super) min: Option<Span>,
    pub(super) min_at: Time,
    /// `BBR.probe_rtt_min_delay`.
    pub(super) probe: Option<Span>,
    pub(super) probe_at: Time,
    /// `BBR.probe_rtt_expired`.
    pub(super) expired: bool,
    /// `BBR.probe_rtt_done_stamp`.
    pub(super) done_at: Option<Time>,
    /// `BBR.probe_rtt_round_done`.
    pub(super) round_done: bool,
}

/// A flow.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Flow {
    pub(super) window: Window,
    pub(super) pace: Pace,
    pub(super) stream: Stream,
    /// The limit of what leaves back to back.
    pub(super) most_quantum: u64,
    /// `C.InitialCwnd`.
    pub(super) initial: f64,
    pub(super) state: State,
    pub(super) pacing_gain: f64,
    pub(super) cwnd_gain: f64,
    pub(super) rounds: Rounds,
    pub(super) plateau: Plateau,
    /// `BBR.drain_start_round`.
    pub(super) drain_start: u64,
    /// The largest rates of the current and of the last cycle (`BBR.max_bw_filter`).
    pub(super) max_bw: [f64; 2],
    /// `BBR.bw`.
    pub(super) bw: f64,
    pub(super) bw_shortterm: f64,
    pub(super) inflight_shortterm: f64,
    pub(super) inflight_longterm: f64,
    pub(super) aggregation: Aggregation,
    pub(super) loss: LossRound,
    pub(super) probe: Probe,
    pub(super) min_rtt: MinRtt,
    pub(super) saved: Saved,
    /// `BBR.prior_cwnd`.
    pub(super) prior_cwnd: f64,
    /// Whether losses are being repaired (`InLossRecovery`).
    pub(super) recovers: bool,
    /// A loss is not noted yet.
    pub(super) has_new_loss: bool,
    pub(super) idle_restart: bool,
    /// Whether data were sent.
    pub(super) has_begun: bool,
    /// Whether the initial rate follows from a measured round-trip time.
    pub(super) has_seen_rtt: bool,
    /// What was delivered, and in flight when it was sent, as the last sample told.
    pub(super) delivered: u64,
    pub(super) sent_in_flight: f64,
    pub(super) app_limited: bool,
}

impl Flow {
    /// `OnInit`.
    pub(super) fn new(window: Window, most_quantum: u64) -> Self {
        let initial = window.cwnd;
        let mut pace = Pace { rate: 0.0, quantum: whole(2.0 * window.segment) };
        pace.start(STARTUP_PACING_GAIN, initial, None);
        Self {
            window,
            pace,
            stream: random::Seed(0).stream("bbr"),
            most_quantum,
            initial,
            state: State::Startup,
            pacing_gain: STARTUP_PACING_GAIN,
            cwnd_gain: CWND_GAIN,
            rounds: Rounds::default(),
            plateau: Plateau::default(),
            drain_start: 0,
            max_bw: [0.0; 2],
            bw: 0.0,
            bw_shortterm: UNBOUNDED,
            inflight_shortterm: UNBOUNDED,
            inflight_longterm: UNBOUNDED,
            aggregation: Aggregation {
                since: Time::ZERO,
                delivered: 0.0,
                filter: WindowedMax::default(),
            },
            loss: LossRound::default(),
            probe: Probe {
                phase: AckPhase::Init,
                is_sample: false,
                up_acked: 0.0,
                acked_per_increase: UNBOUNDED,
                up_rounds: 0,
                rounds_since_up: 0,
                wait: Span::ZERO,
                cycle_start: Time::ZERO,
                was_too_high: false,
                was_precautionary: false,
            },
            min_rtt: MinRtt {
                min: None,
                min_at: Time::ZERO,
                probe: None,
                probe_at: Time::ZERO,
                expired: false,
                done_at: None,
                round_done: false,
            },
            saved: Saved {
                state: None,
                bw_shortterm: 0.0,
                inflight_shortterm: 0.0,
                inflight_longterm: 0.0,
            },
            prior_cwnd: 0.0,
            recovers: false,
            has_new_loss: false,
            idle_restart: false,
            has_begun: false,
            has_seen_rtt: false,
            delivered: 0,
            sent_in_flight: 0.0,
            app_limited: false,
        }
    }

    /// `BBR.max_bw`.
    pub(super) fn max_bw(&self) -> f64 {
        self.max_bw[0].at_least(self.max_bw[1])
    }

    /// `BBR.MinPipeCwnd`.
    pub(super) fn min_pipe(&self) -> f64 {
        MIN_PIPE_SEGMENTS * self.window.segment
    }

    /// `BBR.min_rtt * bw`; the initial window before the first measurement (`BDPMultiple`).
    pub(super) fn bdp_multiple(&self, bw: f64, gain: f64) -> f64 {
        match self.min_rtt.min {
            Some(rtt) => gain * bw * rtt.as_secs_f64(),
            None => self.initial,
        }
    }

    /// `BBR.bdp`.
    pub(super) fn bdp(&self) -> f64 {
        self.bdp_multiple(self.bw, 1.0)
    }

    /// `TargetInflight`.
    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp().at_most(self.window.cwnd)
    }
}
