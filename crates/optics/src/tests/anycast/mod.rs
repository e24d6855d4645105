//! Choices of a lightpath, worked by hand.

use proptest::prelude::*;
use units::{Span, Time};

use super::{at, stream};
use crate::{Anycast, AnycastPolicy, AnycastRule, Ask, Ports};

mod programs;

const GAP: Span = Span::from_us(500);

/// Standard errors; exceeded once in 16,000 seeds by a right model.
const K: f64 = 4.0;

/// A switch of three inputs and nine outputs, of which bundle 0 has 2, 5, 7, 8 and bundle 1 has 0, 1.
const PORTS: Ports = Ports { inputs: 3, outputs: 9, bundles: 2 };
const FOUR: [u32; 4] = [2, 5, 7, 8];
const TWO: [u32; 2] = [0, 1];

const ALL: [AnycastPolicy; 8] = [
    AnycastPolicy::Ecmp,
    AnycastPolicy::Destination,
    AnycastPolicy::Random,
    AnycastPolicy::RoundRobin,
    AnycastPolicy::Jsvoq,
    AnycastPolicy::EJsq,
    AnycastPolicy::Flowlet,
    AnycastPolicy::IdealJsq,
];

/// A built-in policy.
fn rule(policy: AnycastPolicy) -> AnycastRule<'static> {
    AnycastRule { policy, flowlet_gap: Some(GAP), program: None }
}

fn anycast(policy: AnycastPolicy) -> Anycast {
    Anycast::new(rule(policy), PORTS, stream("anycast"))
}

fn ask(ports: &[u32]) -> Ask<'_> {
    let bundle = u32::from(ports == TWO);
    Ask { now: Time::ZERO, input: 0, bundle, ports, bytes: 1_500, hashed: 0, rank: 0, flow: 0 }
}

/// What is never asked for.
fn unseen(_: u32) -> u64 {
    panic!("the policy does not compare this")
}

/// How often each of the ports is chosen in 40,000 fresh choices, of which each is `asked`.
fn counts<const N: usize>(mut choice: impl FnMut() -> u32) -> [u32; N] {
    let mut counts = [0; N];
    (0..40_000).for_each(|_| counts[choice() as usize] += 1);
    counts
}

/// Those of the ports that may be chosen are so equally often, within [`K`] standard errors of a
/// binomial count; the others never.
fn assert_even(counts: &[u32], chosen: &[usize]) {
    let share = 1.0 / chosen.len() as f64;
    let (mean, error) = (40_000.0 * share, (40_000.0 * share * (1.0 - share)).sqrt());
    for (index, &count) in counts.iter().enumerate() {
        if chosen.contains(&index) {
            assert!((f64::from(count) - mean).abs() <= K * error, "{counts:?}");
        } else {
            assert_eq!(count, 0, "{counts:?}");
        }
    }
}

#[test]
fn ecmp_keeps_what_the_hash_picks() {
    let mut anycast = anycast(AnycastPolicy::Ecmp);
    for hashed in [3, 0, 1, 1, 2] {
        assert_eq!(anycast.choose(&Ask { hashed, ..ask(&FOUR) }, unseen), hashed);
    }
}

/// Eight destinations on four lightpaths, two on each.
#[test]
fn destinations_take_turns() {
    let mut anycast = anycast(AnycastPolicy::Destination);
    let chosen = [0, 1, 2, 3, 4, 5, 6, 7]
        .map(|rank| anycast.choose(&Ask { rank, hashed: 3, ..ask(&FOUR) }, unseen));
    assert_eq!(chosen, [0, 1, 2, 3, 0, 1, 2, 3]);
    let chosen = [4, 5].map(|rank| anycast.choose(&Ask { rank, ..ask(&TWO) }, unseen));
    assert_eq!(chosen, [0, 1]);
}

#[test]
fn at_random_every_lightpath_is_as_likely() {
    let mut anycast = anycast(AnycastPolicy::Random);
    assert_even(&counts::<4>(|| anycast.choose(&ask(&FOUR), unseen)), &[0, 1, 2, 3]);
}

