//! Assembly policies: against their definitions, against each other, and by hand.

mod class;
mod delays;
mod properties;
mod running;

use extension::Source;
use units::{Bytes, Span, Time};

use self::class::{Arrival, Class};
use super::{at, stream, us};
use crate::{
    AllocationRule, AssemblyPolicy, AssemblyProgram, AssemblySpec, Cycle, LossKnown, Overflow,
    Place, Policy, Seen, Timer, WhenBusy,
};

/// Standard errors; exceeded once in 16,000 seeds by a right model.
const K: f64 = 4.0;

fn spec(policy: AssemblyPolicy, queues: u32, timeout: Span) -> AssemblySpec {
    AssemblySpec {
        policy,
        program: None,
        queues: Some(queues),
        allocation: None,
        cycle: None,
        loss_known: None,
        max_size: None,
        overflow: Overflow::NextBurst,
        timeout: Some(timeout),
        timer: Timer::FirstPacket,
        loss: 0.0,
        offset: Span::from_us(10),
        when_busy: WhenBusy::Wait,
    }
}

/// The built-in policies as programs, each with what it does.
const PROGRAMS: [(&str, AssemblyPolicy, Option<AllocationRule>); 4] = [
    (
        "turn = 0\n\ndef assign(packet):\n    if packet.known:\n        return packet.queue\n    \
         queue = turn\n    turn = (turn + 1) % queues.count\n    return queue\n",
        AssemblyPolicy::StaticQueues,
        None,
    ),
    (
        "def assign(packet):\n    return draw.below(queues.count)\n",
        AssemblyPolicy::DynamicQueues,
        None,
    ),
    (
        "def assign(packet):\n    if packet.known and not packet.lost:\n        return packet.queue\n    \
         return draw.below(queues.count)\n",
        AssemblyPolicy::DynamicQueues,
        Some(AllocationRule::APosteriori),
    ),
    (
        "def assign(packet):\n    best = 0\n    for i in range(1, queues.count):\n        \
         if queues.windows(i) < queues.windows(best):\n            best = i\n    return best\n",
        AssemblyPolicy::WindowAware,
        None,
    ),
];

/// The same policy as a program.
fn as_program(spec: &AssemblySpec) -> AssemblySpec {
    let does =
        |one: &&(&str, _, Option<AllocationRule>)| (one.1, one.2) == (spec.policy, spec.allocation);
    let (source, ..) = PROGRAMS.iter().find(does).unwrap();
    let source = Source::new(source);
    let program = Some(Box::new(AssemblyProgram { source, ..AssemblyProgram::default() }));
    let policy = AssemblyPolicy::Program;
    AssemblySpec { policy, program, allocation: None, ..spec.clone() }
}

/// What a policy does, without a program.
fn built_in(spec: &AssemblySpec) -> AssemblySpec {
    let Some(program) = &spec.program else { return spec.clone() };
    let (_, policy, allocation) = PROGRAMS.iter().find(|one| one.0 == &*program.source).unwrap();
    AssemblySpec { policy: *policy, program: None, allocation: *allocation, ..spec.clone() }
}

/// Every policy that divides flows among `queues` queues, in all its ways.
fn several_queues(queues: u32, timeout: Span) -> Vec<AssemblySpec> {
    let spec = |policy| spec(policy, queues, timeout);
    let mut all = vec![spec(AssemblyPolicy::StaticQueues)];
    for cycle in [None, Some(Cycle::Queue), Some(Cycle::Common)] {
        all.push(AssemblySpec { cycle, ..spec(AssemblyPolicy::WindowAware) });
        let dynamic = AssemblySpec { cycle, ..spec(AssemblyPolicy::DynamicQueues) };
        all.push(dynamic.clone());
        for loss_known in [None, Some(LossKnown::AtOnce), Some(LossKnown::Resent)] {
            let allocation = Some(AllocationRule::APosteriori);
            all.push(AssemblySpec { allocation, loss_known, ..dynamic.clone() });
        }
    }
    all.extend(all.iter().map(as_program).collect::<Vec<_>>());
    all
}

fn every_policy(queues: u32, timeout: Span) -> Vec<AssemblySpec> {
    let mut all = several_queues(queues, timeout);
    all.extend(
        [AssemblyPolicy::MixedFlow, AssemblyPolicy::PerFlow]
            .map(|policy| AssemblySpec { queues: None, ..spec(policy, queues, timeout) }),
    );
    all
}

