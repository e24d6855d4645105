//! NSCC, network signal congestion control (UEC specification 1.0, section 3.6.13; the constants are those of its
//! public simulator): what the mark and the delay of a packet say together.
//!
//! | | delay below the target | delay of the target or more |
//! | --- | --- | --- |
//! | no mark | proportional increase; fast increase where nothing waits | fair increase |
//! | marked | nothing: the next packet takes another path | multiplicative decrease |
//!
//! Increases are gathered and take effect after so many octets or a round-trip time. When packets are trimmed, or the
//! delay is very long, the window becomes what has arrived within a round trip (quick adapt).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Span, Time};

use super::{Delivered, Missing, Rule, Terms};
use crate::mistake::Mistakes;

/// NSCC (UEC specification 1.0): the window grows while packets come unmarked, the more the less they waited, and
/// shrinks where they come late and marked; when packets are trimmed it becomes what has arrived within a round trip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// The wait in queues that is aimed at, in round-trip times of an idle network, 0.01 to 100: 0.75 with
    /// trimming and 1 without in UEC's simulator.
    #[schemars(range(min = 0.01, max = 100.0))]
    pub target_delay: f64,
    /// The largest window, in multiples of what fills the path of an idle network, 0.1 to 1,000.
    #[schemars(range(min = 0.1, max = 1000.0))]
    pub largest: f64,
    /// The window at the start, in the same multiples: unasked data of the first round trip.
    #[schemars(range(min = 0.01, max = 1000.0))]
    pub initial: f64,
    /// Whether the window becomes what has arrived within a round trip when packets are trimmed or wait for very long.
    pub quick_adapt: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { target_delay: 0.75, largest: 1.5, initial: 1.5, quick_adapt: true }
    }
}

/// What fills the path for which the constants were chosen: 100 Gb/s and 12 µs.
const REFERENCE_PATH: f64 = 150_000.0;
/// The round-trip time of that path.
const REFERENCE_RTT: Span = Span::from_us(12);
/// Packets a round trip by which the window grows at a delay of zero (proportional increase), for the reference path.
const PROPORTIONAL: f64 = 4.0;
/// Packets a round trip by which it grows where the delay is above the target (fair increase).
const FAIR: f64 = 5.0;
/// Packets by which it grows in each round-trip time in any case.
const ALWAYS: f64 = 0.15;
/// The share of octets that came by which it grows where nothing waits (fast increase).
const FAST: f64 = 0.25;
/// A wait below this is none.
const NO_WAIT: Span = Span::from_us(1);
/// How strongly the window follows the share of the delay above the target.
const DECREASE: f64 = 0.8;
/// The most by which it shrinks at once.
const MOST_DECREASE: f64 = 0.5;
/// The weight of a delay in the mean.
const WEIGHT: f64 = 0.0125;
/// Packets after which increases take effect.
const GATHERED: u64 = 8;
/// Quick adapt needs that less than this share of the largest window has arrived.
const FEW: f64 = 1.0 / 8.0;
/// Quick adapt begins at a delay of so many targets.
const LATE: u64 = 4;

#[derive(Clone, Debug)]
pub(super) struct Nscc {
    packet: f64,
    bits_per_second: f64,
    base_rtt: Span,
    target: Span,
    /// The largest window in paths.
    largest: f64,
    quick_adapt: bool,
    window: f64,
    /// Mean delay, in picoseconds.
    mean_delay: f64,
    /// Octets times octets of increases that have not taken effect.
    gathered: f64,
    /// Octets that came since increases last took effect.
    came: u64,
    adjusted: Time,
    decreased: Option<Time>,
    /// Octets that came without a wait, in a row; and whether the window grows fast for it.
    at_once: u64,
    fast: bool,
    quick: Quick,
}

/// The state of quick adapt.
#[derive(Clone, Copy, Debug, Default)]
struct Quick {
    /// Octets that arrived in this period.
    achieved: u64,
    /// When the period ends; none before the first.
    ends: Option<Time>,
    /// A packet was trimmed.
    is_due: bool,
    /// Marks of packets that were in flight when the window was set say nothing: so many octets.
    to_ignore: u64,
    ignored: u64,
}

