//! BBR version 3 (draft-ietf-ccwg-bbr, the text of August 2026): a model of the path instead of a window that
//! losses halve.
//!
//! The model is the bandwidth, measured by delivery-rate samples, and the shortest round-trip time; long-term
//! bounds say how much may be in flight when the bandwidth is probed, short-term bounds what losses of others
//! leave. A state machine sends faster, slower and as fast as the path delivers.
//!
//! ```text
//! startup ─► drain ─► probe_bw: down ─► cruise ─► refill ─► up ─► down …      probe_rtt: from each of them
//! ```
//!
//! `flow` is the state, `model` the path, `startup`, `probe_bw` and `probe_rtt` the machine, `loss` the response
//! to losses, `control` what follows for the window.
//!
//! The draft leaves the response to explicit notification open, but for that a mark must be treated as
//! congestion: here it counts as a loss in its round, and as too many losses if it answers a probe.
//!
//! `Deviation:` the state that a spurious recovery restores is saved once, when it begins; in the draft's text a
//! second loss saves again what the first has changed. The window has no effect of its own in a recovery; the draft has none either, unlike version 1.
//! An acknowledgment that brings nothing new is no sample. A cycle without a sample of the bandwidth keeps that
//! of the cycle before (Linux).

mod control;
mod flow;
mod loss;
mod model;
mod probe_bw;
mod probe_rtt;
mod startup;

#[cfg(test)]
mod tests;

use random::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

use super::bbr::{Pace, QUANTUM, check_quantum};
use super::rule::Rule;
use super::sample::{Lost, RateSample, Start};
use super::window::{Acked, Congested, Signal, Window};
use crate::mistake::Mistakes;
use flow::{Flow, State};

/// BBR version 3 (draft-ietf-ccwg-bbr): the window and the rate follow from a model of the path. It needs
/// `pacing` and `recovery = "rack"`, which are on with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The most octets that leave back to back (`C.send_quantum`, section 5.6.3): a millisecond of the rate, at
    /// most this and at least two segments.
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
pub(super) struct Bbr3 {
    flow: Box<Flow>,
}

impl Rule for Bbr3 {
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

    /// `UpdateOnACK`.
    fn on_sample(&mut self, rs: &RateSample) {
        let flow = &mut *self.flow;
        if std::mem::take(&mut flow.has_new_loss) {
            flow.note_loss(rs.total_delivered);
        }
        if flow.recovers && !rs.repairs {
            flow.recovers = false;
            flow.restore_cwnd();
        }
        flow.delivered = rs.total_delivered;
        flow.sent_in_flight = rs.sent_in_flight as f64;
        flow.app_limited = rs.app_limited;
        flow.update_latest_delivery(rs);
        flow.update_congestion(rs);
        flow.update_aggregation(rs);
        flow.check_plateau(rs);
        flow.check_startup(rs);
        flow.check_drain(rs);
        flow.update_cycle(rs);
        flow.update_min_rtt(rs);
        flow.check_probe_rtt(rs);
        flow.advance_latest_delivery(rs);
        flow.bound_bw();
        flow.pace.follow(flow.bw, flow.pacing_gain, flow.plateau.reached);
        flow.set_quantum();
        flow.set_cwnd(rs);
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.flow.on_lost_packet(lost);
    }

    fn on_start(&mut self, start: &Start) {
        self.flow.on_start(start);
    }

    /// `OnEnterFastRecovery` and `OnEnterRTO`; losses themselves are told by `on_lost`.
    fn on_loss(&mut self, congested: &Congested) {
        let flow = &mut *self.flow;
        match congested.signal {
            Signal::Notification => flow.on_notification(congested.now),
            Signal::Loss | Signal::LossRestart if flow.recovers => {}
            Signal::Loss | Signal::LossRestart => {
                flow.save_state();
                (flow.recovers, flow.has_new_loss) = (true, true);
            }
            Signal::Timeout | Signal::RepeatedTimeout => {
                flow.save_state();
                flow.recovers = true;
                flow.window.set(flow.window.segment);
            }
        }
    }

    /// `C.inflight + 1` of `OnEnterRTO`.
    fn on_timed_out(&mut self, in_flight: u64) {
        let window = &mut self.flow.window;
        window.set(in_flight as f64 + window.segment);
    }

    fn pace(&self) -> Option<Pace> {
        Some(self.flow.pace)
    }

    fn holds_back(&self) -> bool {
        self.flow.state == State::ProbeRtt
    }

    /// The model of now is kept, as it has learned since.
    fn on_undo(&mut self, _: &Self) {
        self.flow.on_spurious();
    }
}
