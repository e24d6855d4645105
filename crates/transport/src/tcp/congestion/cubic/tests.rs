//! CUBIC's curve against RFC 9438's equations.

use super::*;
use crate::tcp::congestion::window::tests::{STANDARD, sizes};
use crate::tcp::congestion::window::whole;
use crate::tcp::congestion::{Growth, Sizes};

const SEGMENT: u64 = 1000;

fn cubic(initial_segments: u64) -> Cubic {
    let sizes = Sizes { growth: Growth::Bytes, ..sizes(initial_segments) };
    Cubic::new(Window::new(&sizes, &STANDARD), &Options::default())
}

fn lose(cubic: &mut Cubic, seconds: f64) {
    cubic.on_loss(&Congested {
        now: Time::ZERO + Span::from_secs_f64(seconds),
        signal: Signal::Loss,
        basis: whole(cubic.window.cwnd),
    });
}

fn ack(cubic: &mut Cubic, seconds: f64, rtt: Span) {
    cubic.on_ack(&Acked {
        now: Time::ZERO + Span::from_secs_f64(seconds),
        octets: SEGMENT,
        srtt: rtt,
        after_timeout: false,
        may_grow: true,
    });
}

fn segments(cubic: &Cubic) -> f64 {
    cubic.window.cwnd / SEGMENT as f64
}

/// Acknowledges whole windows, a round trip each, from `from` to `to` seconds.
fn run(cubic: &mut Cubic, from: f64, to: f64, rtt: f64) {
    let mut now = from;
    while now < to - 1e-6 {
        let window = segments(cubic);
        let step = rtt / window;
        for i in 0..whole(window) {
            ack(cubic, now + i as f64 * step, Span::from_secs_f64(rtt));
        }
        now += rtt;
    }
}

#[test]
fn a_loss_leaves_seven_tenths_of_the_window() {
    let mut cubic = cubic(1000);
    lose(&mut cubic, 1.0);
    assert!((segments(&cubic) - 700.0).abs() < 1e-9);
    assert!((cubic.window.ssthresh - 700_000.0).abs() < 1e-6);
}

#[test]
fn the_curve_returns_to_w_max_after_k_and_is_flat_there() {
    let mut cubic = cubic(1000);
    lose(&mut cubic, 0.0);
    ack(&mut cubic, 0.0, Span::from_ms(100));
    // K = cbrt(1000 · 0.3 / 0.4) = cbrt(750) = 9.0856 s.
    assert!((cubic.k - 9.085_602_964).abs() < 1e-6);
    run(&mut cubic, 0.0, 9.085_6, 0.1);
    assert!((segments(&cubic) - 1000.0).abs() < 0.5, "{}", segments(&cubic));
}

#[test]
fn the_window_follows_the_cubic_one_round_trip_ahead() {
    let mut cubic = cubic(1000);
    lose(&mut cubic, 0.0);
    let rtt = 0.1;
    for until in [2.0, 5.0, 12.0, 15.0] {
        let mut fresh = cubic.clone();
        run(&mut fresh, 0.0, until, rtt);
        // W(t) = C (t − K)³ + W_max; the window lags its target t + RTT by about a round trip.
        let d: f64 = until - 9.085_602_964;
        let expected = 0.4 * d * d * d + 1000.0;
        let error = (segments(&fresh) - expected).abs() / expected;
        assert!(error < 0.01, "at {until} s: {} for {expected}", segments(&fresh));
    }
}

#[test]
fn fast_convergence_remembers_less_when_the_window_shrinks() {
    let mut cubic = cubic(1000);
    lose(&mut cubic, 0.0);
    assert!((cubic.w_max - 1000.0).abs() < 1e-9);
    lose(&mut cubic, 1.0);
    // 700 < 1000: W_max = 700 · (1 + 0.7) / 2 = 595.
    assert!((cubic.w_max - 595.0).abs() < 1e-9);
    assert!((segments(&cubic) - 490.0).abs() < 1e-9);
}

#[test]
fn a_short_round_trip_makes_it_as_fast_as_reno() {
    let mut cubic = cubic(20);
    lose(&mut cubic, 0.0);
    let before = segments(&cubic);
    // 14 segments, RTT 10 ms: the cubic needs cbrt(6/0.4) = 2.5 s to return to 20, Reno's window
    // with α = 0.529 only (20 − 14)/0.529 = 11.3 round trips.
    run(&mut cubic, 0.0, 0.1, 0.01);
    let gained = segments(&cubic) - before;
    assert!((4.8..=5.4).contains(&gained), "10 round trips of 0.529 segments: {gained}");
    run(&mut cubic, 0.1, 0.12, 0.01);
    let before = segments(&cubic);
    run(&mut cubic, 0.12, 0.22, 0.01);
    let gained = segments(&cubic) - before;
    assert!((9.0..=10.5).contains(&gained), "above the old window one a round trip: {gained}");
}