impl Nscc {
    fn path(&self) -> f64 {
        (self.bits_per_second * self.base_rtt.as_secs_f64() / 8.0).max(self.packet)
    }

    /// The path in reference paths.
    fn scale(&self) -> f64 {
        self.path() / REFERENCE_PATH
    }

    fn limit(&mut self) {
        let largest = (self.largest * self.path()).max(self.packet);
        self.window = self.window.clamp(self.packet, largest);
    }

    /// A delay of `delay`, which counts as a short one where the packet was not marked although it came late.
    fn average(&mut self, delay: Span, marked: bool) {
        let sample = if !marked && delay > self.target {
            0.25 * self.base_rtt.0 as f64
        } else {
            delay.0 as f64
        };
        self.mean_delay += WEIGHT * (sample - self.mean_delay);
    }

    /// Whether the window was set to what has arrived, or this answer says nothing since it was.
    fn adapts(&mut self, now: Time, marked: bool, late: bool, in_flight: u64) -> bool {
        if !self.quick_adapt {
            return false;
        }
        let quick = &mut self.quick;
        let mut done = quick.ignored < quick.to_ignore && marked;
        if !done && quick.ends.is_none_or(|ends| now > ends) {
            let few = (quick.achieved as f64) < FEW * self.largest * self.path();
            let quick = &mut self.quick;
            if quick.ends.is_some() && (quick.is_due || late) && few {
                self.window = (quick.achieved as f64).max(self.packet);
                quick.to_ignore = in_flight;
                quick.ignored = 0;
                quick.is_due = false;
                done = true;
            }
            quick.achieved = 0;
            quick.ends = Some(now.saturating_add(self.base_rtt + self.target));
        }
        if done {
            self.gathered = 0.0;
            self.came = 0;
        }
        done
    }

    fn increase(&mut self, delay: Span, octets: u64) {
        if delay >= self.target {
            self.gathered += FAIR * self.packet * self.scale() * octets as f64;
            return;
        }
        if delay < NO_WAIT {
            self.at_once += octets;
            if self.fast || self.at_once as f64 > self.window {
                self.window += FAST * self.scale() * octets as f64;
                self.fast = true;
                return;
            }
        } else {
            self.at_once = 0;
        }
        self.fast = false;
        let room = 1.0 - delay.0 as f64 / self.target.0 as f64;
        let target = self.target.0 as f64 / REFERENCE_RTT.0 as f64;
        self.gathered += PROPORTIONAL * self.packet * self.scale() * target * octets as f64 * room;
    }

    fn decrease(&mut self, now: Time) {
        self.fast = false;
        self.at_once = 0;
        let target = self.target.0 as f64;
        let rested = self.decreased.is_none_or(|at| now.since(at) > self.base_rtt);
        if self.mean_delay > target && rested {
            let share = 1.0 - DECREASE * (self.mean_delay - target) / self.mean_delay;
            self.window *= share.max(MOST_DECREASE);
            self.decreased = Some(now);
        }
    }

    /// Increases take effect.
    fn adjust(&mut self, now: Time) {
        self.window += self.gathered / self.window;
        if now.since(self.adjusted) >= self.base_rtt {
            self.window += ALWAYS * self.packet * self.scale();
            self.adjusted = now;
        }
        self.gathered = 0.0;
        self.came = 0;
    }
}

impl Rule for Nscc {
    type Options = Options;

    fn new(options: &Options, terms: &Terms) -> Self {
        let mut rule = Self {
            packet: terms.packet as f64,
            bits_per_second: terms.rate.as_f64(),
            base_rtt: terms.base_rtt,
            target: terms.base_rtt.scaled(options.target_delay),
            largest: options.largest,
            quick_adapt: options.quick_adapt,
            window: options.initial * terms.path(),
            mean_delay: 0.0,
            gathered: 0.0,
            came: 0,
            adjusted: Time::ZERO,
            decreased: None,
            at_once: 0,
            fast: false,
            quick: Quick::default(),
        };
        rule.limit();
        rule
    }

