//! Version 1 over a path with one bottleneck: the modes of the draft, and what Linux adds.

use units::{Rate, Span, Time};

use super::super::bbr::Plateau;
use super::super::{Any, Options as AnyOptions};
use super::flow::{Flow, Mode};
use super::policer::Policer;
use super::*;
use crate::profile::Profile;
use crate::tcp::config::{TcpOptions, resolve};
use crate::tcp::path::{Fate, Path};

const BDP: u64 = 500_000;
const DATA: f64 = 1448.0 / 1488.0;

fn path(buffer: u64) -> Path {
    let congestion = Some(AnyOptions::Bbr1(Options::default()));
    let options = TcpOptions { congestion, ..TcpOptions::default() };
    let config = resolve(Profile::Modern, &options).unwrap();
    let mut path = Path::new(Rate(100_000_000), Span::from_ms(40), buffer, &[config]);
    path.offer(0, u64::MAX);
    path
}

fn flow(path: &Path) -> &Flow {
    match &path.sender().congestion().rule {
        Any::Bbr1(rule) => &rule.flow,
        other => panic!("{other:?}"),
    }
}

fn reach(path: &mut Path, what: impl Fn(Mode) -> bool) {
    let end = path.now + Span::from_secs(15);
    assert!(path.run_until(end, |path| what(flow(path).mode)), "{:?}", flow(path).mode);
}

fn is_cycle(mode: Mode) -> bool {
    matches!(mode, Mode::ProbeBw(_))
}

fn delivery_rate() -> f64 {
    1.25e7 * DATA
}

#[test]
fn it_finds_the_bandwidth_drains_and_cycles() {
    let mut path = path(10 * BDP);
    reach(&mut path, |mode| mode == Mode::Drain);
    assert!((flow(&path).max_bw() / delivery_rate() - 1.0).abs() < 0.02);
    reach(&mut path, is_cycle);
    // Never in the phase that drains at first.
    assert_ne!(flow(&path).mode, Mode::ProbeBw(1));
    let (start, before) = (path.now, path.sender().acked());
    path.longest_wait = Span::ZERO;
    path.run_for(Span::from_secs(5));
    let rate = (path.sender().acked() - before) as f64 / path.now.since(start).as_secs_f64();
    assert!(rate > 0.97 * delivery_rate(), "{rate}");
    // Version 1 keeps at most one more of what the path holds in the queue.
    assert!(path.longest_wait < Span::from_ms(42), "{:?}", path.longest_wait);
}

/// A phase of a quarter more, one of a quarter less, six as fast, of a round trip each.
#[test]
fn a_cycle_has_eight_phases() {
    let mut path = path(10 * BDP);
    reach(&mut path, |mode| mode == Mode::ProbeBw(0));
    let mut phases = vec![(path.now, 0)];
    while phases.len() < 17 {
        let before = flow(&path).mode;
        let end = path.now + Span::from_secs(1);
        assert!(path.run_until(end, |path| flow(path).mode != before));
        let Mode::ProbeBw(phase) = flow(&path).mode else { panic!("{:?}", flow(&path).mode) };
        phases.push((path.now, phase));
    }
    let expected: Vec<usize> = (0..17).map(|n| n % 8).collect();
    assert_eq!(phases.iter().map(|phase| phase.1).collect::<Vec<_>>(), expected);
    for pair in phases.windows(2) {
        let rounds = pair[1].0.since(pair[0].0).as_secs_f64() / 0.040;
        // The phase that drains may end before.
        assert!(rounds < 1.6 && (rounds > 0.99 || pair[0].1 == 1), "{} {rounds}", pair[0].1);
    }
}

#[test]
fn four_packets_are_in_flight_for_200_ms_every_ten_seconds() {
    let mut path = path(10 * BDP);
    reach(&mut path, is_cycle);
    reach(&mut path, |mode| mode == Mode::ProbeRtt);
    let start = path.now;
    assert!((start.since(Time::ZERO).as_secs_f64() - 10.0).abs() < 0.5, "{start:?}");
    path.run_for(Span::from_ms(150));
    assert!(path.sender().flight() <= 4 * 1448);
    reach(&mut path, is_cycle);
    let span = path.now.since(start).as_secs_f64();
    assert!((0.24..0.36).contains(&span), "{span}");
    assert!(flow(&path).window.cwnd > BDP as f64, "the window is what it was");
}

