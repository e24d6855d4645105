//! What holds for any arrivals.

use std::collections::BTreeMap;

use proptest::prelude::*;
use units::{Bytes, Span, Time};

use super::class::{Arrival, Burst, Class, Packet, bursts_of};
use super::{every_policy, several_queues, stream};
use crate::{AssemblyPolicy, AssemblySpec, Cycle, Overflow, Thresholds, Timer};

/// Packets of a few flows, now and then of a new one that takes the id of an old one; many at one
/// instant.
fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let draw = (0..12_u64, 0..6_u32, 1..600_u32, 0..100_u64, 0..24_u32);
    prop::collection::vec(draw, 1..200).prop_map(|draws| {
        let mut now = Time::ZERO;
        let mut lives = [0; 6];
        let mut arrival = |(later, flow, bytes, window, chance): (u64, u32, u32, u64, u32)| {
            now += Span(later.saturating_sub(3));
            let life = &mut lives[flow as usize];
            *life += u32::from(chance == 0);
            let (resent, lost) = ((1..4).contains(&chance), (3..6).contains(&chance));
            Arrival { life: *life, resent, lost, window, ..Arrival::new(now, flow, bytes) }
        };
        draws.into_iter().map(&mut arrival).collect()
    })
}

/// Thresholds that are met by time, by size, or by both; the timer starts at first packets.
fn thresholds() -> impl Strategy<Value = Thresholds> {
    let max_size = prop::option::of(1..1_500_u64);
    (max_size, 0..60_u64, overflow()).prop_map(|(max_size, timeout, overflow)| Thresholds {
        max_size: max_size.map(Bytes),
        overflow,
        timeout: Span(timeout),
        timer: Timer::FirstPacket,
    })
}

fn overflow() -> impl Strategy<Value = Overflow> {
    prop_oneof![Just(Overflow::NextBurst), Just(Overflow::ThisBurst)]
}

/// The same with either timer.
fn with_either_timer() -> impl Strategy<Value = Thresholds> {
    prop_oneof![thresholds(), thresholds().prop_map(running)]
}

fn running(thresholds: Thresholds) -> Thresholds {
    let timeout = thresholds.timeout.max(Span(1));
    Thresholds { timeout, timer: Timer::Interval, ..thresholds }
}

fn with(thresholds: Thresholds, specs: Vec<AssemblySpec>) -> Vec<AssemblySpec> {
    specs.into_iter().map(|spec| one(thresholds, spec)).collect()
}

fn one(thresholds: Thresholds, spec: AssemblySpec) -> AssemblySpec {
    let Thresholds { max_size, overflow, timeout, timer } = thresholds;
    AssemblySpec { max_size, overflow, timeout: Some(timeout), timer, ..spec }
}

fn alone(thresholds: Thresholds, policy: AssemblyPolicy) -> AssemblySpec {
    one(thresholds, super::spec(policy, 1, Span(0)))
}

/// Whether a policy knows the timer: a cycle of all queues starts with a packet.
fn runs(spec: &AssemblySpec) -> bool {
    spec.timer == Timer::FirstPacket || spec.cycle != Some(Cycle::Common)
}

/// Every policy with every timer that it knows.
fn all(thresholds: Thresholds, queues: u32) -> Vec<AssemblySpec> {
    let mut all = with(thresholds, every_policy(queues, Span(0)));
    all.push(alone(thresholds, AssemblyPolicy::None));
    all.extend(with(running(thresholds), every_policy(queues, Span(0))).into_iter().filter(runs));
    all
}

/// What becomes of the packets.
fn run(spec: &AssemblySpec, arrivals: &[Arrival], packets_first: bool) -> Class {
    let mut class = Class::new(spec, stream("allocation"));
    class.packets_first = packets_first;
    for &arrival in arrivals {
        class.on_packet(arrival);
    }
    class.run_to(Time::ZERO + Span::from_secs(1));
    assert_eq!(class.waiting(), 0);
    class
}

/// In the order of the first packets.
fn sorted(mut bursts: Vec<Burst>) -> Vec<Burst> {
    bursts.sort_by_key(|burst| burst.packets[0]);
    bursts
}

/// The bursts of separate queues by their definition; `part` is the queue of a packet.
fn separate<K: Ord>(
    thresholds: Thresholds,
    arrivals: &[Arrival],
    mut part: impl FnMut(&Arrival) -> K,
) -> Vec<Burst> {
    let mut parts: BTreeMap<K, Vec<(Arrival, Packet)>> = BTreeMap::new();
    for (number, arrival) in arrivals.iter().enumerate() {
        let packet = Packet { number, flow: arrival.flow, life: arrival.life };
        parts.entry(part(arrival)).or_default().push((*arrival, packet));
    }
    sorted(parts.values().flat_map(|packets| bursts_of(thresholds, packets)).collect())
}

