//! What every window rule must hold, whatever it is told.

use proptest::prelude::*;
use units::{Bytes, Span, Time};

use super::{Acked, Congested, Congestion, Echo, Signal};
use crate::config::{Config, CongestionKind, Growth, TcpOptions, resolve};
use crate::profile::Profile;
use crate::window_size::WindowSize;

const SEGMENT: u64 = 1000;

fn config(kind: CongestionKind, growth: Growth, max: WindowSize) -> Config {
    let options = TcpOptions {
        congestion: Some(kind),
        growth: Some(growth),
        max_window: Some(max),
        segment: Some(Bytes(SEGMENT)),
        ..TcpOptions::default()
    };
    resolve(Profile::Modern, &options).unwrap()
}

fn all() -> impl Iterator<Item = Congestion> {
    Congestion::ALL
        .into_iter()
        .map(|kind| Congestion::new(&config(kind, Growth::Acks, WindowSize::Unlimited)))
}

fn acked(now: Time, octets: u64) -> Acked {
    Acked { now, octets, srtt: Span::from_ms(100), after_timeout: false, may_grow: true }
}

fn congest(rule: &mut Congestion, signal: Signal) {
    let basis = rule.cwnd();
    rule.on_congested(&Congested { now: Time::ZERO, signal, basis });
}

#[test]
fn slow_start_adds_a_segment_for_each_acknowledged_one() {
    for mut rule in all() {
        let before = rule.cwnd();
        for _ in 0..10 {
            rule.on_acked(&acked(Time::ZERO, SEGMENT));
        }
        assert_eq!(rule.cwnd(), before + 10 * SEGMENT);
    }
}

#[test]
fn an_acknowledgment_of_much_counts_for_one_segment_by_acks_and_two_by_bytes() {
    for kind in Congestion::ALL {
        for (growth, segments) in [(Growth::Acks, 1), (Growth::Bytes, 2)] {
            let mut rule = Congestion::new(&config(kind, growth, WindowSize::Unlimited));
            let before = rule.cwnd();
            rule.on_acked(&acked(Time::ZERO, 7 * SEGMENT));
            assert_eq!(rule.cwnd(), before + segments * SEGMENT);
            rule.on_acked(&Acked { after_timeout: true, ..acked(Time::ZERO, 7 * SEGMENT) });
            assert_eq!(rule.cwnd(), before + (segments + 1) * SEGMENT);
        }
    }
}

#[test]
fn a_loss_lowers_ssthresh_and_continues_from_it() {
    for mut rule in all() {
        let before = rule.cwnd();
        congest(&mut rule, Signal::Loss);
        assert!(rule.ssthresh() < before);
        assert_eq!(rule.cwnd(), rule.ssthresh());
    }
}

#[test]
fn a_notification_acts_as_a_loss() {
    for mut rule in all() {
        let mut other = rule.clone();
        congest(&mut rule, Signal::Loss);
        congest(&mut other, Signal::Notification);
        assert_eq!((rule.cwnd(), rule.ssthresh()), (other.cwnd(), other.ssthresh()));
    }
}

/// All rules to which a timeout is worse than another loss: not mAIMD, by which the timer finds losses
/// by contention as duplicate acknowledgments do (our choice, see there).
fn cautious() -> impl Iterator<Item = Congestion> {
    all().filter(|rule| !matches!(rule, Congestion::Maimd(_)))
}

#[test]
fn a_timeout_leaves_one_segment() {
    for mut rule in cautious() {
        congest(&mut rule, Signal::Timeout);
        assert_eq!(rule.cwnd(), SEGMENT);
        assert!(rule.ssthresh() >= 2 * SEGMENT);
    }
}

#[test]
fn a_repeated_timeout_holds_ssthresh() {
    for mut rule in cautious() {
        congest(&mut rule, Signal::Timeout);
        let held = rule.ssthresh();
        for _ in 0..5 {
            congest(&mut rule, Signal::RepeatedTimeout);
            assert_eq!((rule.cwnd(), rule.ssthresh()), (SEGMENT, held));
        }
    }
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    for mut rule in all() {
        let before = rule.cwnd();
        rule.on_acked(&Acked { may_grow: false, ..acked(Time::ZERO, SEGMENT) });
        assert_eq!(rule.cwnd(), before);
    }
}

#[test]
fn what_is_told_of_marks_alone_moves_no_window() {
    for mut rule in all() {
        let before = (rule.cwnd(), rule.ssthresh());
        for n in 1..100 {
            let ack = n * SEGMENT;
            rule.on_echo(&Echo {
                octets: SEGMENT,
                marked: n % 3 == 0,
                ack,
                next: ack + 10 * SEGMENT,
            });
        }
        assert_eq!((rule.cwnd(), rule.ssthresh()), before);
    }
}

#[test]
fn congestion_avoidance_never_shrinks_the_window() {
    for mut rule in all() {
        congest(&mut rule, Signal::Loss);
        for i in 0..10_000 {
            let before = rule.cwnd();
            rule.on_acked(&acked(Time::ZERO + Span::from_ms(i), SEGMENT));
            assert!(rule.cwnd() >= before);
        }
    }
}

#[derive(Clone, Debug)]
enum Input {
    Acked { after_ps: u64, octets: u64, srtt: u64, after_timeout: bool, may_grow: bool },
    Congested { signal: usize, basis: u64 },
    Echo { octets: u64, marked: bool, ack: u64, next: u64 },
    Rtt(u64),
    LostSyn,
    Exit(u64),
    Unused(u64),
}