    fn check(options: &Options, found: &mut Mistakes) {
        let mut within = |key, value: f64, (min, max): (f64, f64), accepted: &str| {
            found.number(key, value, (min..=max).contains(&value), accepted);
        };
        within("window.target-delay", options.target_delay, (0.01, 100.0), "0.01 to 100");
        within("window.largest", options.largest, (0.1, 1000.0), "0.1 to 1000");
        within("window.initial", options.initial, (0.01, 1000.0), "0.01 to 1000");
    }

    fn window(&self) -> f64 {
        self.window
    }

    fn on_delivered(&mut self, delivered: &Delivered) {
        let &Delivered { now, octets, in_flight, marked, rtt } = delivered;
        self.quick.achieved += octets;
        self.quick.ignored += octets;
        self.came += octets;
        self.base_rtt = self.base_rtt.min(rtt);
        let delay = rtt.saturating_sub(self.base_rtt);
        self.average(delay, marked);
        if self.adapts(now, marked, delay.0 > LATE * self.target.0, in_flight) {
            return;
        }
        match marked {
            false => self.increase(delay, octets),
            true if delay >= self.target => self.decrease(now),
            true => {}
        }
        self.limit();
        let waited = now.since(self.adjusted) > self.base_rtt;
        if self.came as f64 > GATHERED as f64 * self.packet || waited {
            self.adjust(now);
        }
        self.limit();
    }

    fn on_nack(&mut self, missing: &Missing) {
        self.quick.ignored += missing.octets;
        // A queue that trims is full: its delay is taken for a round-trip time.
        self.average(self.base_rtt, true);
        self.quick.is_due = true;
        if !self.adapts(missing.now, true, true, missing.in_flight) {
            self.on_loss(missing);
        }
    }

    fn on_loss(&mut self, missing: &Missing) {
        self.window -= missing.octets as f64;
        self.limit();
    }
}

#[cfg(test)]
mod tests {
    use units::Rate;

    use super::*;

    /// The path for which the constants were chosen: 100 Gb/s, 12 µs, 150,000 B; packets of 5000 B on the wire.
    const TERMS: Terms =
        Terms { packet: 5_000, rate: Rate(100_000_000_000), base_rtt: Span::from_us(12) };

    fn nscc(initial: f64) -> Nscc {
        Nscc::new(&Options { initial, ..Options::default() }, &TERMS)
    }

    /// Packets are answered one after the other, each a microsecond later than the one before, from `from` on; the
    /// window after them.
    fn answered(rule: &mut Nscc, (from, count): (u64, u64), wait: u64, marked: bool) -> f64 {
        for at in 0..count {
            rule.on_delivered(&Delivered {
                now: Time::ZERO + Span::from_us(from + at),
                octets: 5_000,
                in_flight: 50_000,
                marked,
                rtt: Span::from_us(12 + wait),
            });
        }
        rule.window()
    }

    fn assert_about(found: f64, by_hand: f64, share: f64) {
        assert!((found / by_hand - 1.0).abs() < share, "{found} instead of {by_hand}");
    }

    /// The target is 9 µs: at a delay of 4.5 µs a window's worth of octets adds 4 packets · 9/12 · ½, 7,500 B, and each
    /// 12 µs add 0.15 packets. Ten packets are half a window of 100,000 B: after the ninth the increase of nine takes
    /// effect.
    #[test]
    fn unmarked_packets_that_came_early_add_in_proportion() {
        let mut rule = nscc(2.0 / 3.0);
        assert_about(rule.window(), 100_000.0, 1e-9);
        let by_hand = 100_000.0 + 0.45 * 4.0 * 5_000.0 * 0.75 * 5.0 / 9.0;
        assert_about(answered(&mut rule, (1, 9), 4, false), by_hand, 1e-9);
    }

    /// At the target or later nine packets of 100,000 B add 0.45 of 5 packets.
    #[test]
    fn unmarked_packets_that_came_late_add_alike() {
        for wait in [9, 12] {
            let mut rule = nscc(2.0 / 3.0);
            let by_hand = 100_000.0 + 0.45 * 5.0 * 5_000.0;
            assert_about(answered(&mut rule, (1, 9), wait, false), by_hand, 1e-9);
        }
    }