/// Cardwell and others (ACM Queue 14(5), 2016), figure 8: up to losses of some 15% the rate stays near that of the
/// path, where CUBIC has a thousandth of it at one.
#[test]
fn random_losses_lower_the_rate_by_little_more_than_what_they_take() {
    for (every, least) in [(100, 0.95), (20, 0.86), (10, 0.7)] {
        let mut path = path(10 * BDP);
        path.lose_one_in(every);
        path.run_for(Span::from_secs(2));
        let before = path.sender().acked();
        path.run_for(Span::from_secs(5));
        let share = (path.sender().acked() - before) as f64 / 5.0 / delivery_rate();
        assert!(share > least, "one in {every}: {share}");
    }
}

/// `bbr_set_cwnd_to_recover_or_restore`.
#[test]
fn a_recovery_begins_with_what_is_in_flight_and_restores_the_window() {
    let mut path = path(10 * BDP);
    reach(&mut path, is_cycle);
    path.run_for(Span::from_ms(500));
    let before = flow(&path).window.cwnd;
    let mut left = 30;
    path.fate = Box::new(move |_, segment| {
        if left == 0 || segment.len == 0 {
            return Fate::Late(Span::ZERO);
        }
        left -= 1;
        Fate::Lost
    });
    let end = path.now + Span::from_secs(1);
    assert!(path.run_until(end, |path| flow(path).conserves));
    assert!(flow(&path).window.cwnd < 0.8 * before);
    assert!(path.run_until(end, |path| !flow(path).recovers));
    assert!(flow(&path).window.cwnd > 0.95 * before);
}

#[test]
fn the_rate_of_a_policer_is_found_and_kept() {
    let mut path = path(10 * BDP);
    path.police();
    let end = path.now + Span::from_secs(10);
    assert!(path.run_until(end, |path| flow(path).policer.rate().is_some()));
    let rate = flow(&path).policer.rate().unwrap();
    assert!((rate / (1.25e6 * DATA) - 1.0).abs() < 0.1, "{rate}");
    assert!((flow(&path).pacing_gain() - 1.0).abs() < 1e-12 || !is_cycle(flow(&path).mode));
}

/// A sample of a round, with so much lost.
fn sample(round: u64, newly_lost: u64) -> RateSample {
    RateSample {
        now: Time::ZERO + Span::from_ms(10 * round),
        rate: 1e6,
        delivered: 10_000,
        prior_delivered: 10_000 * round,
        total_delivered: 10_000 * (round + 1),
        newly_delivered: 10_000,
        newly_lost,
        lost: newly_lost,
        sent_in_flight: 10_000,
        in_flight: 10_000,
        rtt: None,
        app_limited: false,
        window_limited: true,
        recovers: false,
        repairs: false,
    }
}

#[test]
fn two_intervals_of_four_rounds_with_a_fifth_lost_show_a_policer_for_48_rounds() {
    let mut policer = Policer::default();
    // A fifth of what is delivered is lost; the first round opens an interval.
    let first = (0..20).find(|&round| {
        policer.update(&sample(round, 2000), true, true);
        policer.rate().is_some()
    });
    assert_eq!(first, Some(7), "rounds 0 to 3, and 4 to 7");
    assert!((policer.rate().unwrap() - 1e6).abs() < 1.0);
    let end = (8..100).find(|&round| policer.update(&sample(round, 0), true, true));
    assert_eq!(end, Some(8 + 47));
    // A tenth is no policer.
    let mut policer = Policer::default();
    for round in 0..100 {
        policer.update(&sample(round, 1000), true, true);
        assert!(policer.rate().is_none());
    }
}

#[test]
fn a_timeout_looks_for_the_bandwidth_anew() {
    let mut plateau = Plateau::default();
    plateau.declare();
    plateau.reset(0.0);
    assert!(plateau.reached && !plateau.now);
}
