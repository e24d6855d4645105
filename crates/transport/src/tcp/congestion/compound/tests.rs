//! Compound TCP's windows, worked by hand. α win^¾ − 1 is 0 at 16 segments, 7 at 256 and 124 at 10,000.

use units::Time;

use super::*;
use crate::tcp::congestion::Sizes;
use crate::tcp::congestion::window::tests::{STANDARD, sizes};
use crate::tcp::congestion::window::whole;

const SEGMENT: u64 = 1000;

/// In congestion avoidance from the start.
fn compound(segments: u64, max: u64, options: &Options) -> Compound {
    let ssthresh = segments * SEGMENT;
    Compound::new(Window::new(&Sizes { ssthresh, max, ..sizes(segments) }, &STANDARD), options)
}

fn plain(segments: u64) -> Compound {
    compound(segments, u64::MAX, &Options::default())
}

fn measure(rule: &mut Compound, ms: u64) {
    let rtt = Some(Span::from_ms(ms));
    rule.on_delivered(&Delivered { now: Time::ZERO, octets: 1, marked: 0, ack: 1, next: 2, rtt });
}

fn ack(rule: &mut Compound) {
    rule.on_ack(&Acked {
        now: Time::ZERO,
        octets: SEGMENT,
        srtt: Span::from_ms(100),
        after_timeout: false,
        may_grow: true,
    });
}

/// A round trip of so many milliseconds: a window of segments is acknowledged one by one, each with its
/// measurement.
fn round(rule: &mut Compound, ms: u64) {
    let segments = rule.round.map_or(rule.win(), |round| round.left / SEGMENT as f64).ceil();
    for _ in 0..whole(segments) {
        measure(rule, ms);
        ack(rule);
    }
}

fn lose(rule: &mut Compound, signal: Signal) {
    let basis = whole(rule.window.cwnd);
    rule.on_loss(&Congested { now: Time::ZERO, signal, basis });
}

fn is(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} for {expected}");
}

/// The first measurement belongs to the round before, which was none: from the second acknowledgment on
/// the round trip is 100 ms, the shortest, and the backlog 0.
#[test]
fn the_delay_window_grows_by_the_power_of_the_window_a_round_trip() {
    let mut rule = plain(256);
    round(&mut rule, 100);
    is(rule.dwnd, 7.0, 1e-12);
    // 256 acknowledgments of 1/win: a segment but for 0.2%, since win grows.
    is(rule.win(), 256.0 + 1.0 + 7.0, 0.003);
    let win = rule.win();
    round(&mut rule, 100);
    is(rule.dwnd, 7.0 + win.powf(0.75) / 8.0 - 1.0, 1e-9);
    is(rule.dwnd, 14.187, 0.001);
    is(rule.win(), win + 1.0 + 7.187, 0.004);
}

#[test]
fn below_sixteen_segments_it_is_reno() {
    let mut rule = plain(10);
    let mut reno =
        super::super::Reno::new(rule.window.clone(), &super::super::reno::Options::default());
    for _ in 0..60 {
        measure(&mut rule, 100);
        ack(&mut rule);
        let acked = Acked {
            now: Time::ZERO,
            octets: SEGMENT,
            srtt: Span::ZERO,
            after_timeout: false,
            may_grow: true,
        };
        reno.on_ack(&acked);
        is(rule.window.cwnd, reno.window().cwnd, 1e-6);
    }
    assert!(rule.win() > 14.0 && rule.dwnd == 0.0);
}

/// diff = 256 (1 − 100/110) = 23.3 segments is below γ; 264 (1 − 100/125) = 52.8 is above it, and more
/// than dwnd, which becomes nothing.
#[test]
fn the_delay_window_gives_way_when_the_backlog_reaches_gamma() {
    let mut rule = plain(256);
    measure(&mut rule, 100);
    round(&mut rule, 110);
    is(rule.dwnd, 7.0, 1e-12);
    let win = rule.win();
    round(&mut rule, 125);
    is(rule.dwnd, 0.0, 1e-12);
    is(rule.win(), win + 1.0 - 7.0, 0.004);
}

/// dwnd = 200 of 1200: the backlog 1200 (1 − 100/104) is 46.2 segments, and as many go.
#[test]
fn the_delay_window_shrinks_by_the_backlog() {
    let mut rule = plain(1200);
    rule.dwnd = 200.0;
    measure(&mut rule, 100);
    round(&mut rule, 104);
    is(rule.dwnd, 200.0 - 1200.0 * 4.0 / 104.0, 1e-9);
    is(rule.win(), 1000.0 + 1.0 + rule.dwnd, 0.002);
}

