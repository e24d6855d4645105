//! The example test cases of the draft (its last appendix), in its order, over a path with one bottleneck.

use units::{Rate, Span, Time};

use super::super::window::tests::{STANDARD, sizes};
use super::super::{Any, Options as AnyOptions};
use super::flow::{Flow, LOSS_THRESHOLD, State};
use super::*;
use crate::profile::Profile;
use crate::tcp::config::{Config, TcpOptions, resolve};
use crate::tcp::path::{Fate, Path};

const RTT: Span = Span::from_ms(40);
const MBIT: u64 = 1_000_000;
/// 100 Mb/s for 40 ms.
const BDP: u64 = 500_000;
/// The share of data in what is sent.
const DATA: f64 = 1448.0 / 1488.0;

fn config() -> Config {
    let congestion = Some(AnyOptions::Bbr3(Options::default()));
    resolve(Profile::Modern, &TcpOptions { congestion, ..TcpOptions::default() }).unwrap()
}

fn path(buffer: u64) -> Path {
    Path::new(Rate(100 * MBIT), RTT, buffer, &[config()])
}

fn flow(path: &Path) -> &Flow {
    match &path.sender().congestion().rule {
        Any::Bbr3(rule) => &rule.flow,
        other => panic!("{other:?}"),
    }
}

/// Runs until the flow is in a state, which it must reach within ten seconds.
fn reach(path: &mut Path, state: State) {
    let end = path.now + Span::from_secs(10);
    assert!(path.run_until(end, |path| flow(path).state == state), "never {state:?}");
}

/// Runs until the flow leaves its state, and says which one follows.
fn leave(path: &mut Path, within: Span) -> State {
    let (end, before) = (path.now + within, flow(path).state);
    assert!(path.run_until(end, |path| flow(path).state != before), "stays in {before:?}");
    flow(path).state
}

/// A greedy flow over a path without losses, in a state.
fn greedy(buffer: u64, state: State) -> Path {
    let mut path = path(buffer);
    path.offer(0, u64::MAX);
    reach(&mut path, state);
    path
}

/// Writes a few segments every 10 ms, far less than the path carries: 2.3 Mb/s.
fn write_slowly(path: &mut Path, times: u32, done: impl Fn(&Path) -> bool) -> bool {
    for _ in 0..times {
        path.offer(0, 2 * 1448);
        if path.run_until(path.now + Span::from_ms(10), &done) {
            return true;
        }
    }
    false
}

fn close(found: f64, expected: f64, share: f64) {
    assert!((found / expected - 1.0).abs() < share, "{found} for {expected}");
}

/// What the bottleneck delivers in octets of data per second.
fn delivery_rate(path: &Path) -> f64 {
    path.rate.0 as f64 / 8.0 * DATA
}

#[test]
fn startup_ends_when_three_rounds_bring_no_quarter_more() {
    let mut path = path(10 * BDP);
    path.offer(0, u64::MAX);
    path.run_until(path.now + Span::from_secs(1), |path| flow(path).state != State::Startup);
    let flow = flow(&path);
    assert_eq!(flow.state, State::Drain);
    assert!(flow.plateau.now && flow.plateau.reached);
    close(flow.max_bw(), delivery_rate(&path), 0.02);
    assert_eq!(path.dropped, 0);
}

#[test]
fn startup_ends_with_losses_even_where_the_application_is_the_limit() {
    let mut path = path(10 * BDP);
    // A write of more segments at a time, so that a round holds six ranges of lost octets.
    for step in 0..200 {
        if step == 21 {
            path.lose_one_in(3);
        }
        path.offer(0, 10 * 1448);
        path.run_for(Span::from_ms(10));
        if flow(&path).state != State::Startup {
            break;
        }
    }
    let flow = flow(&path);
    assert!(flow.plateau.now && flow.plateau.reached);
    assert!(flow.state != State::Startup && flow.inflight_longterm.is_finite());
    assert!(flow.max_bw() < 0.5 * delivery_rate(&path), "the samples are the application's");
}