fn policy(spec: &AssemblySpec) -> Policy {
    Policy::new(spec, stream("allocation"))
}

fn seen(flow: u32) -> Seen {
    Seen { flow, life: 0, resent: false, window: 1 }
}

/// A packet of 1500 B every 0.12 ms is a line of 100 Mb/s. 1 / 0.12 = 8.3, 3 / 0.12 = 25 exactly and
/// 5 / 0.12 = 41.7 others come in the time after the first.
#[test]
fn bursts_of_a_full_line_have_9_26_and_42_packets() {
    for (timeout, packets) in [(1, 9), (3, 26), (5, 42)] {
        for spec in every_policy(1, Span::from_ms(timeout)) {
            let mut class = Class::new(&spec, stream("allocation"));
            for packet in 0..1_000 {
                class.on_packet(Arrival::new(at(120 * packet), 0, 1_500));
            }
            assert!(class.bursts.len() > 20);
            for burst in class.bursts {
                assert_eq!(burst.packets.len(), packets, "{spec:?}");
            }
        }
    }
}

#[test]
fn static_queues_are_assigned_alternately_and_for_good() {
    let mut policy = policy(&spec(AssemblyPolicy::StaticQueues, 3, us(10)));
    for (now, flow, life, queue) in [
        (0, 70, 0, 0),
        (0, 5, 0, 1),
        (0, 70, 0, 0),
        (1, 9, 0, 2),
        (2, 3, 0, 0),
        (3, 5, 0, 1),
        // The next flow of the id 70 is a new one.
        (4, 70, 1, 1),
        (90_000_000, 9, 0, 2),
        (90_000_000, 70, 1, 1),
    ] {
        let place = policy.place(at(now), Seen { life, ..seen(flow) });
        assert_eq!(place, Place { queue, since: at(now) }, "flow {flow}");
        policy.on_release(queue);
    }
}

#[test]
fn queues_of_flows_that_wait_no_more_are_used_again() {
    let mut policy = policy(&spec(AssemblyPolicy::PerFlow, 1, us(10)));
    let place = |policy: &mut Policy, flow| policy.place(at(0), seen(flow)).queue;
    for (flow, queue) in [(70, 0), (5, 1), (9, 2), (5, 1)] {
        assert_eq!(place(&mut policy, flow), queue);
    }
    for queue in [2, 0] {
        policy.on_release(queue);
    }
    for (flow, queue) in [(5, 1), (1, 0), (70, 2), (8, 3)] {
        assert_eq!(place(&mut policy, flow), queue);
    }
    // A later flow of an id, while the earlier one waits, is another one.
    assert_eq!(policy.place(at(0), Seen { life: 1, ..seen(70) }).queue, 4);
}

/// Three queues, 10 µs from 1 to 11. Windows by packet: the sums of the queues after it are given.
#[test]
fn window_aware_queues_by_hand() {
    let spec = spec(AssemblyPolicy::WindowAware, 3, us(10));
    for cycle in [Cycle::Queue, Cycle::Common] {
        let mut policy = policy(&AssemblySpec { cycle: Some(cycle), ..spec.clone() });
        for (now, flow, window, queue) in [
            (1, 0, 50, 0), // 50, 0, 0
            (2, 1, 30, 1), // 50, 30, 0
            (3, 2, 10, 2), // 50, 30, 10
            (4, 3, 20, 2), // 50, 30, 30
            (5, 4, 5, 1),  // 50, 35, 30: the lower number among equals
            (6, 3, 60, 2), // 50, 35, 70: its window has grown
            (7, 5, 20, 1), // 50, 55, 70
            (8, 0, 25, 0), // 25, 55, 70: another has shrunk
            (9, 6, 1, 0),  // 26, 55, 70
            (9, 0, 99, 0), // 100, 55, 70
        ] {
            let place = policy.place(at(now), Seen { window, ..seen(flow) });
            let since = if cycle == Cycle::Common { at(1) } else { at(now) };
            assert_eq!(place, Place { queue, since }, "at {now}");
        }
        // The burst of queue 2 leaves early, by its size.
        policy.on_release(2);
        let next = policy.place(at(10), Seen { window: 1, ..seen(7) }).queue;
        let again = policy.place(at(10), Seen { window: 50, ..seen(3) }).queue;
        match cycle {
            // Its cycle is over: 100, 55, 1; then flow 3, which was in it, is new: 100, 55, 51.
            Cycle::Queue => assert_eq!((next, again), (2, 2)),
            // The cycle goes on with 100, 56, 70, and flow 3 stays.
            Cycle::Common => assert_eq!((next, again), (1, 2)),
        }
    }
}