/// 1000 of cwnd and 200 of dwnd: 1200 (1 − ½) − 1000/2 = 100.
#[test]
fn a_loss_halves_both_windows() {
    let mut rule = plain(1200);
    rule.dwnd = 200.0;
    lose(&mut rule, Signal::Loss);
    is(rule.win(), 600.0, 1e-9);
    is(rule.dwnd, 100.0, 1e-9);
    // Less in flight than the window allows: dwnd gives way first.
    let now = Time::ZERO;
    rule.on_loss(&Congested { now, signal: Signal::Loss, basis: 540 * SEGMENT });
    is(rule.win(), 270.0, 1e-9);
    is(rule.dwnd, 20.0, 1e-9);
    rule.on_loss(&Congested { now, signal: Signal::Loss, basis: 200 * SEGMENT });
    is(rule.win(), 100.0, 1e-9);
    is(rule.dwnd, 0.0, 1e-9);
}

#[test]
fn a_delay_window_that_gives_way_below_ssthresh_starts_no_slow_start() {
    let mut rule = plain(1200);
    rule.dwnd = 800.0;
    lose(&mut rule, Signal::Loss);
    is(rule.window.ssthresh, 600_000.0, 1e-6);
    measure(&mut rule, 100);
    // 600 (1 − 100/200) = 300 of 400 go.
    round(&mut rule, 200);
    is(rule.dwnd, 100.0, 1e-9);
    let win = rule.win();
    is(win, 301.0, 0.01);
    ack(&mut rule);
    is(rule.win(), win + 1.0 / win, 1e-9);
}

#[test]
fn after_a_timeout_there_is_no_delay_window_until_slow_start_is_over() {
    let mut rule = plain(1200);
    rule.dwnd = 200.0;
    lose(&mut rule, Signal::Timeout);
    is(rule.win(), 1.0, 1e-12);
    is(rule.dwnd, 0.0, 1e-12);
    for _ in 0..599 {
        measure(&mut rule, 100);
        ack(&mut rule);
    }
    is(rule.win(), 600.0, 1e-9);
    is(rule.dwnd, 0.0, 1e-12);
    round(&mut rule, 100);
    is(rule.dwnd, 600_f64.powf(0.75) / 8.0 - 1.0, 1e-9);
}

/// Without timestamps there is one measurement a round trip, and it may come with the acknowledgment
/// that begins a round: it counts for that round.
#[test]
fn one_measurement_a_round_trip_is_enough() {
    let mut rule = plain(256);
    for _ in 0..3 {
        let left = rule.round.map_or(rule.win(), |round| round.left / SEGMENT as f64).ceil();
        measure(&mut rule, 100);
        (0..whole(left)).for_each(|_| ack(&mut rule));
    }
    // None in the first round, where the one came too early: two rounds of growth.
    is(rule.dwnd, 14.3, 0.2);
    let mut blind = plain(256);
    (0..2000).for_each(|_| ack(&mut blind));
    is(blind.dwnd, 0.0, 1e-12);
}

/// Half the backlog of cwnd alone: 1000 (1 − 100/102) = 19.6 segments; three quarters of it are 14.7,
/// and γ goes half of the way from 30. Backlogs of nothing leave 5.
#[test]
fn gamma_is_tuned_to_what_reno_has_queued() {
    let tuning = Options { gamma_tuning: true, ..Options::default() };
    let mut rule = compound(1000, u64::MAX, &tuning);
    measure(&mut rule, 100);
    round(&mut rule, 102);
    lose(&mut rule, Signal::Loss);
    is(rule.gamma, 30.0 + 0.5 * (0.75 * 1000.0 * 2.0 / 102.0 - 30.0), 1e-9);
    let tuned = rule.gamma;
    // One backlog serves one loss.
    lose(&mut rule, Signal::Loss);
    is(rule.gamma, tuned, 1e-12);
    for _ in 0..5 {
        round(&mut rule, 100);
        lose(&mut rule, Signal::Loss);
    }
    is(rule.gamma, 5.0, 1e-12);
    let mut fixed = plain(1000);
    measure(&mut fixed, 100);
    round(&mut fixed, 102);
    lose(&mut fixed, Signal::Loss);
    is(fixed.gamma, 30.0, 1e-12);
}

#[test]
fn the_largest_window_cuts_off_the_delay_window() {
    let mut rule = compound(256, 260 * SEGMENT, &Options::default());
    round(&mut rule, 100);
    is(rule.win(), 260.0, 1e-9);
    is(rule.dwnd, 3.0, 0.003);
}
