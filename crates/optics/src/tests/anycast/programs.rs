//! Each built-in policy as a program: the same choices, from the same draws.

use extension::Source;
use proptest::prelude::*;
use units::Time;

use super::{FOUR, PORTS, TWO, anycast, ask, rule, stream};
use crate::{Anycast, AnycastPolicy, AnycastProgram, AnycastRule, Ask};

macro_rules! program {
    ($name:literal) => {
        include_str!(concat!("../../anycast/programs/", $name, ".program"))
    };
}

const PROGRAMS: [(AnycastPolicy, &str); 8] = [
    (AnycastPolicy::Ecmp, program!("ecmp")),
    (AnycastPolicy::Destination, program!("destination")),
    (AnycastPolicy::Random, program!("random")),
    (AnycastPolicy::RoundRobin, program!("round-robin")),
    (AnycastPolicy::Jsvoq, program!("jsvoq")),
    (AnycastPolicy::EJsq, program!("e-jsq")),
    (AnycastPolicy::Flowlet, program!("flowlet")),
    (AnycastPolicy::IdealJsq, program!("ideal-jsq")),
];

fn own(source: &str) -> Anycast {
    let program = AnycastProgram { source: Source::new(source), ..AnycastProgram::default() };
    let rule = AnycastRule {
        policy: AnycastPolicy::Program,
        program: Some(&program),
        ..rule(AnycastPolicy::Program)
    };
    Anycast::new(rule, PORTS, stream("anycast"))
}

#[test]
fn a_program_says_what_it_looks_at_and_whether_it_has_one_queue() {
    for (policy, source) in PROGRAMS {
        let (own, built_in) = (own(source), anycast(policy));
        assert_eq!(own.looks_at_queues(), built_in.looks_at_queues(), "{policy:?}");
        assert_eq!(own.shares_queue(), built_in.shares_queue(), "{policy:?}");
    }
}

#[test]
fn an_answer_that_is_no_lightpath_is_a_fault() {
    for (source, expected) in [
        (
            "def choose(packet): return 4",
            "line 1: choose returns no lightpath; accepted a whole number from 0 to 3",
        ),
        (
            "def choose(packet):\n    return 0.5",
            "line 2: choose returns no lightpath; accepted a whole number from 0 to 3",
        ),
        (
            "def choose(packet): return lightpaths.wait(4)",
            "line 1: no lightpath 4; accepted a whole number from 0 to 3",
        ),
        (
            "x = draw.below(0)\ndef choose(packet): return 0",
            "line 1: draw.below(0); accepted a whole number from 1",
        ),
    ] {
        let mut own = own(source);
        assert_eq!(own.fault(), None);
        assert_eq!(own.choose(&ask(&FOUR), |_| 0), 0);
        assert_eq!(own.fault().map(ToString::to_string).as_deref(), Some(expected));
        // Nothing else happens to it.
        assert_eq!(own.choose(&Ask { input: 1, ..ask(&TWO) }, |_| 0), 0);
    }
}

/// 2 and 3 µs wait for two lightpaths; nothing ever leaves by a third, which is down.
#[test]
fn what_waits_is_told_in_seconds() {
    let waits = |port| [2_000_000, 3_000_000, u64::MAX, 0][port as usize];
    let own_of = |test: &str| {
        let source = format!("def choose(packet):\n    return 1 if {test} else 0");
        own(&source).choose(&ask(&[0, 1, 2, 3]), waits)
    };
    for (test, chosen) in [
        ("lightpaths.wait(0) > 2.5e-6", 0),
        ("lightpaths.wait(1) > 2.5e-6", 1),
        ("lightpaths.wait(1) == 3e-6", 1),
        ("lightpaths.wait(2) > 1e300", 1),
        ("lightpaths.wait(3) == 0", 1),
    ] {
        assert_eq!(own_of(test), chosen, "{test}");
    }
}

/// The variables are those of an input and a bundle.
#[test]
fn inputs_and_bundles_do_not_share_variables() {
    let mut own = own("n = 0\ndef choose(packet):\n    n += 1\n    return n % 2");
    let mut next = |input, ports| own.choose(&Ask { input, ..ask(ports) }, |_| 0);
    assert_eq!([next(0, &FOUR), next(0, &FOUR), next(1, &FOUR), next(0, &TWO)], [1, 0, 1, 1]);
    assert_eq!([next(0, &FOUR), next(1, &FOUR), next(0, &TWO)], [1, 0, 0]);
}

proptest! {
    #[test]
    fn a_program_chooses_as_the_policy_that_it_is(
        packets in prop::collection::vec((40..1_501_u32, 0..50_u32, 0..100_000_000_u64), 1..200),
        pending in prop::collection::vec(0..4_u64, 9),
    ) {
        for (policy, source) in PROGRAMS {
            let (mut own, mut built_in) = (own(source), anycast(policy));
            let mut now = Time::ZERO;
            for &(bytes, flow, pause) in &packets {
                now += units::Span(pause);
                // A flow comes by one input and leaves over one bundle.
                let ports: &[u32] = if flow % 2 == 0 { &FOUR } else { &TWO };
                let (input, hashed, rank) = (flow % 3, bytes % 2, bytes % 7);
                let ask = Ask { now, input, bytes, hashed, rank, flow, ..ask(ports) };
                let pending = |port: u32| pending[port as usize];
                prop_assert_eq!(own.choose(&ask, pending), built_in.choose(&ask, pending), "{:?}", policy);
            }
            prop_assert_eq!(own.fault(), None);
        }
    }
}
