//! BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00; Linux 4.9 to 6.12, `tcp_bbr.c`): the window and
//! the rate follow from the largest delivery rate of ten rounds and the shortest round-trip time of ten seconds.
//! Most published comparisons are of it.
//!
//! `flow` is the state and the window, `machine` the modes, `aggregation` and `policer` what Linux has added to
//! the draft. The names in brackets are those of Linux.
//!
//! `Deviation:` what is in flight is that of the instant of an acknowledgment, where Linux estimates what will
//! be when the next packet leaves (`bbr_packets_in_net_at_edt`). A round-trip time of a delayed acknowledgment
//! counts when that of the window has expired.

mod aggregation;
mod flow;
mod machine;
mod policer;

#[cfg(test)]
mod tests;

use random::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

use super::bbr::{Pace, QUANTUM, check_quantum};
use super::rule::Rule;
use super::sample::{RateSample, Start};
use super::window::{Acked, Congested, Signal, Window};
use crate::mistake::Mistakes;
use flow::{Flow, Mode};

/// BBR version 1 (Linux 4.9 to 6.12, `tcp_bbr`): the window and the rate follow from a model of the path, which
/// no loss changes. It needs `pacing` and `recovery = "rack"`, which are on with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The most octets that leave back to back: about a millisecond of the rate, at most this and at least two
    /// segments (one below 1.2 Mb/s).
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 GB"))]
    pub quantum: Bytes,
}

impl Default for Options {
    fn default() -> Self {
        Self { quantum: QUANTUM }
    }
}

/// The flow is boxed, as it is far larger than the state of other rules.
#[derive(Clone, Debug)]
pub(super) struct Bbr1 {
    flow: Box<Flow>,
}

impl Rule for Bbr1 {
    type Options = Options;

    fn new(window: Window, options: &Options) -> Self {
        Self { flow: Box::new(Flow::new(window, options.quantum.0)) }
    }

    fn check(options: &Options, found: &mut Mistakes) {
        check_quantum(options.quantum, found);
    }

    fn models_path() -> bool {
        true
    }

    fn draw_from(&mut self, stream: Stream) {
        self.flow.stream = stream;
    }

    fn window(&self) -> &Window {
        &self.flow.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.flow.window
    }

    /// Samples say what has arrived.
    fn on_ack(&mut self, _: &Acked) {}

    /// `bbr_main`.
    fn on_sample(&mut self, rs: &RateSample) {
        let flow = &mut *self.flow;
        flow.update_bw(rs);
        let probes = matches!(flow.mode, Mode::ProbeBw(_));
        if flow.policer.update(rs, flow.rounds.starts, probes) {
            flow.enter_probe_bw(rs.now);
        }
        let (bw, sizes) = (flow.bw(), (flow.window.cwnd, flow.window.segment));
        flow.aggregation.update(rs, flow.rounds.starts, bw, sizes);
        flow.update_cycle(rs);
        flow.check_plateau(rs);
        flow.check_drain(rs);
        flow.update_min_rtt(rs);
        flow.set_pace();
        flow.set_cwnd(rs);
    }

    fn on_start(&mut self, start: &Start) {
        self.flow.on_start(start);
    }

    /// The window is kept for the end of the recovery (`bbr_ssthresh`). A timeout looks for the bandwidth anew
    /// (`bbr_set_state`). Notifications have no effect.
    fn on_loss(&mut self, congested: &Congested) {
        let flow = &mut *self.flow;
        match congested.signal {
            Signal::Notification => {}
            Signal::Loss | Signal::LossRestart => {
                flow.save_cwnd();
                flow.enters |= !flow.recovers;
                flow.recovers = true;
            }
            Signal::Timeout | Signal::RepeatedTimeout => {
                flow.save_cwnd();
                flow.recovers = true;
                (flow.enters, flow.conserves) = (false, false);
                flow.plateau.reset(0.0);
                flow.window.set(flow.window.segment);
            }
        }
    }

    fn on_timed_out(&mut self, in_flight: u64) {
        let window = &mut self.flow.window;
        window.set(in_flight as f64 + window.segment);
    }

    fn pace(&self) -> Option<Pace> {
        Some(self.flow.pace)
    }

    fn holds_back(&self) -> bool {
        self.flow.mode == Mode::ProbeRtt
    }

    /// `bbr_undo_cwnd`.
    fn on_undo(&mut self, _: &Self) {
        self.flow.plateau.reset(0.0);
        self.flow.policer.reset();
    }
}