/// Each input takes turns of its own in each bundle.
#[test]
fn round_robin_counts_by_input_and_bundle() {
    let mut anycast = anycast(AnycastPolicy::RoundRobin);
    let mut next = |input, ports| anycast.choose(&Ask { input, ..ask(ports) }, unseen);
    assert_eq!([next(0, &FOUR), next(0, &FOUR), next(0, &FOUR)], [0, 1, 2]);
    assert_eq!([next(0, &TWO), next(1, &FOUR), next(2, &TWO)], [0, 0, 0]);
    assert_eq!([next(0, &FOUR), next(0, &FOUR), next(1, &FOUR)], [3, 0, 1]);
    assert_eq!([next(0, &TWO), next(0, &TWO), next(2, &TWO)], [1, 0, 1]);
}

#[test]
fn jsvoq_takes_the_shortest_queue() {
    let mut anycast = anycast(AnycastPolicy::Jsvoq);
    let queued = |port| [0, 0, 1_500, 0, 0, 576, 0, 40, 1_500][port as usize];
    assert_eq!(anycast.choose(&ask(&FOUR), queued), 2);
    // What it has assigned is not counted: the queue is.
    assert_eq!(anycast.choose(&ask(&FOUR), queued), 2);
}

#[test]
fn jsvoq_settles_ties_at_random() {
    let mut anycast = anycast(AnycastPolicy::Jsvoq);
    assert_even(&counts::<4>(|| anycast.choose(&ask(&FOUR), |_| 0)), &[0, 1, 2, 3]);
    // Ports 5, 7 and 8 are the second, third and fourth of the bundle.
    let queued = |port: u32| if port == 2 { 40 } else { 39 };
    assert_even(&counts::<4>(|| anycast.choose(&ask(&FOUR), queued)), &[1, 2, 3]);
    let queued = |port: u32| if port == 5 || port == 8 { 40 } else { 576 };
    assert_even(&counts::<4>(|| anycast.choose(&ask(&FOUR), queued)), &[1, 3]);
}

/// Packets of 1500 B and then of 40 B: 37 short ones make 1480 B, less than the long one, 38 more.
#[test]
fn e_jsq_counts_what_it_has_sent() {
    let mut anycast = anycast(AnycastPolicy::EJsq);
    let mut send = |input, bytes| anycast.choose(&Ask { input, bytes, ..ask(&TWO) }, unseen);
    let first = send(0, 1_500);
    for _ in 0..38 {
        assert_eq!(send(0, 40), 1 - first);
    }
    // 1520 B there, 1500 B here; then 1520 B and 1540 B.
    assert_eq!(send(0, 40), first);
    assert_eq!(send(0, 576), 1 - first);
    // 2096 B there: this one catches up with 556 B, however late it is.
    let late = Ask { now: at(1_000_000), bytes: 576, ..ask(&TWO) };
    assert_eq!(anycast.choose(&late, unseen), first);
}

/// Counters are the input's own, and the bundle's.
#[test]
fn e_jsq_counts_by_input_and_output() {
    let mut anycast = anycast(AnycastPolicy::EJsq);
    let mut send = |input, ports, bytes| {
        let chosen = anycast.choose(&Ask { input, bytes, ..ask(ports) }, unseen);
        ports[chosen as usize]
    };
    let heavy = send(0, &TWO, 1_500);
    assert_ne!(send(0, &TWO, 100), heavy);
    let others = [send(0, &FOUR, 1), send(0, &FOUR, 2), send(0, &FOUR, 3), send(0, &FOUR, 4)];
    let mut all = others;
    all.sort_unstable();
    assert_eq!(all, FOUR);
    // 1, 2, 3 and 4 B: the first gets 4 more, and then the second.
    assert_eq!([send(0, &FOUR, 4), send(0, &FOUR, 9)], [others[0], others[1]]);
    assert_eq!(send(0, &FOUR, 1), others[2]);
    // Another input has sent nothing to either port: over many inputs that is a toss.
    let mut firsts = [0; 2];
    for number in 0..200_u32 {
        let mut fresh = Anycast::new(rule(AnycastPolicy::EJsq), PORTS, stream(&number.to_string()));
        let heavy = fresh.choose(&ask(&TWO), unseen);
        let other = fresh.choose(&Ask { input: 1, ..ask(&TWO) }, unseen);
        firsts[usize::from(other == heavy)] += 1;
    }
    assert!(firsts.iter().all(|&count| count > 100 - 4 * 7), "{firsts:?}");
}

