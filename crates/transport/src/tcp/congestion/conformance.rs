//! What every window rule must hold, whatever it is told.

use proptest::prelude::*;
use units::{Span, Time};

use super::window::tests::{STANDARD, sizes};
use super::{
    Acked, Congested, Congestion, Delivered, Ecn, Growth, Lost, Options, Pace, RateSample, Signal,
    Sizes, Start, slow_start,
};
use kinds::Kinds;

const SEGMENT: u64 = 1000;

fn rule(options: &Options, growth: Growth, max: u64) -> Congestion {
    Congestion::new(options, &STANDARD, &Sizes { max, growth, ..sizes(10) })
}

/// Every rule, and two of them as programs.
fn kinds() -> Vec<Options> {
    let mut kinds = Options::all();
    for source in [include_str!("program/reno.program"), include_str!("program/cubic.program")] {
        let source = super::program::Source::new(source);
        kinds.push(Options::Program(super::program::Options { source, ..Default::default() }));
    }
    kinds
}

fn all() -> impl Iterator<Item = Congestion> {
    kinds().into_iter().map(|options| rule(&options, Growth::Acks, u64::MAX))
}

/// The rules that grow by acknowledgments and shrink by losses, without those that model the path.
fn windows() -> impl Iterator<Item = Congestion> {
    let kinds = kinds().into_iter().filter(|options| !options.models_path());
    kinds.map(|options| rule(&options, Growth::Acks, u64::MAX))
}

fn acked(now: Time, octets: u64) -> Acked {
    Acked { now, octets, srtt: Span::from_ms(100), after_timeout: false, may_grow: true }
}

fn congest(rule: &mut Congestion, signal: Signal) {
    let basis = rule.cwnd();
    rule.on_loss(&Congested { now: Time::ZERO, signal, basis });
}

#[test]
fn slow_start_adds_a_segment_for_each_acknowledged_one() {
    for mut rule in windows() {
        let before = rule.cwnd();
        for _ in 0..10 {
            rule.on_ack(&acked(Time::ZERO, SEGMENT));
        }
        assert_eq!(rule.cwnd(), before + 10 * SEGMENT);
    }
}

#[test]
fn an_acknowledgment_of_much_counts_for_one_segment_by_acks_and_two_by_bytes() {
    for options in kinds().into_iter().filter(|options| !options.models_path()) {
        for (growth, segments) in [(Growth::Acks, 1), (Growth::Bytes, 2)] {
            let mut rule = rule(&options, growth, u64::MAX);
            let before = rule.cwnd();
            rule.on_ack(&acked(Time::ZERO, 7 * SEGMENT));
            assert_eq!(rule.cwnd(), before + segments * SEGMENT);
            rule.on_ack(&Acked { after_timeout: true, ..acked(Time::ZERO, 7 * SEGMENT) });
            assert_eq!(rule.cwnd(), before + (segments + 1) * SEGMENT);
        }
    }
}