#[test]
fn drain_ends_when_what_is_in_flight_is_what_the_path_holds() {
    let mut path = greedy(10 * BDP, State::Drain);
    assert!((flow(&path).pacing_gain - 0.5).abs() < 1e-12);
    let most = flow(&path).inflight(flow(&path).bw, 1.0);
    assert!(path.sender().flight() as f64 > most);
    let start = flow(&path).drain_start;
    // There is room for others at once, so that the phase after it has ended with the same acknowledgment.
    assert_eq!(leave(&mut path, Span::from_secs(1)), State::Cruise);
    assert!(path.sender().flight() as f64 <= most + 1448.0);
    assert!(flow(&path).rounds.count <= start + 3);
}

/// A sample of a round trip each, at this rate and with so much in flight.
fn round(rule: &mut Bbr3, number: u64, rate: f64, in_flight: u64) -> State {
    let delivered = number * 100_000;
    rule.on_sample(&RateSample {
        now: Time::ZERO + Span(RTT.0 * number),
        rate,
        delivered: 100_000,
        prior_delivered: delivered,
        total_delivered: delivered + 100_000,
        newly_delivered: 100_000,
        newly_lost: 0,
        lost: 0,
        sent_in_flight: in_flight,
        in_flight,
        rtt: Some(RTT),
        app_limited: false,
        window_limited: true,
        recovers: false,
        repairs: false,
    });
    rule.flow.state
}

#[test]
fn drain_ends_after_three_rounds_where_more_stays_in_flight() {
    let mut rule = Bbr3::new(Window::new(&sizes(10), &STANDARD), &Options::default());
    // 10 MB/s and 40 ms: 400 kB.
    let startup = (0..4).map(|number| round(&mut rule, number, 1e7, 800_000));
    assert_eq!(startup.last(), Some(State::Drain));
    let drain: Vec<State> = (4..9).map(|n| round(&mut rule, n, 1e7, 600_000)).collect();
    let [a, b, c, d, _] = drain[..] else { panic!("five rounds") };
    assert_eq!((a, b, c, d), (State::Drain, State::Drain, State::Drain, State::Down));
}

#[test]
fn a_probe_ends_on_a_plateau() {
    let mut path = greedy(10 * BDP, State::Up);
    let start = flow(&path).rounds.count;
    assert!((flow(&path).pacing_gain - 1.25).abs() < 1e-12);
    assert!((flow(&path).cwnd_gain - 2.25).abs() < 1e-12);
    assert_eq!(leave(&mut path, Span::from_secs(2)), State::Down);
    assert!(flow(&path).plateau.now);
    assert!((3..=4).contains(&(flow(&path).rounds.count - start)));
    assert_eq!(path.dropped, 0);
}

#[test]
fn a_probe_ends_with_losses_even_where_the_application_is_the_limit() {
    let mut path = path(10 * BDP);
    path.offer(0, 20_000_000);
    reach(&mut path, State::Cruise);
    path.run_for(Span::from_secs(2));
    assert!(write_slowly(&mut path, 1000, |path| flow(path).state == State::Up));
    path.lose_one_in(3);
    assert!(write_slowly(&mut path, 100, |path| flow(path).state != State::Up));
    assert_eq!(flow(&path).state, State::Down);
    assert!(flow(&path).probe.was_too_high);
    // The samples say nothing about the path, so that the long-term bound stays.
    assert!(flow(&path).app_limited);
}

#[test]
fn neither_startup_nor_a_probe_ends_where_the_application_is_the_limit_and_nothing_is_lost() {
    let mut path = path(10 * BDP);
    assert!(!write_slowly(&mut path, 400, |path| flow(path).state != State::Startup));
    let mut path = self::path(10 * BDP);
    path.offer(0, 20_000_000);
    reach(&mut path, State::Cruise);
    path.run_for(Span::from_secs(2));
    assert!(write_slowly(&mut path, 1000, |path| flow(path).state == State::Up));
    assert!(!write_slowly(&mut path, 100, |path| flow(path).state == State::Down));
}