/// Four equal packets fill four equal counters, in an order that is drawn: each port comes first in a
/// quarter of the rounds.
#[test]
fn e_jsq_settles_ties_at_random() {
    let mut anycast = anycast(AnycastPolicy::EJsq);
    let mut round = || {
        let order = [0; 4].map(|_| anycast.choose(&ask(&FOUR), unseen));
        let mut sorted = order;
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3], "{order:?}");
        order[0]
    };
    assert_even(&counts::<4>(&mut round), &[0, 1, 2, 3]);
}

proptest! {
    /// Whatever the packets, no counter is ahead of another by more than the longest packet.
    #[test]
    fn e_jsq_keeps_the_bytes_of_lightpaths_even(packets in prop::collection::vec(1..1_501_u32, 1..300)) {
        let mut anycast = anycast(AnycastPolicy::EJsq);
        let mut sent = [0; 4];
        for &bytes in &packets {
            sent[anycast.choose(&Ask { bytes, ..ask(&FOUR) }, unseen) as usize] += bytes;
            let ahead = sent.iter().max().unwrap() - sent.iter().min().unwrap();
            prop_assert!(ahead <= *packets.iter().max().unwrap());
        }
    }
}

#[test]
fn ideal_jsq_takes_the_port_that_is_free_first() {
    let mut anycast = anycast(AnycastPolicy::IdealJsq);
    let free = |port| [0, 0, 30, 0, 0, 10, 0, 10, 20][port as usize];
    assert_eq!(anycast.choose(&ask(&FOUR), free), 1);
    assert_eq!(anycast.choose(&ask(&FOUR), |_| 0), 0);
    assert_eq!(anycast.choose(&ask(&FOUR), |port| u64::from(port < 6)), 2);
}

/// A pause of as much as the gap keeps the lightpath; it counts from the last packet, not the first.
#[test]
fn a_flowlet_lasts_until_there_is_a_gap() {
    let mut anycast = anycast(AnycastPolicy::Flowlet);
    let mut send = |now: Time| anycast.choose(&Ask { now, flow: 9, ..ask(&FOUR) }, unseen);
    let first = send(at(0));
    for number in 1..100 {
        assert_eq!(send(at(500 * number)), first);
    }
    let chosen: Vec<u32> = (200..300).map(|number| send(at(501 * number))).collect();
    assert!(chosen.iter().any(|&port| port != first), "{chosen:?}");
}

#[test]
fn flowlets_take_any_lightpath() {
    let mut anycast = anycast(AnycastPolicy::Flowlet);
    let mut now = at(0);
    let mut next = || {
        now += GAP + Span(1);
        anycast.choose(&Ask { now, ..ask(&FOUR) }, unseen)
    };
    assert_even(&counts::<4>(&mut next), &[0, 1, 2, 3]);
    // Flows that have sent nothing yet.
    let mut flow = 0;
    let mut fresh = || {
        flow += 1;
        anycast.choose(&Ask { flow, ..ask(&TWO) }, unseen)
    };
    assert_even(&counts::<2>(&mut fresh), &[0, 1]);
}

/// Flows are told apart, and what one sends does not keep another's flowlet.
#[test]
fn each_flow_has_its_own_flowlets() {
    let mut anycast = anycast(AnycastPolicy::Flowlet);
    let mut send = |flow, now| anycast.choose(&Ask { now, flow, ..ask(&FOUR) }, unseen);
    let kept: Vec<u32> = (0..1_000).map(|flow| send(flow, at(0))).collect();
    let mut moved = 0;
    for (flow, port) in (0..1_000).zip(kept) {
        assert_eq!(send(flow, at(400)), port);
        // The number 2^17 further shares the entry.
        assert_eq!(send(flow + (1 << 17), at(800)), port);
        assert_eq!(send(flow, at(1_300)), port);
        moved += u32::from(send(flow, at(1_801)) != port);
    }
    // Three of four, within K standard errors of 13.7.
    assert!(moved.abs_diff(750) < 55, "{moved}");
}

#[test]
fn a_bundle_of_one_leaves_no_choice() {
    for policy in ALL {
        let mut anycast = anycast(policy);
        for rank in 0..3 {
            assert_eq!(anycast.choose(&Ask { rank, ..ask(&[4]) }, unseen), 0, "{policy:?}");
        }
    }
}

#[test]
fn only_e_jsq_has_one_queue_for_a_bundle() {
    for policy in ALL {
        assert_eq!(anycast(policy).shares_queue(), policy == AnycastPolicy::EJsq, "{policy:?}");
    }
}