#[test]
fn a_loss_lowers_ssthresh_and_continues_from_it() {
    for mut rule in windows() {
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

/// All rules to which a timeout is worse than another loss.
fn cautious() -> impl Iterator<Item = Congestion> {
    all().filter(Congestion::is_cautious)
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
        rule.on_ack(&Acked { may_grow: false, ..acked(Time::ZERO, SEGMENT) });
        assert_eq!(rule.cwnd(), before);
    }
}

#[test]
fn what_is_told_of_marks_and_delays_alone_moves_no_window() {
    for mut rule in all() {
        let before = (rule.cwnd(), rule.ssthresh());
        for n in 1..100 {
            let ack = n * SEGMENT;
            rule.on_delivered(&Delivered {
                now: Time::ZERO,
                octets: SEGMENT,
                marked: if n % 3 == 0 { SEGMENT } else { 0 },
                ack,
                next: ack + 10 * SEGMENT,
                rtt: (n % 2 == 0).then(|| Span::from_ms(n)),
            });
        }
        assert_eq!((rule.cwnd(), rule.ssthresh()), before);
    }
}

#[test]
fn a_paced_window_takes_a_round_trip_at_most() {
    for mut rule in all() {
        assert!(rule.pacing() >= 1.0);
        congest(&mut rule, Signal::Loss);
        assert!(rule.pacing() >= 1.0);
    }
    let mut reno = rule(&Options::Reno(super::reno::Options::default()), Growth::Acks, u64::MAX);
    assert!((reno.pacing() - 2.0).abs() < 1e-12);
    congest(&mut reno, Signal::Loss);
    assert!((reno.pacing() - 1.2).abs() < 1e-12);
}

#[test]
fn only_a_rule_that_counts_marks_needs_every_one() {
    for options in kinds() {
        let mut told = rule(&options, Growth::Acks, u64::MAX);
        let mut deaf = told.clone();
        for n in 1..100 {
            let ack = n * SEGMENT;
            let (now, octets) = (Time::ZERO + Span::from_ms(30 * n), SEGMENT);
            let echo = Delivered { now, octets, marked: 0, ack, next: ack, rtt: None };
            told.on_delivered(&Delivered { marked: (n % 2) * SEGMENT, ..echo });
            deaf.on_delivered(&Delivered { marked: SEGMENT, ..echo });
        }
        congest(&mut told, Signal::Notification);
        congest(&mut deaf, Signal::Notification);
        let counts = told.cwnd() != deaf.cwnd();
        assert_eq!(counts, options.ecn() != Ecn::Optional, "{}", options.word());
    }
}

#[test]
fn a_reduction_that_is_taken_back_leaves_the_window_as_it_was() {
    for mut rule in all() {
        let before = rule.clone();
        congest(&mut rule, Signal::Loss);
        rule.restore(before.clone());
        assert_eq!((rule.cwnd(), rule.ssthresh()), (before.cwnd(), before.ssthresh()));
    }
}

#[test]
fn the_options_of_every_rule_are_right_by_themselves_and_its_word_stands_for_them() {
    let mut words = Vec::new();
    for options in Options::all() {
        let mut found = crate::mistake::Mistakes::default();
        options.check(&mut found);
        assert_eq!(found.all(), [], "{}", options.word());
        assert!(options.is_plain(), "{}", options.word());
        words.push(options.word());
    }
    assert_eq!(words, Options::WORDS);
}

#[test]
fn congestion_avoidance_never_shrinks_the_window() {
    for mut rule in all() {
        congest(&mut rule, Signal::Loss);
        for i in 0..10_000 {
            let before = rule.cwnd();
            rule.on_ack(&acked(Time::ZERO + Span::from_ms(i), SEGMENT));
            assert!(rule.cwnd() >= before);
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Input {
    Acked { after_ps: u64, octets: u64, srtt: u64, after_timeout: bool, may_grow: bool },
    Congested { signal: usize, basis: u64 },
    Delivered { octets: u64, marked: bool, ack: u64, next: u64, rtt: Option<u64> },
    Sample { after_ps: u64, rate: f64, amounts: [u64; 4], rtt: Option<u64>, flags: [bool; 4] },
    Lost { octets: u64, amounts: [u64; 2], flags: [bool; 2] },
    Start { srtt: Option<u64>, after_idle: bool },
    TimedOut(u64),
    LostSyn,
    Keep,
    Restore,
    Exit(u64),
    Unused(u64),
}

pub(super) fn input() -> impl Strategy<Value = Input> {
    let octets = prop_oneof![0..100_000u64, any::<u64>()];
    let rtt = prop::option::of(prop_oneof![0..1_000_000_000_000u64, any::<u64>()]);
    let rate = prop_oneof![Just(0.0), 1.0..1e12f64];
    let amount = || prop_oneof![0..1_000_000u64, 0..1u64 << 50];
    let amounts = [amount(), amount(), amount(), amount()];
    prop_oneof![
        6 => (any::<u64>(), rate, amounts, rtt.clone(), any::<[bool; 4]>()).prop_map(
            |(after_ps, rate, amounts, rtt, flags)| Input::Sample {
                after_ps: after_ps >> 20, rate, amounts, rtt, flags,
            }
        ),
        2 => (1..65_536u64, [amount(), amount()], any::<[bool; 2]>()).prop_map(
            |(octets, amounts, flags)| Input::Lost { octets, amounts, flags }
        ),
        2 => (rtt.clone(), any::<bool>())
            .prop_map(|(srtt, after_idle)| Input::Start { srtt, after_idle }),
        1 => amount().prop_map(Input::TimedOut),
        8 => (any::<u64>(), octets.clone(), any::<u64>(), any::<bool>(), any::<bool>()).prop_map(
            |(after_ps, octets, srtt, after_timeout, may_grow)| Input::Acked {
                after_ps: after_ps >> 20, octets, srtt, after_timeout, may_grow,
            }
        ),
        6 => (octets.clone(), any::<bool>(), any::<u64>(), any::<u64>(), rtt).prop_map(
            |(octets, marked, ack, next, rtt)| Input::Delivered { octets, marked, ack, next, rtt }
        ),
        3 => (0..5usize, octets).prop_map(|(signal, basis)| Input::Congested { signal, basis }),
        1 => Just(Input::LostSyn),
        1 => Just(Input::Keep),
        1 => Just(Input::Restore),
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

/// A rule with what was kept of it when its window was reduced.
pub(super) struct Fed {
    pub(super) rule: Congestion,
    kept: Option<Congestion>,
    /// What was delivered in the life of the connection.
    total: u64,
}

impl Fed {
    pub(super) fn new(rule: Congestion) -> Self {
        Self { rule, kept: None, total: 0 }
    }
}

/// Drives every hook of a rule.
pub(super) fn feed(Fed { rule, kept, total }: &mut Fed, now: &mut Time, input: &Input) {
    match *input {
        Input::Acked { after_ps, octets, srtt, after_timeout, may_grow } => {
            *now = now.saturating_add(Span(after_ps));
            let srtt = Span(srtt);
            rule.on_ack(&Acked { now: *now, octets, srtt, after_timeout, may_grow });
        }
        Input::Congested { signal, basis } => {
            rule.on_loss(&Congested { now: *now, signal: SIGNALS[signal], basis });
        }
        Input::Delivered { octets, marked, ack, next, rtt } => {
            let (now, rtt) = (*now, rtt.map(Span));
            let marked = if marked { octets } else { 0 };
            rule.on_delivered(&Delivered { now, octets, marked, ack, next, rtt });
        }
        Input::Sample { after_ps, rate, amounts, rtt, flags } => {
            *now = now.saturating_add(Span(after_ps));
            let [delivered, newly_delivered, lost, in_flight] = amounts;
            let [app_limited, window_limited, recovers, repairs] = flags;
            *total += newly_delivered;
            rule.on_sample(&RateSample {
                now: *now,
                rate,
                delivered,
                prior_delivered: total.saturating_sub(delivered),
                total_delivered: *total,
                newly_delivered,
                newly_lost: lost / 2,
                lost,
                sent_in_flight: in_flight,
                in_flight,
                rtt: rtt.map(Span),
                app_limited,
                window_limited,
                recovers,
                repairs,
            });
        }
        Input::Lost { octets, amounts: [in_flight, lost], flags: [app_limited, follows] } => {
            let in_flight = in_flight.saturating_add(octets);
            let lost = lost.saturating_add(octets);
            let (now, delivered) = (*now, *total);
            rule.on_lost(&Lost { now, octets, in_flight, lost, delivered, app_limited, follows });
        }
        Input::Start { srtt, after_idle } => {
            rule.on_start(&Start { now: *now, srtt: srtt.map(Span), after_idle });
        }
        Input::TimedOut(in_flight) => rule.on_timed_out(in_flight),
        Input::Keep => *kept = Some(rule.clone()),
        Input::Restore => kept.take().into_iter().for_each(|before| rule.restore(before)),
        Input::LostSyn => rule.on_lost_syn(2),
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
    let avoidance = rule.most_growth(counts(cwnd));
    match (rule.window().in_slow_start(), rule.grows_beside_slow_start()) {
        (false, _) => avoidance,
        (true, false) => slow_start,
        (true, true) => slow_start.max(avoidance),
    }
}

proptest! {
    #[test]
    fn an_acknowledgment_grows_the_window_by_no_more_than_its_rule_allows_for_its_octets(
        inputs in prop::collection::vec(input(), 1..100),
        by_bytes in any::<bool>(),
    ) {
        let growth = if by_bytes { Growth::Bytes } else { Growth::Acks };
        for options in kinds() {
            let mut fed = Fed::new(rule(&options, growth, u64::MAX));
            let mut now = Time::ZERO;
            for input in &inputs {
                let before = fed.rule.window().cwnd;
                let allowed = match *input {
                    Input::Acked { octets, after_timeout, .. } => {
                        let told = Acked { after_timeout, ..acked(now, octets) };
                        most_growth(&fed.rule, growth, &told)
                    }
                    _ => f64::INFINITY,
                };
                feed(&mut fed, &mut now, input);
                let grown = fed.rule.window().cwnd - before;
                prop_assert!(
                    grown <= allowed + 1e-9 * before,
                    "{} {:?}: {} by {}, allowed {}", options.word(), input, before, grown, allowed
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
        let max = if limited { 50 * SEGMENT } else { u64::MAX };
        let sizes = Sizes { max, growth, ..sizes(10) };
        let slow_starts = slow_start::Options::all();
        let both = kinds().into_iter().flat_map(|rule| {
            slow_starts.iter().map(move |slow_start| (rule.clone(), slow_start))
        });
        for (options, slow_start) in both {
            let mut fed = Fed::new(Congestion::new(&options, slow_start, &sizes));
            let mut now = Time::ZERO;
            for input in &inputs {
                feed(&mut fed, &mut now, input);
                let (rule, word) = (&mut fed.rule, options.word());
                prop_assert!(rule.cwnd() >= SEGMENT, "{word} {:?}", input);
                prop_assert!(rule.cwnd() <= max);
                prop_assert!(rule.ssthresh() >= SEGMENT);
                prop_assert!(rule.window().cwnd.is_finite(), "{word} {:?}", input);
                prop_assert!(rule.pacing().is_finite() && rule.pacing() > 0.0, "{word} {:?}", input);
                let fits = |pace: Pace| pace.rate >= 0.0 && pace.rate.is_finite() && pace.quantum > 0;
                prop_assert!(rule.pace().is_none_or(fits), "{word} {:?}", input);
            }
        }
    }
}