proptest! {
    #[test]
    fn mixed_flow_is_one_queue(
        arrivals in arrivals(), thresholds in with_either_timer(), packets_first: bool,
    ) {
        let spec = alone(thresholds, AssemblyPolicy::MixedFlow);
        let found = run(&spec, &arrivals, packets_first).bursts;
        prop_assert_eq!(sorted(found), separate(thresholds, &arrivals, |_| ()));
    }

    /// SMQ with one queue and DMQ-1, in all their ways, are MF: the same packets leave at the same
    /// instants for the same cause.
    #[test]
    fn several_queues_with_one_are_mixed_flow(
        arrivals in arrivals(), thresholds in with_either_timer(), packets_first: bool,
    ) {
        let mixed = alone(thresholds, AssemblyPolicy::MixedFlow);
        let mixed = run(&mixed, &arrivals, packets_first).bursts;
        for spec in with(thresholds, several_queues(1, Span(0))).into_iter().filter(runs) {
            let bursts = run(&spec, &arrivals, packets_first).bursts;
            prop_assert_eq!(&bursts, &mixed, "{:?}", spec);
        }
    }

    #[test]
    fn per_flow_is_a_queue_for_each_flow(
        arrivals in arrivals(), thresholds in with_either_timer(), packets_first: bool,
    ) {
        let spec = alone(thresholds, AssemblyPolicy::PerFlow);
        let found = run(&spec, &arrivals, packets_first).bursts;
        let flow = |arrival: &Arrival| (arrival.flow, arrival.life);
        prop_assert_eq!(sorted(found), separate(thresholds, &arrivals, flow));
    }

    #[test]
    fn static_queues_are_queues_for_every_nth_flow(
        arrivals in arrivals(), thresholds in with_either_timer(), queues in 1..5_u32,
    ) {
        let spec = one(thresholds, super::spec(AssemblyPolicy::StaticQueues, queues, Span(0)));
        let found = run(&spec, &arrivals, false).bursts;
        let mut order = Vec::new();
        let queue = |arrival: &Arrival| {
            let flow = (arrival.flow, arrival.life);
            if !order.contains(&flow) {
                order.push(flow);
            }
            order.iter().position(|&known| known == flow).unwrap() % queues as usize
        };
        prop_assert_eq!(sorted(found), separate(thresholds, &arrivals, queue));
    }

    /// A limit that the smallest packet reaches, whatever becomes of one that exceeds it.
    #[test]
    fn with_a_limit_of_at_most_a_packet_each_is_a_burst(
        arrivals in arrivals(), thresholds in with_either_timer(), below in 0..20_u64,
        packets_first: bool,
    ) {
        let smallest = arrivals.iter().map(|arrival| arrival.bytes).min().unwrap();
        let limit = u64::from(smallest).saturating_sub(below).max(1);
        let thresholds = Thresholds { max_size: Some(Bytes(limit)), ..thresholds };
        let none = run(&alone(thresholds, AssemblyPolicy::None), &arrivals, packets_first).bursts;
        let packets = arrivals.iter().enumerate();
        let expected: Vec<Burst> = packets
            .map(|(number, &Arrival { now, flow, life, .. })| {
                Burst { left: now, by_size: true, packets: vec![Packet { number, flow, life }] }
            })
            .collect();
        prop_assert_eq!(&none, &expected);
        for policy in [AssemblyPolicy::MixedFlow, AssemblyPolicy::PerFlow] {
            prop_assert_eq!(&run(&alone(thresholds, policy), &arrivals, packets_first).bursts, &none);
        }
    }

    /// No burst is larger than the limit: by a packet or more if the packet that exceeds it is in,
    /// at all if it is not, unless it is one packet.
    #[test]
    fn bursts_keep_to_the_limit(
        arrivals in arrivals(), thresholds in thresholds(), queues in 1..5_u32,
    ) {
        let most = thresholds.max_size.map_or(u64::MAX, |size| size.0);
        let next = thresholds.overflow == Overflow::NextBurst;
        for spec in all(thresholds, queues) {
            for burst in run(&spec, &arrivals, false).bursts {
                let size = |packet: &Packet| u64::from(arrivals[packet.number].bytes);
                let (last, before) = burst.packets.split_last().unwrap();
                let before: u64 = before.iter().map(size).sum();
                prop_assert!(before < most, "{before} B and a last packet, {spec:?}");
                prop_assert!(!next || before == 0 || before + size(last) <= most, "{spec:?}");
            }
        }
    }

    /// Flows that are silent for minutes: one that was so for more than two and the timeout is a new
    /// one, with intervals of its own.
    #[test]
    fn a_flow_that_was_silent_for_long_is_a_new_one(
        arrivals in arrivals(), max_size in prop::option::of(1..1_500_u64), secs in 1..60_u64,
        overflow in overflow(), packets_first: bool,
    ) {
        let slow = |arrival: &Arrival| {
            Arrival { now: Time::ZERO + Span::from_secs(5) * arrival.now.0, ..*arrival }
        };
        let arrivals: Vec<Arrival> = arrivals.iter().map(slow).collect();
        let timeout = Span::from_secs(secs);
        let max_size = max_size.map(Bytes);
        let timer = Timer::Interval;
        let thresholds = Thresholds { max_size, overflow, timeout, timer };
        let spec = alone(thresholds, AssemblyPolicy::PerFlow);
        let mut class = Class::unwatched(&spec, stream("silent"));
        class.packets_first = packets_first;
        for &arrival in &arrivals {
            class.on_packet(arrival);
        }
        class.run_to(Time::ZERO + Span::from_secs(1_000_000));
        let mut last: BTreeMap<(u32, u32), (Time, usize)> = BTreeMap::new();
        let episode = |arrival: &Arrival| {
            let flow = (arrival.flow, arrival.life);
            let (before, number) = last.entry(flow).or_insert((arrival.now, 0));
            *number += usize::from(arrival.now - *before > Span::from_secs(120) + timeout);
            *before = arrival.now;
            (flow, *number)
        };
        prop_assert_eq!(sorted(class.bursts), separate(thresholds, &arrivals, episode));
    }

    /// By time alone, what the queues of a common cycle release at one instant is what one queue for
    /// all would.
    #[test]
    fn a_common_cycle_releases_together_what_one_queue_would(
        arrivals in arrivals(), timeout in 0..60_u64, queues in 1..5_u32, packets_first: bool,
    ) {
        let timeout = Span(timeout);
        let thresholds = Thresholds {
            max_size: None,
            overflow: Overflow::NextBurst,
            timeout,
            timer: Timer::FirstPacket,
        };
        let whole = separate(thresholds, &arrivals, |_| ());
        let specs = several_queues(queues, timeout).into_iter();
        for spec in specs.filter(|spec| spec.cycle == Some(Cycle::Common)) {
            let mut together: BTreeMap<Time, Vec<Packet>> = BTreeMap::new();
            for burst in run(&spec, &arrivals, packets_first).bursts {
                prop_assert!(!burst.by_size);
                together.entry(burst.left).or_default().extend(burst.packets);
            }
            prop_assert_eq!(together.len(), whole.len());
            for ((left, mut packets), burst) in together.into_iter().zip(&whole) {
                packets.sort();
                prop_assert_eq!((left, &packets), (burst.left, &burst.packets), "{:?}", spec);
            }
        }
    }

    /// No policy loses, doubles or reorders packets of a flow, and none has it wait in two queues.
    #[test]
    fn flows_stay_in_order(
        arrivals in arrivals(),
        thresholds in thresholds(),
        queues in 1..5_u32,
        packets_first: bool,
    ) {
        for spec in all(thresholds, queues) {
            let mut class = Class::new(&spec, stream("allocation"));
            class.packets_first = packets_first;
            for &arrival in &arrivals {
                class.on_packet(arrival);
                prop_assert!(class.queues_of(arrival.flow, arrival.life) <= 1);
            }
            class.run_to(Time::ZERO + Span::from_secs(1));
            let left: Vec<Packet> =
                class.bursts.iter().flat_map(|burst| burst.packets.iter().copied()).collect();
            prop_assert_eq!(left.len(), arrivals.len());
            let mut last: BTreeMap<(u32, u32), usize> = BTreeMap::new();
            for packet in left {
                let before = last.insert((packet.flow, packet.life), packet.number);
                prop_assert!(before.is_none_or(|before| before < packet.number), "{:?}", spec);
            }
        }
    }

    /// Every place is the one that the policy's definition gives; the class asserts it.
    #[test]
    fn every_place_is_by_definition(
        arrivals in arrivals(),
        thresholds in thresholds(),
        queues in 2..40_u32,
        packets_first: bool,
    ) {
        for spec in all(thresholds, queues) {
            run(&spec, &arrivals, packets_first);
        }
    }
}