#[test]
fn the_phase_that_drains_ends_with_room_for_others() {
    let mut path = greedy(10 * BDP, State::Up);
    assert_eq!(leave(&mut path, Span::from_secs(2)), State::Down);
    assert!((flow(&path).pacing_gain - 0.9).abs() < 1e-12);
    assert_eq!(leave(&mut path, Span::from_secs(2)), State::Cruise);
    let flow = flow(&path);
    let in_flight = path.sender().flight() as f64;
    assert!(in_flight <= flow.inflight_with_headroom());
    assert!(in_flight <= flow.inflight(flow.max_bw(), 1.0) + 1448.0);
}

#[test]
fn the_phase_that_drains_ends_when_it_is_time_to_probe() {
    // 86 segments: after 63 rounds, 0.63 s.
    let mut path = Path::new(Rate(100 * MBIT), Span::from_ms(10), 10 * BDP, &[config()]);
    path.offer(0, u64::MAX);
    reach(&mut path, State::Up);
    assert_eq!(leave(&mut path, Span::from_secs(2)), State::Down);
    path.rate = Rate(85 * MBIT);
    assert_eq!(leave(&mut path, Span::from_secs(4)), State::Refill);
}

#[test]
fn the_round_trip_time_is_probed_every_five_seconds() {
    let mut path = greedy(10 * BDP, State::Cruise);
    reach(&mut path, State::ProbeRtt);
    let start = path.now;
    assert!((flow(&path).cwnd_gain - 0.5).abs() < 1e-12);
    assert_eq!(leave(&mut path, Span::from_secs(1)), State::Cruise);
    assert!(path.now.since(start) >= Span::from_ms(200));
    let end = path.now;
    reach(&mut path, State::ProbeRtt);
    close(path.now.since(end).as_secs_f64(), 5.0, 0.02);
    // Half of what the path holds was in flight.
    reach(&mut path, State::Cruise);
    close(flow(&path).min_rtt.min.unwrap().as_secs_f64(), 0.040, 0.01);
}

#[test]
fn an_idle_time_is_as_good_as_a_probe_of_the_round_trip_time() {
    let mut path = path(10 * BDP);
    path.offer(0, 5_000_000);
    reach(&mut path, State::Cruise);
    path.run_for(Span::from_secs(7));
    assert_eq!(path.sender().flight(), 0);
    path.offer(0, 1_000_000);
    assert!(flow(&path).idle_restart);
    let end = path.now + Span::from_ms(100);
    assert!(!path.run_until(end, |path| flow(path).state == State::ProbeRtt));
    assert!(!flow(&path).idle_restart);
}

#[test]
fn startup_finds_the_bandwidth_behind_a_link_that_aggregates() {
    let mut path = path(10 * BDP);
    path.ack_grid = Span::from_ms(15);
    path.offer(0, u64::MAX);
    reach(&mut path, State::Drain);
    let flow = flow(&path);
    // A sample spans whole bursts, two or three: it may be too high by one.
    let rate = flow.max_bw() / delivery_rate(&path);
    assert!((0.98..1.5).contains(&rate), "{rate}");
    assert!(flow.aggregation.filter.get() > 0.1 * BDP as f64);
    assert!(flow.window.cwnd > 2.0 * BDP as f64 * DATA);
}

#[test]
fn cruising_fills_the_path_behind_a_link_that_aggregates() {
    let mut path = path(10 * BDP);
    path.ack_grid = Span::from_ms(15);
    path.offer(0, u64::MAX);
    reach(&mut path, State::Cruise);
    // Of a cycle that lasts, acknowledgments come in bursts of 15 ms.
    assert!(flow(&path).aggregation.filter.get() > 0.2 * BDP as f64);
    let (start, before) = (path.now, path.sender().acked());
    path.run_until(start + Span::from_secs(4), |path| flow(path).state == State::ProbeRtt);
    let rate = (path.sender().acked() - before) as f64 / path.now.since(start).as_secs_f64();
    assert!(rate > 0.96 * delivery_rate(&path), "{rate}");
}

