//! Timers that run on, and bursts that hold the packet which overflows them: by hand.

use units::{Bytes, Span, Time};

use super::class::{Arrival, Class};
use super::{at, policy, seen, spec, stream, us};
use crate::{AssemblyPolicy, AssemblySpec, Overflow, Place, Policy, Seen, Timer};

/// Why a burst of a trace leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// Full, at this microsecond.
    Size(u64),
    /// A picosecond after this one.
    Timer(u64),
}

use Left::{Size, Timer as Ended};

/// What becomes of packets, each with its microsecond and its flow: the bursts, in the order of
/// their first packets, with the numbers of these.
fn trace(spec: &AssemblySpec, packets: &[(u64, u32)]) -> Vec<(Left, Vec<usize>)> {
    let mut class = Class::new(spec, stream("trace"));
    for &(now, flow) in packets {
        class.on_packet(Arrival::new(at(now), flow, 400));
    }
    class.run_to(at(1_000));
    class.bursts.sort_by_key(|burst| burst.packets[0]);
    let left = |left: Time, by_size| match left.0 {
        _ if by_size => Size(left.0 / 1_000_000),
        ps => {
            assert_eq!(ps % 1_000_000, 1);
            Ended(ps / 1_000_000)
        }
    };
    let bursts = class.bursts.iter();
    bursts
        .map(|burst| {
            let numbers = burst.packets.iter().map(|packet| packet.number);
            (left(burst.left, burst.by_size), numbers.collect())
        })
        .collect()
}

/// The microsecond and the flow of each packet, of 400 B. Bursts have at most 1000 B, or less than
/// 1400 B, and 10 µs.
const PACKETS: [(u64, u32); 9] = {
    let (a, b) = (7, 3);
    [(0, a), (2, b), (4, a), (6, b), (13, a), (14, a), (15, a), (38, b), (40, a)]
};

/// The bursts of a timer and an overflow rule.
type Case = (Timer, Overflow, &'static [(Left, &'static [usize])]);

const MIXED: [Case; 4] = [
    (
        Timer::FirstPacket,
        Overflow::NextBurst,
        &[
            (Size(4), &[0, 1]),
            (Size(13), &[2, 3]),
            (Size(15), &[4, 5]),
            (Ended(25), &[6]),
            (Ended(48), &[7, 8]),
        ],
    ),
    (
        Timer::FirstPacket,
        Overflow::ThisBurst,
        &[(Size(4), &[0, 1, 2]), (Size(14), &[3, 4, 5]), (Ended(25), &[6]), (Ended(48), &[7, 8])],
    ),
    // Intervals from 0; from 4; from 13; from 15: to 25, 35, 45.
    (
        Timer::Interval,
        Overflow::NextBurst,
        &[
            (Size(4), &[0, 1]),
            (Size(13), &[2, 3]),
            (Size(15), &[4, 5]),
            (Ended(25), &[6]),
            (Ended(45), &[7, 8]),
        ],
    ),
    // From 0; from 4 to 14, at the end of which a packet fills the burst; from 14: to 24, 34, 44.
    (
        Timer::Interval,
        Overflow::ThisBurst,
        &[(Size(4), &[0, 1, 2]), (Size(14), &[3, 4, 5]), (Ended(24), &[6]), (Ended(44), &[7, 8])],
    ),
];

const PER_FLOW: [Case; 4] = [
    (
        Timer::FirstPacket,
        Overflow::NextBurst,
        &[
            (Ended(10), &[0, 2]),
            (Ended(12), &[1, 3]),
            (Size(15), &[4, 5]),
            (Ended(25), &[6]),
            (Ended(48), &[7]),
            (Ended(50), &[8]),
        ],
    ),
    (
        Timer::FirstPacket,
        Overflow::ThisBurst,
        &[
            (Ended(10), &[0, 2]),
            (Ended(12), &[1, 3]),
            (Size(15), &[4, 5, 6]),
            (Ended(48), &[7]),
            (Ended(50), &[8]),
        ],
    ),
    // Those of `a` from 0: to 10, 20; from 15: to 25, 35, 45. Those of `b` from 2: to 12, …, 42.
    (
        Timer::Interval,
        Overflow::NextBurst,
        &[
            (Ended(10), &[0, 2]),
            (Ended(12), &[1, 3]),
            (Size(15), &[4, 5]),
            (Ended(25), &[6]),
            (Ended(42), &[7]),
            (Ended(45), &[8]),
        ],
    ),
    (
        Timer::Interval,
        Overflow::ThisBurst,
        &[
            (Ended(10), &[0, 2]),
            (Ended(12), &[1, 3]),
            (Size(15), &[4, 5, 6]),
            (Ended(42), &[7]),
            (Ended(45), &[8]),
        ],
    ),
];

#[test]
fn each_combination_by_hand() {
    // Two queues for two flows are a queue for each.
    for (policy, queues, cases) in [
        (AssemblyPolicy::MixedFlow, 1, MIXED),
        (AssemblyPolicy::PerFlow, 1, PER_FLOW),
        (AssemblyPolicy::StaticQueues, 1, MIXED),
        (AssemblyPolicy::StaticQueues, 2, PER_FLOW),
        (AssemblyPolicy::DynamicQueues, 1, MIXED),
    ] {
        for (timer, overflow, expected) in cases {
            let max_size = Some(Bytes(1_000));
            let spec = AssemblySpec { max_size, overflow, timer, ..spec(policy, queues, us(10)) };
            let expected: Vec<_> =
                expected.iter().map(|&(left, packets)| (left, packets.to_vec())).collect();
            assert_eq!(trace(&spec, &PACKETS), expected, "{policy:?} {timer:?} {overflow:?}");
        }
    }
}

