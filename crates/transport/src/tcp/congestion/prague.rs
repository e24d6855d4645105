//! Prague (draft-briscoe-iccrg-prague-congestion-control-04), the scalable control of TCP Prague: DCTCP's reaction
//! to marks, made fit for the Internet by the requirements of RFC 9331 section 4.3.
//!
//! The receiver feeds back how many packets were marked (AccECN, RFC 9768). Once a round trip α, the moving average
//! of the share of marked octets, is updated, and the first mark of a round trip takes α/2 of the window off (sections
//! 2.4.2 and 2.4.3). The window grows with the octets that were not marked (section 2.4.4), by less than a segment a
//! round trip where this is short: at the pace of a round trip of 25 ms (section 2.4.4.2), which is also the shortest
//! one over which α is averaged. A loss halves the window, as in RFC 5681 (section 2.4.1). The rate is that of the
//! window over the round trip, twice that in slow start (section 2.5.1).
//!
//! Data leave as ECT(1), by which a DualPI2 queue knows them (RFC 9331 section 4.1).
//!
//! `Deviation:` SYNs, empty acknowledgments and what is sent again are not ECN-capable, as in RFC 3168. The window is
//! at least one segment, where the draft goes below. There is no fall-back to a Classic control where the bottleneck
//! seems to be a Classic queue (section 4.3 of RFC 9331 asks for monitoring).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Span, Time};

use super::delivered::Delivered;
use super::rule::Rule;
use super::window::{Acked, Congested, Ecn, Signal, Window};
use crate::mistake::Mistakes;

/// Prague (draft-briscoe-iccrg-prague-congestion-control): reductions in proportion to the share of marked octets,
/// growth that does not depend on the round-trip time below `virtual-rtt`. Its data are L4S (ECT(1), RFC 9331). Needs
/// `ecn` with `ecn-feedback = "accurate"`, and paces; all are on with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The weight of the latest round trip in α, above 0; 1/16 in section 2.4.2.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gain: f64,
    /// The round-trip time at whose pace a shorter path grows; 25 ms in section 2.4.4.2. With 0 s it grows by a
    /// segment a round trip, as DCTCP.
    #[schemars(extend("x-max" = "10 s"))]
    pub virtual_rtt: Span,
}

impl Default for Options {
    fn default() -> Self {
        Self { gain: 1.0 / 16.0, virtual_rtt: Span::from_ms(25) }
    }
}

/// The window of Prague.
#[derive(Clone, Debug)]
pub(super) struct Prague {
    window: Window,
    gain: f64,
    virtual_rtt: Span,
    alpha: f64,
    /// A mark has been seen: α is 1 before.
    has_seen: bool,
    /// Where the round trip ends, and when it has lasted as long as the virtual one.
    round_end: u64,
    round_until: Time,
    /// Octets acknowledged, and marked, in this round trip.
    acked: u64,
    marked: u64,
    /// Octets marked by the last acknowledgment: they let the window grow by nothing.
    marked_now: u64,
    /// Until then a mark belongs to the last reduction.
    reduced_until: Time,
    srtt: Span,
}

impl Prague {
    /// The longer of the round-trip time and the virtual one.
    fn rtt(&self) -> Span {
        self.srtt.max(self.virtual_rtt)
    }
}

impl Rule for Prague {
    type Options = Options;

    fn new(window: Window, options: &Options) -> Self {
        Self {
            window,
            gain: options.gain,
            virtual_rtt: options.virtual_rtt,
            alpha: 1.0,
            has_seen: false,
            round_end: 0,
            round_until: Time::ZERO,
            acked: 0,
            marked: 0,
            marked_now: 0,
            reduced_until: Time::ZERO,
            srtt: Span::ZERO,
        }
    }

    fn check(options: &Options, found: &mut Mistakes) {
        let fits = options.gain > 0.0 && options.gain <= 1.0;
        found.number("congestion.gain", options.gain, fits, "a number above 0, at most 1");
        let most = (Span::ZERO, Span::from_secs(10));
        found.span("congestion.virtual-rtt", options.virtual_rtt, most);
    }

    fn ecn(_: &Options) -> Ecn {
        Ecn::L4s
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }

    /// Section 2.4.2.
    #[inline]
    fn on_delivered(&mut self, told: &Delivered) {
        self.acked = self.acked.saturating_add(told.octets);
        self.marked = self.marked.saturating_add(told.marked);
        self.marked_now = told.marked;
        self.has_seen |= told.marked > 0;
        if let Some(rtt) = told.rtt {
            // As in RFC 6298, for the pace alone.
            self.srtt = if self.srtt == Span::ZERO {
                rtt
            } else {
                Span(self.srtt.0 - self.srtt.0 / 8 + rtt.0 / 8)
            };
        }
        if told.ack <= self.round_end || told.now < self.round_until {
            return;
        }
        if self.has_seen {
            let share = self.marked as f64 / self.acked.max(1) as f64;
            self.alpha += self.gain * (share - self.alpha);
        }
        self.round_end = told.next;
        self.round_until = told.now.saturating_add(self.virtual_rtt);
        (self.acked, self.marked) = (0, 0);
    }