#[test]
fn four_packets_are_in_flight_where_the_path_holds_less_than_one() {
    let congestion = Some(AnyOptions::Bbr3(Options { quantum: Bytes(1) }));
    let options = TcpOptions { congestion, ..TcpOptions::default() };
    let config = resolve(Profile::Modern, &options).unwrap();
    let mut path = Path::new(Rate(MBIT), Span::from_ms(4), 100_000, &[config]);
    path.offer(0, u64::MAX);
    reach(&mut path, State::Cruise);
    // 500 octets; the budget for offload is three quanta of two segments.
    assert!(flow(&path).window.cwnd >= 4.0 * 1448.0);
    let (start, before) = (path.now, path.sender().acked());
    path.run_for(Span::from_secs(2));
    let rate = (path.sender().acked() - before) as f64 / path.now.since(start).as_secs_f64();
    close(rate, delivery_rate(&path), 0.05);
}

#[test]
fn ten_times_the_bandwidth_is_found_in_a_logarithmic_number_of_rounds() {
    let mut path = Path::new(Rate(10 * MBIT), RTT, 25_000, &[config()]);
    path.offer(0, u64::MAX);
    reach(&mut path, State::Cruise);
    path.run_for(Span::from_secs(2));
    path.rate = Rate(100 * MBIT);
    path.buffer = 250_000;
    reach(&mut path, State::Up);
    let (start, found) = (flow(&path).rounds.count, 0.9 * delivery_rate(&path));
    let end = path.now + Span::from_secs(10);
    assert!(path.run_until(end, |path| flow(path).max_bw() > found));
    let rounds = flow(&path).rounds.count - start;
    // Ten times are a quarter more ten times over, in one probe.
    assert!(rounds <= 25, "{rounds}");
}

#[test]
fn a_tenth_of_the_bandwidth_is_found_in_two_cycles() {
    let mut path = greedy(BDP, State::Cruise);
    path.rate = Rate(10 * MBIT);
    path.buffer = BDP / 10;
    let end = path.now + Span::from_secs(1);
    assert!(path.run_until(end, |path| flow(path).bw_shortterm.is_finite()));
    for _ in 0..3 {
        reach(&mut path, State::Refill);
        reach(&mut path, State::Down);
    }
    path.run_for(Span::from_secs(1));
    close(flow(&path).max_bw(), delivery_rate(&path), 0.1);
}

#[test]
fn a_policer_is_followed() {
    let mut path = path(10 * BDP);
    path.police();
    path.offer(0, u64::MAX);
    path.run_for(Span::from_secs(5));
    path.passed = (0, 0);
    let before = path.sender().acked();
    let mut has_shortterm = false;
    for _ in 0..2000 {
        path.run_for(Span::from_ms(10));
        has_shortterm |= flow(&path).bw_shortterm.is_finite();
    }
    let rate = (path.sender().acked() - before) as f64 / 20.0;
    let (in_all, lost) = path.passed;
    assert!(has_shortterm);
    assert!(rate > 0.8 * 1.25e6 * DATA, "{rate}");
    assert!((lost as f64) < 0.06 * in_all as f64, "{lost} of {in_all}");
}

/// The next segments are late by so much.
fn delay(path: &mut Path, segments: u32, by: Span) {
    let mut left = segments;
    path.fate = Box::new(move |_, segment| {
        let is_late = left > 0 && segment.len > 0;
        left -= u32::from(is_late);
        Fate::Late(if is_late { by } else { Span::ZERO })
    });
}