fn input() -> impl Strategy<Value = Input> {
    let octets = prop_oneof![0..100_000u64, any::<u64>()];
    prop_oneof![
        8 => (any::<u64>(), octets.clone(), any::<u64>(), any::<bool>(), any::<bool>()).prop_map(
            |(after_ps, octets, srtt, after_timeout, may_grow)| Input::Acked {
                after_ps: after_ps >> 20, octets, srtt, after_timeout, may_grow,
            }
        ),
        3 => (octets.clone(), any::<bool>(), any::<u64>(), any::<u64>())
            .prop_map(|(octets, marked, ack, next)| Input::Echo { octets, marked, ack, next }),
        3 => (0..5usize, octets).prop_map(|(signal, basis)| Input::Congested { signal, basis }),
        3 => prop_oneof![0..1_000_000_000_000u64, any::<u64>()].prop_map(Input::Rtt),
        1 => Just(Input::LostSyn),
        1 => (0..100_000u64).prop_map(Input::Exit),
        1 => (0..100_000u64).prop_map(Input::Unused),
    ]
}

const SIGNALS: [Signal; 5] = [
    Signal::Loss,
    Signal::LossRestart,
    Signal::Timeout,
    Signal::RepeatedTimeout,
    Signal::Notification,
];

fn feed(rule: &mut Congestion, now: &mut Time, input: &Input) {
    match *input {
        Input::Acked { after_ps, octets, srtt, after_timeout, may_grow } => {
            *now = now.saturating_add(Span(after_ps));
            let srtt = Span(srtt);
            rule.on_acked(&Acked { now: *now, octets, srtt, after_timeout, may_grow });
        }
        Input::Congested { signal, basis } => {
            rule.on_congested(&Congested { now: *now, signal: SIGNALS[signal], basis });
        }
        Input::Echo { octets, marked, ack, next } => {
            rule.on_echo(&Echo { octets, marked, ack, next });
        }
        Input::Rtt(ps) => rule.on_rtt(Span(ps)),
        Input::LostSyn => rule.on_lost_syn(),
        Input::Exit(most) => rule.on_exit(most),
        Input::Unused(initial) => rule.on_unused(initial),
    }
}

/// The most octets by which an acknowledgment may let the window grow, as the rules have it.
fn most_growth(rule: &Congestion, growth: Growth, acked: &Acked) -> f64 {
    let (segment, cwnd) = (SEGMENT as f64, rule.window().cwnd);
    let counts = |most: f64| match growth {
        Growth::Acks => segment,
        Growth::Bytes => {
            (acked.octets as f64).min(if acked.after_timeout { segment } else { most })
        }
    };
    let slow_start = counts(2.0 * segment).min(acked.octets as f64);
    let reno = counts(cwnd) * segment / cwnd;
    let avoidance = match rule {
        // `aimd-increase` is 1 by default.
        Congestion::Reno(_) | Congestion::Dctcp(_) | Congestion::Maimd(_) => reno,
        // RFC 9438 sections 4.4 and 4.3: half of what is counted, or up to Reno's window.
        Congestion::Cubic(cubic) => (counts(cwnd) / 2.0).max(cubic.reno_window() + reno - cwnd),
        // The window that follows delay: α winᵏ once a round trip, at most one an acknowledgment.
        Congestion::Compound(_) => reno + 0.125 * libm::pow(cwnd / segment, 0.75) * segment,
    };
    if rule.window().in_slow_start() && !matches!(rule, Congestion::Compound(_)) {
        slow_start
    } else if rule.window().in_slow_start() {
        slow_start.max(avoidance)
    } else {
        avoidance
    }
}

proptest! {
    #[test]
    fn an_acknowledgment_grows_the_window_by_no_more_than_its_rule_allows_for_its_octets(
        inputs in prop::collection::vec(input(), 1..100),
        by_bytes in any::<bool>(),
    ) {
        let growth = if by_bytes { Growth::Bytes } else { Growth::Acks };
        for kind in Congestion::ALL {
            let mut rule = Congestion::new(&config(kind, growth, WindowSize::Unlimited));
            let mut now = Time::ZERO;
            for input in &inputs {
                let before = rule.window().cwnd;
                let allowed = match *input {
                    Input::Acked { octets, after_timeout, .. } => {
                        let told = Acked { after_timeout, ..acked(now, octets) };
                        most_growth(&rule, growth, &told)
                    }
                    _ => f64::INFINITY,
                };
                feed(&mut rule, &mut now, input);
                let grown = rule.window().cwnd - before;
                prop_assert!(
                    grown <= allowed + 1e-9 * before,
                    "{:?} {:?}: {} by {}, allowed {}", kind, input, before, grown, allowed
                );
            }
        }
    }

    #[test]
    fn no_input_takes_the_window_out_of_its_bounds(
        inputs in prop::collection::vec(input(), 1..100),
        by_bytes in any::<bool>(),
        limited in any::<bool>(),
    ) {
        let growth = if by_bytes { Growth::Bytes } else { Growth::Acks };
        let max = if limited { WindowSize::Segments(50) } else { WindowSize::Unlimited };
        for kind in Congestion::ALL {
            let config = config(kind, growth, max);
            let mut rule = Congestion::new(&config);
            let mut now = Time::ZERO;
            for input in &inputs {
                feed(&mut rule, &mut now, input);
                prop_assert!(rule.cwnd() >= SEGMENT, "{:?} {:?}", kind, input);
                prop_assert!(rule.cwnd() <= config.max_window.0);
                prop_assert!(rule.ssthresh() >= SEGMENT);
                prop_assert!(rule.window().cwnd.is_finite(), "{:?} {:?}", kind, input);
            }
        }
    }
}