    /// Where nothing waits for a window's worth of octets, each octet adds a quarter.
    #[test]
    fn without_a_wait_the_window_grows_fast() {
        let mut rule = nscc(1.0 / 3.0);
        // 50,000 B have come with the tenth packet, but the increases of the first nine have taken effect.
        answered(&mut rule, (1, 13), 0, false);
        let windows: Vec<f64> = (14..26).map(|at| answered(&mut rule, (at, 1), 0, false)).collect();
        let steps = windows.windows(2).map(|pair| pair[1] - pair[0]);
        let (quarters, more): (Vec<f64>, Vec<f64>) =
            steps.partition(|step| (step - 1_250.0).abs() < 1e-6);
        // What is always added comes once in 12 µs, with what is left of the first increases.
        assert!(quarters.len() >= 10 && more.iter().all(|step| *step > 1_250.0), "{windows:?}");
    }

    #[test]
    fn a_mark_without_a_wait_changes_nothing() {
        let mut rule = nscc(2.0 / 3.0);
        assert_about(answered(&mut rule, (1, 8), 4, true), 100_000.0, 1e-9);
    }

    /// The mean delay follows slowly: of a delay of 27 µs, three targets, 1 − 0.9875ⁿ after n packets. It exceeds the
    /// target with the 33rd: then the window shrinks once a round-trip time, by 0.8 of the excess.
    #[test]
    fn marked_packets_that_came_late_shrink_the_window_once_a_round_trip() {
        let mut rule = nscc(1.0);
        let mean = |n: i32| 27.0 * (1.0 - 0.9875_f64.powi(n));
        assert!(mean(32) < 9.0 && mean(33) > 9.0);
        let before = answered(&mut rule, (1, 32), 27, true);
        let once = answered(&mut rule, (33, 1), 27, true);
        assert_about(once, before * (1.0 - 0.8 * (mean(33) - 9.0) / mean(33)), 1e-9);
        // Not within 12 µs again, but for what is always added.
        let later = answered(&mut rule, (34, 12), 27, true);
        assert!(later >= once && later < once + 1_000.0);
        let twice = answered(&mut rule, (46, 1), 27, true);
        assert_about(twice, later * (1.0 - 0.8 * (mean(46) - 9.0) / mean(46)), 1e-9);
    }

    /// Each trimmed packet takes itself off the window, until a period of 21 µs ends in which less than an eighth of the
    /// largest window, 28,125 B, has arrived: then the window is what has arrived.
    #[test]
    fn trimmed_packets_make_the_window_what_has_arrived() {
        let mut rule = nscc(1.0);
        let trimmed = |rule: &mut Nscc, at: u64| {
            let now = Time::ZERO + Span::from_us(at);
            rule.on_nack(&Missing { now, octets: 5_000, in_flight: 50_000 });
            rule.window()
        };
        // The first one begins a period.
        assert_about(trimmed(&mut rule, 1), 145_000.0, 1e-9);
        assert_about(trimmed(&mut rule, 5), 140_000.0, 1e-9);
        let before = answered(&mut rule, (6, 4), 20, true);
        assert_about(before, 140_000.0, 1e-9);
        assert_about(trimmed(&mut rule, 23), 20_000.0, 1e-9);
        // Marks of what was in flight then say nothing: 50,000 B.
        assert_about(answered(&mut rule, (24, 9), 27, true), 20_000.0, 1e-9);
    }

    #[test]
    fn the_window_stays_between_a_packet_and_its_largest() {
        let mut rule = nscc(1.5);
        assert_about(answered(&mut rule, (1, 500), 0, false), 225_000.0, 1e-9);
        let mut rule = nscc(0.01);
        let missing = Missing { now: Time::ZERO, octets: 5_000, in_flight: 0 };
        rule.on_loss(&missing);
        assert_about(rule.window(), 5_000.0, 1e-9);
    }
}