#[test]
fn after_a_timeout_the_curve_begins_at_its_flat_point() {
    let mut cubic = cubic(1000);
    let timeout = Congested { now: Time::ZERO, signal: Signal::Timeout, basis: 1_000_000 };
    cubic.on_loss(&timeout);
    assert!((segments(&cubic) - 1.0).abs() < 1e-9);
    assert!((cubic.window.ssthresh - 700_000.0).abs() < 1e-6);
    cubic.window.cwnd = cubic.window.ssthresh;
    ack(&mut cubic, 5.0, Span::from_ms(100));
    assert!(cubic.k.abs() < 1e-12);
    assert!((cubic.w_max - 700.0).abs() < 1e-9);
}

#[test]
fn time_in_which_the_application_is_the_limit_does_not_count() {
    let mut cubic = cubic(1000);
    lose(&mut cubic, 0.0);
    ack(&mut cubic, 0.0, Span::from_ms(100));
    let idle = Acked {
        now: Time::ZERO + Span::from_secs(100),
        octets: SEGMENT,
        srtt: Span::from_ms(100),
        after_timeout: false,
        may_grow: false,
    };
    cubic.on_ack(&idle);
    ack(&mut cubic, 100.0, Span::from_ms(100));
    assert!(segments(&cubic) < 701.0, "not 100 s of growth: {}", segments(&cubic));
}

fn linux(initial_segments: u64) -> Cubic {
    let sizes = Sizes { growth: Growth::Bytes, ..sizes(initial_segments) };
    Cubic::new(Window::new(&sizes, &STANDARD), &Options { law: Some(Law::Linux) })
}

#[test]
fn linux_goes_on_at_half_a_segment_above_the_old_window() {
    let mut cubic = linux(20);
    lose(&mut cubic, 0.0);
    run(&mut cubic, 0.0, 0.1, 0.01);
    let gained = segments(&cubic) - 14.0;
    assert!((4.3..=5.4).contains(&gained), "10 round trips of 0.529 segments: {gained}");
    // RFC 9438's gains 10 segments here (see above).
    run(&mut cubic, 0.1, 0.15, 0.01);
    let before = segments(&cubic);
    run(&mut cubic, 0.15, 0.25, 0.01);
    let gained = segments(&cubic) - before;
    assert!((4.8..=5.4).contains(&gained), "above the old window the same: {gained}");
}

#[test]
fn linux_returns_to_its_maximum_by_the_same_curve() {
    let mut cubic = linux(1000);
    lose(&mut cubic, 0.0);
    assert!((segments(&cubic) - 700.0).abs() < 1e-9);
    run(&mut cubic, 0.0, 9.085_6, 0.1);
    assert!((segments(&cubic) - 1000.0).abs() < 0.5, "{}", segments(&cubic));
}

#[test]
fn linux_grows_by_a_twentieth_a_round_trip_without_an_earlier_maximum() {
    let mut cubic = linux(1000);
    cubic.window.ssthresh = cubic.window.cwnd;
    run(&mut cubic, 0.0, 0.1, 0.1);
    let gained = segments(&cubic) / 1000.0;
    assert!((1.049..1.052).contains(&gained), "{gained}");
}

#[test]
fn linux_reduces_the_window_and_not_what_is_in_flight() {
    let mut cubic = linux(1000);
    let basis = 10 * SEGMENT;
    cubic.on_loss(&Congested { now: Time::ZERO, signal: Signal::Loss, basis });
    assert!((segments(&cubic) - 700.0).abs() < 1e-9);
}

#[test]
fn linux_looks_ahead_by_the_minimum_round_trip() {
    let grown = |least: u64| {
        let mut cubic = linux(1000);
        lose(&mut cubic, 0.0);
        let rtt = Some(Span::from_ms(least));
        let (now, ack, next) = (Time::ZERO, 1, 2);
        cubic.on_delivered(&Delivered { now, octets: 1, marked: 0, ack, next, rtt });
        ack_at(&mut cubic);
        segments(&cubic) - 700.0
    };
    // W(least) = 0.4 (least - K)³ + 1000 with K = 9.0856 s, over cwnd.
    for least in [10, 100] {
        let d = least as f64 / 1000.0 - 9.085_602_964;
        let expected = (0.4 * d * d * d + 300.0) / 700.0;
        assert!((grown(least) - expected).abs() < 1e-9, "{least} ms");
    }
}

fn ack_at(cubic: &mut Cubic) {
    ack(cubic, 0.0, Span::from_ms(500));
}