#[test]
fn without_aggregation_each_packet_leaves_as_it_comes() {
    let none = AssemblySpec { timeout: None, ..spec(AssemblyPolicy::None, 1, us(10)) };
    let alone = PACKETS.iter().zip(0..).map(|(&(now, _), number)| (Size(now), vec![number]));
    assert_eq!(trace(&none, &PACKETS), alone.collect::<Vec<_>>());
}

fn running(policy: AssemblyPolicy, timeout: Span) -> AssemblySpec {
    AssemblySpec { timer: Timer::Interval, ..spec(policy, 1, timeout) }
}

/// A packet at the end of an interval is in it, one a picosecond later in the next. Bursts leave a
/// picosecond after an end, and however many leave, the ends do not drift.
#[test]
fn a_packet_at_the_end_of_an_interval_is_in_it() {
    let ps = Span::from_ps(1);
    for policy in [AssemblyPolicy::MixedFlow, AssemblyPolicy::PerFlow] {
        for packets_first in [false, true] {
            let mut class = Class::new(&running(policy, us(10)), stream("ties"));
            class.packets_first = packets_first;
            // The packet 0 starts the first interval; n is at the end of the nth.
            for end in 0..1_000 {
                class.on_packet(Arrival::new(at(10 * end), 0, 1));
            }
            class.on_packet(Arrival::new(at(9_990) + ps, 0, 1));
            class.run_to(at(20_000));
            let mut bursts = class.bursts.iter();
            let mut next = || {
                let burst = bursts.next().unwrap();
                let numbers: Vec<usize> = burst.packets.iter().map(|at| at.number).collect();
                (burst.left, numbers)
            };
            assert_eq!(next(), (at(10) + ps, vec![0, 1]));
            for end in 2..1_000 {
                assert_eq!(next(), (at(10 * end) + ps, vec![usize::try_from(end).unwrap()]));
            }
            assert_eq!(next(), (at(10_000) + ps, vec![1_000]));
            assert_eq!(bursts.next(), None);
        }
    }
}

/// What is not there costs nothing: an empty queue has no alarm, and the interval in which the next
/// packet comes is found at once, a year later too.
#[test]
fn empty_intervals_send_nothing() {
    let mut class = Class::new(&running(AssemblyPolicy::MixedFlow, us(10)), stream("empty"));
    class.on_packet(Arrival::new(at(3), 0, 1));
    class.run_to(at(1_000));
    assert_eq!((class.bursts.len(), class.waiting()), (1, 0));
    let year = Time::ZERO + Span::from_secs(86_400 * 200);
    class.on_packet(Arrival::new(year, 0, 1));
    class.run_to(year + us(10));
    assert_eq!(class.bursts.len(), 2);
    assert_eq!(class.bursts[1].left, year + us(3) + Span::from_ps(1));
}

fn place(policy: &mut Policy, secs: u64, flow: u32) -> (u32, u64) {
    let now = Time::ZERO + Span::from_secs(secs);
    let Place { queue, since } = policy.place(now, seen(flow));
    // Its burst leaves at once.
    policy.on_release(queue);
    (queue, (since - Time::ZERO).0 / Span::from_secs(1).0)
}

/// With a timeout of 10 s a flow is a new one when it was silent for more than 130 s.
#[test]
fn an_active_flow_keeps_its_queue_and_its_phase() {
    let mut policy = policy(&running(AssemblyPolicy::PerFlow, Span::from_secs(10)));
    for (secs, flow, queue, since) in [
        (1, 70, 0, 1),
        (2, 5, 1, 2),
        (3, 70, 0, 1),
        // At 70 and 260 s what was silent for too long is looked for. 131 s after its last packet
        // the flow 5 is a new one, in its old queue.
        (70, 5, 1, 2),
        (133, 70, 0, 1),
        (201, 5, 1, 201),
        (202, 8, 2, 202),
        // Silent for 130 s exactly.
        (263, 70, 0, 1),
        (332, 8, 2, 202),
        // The flow 5 has been forgotten when the next comes: the lowest free number.
        (393, 9, 1, 393),
        (394, 5, 3, 394),
    ] {
        assert_eq!(place(&mut policy, secs, flow), (queue, since), "{secs} s, flow {flow}");
    }
    // A later flow of an id is another one.
    let now = Time::ZERO + Span::from_secs(400);
    let later = policy.place(now, Seen { life: 1, ..seen(5) });
    assert_eq!(later, Place { queue: 4, since: now });
}

/// One flow after another, each for a second: there are as many queues as flows in twice 130 s.
#[test]
fn queues_of_flows_that_have_ended_are_used_again() {
    let mut policy = policy(&running(AssemblyPolicy::PerFlow, Span::from_secs(10)));
    let most = (0..10_000).map(|flow| place(&mut policy, u64::from(flow), flow).0).max();
    assert!(most.unwrap() <= 262, "{most:?}");
}

/// The longest timeout: packets wait for an hour, while others come, and nobody gets their queue.
#[test]
fn queues_in_which_packets_wait_are_not_used_again() {
    let hour = Span::from_secs(3_600);
    let mut class = Class::unwatched(&running(AssemblyPolicy::PerFlow, hour), stream("hour"));
    let at = |secs: u64| Time::ZERO + Span::from_secs(secs);
    for secs in 0..20_000 {
        if secs % 40 == 0 {
            class.on_packet(Arrival::new(at(secs), u32::try_from(secs).unwrap(), 1));
        }
    }
    class.run_to(at(30_000));
    for burst in &class.bursts {
        assert_eq!(burst.packets.len(), 1);
    }
    assert_eq!(class.bursts.len(), 500);
}
