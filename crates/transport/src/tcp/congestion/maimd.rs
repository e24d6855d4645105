//! Additive increase and multiplicative decrease for networks without buffers (mAIMD).
//!
//! The modified AIMD of Argibay-Losada et al. (2016) is for bufferless paths that hold more than one
//! packet: a loss there is caused by contention between two packets, not by a full queue, so the window
//! need not be halved. Its constants are not public. Our choice: RFC 5681's increase of a segment per
//! round trip and RFC 9438's decrease to 0.7, both options. All losses have the same effect, whether
//! duplicate acknowledgments or the timer detected them: a timeout reduces the window by the same factor,
//! not to one segment, at each expiry, and so does a lost SYN.
//!
//! `Deviation:` RFC 5681 section 3.1 has a loss window of one segment after a timeout, and a minimum
//! ssthresh of two segments; here the minimum is one segment.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::Rule;
use super::window::{Acked, Congested, Window};
use crate::mistake::Mistakes;

/// Slow start, then additive increase and multiplicative decrease by `increase` and `decrease`. A timeout
/// reduces the window as any other loss does, since a loss by contention in a network without buffers does
/// not indicate a full queue. After Argibay-Losada et al. 2016, whose constants are not public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The factor by which the window is multiplied after a loss, between 0 and 1. The default is the
    /// smallest published reduction in wide use (RFC 9438).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub decrease: f64,
    /// Segments per round trip by which the window grows after slow start (RFC 5681).
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub increase: f64,
}

/// Our choice, since the authors' constants are not public: RFC 9438's decrease, RFC 5681's increase.
impl Default for Options {
    fn default() -> Self {
        Self { decrease: 0.7, increase: 1.0 }
    }
}

/// The window of additive increase and multiplicative decrease.
#[derive(Clone, Debug)]
pub(super) struct Maimd {
    window: Window,
    options: Options,
}

impl Rule for Maimd {
    type Options = Options;

    fn new(window: Window, options: &Options) -> Self {
        Self { window, options: options.clone() }
    }

    fn check(options: &Options, found: &mut Mistakes) {
        let Options { decrease, increase } = *options;
        let fits = decrease > 0.0 && decrease < 1.0;
        found.number("congestion.decrease", decrease, fits, "a number between 0 and 1");
        let fits = increase.is_finite() && increase > 0.0;
        found.number("congestion.increase", increase, fits, "a number above 0");
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    #[inline]
    fn on_ack(&mut self, acked: &Acked) {
        self.window.grow(acked, self.options.increase);
    }

    fn on_loss(&mut self, _: &Congested) {
        self.window.set(self.options.decrease * self.window.cwnd);
        self.window.ssthresh = self.window.cwnd;
    }

    fn on_lost_syn(&mut self, _: u8) {
        self.window.set(self.options.decrease * self.window.cwnd);
    }

    /// The timer detects losses by contention, as duplicate acknowledgments do (our choice, see above).
    #[cfg(test)]
    fn is_cautious() -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use units::{Span, Time};

    use super::super::window::tests::{STANDARD, sizes};
    use super::super::{Acked, Congestion, Options as AnyOptions, Signal, Sizes};
    use super::*;

    fn rule(options: Options) -> Congestion {
        let sizes = Sizes { ssthresh: 10_000, ..sizes(10) };
        Congestion::new(&AnyOptions::Maimd(options), &STANDARD, &sizes)
    }

    fn congest(rule: &mut Congestion, signal: Signal) {
        rule.on_loss(&Congested { now: Time::ZERO, signal, basis: 1 });
    }

    /// A window of acknowledgments.
    fn round_trip(rule: &mut Congestion) {
        for _ in 0..rule.cwnd() / 1000 {
            rule.on_ack(&Acked {
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
        let mut rule = rule(Options::default());
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
        let mut rule = rule(Options::default());
        for _ in 0..20 {
            congest(&mut rule, Signal::Timeout);
        }
        assert_eq!((rule.cwnd(), rule.ssthresh()), (1000, 1000));
    }

    #[test]
    fn it_grows_by_the_increase_each_round_trip() {
        // Each of ten acknowledgments adds a share of the window as it is then: 0.955 in all.
        let mut one = rule(Options::default());
        round_trip(&mut one);
        assert_eq!(one.cwnd() / 10, 1095);
        let mut half = rule(Options { increase: 0.5, ..Options::default() });
        round_trip(&mut half);
        assert_eq!(half.cwnd() / 10, 1048);
    }

    #[test]
    fn the_decrease_is_an_option() {
        let mut rule = rule(Options { decrease: 0.5, ..Options::default() });
        congest(&mut rule, Signal::Timeout);
        assert_eq!(rule.cwnd(), 5000);
    }

    #[test]
    fn a_lost_syn_is_a_loss() {
        let mut rule = rule(Options::default());
        rule.on_lost_syn(1);
        assert_eq!(rule.cwnd(), 7000);
    }
}