#[test]
fn a_fast_recovery_that_proves_to_be_spurious_ends_no_probe() {
    let mut path = greedy(10 * BDP, State::Up);
    let before = path.sender().counters().undone;
    // A burst of 3% of what is in flight is late by more than the reordering window of a quarter of a round.
    delay(&mut path, 15, Span::from_ms(30));
    assert_eq!(leave(&mut path, Span::from_secs(1)), State::Down);
    assert_eq!(path.sender().counters().fast_retransmits, 1);
    let end = path.now + Span::from_secs(1);
    assert!(path.run_until(end, |path| path.sender().counters().undone > before));
    let flow = flow(&path);
    assert!(matches!(flow.state, State::Refill | State::Up), "{:?}", flow.state);
    assert!(flow.bw_shortterm.is_infinite() && flow.inflight_shortterm.is_infinite());
}

#[test]
fn a_timeout_that_proves_to_be_spurious_restores_the_window() {
    let mut path = greedy(10 * BDP, State::Cruise);
    path.run_for(Span::from_ms(500));
    let before = flow(&path).window.cwnd;
    // Everything stands still for longer than the timeout.
    let (start, still) = (path.now, Span::from_ms(1500));
    path.fate = Box::new(move |now, _| Fate::Late(Span(still.0.saturating_sub((now - start).0))));
    let end = path.now + Span::from_secs(2);
    assert!(path.run_until(end, |path| path.sender().counters().timeouts > 0));
    assert!(flow(&path).window.cwnd < 0.1 * before);
    let end = path.now + Span::from_secs(4);
    assert!(path.run_until(end, |path| path.sender().counters().undone > 0));
    assert!(flow(&path).window.cwnd >= 0.9 * before, "{} {before}", flow(&path).window.cwnd);
}

#[test]
fn a_probe_of_the_round_trip_time_during_startup_returns_to_it() {
    let mut path = path(10 * BDP);
    assert!(!write_slowly(&mut path, 450, |path| flow(path).state == State::ProbeRtt));
    // 4.5 s of a slow startup; more data than can be sent until the interval ends are written now.
    path.rate = Rate(2 * MBIT);
    path.offer(0, u64::MAX);
    let end = path.now + Span::from_secs(2);
    let probes = |path: &Path| flow(path).state != State::Startup;
    if path.run_until(end, probes) && flow(&path).state == State::ProbeRtt {
        assert!(!flow(&path).plateau.reached);
        assert_eq!(leave(&mut path, Span::from_secs(2)), State::Startup);
    } else {
        panic!("{:?}", flow(&path).state);
    }
}

#[test]
fn losses_end_a_probe_and_lower_the_long_term_bound() {
    // A buffer of a tenth: startup ends with losses, and sets the bound.
    let mut path = greedy(BDP / 10, State::Cruise);
    assert!(flow(&path).inflight_longterm.is_finite());
    reach(&mut path, State::Up);
    path.lose_one_in(10);
    let end = path.now + Span::from_secs(1);
    assert!(path.run_until(end, |path| flow(path).probe.was_too_high));
    let flow = flow(&path);
    assert_eq!(flow.state, State::Down);
    assert!(flow.inflight_longterm >= 0.7 * flow.target_inflight());
    assert!(flow.inflight_longterm <= 1.3 * BDP as f64, "{}", flow.inflight_longterm);
}

#[test]
fn an_application_that_pauses_while_the_path_is_filled_lowers_no_estimate() {
    let mut path = path(10 * BDP);
    // 3 MB before each write: the flow is greedy, and can be paused.
    for _ in 0..200 {
        path.offer(0, 125_000);
        path.run_until(path.now + Span::from_ms(10), |path| flow(path).state == State::Refill);
        if flow(&path).state == State::Refill {
            break;
        }
    }
    if flow(&path).state != State::Refill {
        assert!(write_slowly(&mut path, 600, |path| flow(path).state == State::Refill));
    }
    let before = flow(&path).max_bw();
    assert!(write_slowly(&mut path, 100, |path| flow(path).state == State::Up));
    assert!(flow(&path).max_bw() >= before);
}

#[test]
fn what_is_lost_is_compared_with_what_was_in_flight() {
    assert!(Flow::is_too_high(21.0, 1000.0) && !Flow::is_too_high(20.0, 1000.0));
    assert!((LOSS_THRESHOLD - 0.02).abs() < 1e-12);
}
