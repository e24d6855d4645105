//! Losses and notifications (section 5.5.10), and a recovery that proves to be spurious (section 5.5.11).

use units::Time;

use super::super::bbr::UNBOUNDED;
use super::super::sample::{Lost, RateSample};
use super::flow::{BETA, Flow, LOSS_THRESHOLD, LossRound, Saved, State};

impl Flow {
    /// `UpdateCongestionSignals`.
    pub(super) fn update_congestion(&mut self, rs: &RateSample) {
        self.update_max_bw(rs);
        if self.loss.starts {
            if self.loss.has_loss && !self.state.accelerates() {
                self.lower_shortterm();
            }
            self.loss.has_loss = false;
        }
    }

    /// `InitLowerBounds` and `LossLowerBounds`.
    fn lower_shortterm(&mut self) {
        if self.bw_shortterm == UNBOUNDED {
            self.bw_shortterm = self.max_bw();
        }
        if self.inflight_shortterm == UNBOUNDED {
            self.inflight_shortterm = self.window.cwnd;
        }
        self.bw_shortterm = self.loss.bw_latest.max(BETA * self.bw_shortterm);
        self.inflight_shortterm = self.loss.inflight_latest.max(BETA * self.inflight_shortterm);
    }

    /// `ResetShortTermModel`.
    pub(super) fn reset_shortterm(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (UNBOUNDED, UNBOUNDED);
    }

    /// `ResetCongestionSignals`.
    pub(super) fn reset_congestion_signals(&mut self) {
        let LossRound { delivered, starts, ranges, .. } = self.loss;
        self.loss = LossRound { delivered, starts, ranges, ..LossRound::default() };
    }

    /// `IsInflightTooHigh`.
    pub(super) fn is_too_high(lost: f64, in_flight: f64) -> bool {
        lost > in_flight * LOSS_THRESHOLD
    }

    /// `NoteLoss`, when so much is delivered. In a recovery the state was saved at its begin.
    pub(super) fn note_loss(&mut self, delivered: u64) {
        if !self.loss.has_loss {
            self.loss.delivered = delivered;
            if !self.recovers {
                self.save_state();
            }
        }
        self.loss.has_loss = true;
    }

    /// `HandleLostPacket`.
    pub(super) fn on_lost_packet(&mut self, lost: &Lost) {
        self.note_loss(lost.delivered);
        self.loss.ranges = self.loss.ranges.saturating_add(u32::from(!lost.follows));
        let (amount, in_flight) = (lost.lost as f64, lost.in_flight as f64);
        if self.probe.is_sample && Self::is_too_high(amount, in_flight) {
            let at_loss = inflight_at_loss(lost.octets as f64, amount, in_flight);
            self.on_too_high(lost.now, at_loss, lost.app_limited);
        }
    }

    /// An explicit notification: congestion in this round, and too much in flight if it answers a probe.
    pub(super) fn on_notification(&mut self, now: Time) {
        self.note_loss(self.delivered);
        if self.probe.is_sample {
            self.on_too_high(now, self.sent_in_flight, self.app_limited);
        }
    }

    /// `HandleInflightTooHigh`.
    fn on_too_high(&mut self, now: Time, in_flight: f64, app_limited: bool) {
        self.probe.was_too_high = true;
        self.probe.is_sample = false;
        if !app_limited {
            self.inflight_longterm = in_flight.max(self.target_inflight() * BETA);
        }
        if self.state == State::Up {
            self.saved.state = Some(State::Up);
            self.start_down(now, self.delivered);
        }
    }

    /// `SaveStateUponLoss`.
    pub(super) fn save_state(&mut self) {
        self.save_cwnd();
        self.saved = Saved {
            state: None,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        };
    }

    /// `SaveCwnd`.
    pub(super) fn save_cwnd(&mut self) {
        let cwnd = self.window.cwnd;
        let is_modulated = self.recovers || self.state == State::ProbeRtt;
        self.prior_cwnd = if is_modulated { self.prior_cwnd.max(cwnd) } else { cwnd };
    }

    /// `RestoreCwnd`.
    pub(super) fn restore_cwnd(&mut self) {
        self.window.set(self.window.cwnd.max(self.prior_cwnd));
    }

    /// `HandleSpuriousLossDetection`.
    pub(super) fn on_spurious(&mut self) {
        self.restore_cwnd();
        self.loss.has_loss = false;
        self.plateau.reset(0.0);
        let saved = self.saved;
        self.bw_shortterm = self.bw_shortterm.max(saved.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(saved.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(saved.inflight_longterm);
        let may_return = self.state != State::ProbeRtt;
        match saved.state {
            Some(State::Startup) if self.state != State::Startup => {
                self.plateau.reached = false;
                if may_return {
                    self.enter_startup();
                }
            }
            Some(State::Up) if self.state != State::Up && may_return => {
                self.start_refill(self.delivered);
            }
            _ => {}
        }
        self.saved.state = None;
    }
}

/// What was in flight when the losses crossed the threshold (`InflightAtLoss`).
fn inflight_at_loss(octets: f64, lost: f64, in_flight: f64) -> f64 {
    let (in_flight, lost) = (in_flight - octets, lost - octets);
    let prefix = (LOSS_THRESHOLD * in_flight - lost) / (1.0 - LOSS_THRESHOLD);
    in_flight + prefix.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 packets in flight: with the third lost, 2% of what was in flight before are crossed.
    #[test]
    fn the_packet_is_found_at_which_the_losses_cross_the_threshold() {
        // 99 packets and two losses before it: the threshold is crossed at once.
        assert!((inflight_at_loss(1.0, 3.0, 100.0) - 99.0).abs() < 1e-12);
        // 199 and three before it: 0.98 more are 2% of all: (3 + x) / (199 + x) = 0.02.
        let found = inflight_at_loss(1.0, 4.0, 200.0);
        assert!(((3.0 + (found - 199.0)) / found - 0.02).abs() < 1e-12, "{found}");
    }
}
