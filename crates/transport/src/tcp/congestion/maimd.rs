//! Additive increase and multiplicative decrease for networks without buffers (mAIMD).
//!
//! The modified AIMD of Argibay-Losada et al. (2016) is meant for bufferless paths that hold more
//! than a packet: a loss there is a contention that two packets happened to have, no sign of a queue
//! that is full, so the window need not be halved. Its constants are not public. Ours: RFC 5681's
//! increase of a segment a round trip, RFC 9438's decrease to 0.7, both options; and every loss
//! counts alike, whether duplicate acknowledgments or the timer found it. So a timeout keeps the same
//! share of the window instead of one segment, each expiry anew, and a lost SYN as well.
//!
//! `Deviation:` RFC 5681 section 3.1 has a loss window of one segment after a timeout, and two
//! segments as the least ssthresh; here the least is one segment.

use super::{Acked, Congested, Window};
use crate::config::Config;

/// The window of additive increase and multiplicative decrease.
#[derive(Clone, Debug)]
pub struct Maimd {
    window: Window,
    /// Segments a round trip.
    increase: f64,
    /// The share that is kept.
    decrease: f64,
}

impl Maimd {
    pub(super) fn new(window: Window, config: &Config) -> Self {
        let (increase, decrease) = (config.aimd_increase, config.aimd_decrease);
        Self { window, increase, decrease }
    }

    pub(super) fn window(&self) -> &Window {
        &self.window
    }

    pub(super) fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    #[inline]
    pub(super) fn on_acked(&mut self, acked: &Acked) {
        self.window.grow(acked, self.increase);
    }

    pub(super) fn on_congested(&mut self, _: &Congested) {
        self.window.set(self.decrease * self.window.cwnd);
        self.window.ssthresh = self.window.cwnd;
    }

    pub(super) fn on_lost_syn(&mut self) {
        self.window.set(self.decrease * self.window.cwnd);
    }
}

#[cfg(test)]
mod tests {
    use units::{Bytes, Span, Time};

    use super::super::{Congestion, Signal};
    use super::*;
    use crate::config::{Growth, Preset, TcpOptions, resolve};
    use crate::profile::Profile;
    use crate::window_size::WindowSize;

    fn rule(options: &TcpOptions) -> Congestion {
        let options = TcpOptions {
            preset: Some(Preset::Maimd),
            segment: Some(Bytes(1000)),
            initial_window: Some(WindowSize::Segments(10)),
            initial_ssthresh: Some(WindowSize::Segments(10)),
            growth: Some(Growth::Acks),
            ..options.clone()
        };
        Congestion::new(&resolve(Profile::Modern, &options).unwrap())
    }

    fn congest(rule: &mut Congestion, signal: Signal) {
        rule.on_congested(&Congested { now: Time::ZERO, signal, basis: 1 });
    }

    /// A window of acknowledgments.
    fn round_trip(rule: &mut Congestion) {
        for _ in 0..rule.cwnd() / 1000 {
            rule.on_acked(&Acked {
                now: Time::ZERO,
                octets: 1000,
                srtt: Span::from_us(10),
                after_timeout: false,
                may_grow: true,
            });
        }
    }

    #[test]
    fn every_loss_keeps_seven_tenths_whoever_finds_it() {
        let signals =
            [Signal::Loss, Signal::Timeout, Signal::RepeatedTimeout, Signal::Notification];
        let mut rule = rule(&TcpOptions::default());
        let mut found = Vec::new();
        for signal in signals {
            congest(&mut rule, signal);
            assert_eq!(rule.ssthresh(), rule.cwnd());
            found.push(rule.cwnd());
        }
        // 10 · 0.7, 0.49, 0.343, 0.2401 segments.
        assert_eq!(found, [7000, 4900, 3430, 2401]);
    }

    #[test]
    fn it_never_falls_below_a_segment() {
        let mut rule = rule(&TcpOptions::default());
        for _ in 0..20 {
            congest(&mut rule, Signal::Timeout);
        }
        assert_eq!((rule.cwnd(), rule.ssthresh()), (1000, 1000));
    }

    #[test]
    fn it_grows_by_the_increase_each_round_trip() {
        // Each of ten acknowledgments adds a share of the window as it is then: 0.955 in all.
        let mut one = rule(&TcpOptions::default());
        round_trip(&mut one);
        assert_eq!(one.cwnd() / 10, 1095);
        let mut half = rule(&TcpOptions { aimd_increase: Some(0.5), ..TcpOptions::default() });
        round_trip(&mut half);
        assert_eq!(half.cwnd() / 10, 1048);
    }

    #[test]
    fn the_decrease_is_an_option() {
        let mut rule = rule(&TcpOptions { aimd_decrease: Some(0.5), ..TcpOptions::default() });
        congest(&mut rule, Signal::Timeout);
        assert_eq!(rule.cwnd(), 5000);
    }

    #[test]
    fn a_lost_syn_is_a_loss() {
        let mut rule = rule(&TcpOptions::default());
        rule.on_lost_syn();
        assert_eq!(rule.cwnd(), 7000);
    }
}