    /// Section 2.4.4: only octets that were not marked count.
    #[inline]
    fn on_ack(&mut self, acked: &Acked) {
        let octets = acked.octets.saturating_sub(self.marked_now);
        if octets == 0 {
            return;
        }
        let share = self.srtt.as_secs_f64() / self.rtt().as_secs_f64().max(1e-12);
        let increase = if self.srtt == Span::ZERO { 1.0 } else { share * share };
        self.window.grow(&Acked { octets, ..*acked }, increase);
    }

    fn heeds(&self, now: Time) -> bool {
        now >= self.reduced_until
    }

    /// Section 2.4.3, once in a round trip, a virtual one where this is longer.
    fn on_loss(&mut self, congested: &Congested) {
        if congested.signal != Signal::Notification {
            return self.window.reduce(congested, 0.5);
        }
        if !self.heeds(congested.now) {
            return;
        }
        self.reduced_until = congested.now.saturating_add(self.rtt());
        self.window.reduce_by_marks(self.alpha);
    }

    fn pacing(&mut self) -> f64 {
        if self.window.in_slow_start() { 2.0 } else { 1.0 }
    }

    /// The marks are current, so only the window is restored.
    fn on_undo(&mut self, before: &Self) {
        self.window.clone_from(&before.window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::congestion::window::tests::{STANDARD, sizes};

    fn rule(options: &Options) -> Prague {
        let mut rule = Prague::new(Window::new(&sizes(100), &STANDARD), options);
        rule.window.ssthresh = 100_000.0;
        rule
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn told(ms: u64, rtt: u64, marked: u64) -> Delivered {
        let ack = ms * 1000;
        let rtt = Some(Span::from_ms(rtt));
        Delivered { now: at(ms), octets: 1000, marked, ack, next: ack + rtt_octets(rtt), rtt }
    }

    /// A segment a millisecond.
    fn rtt_octets(rtt: Option<Span>) -> u64 {
        rtt.map_or(0, |rtt| rtt.0 / 1_000_000)
    }

    fn acked(ms: u64) -> Acked {
        let srtt = Span::ZERO;
        Acked { now: at(ms), octets: 1000, srtt, after_timeout: false, may_grow: true }
    }

    fn is(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    }

    /// One segment in ten is marked in every round trip of 100 ms: α approaches 0.1.
    #[test]
    fn alpha_is_1_until_a_mark_and_then_the_moving_average_of_the_share() {
        let mut rule = rule(&Options::default());
        for ms in 1..1000 {
            rule.on_delivered(&told(ms, 100, 0));
        }
        is(rule.alpha, 1.0);
        for ms in 1000..20_000 {
            rule.on_delivered(&told(ms, 100, if ms % 10 == 0 { 1000 } else { 0 }));
        }
        assert!((rule.alpha - 0.1).abs() < 0.002, "{}", rule.alpha);
    }

    #[test]
    fn a_mark_takes_half_of_alpha_off_once_in_a_round_trip() {
        let mut rule = rule(&Options::default());
        rule.alpha = 0.2;
        let notify = |ms| Congested { now: at(ms), signal: Signal::Notification, basis: 1000 };
        rule.on_loss(&notify(0));
        is(rule.window.cwnd, 90_000.0);
        // Within the virtual round trip of 25 ms.
        rule.on_loss(&notify(24));
        is(rule.window.cwnd, 90_000.0);
        rule.on_loss(&notify(25));
        is(rule.window.cwnd, 81_000.0);
    }

    /// Section 2.4.4.2: as fast in segments per second² as a flow with a round trip of 25 ms.
    #[test]
    fn a_short_round_trip_grows_at_the_pace_of_the_virtual_one() {
        let grown = |rtt: u64, virtual_rtt: u64| {
            let virtual_rtt = Span::from_ms(virtual_rtt);
            let mut rule = rule(&Options { virtual_rtt, ..Options::default() });
            rule.on_delivered(&told(1, rtt, 0));
            // A window, 100 segments.
            (0..100).for_each(|_| rule.on_ack(&acked(1)));
            (rule.window.cwnd - 100_000.0) / 1000.0
        };
        assert!((grown(5, 25) - 0.04).abs() < 0.001, "{}", grown(5, 25));
        assert!((grown(5, 0) - 1.0).abs() < 0.01);
        assert!((grown(50, 25) - 1.0).abs() < 0.01);
    }

    #[test]
    fn octets_that_were_marked_let_the_window_grow_by_nothing() {
        let mut rule = rule(&Options::default());
        rule.on_delivered(&told(1, 50, 1000));
        rule.on_ack(&acked(1));
        is(rule.window.cwnd, 100_000.0);
        rule.on_delivered(&told(2, 50, 0));
        rule.on_ack(&acked(2));
        assert!(rule.window.cwnd > 100_000.0);
    }

    #[test]
    fn a_loss_halves_what_is_in_flight_whatever_alpha_is() {
        let mut rule = rule(&Options::default());
        rule.alpha = 0.01;
        rule.on_loss(&Congested { now: at(0), signal: Signal::Loss, basis: 16_000 });
        is(rule.window.cwnd, 8000.0);
    }
}
