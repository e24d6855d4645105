//! Programs beside the built-in rules, and what happens when they are wrong.

use proptest::prelude::*;
use units::{Span, Time};

use super::*;
use crate::tcp::congestion::conformance::{Fed, Input, feed, input};
use crate::tcp::congestion::window::tests::{STANDARD, sizes};
use crate::tcp::congestion::{Congestion, Growth, Options as Any, Signal, Sizes, cubic, reno};

const RENO: &str = include_str!("reno.program");
const CUBIC: &str = include_str!("cubic.program");
const DCTCP: &str = include_str!("dctcp.program");

fn program(source: &str) -> Any {
    Any::Program(Options { source: Source::new(source), ..Options::default() })
}

fn rule(options: &Any, growth: Growth) -> Congestion {
    Congestion::new(options, &STANDARD, &Sizes { growth, ssthresh: 30_000, ..sizes(10) })
}

fn acked(octets: u64) -> Acked {
    let (now, srtt) = (Time(1), Span::from_ms(1));
    Acked { now, octets, srtt, after_timeout: false, may_grow: true }
}

/// A rule of this source after an acknowledgment and a loss, and what has gone wrong.
fn fault(source: &str) -> Option<String> {
    let options = program(source);
    let mut found = Mistakes::default();
    options.check(&mut found);
    assert_eq!(found.all(), [], "{source}");
    let mut rule = rule(&options, Growth::Acks);
    rule.on_ack(&acked(1000));
    rule.on_loss(&Congested { now: Time(2), signal: Signal::Loss, basis: 9000 });
    rule.pacing();
    assert!(rule.cwnd() >= 1000);
    rule.fault().map(ToString::to_string)
}

fn mistakes(options: &Options) -> Vec<String> {
    let mut found = Mistakes::default();
    Any::Program(options.clone()).check(&mut found);
    found.all().iter().map(ToString::to_string).collect()
}

/// The same with numbers of octets that `f64` holds exactly, as those of any run are.
fn exact(input: Input) -> Input {
    let part = |octets: u64| octets >> 20;
    match input {
        Input::Delivered { octets, marked, ack, next, rtt } => {
            let (octets, ack, next) = (part(octets), part(ack), part(next));
            Input::Delivered { octets, marked, ack, next, rtt }
        }
        other => other,
    }
}

proptest! {
    /// Bit for bit, whatever happens to a connection.
    #[test]
    fn reno_cubic_and_dctcp_as_programs_are_the_built_in_ones(
        inputs in prop::collection::vec(input(), 1..200),
        by_bytes in any::<bool>(),
    ) {
        let growth = if by_bytes { Growth::Bytes } else { Growth::Acks };
        let pairs = [
            (Any::Reno(reno::Options::default()), RENO),
            (Any::Cubic(cubic::Options::default()), CUBIC),
            (Any::Dctcp(crate::tcp::congestion::dctcp::Options::default()), DCTCP),
        ];
        for (built_in, source) in pairs {
            let mut one = Fed::new(rule(&built_in, growth));
            let mut other = Fed::new(rule(&program(source), growth));
            let mut now = Time::ZERO;
            for input in inputs.iter().cloned().map(exact) {
                let input = &input;
                let (mut here, mut there) = (now, now);
                feed(&mut one, &mut here, input);
                feed(&mut other, &mut there, input);
                now = here;
                let of = |fed: &Fed| {
                    let window = fed.rule.window();
                    (window.cwnd.to_bits(), window.ssthresh.to_bits())
                };
                prop_assert_eq!(of(&one), of(&other), "{:?} {}", input, source);
                prop_assert_eq!(one.rule.pacing().to_bits(), other.rule.pacing().to_bits());
                prop_assert_eq!(other.rule.fault(), None);
            }
        }
    }
}

#[test]
fn a_program_without_a_hook_does_what_reno_does() {
    assert_eq!(fault("n = 0"), None);
    let mut rule = rule(&program("n = 0"), Growth::Acks);
    rule.on_ack(&acked(1000));
    assert_eq!(rule.cwnd(), 11_000);
}

#[test]
fn a_window_that_is_no_number_from_0_ends_the_program() {
    let cases = [
        ("def on_ack(acked): window.cwnd = 0 / 0", "window.cwnd would be NaN"),
        ("def on_ack(acked): window.cwnd = -1", "window.cwnd would be -1"),
        ("def on_ack(acked): window.cwnd = 1 / 0", "window.cwnd would be inf"),
        ("def on_ack(acked): window.ssthresh = -1", "window.ssthresh would be -1"),
        ("def on_ack(acked): window.grow(acked, -1)", "the increase would be -1"),
        ("def on_loss(congested): window.reduce(congested, 0/0)", "the share would be NaN"),
    ];
    for (source, expected) in cases {
        let expected = format!("line 1: {expected}; accepted a number from 0");
        assert_eq!(fault(source), Some(expected), "{source}");
    }
    let endless = "def on_ack(acked):\n    while True: pass";
    assert!(fault(endless).is_some_and(|fault| fault.starts_with("line 2: a call takes more")));
    let slow = fault("def pacing(): return 0");
    assert_eq!(slow.as_deref(), Some("line 1: pacing returns 0; accepted a number above 0"));
    let start = fault("a = array(-1, 0)");
    assert!(start.is_some_and(|fault| fault.starts_with("line 1: the length of an array is -1")));
}

#[test]
fn a_fault_outlives_an_undo() {
    let mut rule = rule(&program("def on_ack(acked): window.cwnd = -1"), Growth::Acks);
    let before = rule.clone();
    rule.on_ack(&acked(1000));
    rule.restore(before);
    assert!(rule.fault().is_some());
}

#[test]
fn what_is_wrong_with_a_program_and_its_parameters_is_said() {
    let with = |source: &str, parameters: &[(&str, f64)]| Options {
        file: None,
        source: Source::new(source),
        parameters: parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
    };
    let source =
        "beta = parameter(0.5, 0, 1)\ndef on_loss(congested): window.reduce(congested, beta)";
    assert!(mistakes(&with(source, &[("beta", 0.7)])).is_empty());
    assert_eq!(
        mistakes(&with(source, &[("beta", 2.0), ("gamma", 1.0)])),
        [
            "congestion.parameters: beta is out of range; found 2; accepted 0 to 1",
            "congestion.parameters: unknown parameter; found gamma; accepted beta"
        ]
    );
    assert_eq!(
        mistakes(&with("def on_ack(acked): window.cwmd += 1", &[])),
        [
            "congestion.source: line 1, column 20: window has no such field; found cwmd; accepted cwnd, \
          ssthresh, segment"
        ]
    );
}

#[test]
fn two_sources_are_equal_if_their_texts_are() {
    assert_eq!(Source::new("n = 0"), Source::new("n = 0"));
    assert_ne!(Source::new("n = 0"), Source::new("n = 1"));
}