/// A timeout of 3 s, longer than flows are remembered otherwise: flow 0 stays where its packets wait, though as a new flow
/// it would go to queue 1, which has the smaller sum.
#[test]
fn a_flow_stays_in_its_queue_for_a_long_cycle() {
    let spec = spec(AssemblyPolicy::WindowAware, 2, Span::from_secs(3));
    let mut policy = policy(&spec);
    let mut place = |secs: u64, flow, window| {
        policy.place(at(secs * 1_000_000), Seen { window, ..seen(flow) }).queue
    };
    assert_eq!([place(0, 0, 50), place(0, 1, 10), place(1, 1, 10)], [0, 1, 1]);
    assert_eq!([place(2, 1, 10), place(2, 0, 50)], [1, 0]);
}

/// Flows hold their queues until all are released, whatever leaves before; then all are free.
#[test]
fn a_common_cycle_ends_for_all_queues_at_one_instant() {
    let spec = spec(AssemblyPolicy::DynamicQueues, 4, us(10));
    let max_size = Some(Bytes(1_000));
    let mut class = Class::new(
        &AssemblySpec { cycle: Some(Cycle::Common), max_size, ..spec },
        stream("allocation"),
    );
    for now in 0..8 {
        for flow in 0..4 {
            class.on_packet(Arrival::new(at(now), flow, 100 + flow));
        }
    }
    class.run_to(at(10));
    assert!(!class.bursts.is_empty(), "some leave by size");
    let early = class.bursts.len();
    assert!(class.waiting() > 1);
    class.run_to(at(10) + Span::from_ps(1));
    assert_eq!(class.waiting(), 0);
    assert!(class.bursts.len() > early + 1);
    for burst in &class.bursts[early..] {
        assert_eq!(burst.left, at(10) + Span::from_ps(1));
    }
    // Where each flow was in that cycle.
    for flow in 0..4 {
        let of_flow = |&&(_, packet): &&(u32, class::Packet)| packet.flow == flow;
        let mut queues: Vec<u32> = class.entered.iter().filter(of_flow).map(|at| at.0).collect();
        queues.dedup();
        assert_eq!(queues.len(), 1, "flow {flow}");
    }
}

/// What a flow draws, a packet in each of `n` cycles.
fn draws(spec: &AssemblySpec, n: u64, flow: u32) -> Vec<u32> {
    let mut policy = policy(spec);
    let mut draw = |cycle| {
        let queue = policy.place(at(20 * cycle), seen(flow)).queue;
        policy.on_release(queue);
        queue
    };
    (0..n).map(&mut draw).collect()
}

/// Pearson's statistic has mean n - 1 and variance 2 (n - 1) for n cells.
#[test]
fn draws_are_fair_and_each_by_itself() {
    let spec = spec(AssemblyPolicy::DynamicQueues, 8, us(10));
    for cycle in [Cycle::Queue, Cycle::Common] {
        let draws = draws(&AssemblySpec { cycle: Some(cycle), ..spec.clone() }, 80_000, 0);
        // Single draws, and pairs of one and the next.
        let alone: Vec<usize> = draws.iter().map(|&queue| queue as usize).collect();
        let pairs: Vec<usize> = alone.chunks(2).map(|pair| 8 * pair[0] + pair[1]).collect();
        for (found, cells) in [(alone, 8), (pairs, 64)] {
            let mut counts = vec![0.0; cells];
            for &cell in &found {
                counts[cell] += 1.0;
            }
            let mean = found.len() as f64 / cells as f64;
            let square: f64 =
                counts.iter().map(|count| (count - mean) * (count - mean) / mean).sum();
            let freedom = cells as f64 - 1.0;
            assert!(square < freedom + K * (2.0 * freedom).sqrt(), "{square} of {cells}");
        }
    }
}

