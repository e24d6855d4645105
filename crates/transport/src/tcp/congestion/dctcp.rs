//! Data Center TCP (RFC 8257): the window is reduced in proportion to the marks.
//!
//! The receiver reports for every octet whether it was marked (section 3.2, [`Receiver`]); the sender
//! keeps α, the share of marked octets averaged over windows (section 3.3), and reduces its window by
//! α/2 at most once per window. It grows, and reacts to losses, as in RFC 5681 (sections 3.4, 3.5).
//!
//! `Deviation:` SYNs and empty acknowledgments are not ECN-capable, as in RFC 3168; in section 3.6 they
//! are.
//!
//! [`Receiver`]: crate::tcp::Receiver

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::delivered::Delivered;
use super::rule::Rule;
use super::window::{Congested, Ecn, Signal, Window};
use crate::mistake::Mistakes;

/// Data Center TCP (RFC 8257): reductions in proportion to the share of marked octets. Needs
/// `ecn`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The weight of the latest window in the estimate of the share of marked octets (g of RFC 8257),
    /// above 0; section 4 has 1/16.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gain: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { gain: 1.0 / 16.0 }
    }
}

/// RFC 8257's window.
#[derive(Clone, Debug)]
pub(super) struct Dctcp {
    window: Window,
    /// g.
    gain: f64,
    /// DCTCP.Alpha.
    alpha: f64,
    /// DCTCP.WindowEnd.
    window_end: u64,
    /// DCTCP.BytesAcked.
    acked: u64,
    /// DCTCP.BytesMarked.
    marked: u64,
}

impl Rule for Dctcp {
    type Options = Options;

    /// α starts at 1, the conservative value: the first reduction halves the window.
    fn new(window: Window, options: &Options) -> Self {
        Self { window, gain: options.gain, alpha: 1.0, window_end: 0, acked: 0, marked: 0 }
    }

    fn check(&Options { gain }: &Options, found: &mut Mistakes) {
        let fits = gain > 0.0 && gain <= 1.0;
        found.number("congestion.gain", gain, fits, "a number above 0, at most 1");
    }

    fn ecn(_: &Options) -> Ecn {
        Ecn::EveryMark
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    /// Section 3.3, steps 2 to 8; step 1 is the caller's.
    #[inline]
    fn on_delivered(&mut self, told: &Delivered) {
        self.acked = self.acked.saturating_add(told.octets);
        self.marked = self.marked.saturating_add(told.marked);
        if told.ack <= self.window_end {
            return;
        }
        let share = self.marked as f64 / self.acked.max(1) as f64;
        self.alpha = self.alpha * (1.0 - self.gain) + self.gain * share;
        self.window_end = told.next;
        self.acked = 0;
        self.marked = 0;
    }

    fn on_loss(&mut self, congested: &Congested) {
        if congested.signal != Signal::Notification {
            return self.window.reduce(congested, 0.5);
        }
        self.window.reduce_by_marks(self.alpha);
    }

    /// The marks are current, so only the window is restored.
    fn on_undo(&mut self, before: &Self) {
        self.window.clone_from(&before.window);
    }
}

#[cfg(test)]
mod tests {
    use units::Time;

    use super::*;
    use crate::tcp::congestion::window::tests::{STANDARD, sizes};

    fn rule(gain: f64) -> Dctcp {
        Dctcp::new(Window::new(&sizes(20), &STANDARD), &Options { gain })
    }

    /// Acknowledges ten segments from `first` on, the first so many of them marked, while the window
    /// reaches ten segments further.
    fn window(rule: &mut Dctcp, first: u64, marked: u64) {
        for n in 0..10 {
            let ack = (first + n + 1) * 1000;
            rule.on_delivered(&Delivered {
                now: Time::ZERO,
                octets: 1000,
                marked: if n < marked { 1000 } else { 0 },
                ack,
                next: ack + 10_000,
                rtt: None,
            });
        }
    }

    fn is(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    }

    #[test]
    fn alpha_follows_the_share_of_marked_octets_window_by_window() {
        let mut rule = rule(0.25);
        is(rule.alpha, 1.0);
        // WindowEnd is 0 at first: the first acknowledgment ends a window of its own, and the next
        // reaches to 11 segments.
        rule.on_delivered(&Delivered {
            now: Time::ZERO,
            octets: 1000,
            marked: 1000,
            ack: 1000,
            next: 11_000,
            rtt: None,
        });
        is(rule.alpha, 1.0);
        // 2 to 11: still that window; none was marked.
        window(&mut rule, 1, 0);
        is(rule.alpha, 1.0);
        // The acknowledgment 12 is beyond it: eleven segments, none marked. 1 · 0.75 + 0.25 · 0.
        rule.on_delivered(&Delivered {
            now: Time::ZERO,
            octets: 1000,
            marked: 0,
            ack: 12_000,
            next: 22_000,
            rtt: None,
        });
        is(rule.alpha, 0.75);
        // 13 to 22 with four marked, then 23 with a mark: 5 of 11.
        window(&mut rule, 12, 4);
        rule.on_delivered(&Delivered {
            now: Time::ZERO,
            octets: 1000,
            marked: 1000,
            ack: 23_000,
            next: 33_000,
            rtt: None,
        });
        is(rule.alpha, 0.75 * 0.75 + 0.25 * 5.0 / 11.0);
    }

    #[test]
    fn an_acknowledgment_counts_by_its_octets() {
        let mut rule = rule(1.0);
        rule.window_end = 5000;
        rule.on_delivered(&Delivered {
            now: Time::ZERO,
            octets: 3000,
            marked: 3000,
            ack: 3000,
            next: 9000,
            rtt: None,
        });
        rule.on_delivered(&Delivered {
            now: Time::ZERO,
            octets: 9000,
            marked: 0,
            ack: 12_000,
            next: 21_000,
            rtt: None,
        });
        is(rule.alpha, 0.25);
    }

    #[test]
    fn a_mark_takes_half_of_alpha_off_the_window() {
        let mut rule = rule(1.0 / 16.0);
        let notify = Congested { now: Time::ZERO, signal: Signal::Notification, basis: 1000 };
        rule.on_loss(&notify);
        is(rule.window.cwnd, 10_000.0);
        rule.alpha = 0.2;
        rule.on_loss(&notify);
        is(rule.window.cwnd, 9000.0);
        is(rule.window.ssthresh, 9000.0);
        rule.window.cwnd = 2100.0;
        rule.on_loss(&notify);
        is(rule.window.cwnd, 2000.0);
    }

    #[test]
    fn a_loss_halves_what_is_in_flight_whatever_alpha_is() {
        let mut rule = rule(1.0 / 16.0);
        rule.alpha = 0.0;
        rule.on_loss(&Congested { now: Time::ZERO, signal: Signal::Loss, basis: 16_000 });
        is(rule.window.cwnd, 8000.0);
    }
}
