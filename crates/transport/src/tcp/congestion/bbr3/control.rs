//! The control parameters: the window and the quantum (section 5.6).

use super::super::bbr::UNBOUNDED;
use super::super::sample::RateSample;
use super::super::window::{Bounded, whole};
use super::flow::{Flow, State};

/// The time of which a quantum holds the octets, in seconds.
const QUANTUM_TIME: f64 = 1e-3;

impl Flow {
    /// `QuantizationBudget` with `UpdateOffloadBudget`.
    fn quantized(&self, inflight: f64) -> f64 {
        let budget = 3.0 * self.pace.quantum as f64;
        let more = if self.state == State::Up { 2.0 * self.window.segment } else { 0.0 };
        inflight.at_least(budget).at_least(self.min_pipe()) + more
    }

    /// `Inflight`.
    pub(super) fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.quantized(self.bdp_multiple(bw, gain))
    }

    /// `SetSendQuantum`.
    pub(super) fn set_quantum(&mut self) {
        let most = self.most_quantum as f64;
        let least = 2.0 * self.window.segment;
        self.pace.quantum = whole((self.pace.rate * QUANTUM_TIME).at_most(most).at_least(least));
    }

    /// `SetCwnd`.
    pub(super) fn set_cwnd(&mut self, rs: &RateSample) {
        let acked = rs.newly_delivered as f64;
        let extra = self.aggregation.filter.get();
        let most = self.quantized(self.bdp_multiple(self.bw, self.cwnd_gain) + extra);
        let mut cwnd = self.window.cwnd;
        if self.plateau.reached {
            cwnd = (cwnd + acked).at_most(most);
        } else if cwnd < most || (rs.total_delivered as f64) < self.initial {
            cwnd += acked;
        }
        cwnd = cwnd.at_least(self.min_pipe());
        if self.state == State::ProbeRtt {
            cwnd = cwnd.at_most(self.probe_rtt_cwnd());
        }
        self.window.set(cwnd.at_most(self.cap()));
    }

    /// `BoundCwndForModel`.
    fn cap(&self) -> f64 {
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => UNBOUNDED,
        };
        cap.at_most(self.inflight_shortterm).at_least(self.min_pipe())
    }
}