/// In a common cycle two flows of n queues share one with probability 1/n.
#[test]
fn two_flows_share_a_queue_as_often_as_chance_has_it() {
    for queues in [2, 4, 8] {
        let spec = spec(AssemblyPolicy::DynamicQueues, queues, us(10));
        let mut policy = policy(&AssemblySpec { cycle: Some(Cycle::Common), ..spec });
        let n = 40_000;
        let mut shared = 0;
        for cycle in 0..n {
            let [a, b] = [0, 1].map(|flow| policy.place(at(20 * cycle), seen(flow)).queue);
            shared += u32::from(a == b);
            policy.on_release(a);
            policy.on_release(b);
        }
        let (n, p) = (n as f64, 1.0 / f64::from(queues));
        let error = (n * p * (1.0 - p)).sqrt();
        assert!((f64::from(shared) - n * p).abs() < K * error, "{shared} of {n}, {queues} queues");
    }
}

/// Of 65,536 queues a flow draws the same one twice with probability 2^-16.
#[test]
fn a_posteriori_a_flow_moves_after_a_loss_and_not_while_it_waits() {
    for cycle in [Cycle::Queue, Cycle::Common] {
        for loss_known in [LossKnown::AtOnce, LossKnown::Resent] {
            let mut policy = policy(&AssemblySpec {
                cycle: Some(cycle),
                allocation: Some(AllocationRule::APosteriori),
                loss_known: Some(loss_known),
                ..spec(AssemblyPolicy::DynamicQueues, 65_536, us(10))
            });
            assert_eq!(policy.wants_losses(), loss_known == LossKnown::AtOnce);
            let mut drawn = Vec::new();
            for loss in 0..5 {
                let now = at(1_000 * loss);
                let home = policy.place(now, seen(4)).queue;
                drawn.push(home);
                policy.on_release(home);
                // It keeps its queue without a loss, cycle after cycle, and so does another flow.
                let other = policy.place(now + us(1), seen(5)).queue;
                assert_eq!(drawn.len() == 1 || other == drawn[0], drawn.len() == 1);
                policy.on_release(other);
                for _ in 0..10 {
                    assert_eq!(policy.place(now + us(2), seen(4)).queue, home);
                    policy.on_release(home);
                }
                // It loses data while it waits: it stays until the cycle ends.
                assert_eq!(policy.place(now + us(3), seen(4)).queue, home);
                let resent = loss_known == LossKnown::Resent;
                if !resent {
                    policy.on_loss(4);
                    policy.on_loss(999);
                }
                assert_eq!(policy.place(now + us(4), Seen { resent, ..seen(4) }).queue, home);
                assert_eq!(policy.place(now + us(5), seen(4)).queue, home);
                policy.on_release(home);
            }
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 5);
        }
    }
}

#[test]
fn only_a_posteriori_and_at_once_wants_losses_and_only_window_aware_reads_windows_unless_programs_do()
 {
    for spec in every_policy(2, us(10)) {
        let policy = policy(&spec);
        let is_program = spec.policy == AssemblyPolicy::Program;
        let told = (is_program || spec.allocation == Some(AllocationRule::APosteriori))
            && spec.loss_known != Some(LossKnown::Resent);
        assert_eq!(policy.wants_losses(), told, "{spec:?}");
        let reads = is_program || spec.policy == AssemblyPolicy::WindowAware;
        assert_eq!(policy.reads_windows(), reads);
    }
}

/// At most 1000 B. The windows of the flows in the queue that a packet enters are given.
#[test]
fn a_packet_that_pushes_out_a_burst_stays_and_frees_the_others() {
    let spec = AssemblySpec {
        max_size: Some(Bytes(1_000)),
        ..spec(AssemblyPolicy::WindowAware, 2, us(10))
    };
    let mut class = Class::new(&spec, stream("allocation"));
    let arrival =
        |now: Time, flow, bytes, window| Arrival { window, ..Arrival::new(now, flow, bytes) };
    class.on_packet(arrival(at(0), 0, 400, 10)); // queue 0: 10
    class.on_packet(arrival(at(1), 1, 400, 30)); // queue 1: 30
    class.on_packet(arrival(at(2), 2, 400, 10)); // queue 0: 10 + 10
    class.on_packet(arrival(at(3), 2, 400, 10)); // pushes out 0 and 2; queue 0: 10
    assert_eq!(class.bursts.len(), 1);
    assert_eq!(class.bursts[0].packets.len(), 2);
    class.on_packet(arrival(at(4), 3, 100, 25)); // queue 0: 35
    class.on_packet(arrival(at(5), 0, 100, 10)); // free to go: queue 1: 40
    let queues: Vec<u32> = class.entered.iter().map(|at| at.0).collect();
    assert_eq!(queues, [0, 1, 0, 0, 0, 1]);
}
