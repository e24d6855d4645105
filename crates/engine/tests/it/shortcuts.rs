//! Each shortcut saves events, or time, and changes nothing: the digest, which has the number of events in it, is the
//! same without.

use std::sync::Arc;

use engine::world::World;
use optics::{
    CioqCoreSpec, CircuitCoreSpec, CircuitSchedule, RackForwarding, ShortFlowsSpec, ShortWay,
    WithoutCircuit,
};
use plan::builder::Builder;
use plan::spec::queue::{Limit, codel, ecn_threshold, red};
use plan::spec::{Change, CoreSpec, Direction, LossSpec, MarkAbove, QueueSpec};
use plan::{Shortcut, TransportPlan};
use proptest::prelude::*;
use proptest::sample::select;
use traffic::{Bulk, Cbr, PoissonPackets, Source};
use transport::{Preset, Profile, TcpOptions};
use units::{Bytes, Rate, Span};

const LINK: Rate = Rate(1_000_000_000);
const DELAY: Span = Span::from_us(5);

/// Datagrams of 1,000 B on the wire, back to back.
fn full() -> Source {
    Source::Cbr(Cbr { rate: Rate(972_000_000).into(), packet: Bytes(972).into() })
}

/// Datagrams at the instants of a Poisson process.
fn drawn() -> Source {
    Source::PoissonPackets(PoissonPackets {
        rate: Rate(600_000_000).into(),
        packet: Bytes(972).into(),
    })
}

fn run(net: &Builder, without: &[Shortcut]) -> World {
    let mut net = net.clone();
    for &shortcut in without {
        net.without(shortcut);
    }
    World::run(net.plan(Span::from_ms(20)), 3)
}

/// A run with a shortcut and without it, each without the `others`: equal, and so what each skipped.
fn both(net: &Builder, shortcut: Shortcut, others: &[Shortcut]) -> [World; 2] {
    let without: Vec<Shortcut> = others.iter().copied().chain([shortcut]).collect();
    let worlds = [run(net, others), run(net, &without)];
    let [with, without] = &worlds;
    assert_eq!(with.digest(), without.digest(), "{shortcut:?} changes a run");
    assert_eq!(with.events(), without.events());
    worlds
}

/// Two senders behind one router, their receivers behind the next.
fn two_routers() -> Builder {
    let mut net = Builder::new();
    let senders = [net.host("a"), net.host("b")];
    let routers = [net.router("r"), net.router("s")];
    let receivers = [net.host("c"), net.host("d")];
    // Trains are of packets whose last bit arrives when the next one is offered.
    net.link(&senders[0], &routers[0], LINK, Span::ZERO);
    net.link(&senders[1], &routers[0], LINK, DELAY);
    net.link(&routers[0], &routers[1], LINK, DELAY);
    for receiver in &receivers {
        net.link(&routers[1], receiver, LINK, DELAY);
    }
    net.udp("a", "c", full()).udp("b", "d", drawn());
    net
}

#[test]
fn trains_are_one_event_where_there_would_be_two() {
    let quiet = [Shortcut::QuietHosts, Shortcut::QuietRouters];
    let [with, without] = both(&two_routers(), Shortcut::Trains, &quiet);
    // A packet of the sender without pauses takes 8 us: 2,500 in 20 ms.
    assert!(with.events_beside() > 2_000, "{}", with.events_beside());
    assert_eq!(without.events_beside(), 0);
}

#[test]
fn quiet_hosts_are_looked_at_late() {
    let others = [Shortcut::Trains, Shortcut::QuietRouters];
    let [with, without] = both(&two_routers(), Shortcut::QuietHosts, &others);
    assert!(with.events_beside() > 2_000, "{}", with.events_beside());
    assert_eq!(without.events_beside(), 0);
}

#[test]
fn quiet_routers_are_looked_at_late() {
    let [with, without] = both(&two_routers(), Shortcut::QuietRouters, &[Shortcut::Trains]);
    // Packets pass the link between the routers, too.
    let saved = with.events_beside() - without.events_beside();
    assert!(saved > 2_000, "{saved} of {}", with.events_beside());
}

#[test]
fn packets_join_busy_outputs_in_arrears() {
    let mut net = Builder::new();
    let switch = net.core("s");
    let sink = net.host("sink");
    net.link(&switch, &sink, LINK, DELAY);
    for name in ["a", "b", "c"] {
        let host = net.host(name);
        net.link(&host, &switch, LINK, DELAY);
        net.udp(&host, &sink, drawn());
    }
    let spec = CioqCoreSpec { input_buffer: Bytes(200_000), ..CioqCoreSpec::default() };
    net.switched_by(CoreSpec::Cioq(spec));
    // A queue that never fills leaves room for what comes late.
    net.queues(QueueSpec::bytes(Bytes(1 << 30)));
    let [with, without] = both(&net, Shortcut::Arrears, &[]);
    let (few, many) = (with.looks(), without.looks());
    assert!(few > 0 && few * 2 < many, "{few} looks in arrears, {many} without");
}

/// Eight racks of two hosts and four circuit switches: datagrams from the first hosts, and TCP between the second ones.
/// The clocks of racks are wrong by at most `skew`.
fn rotor(forwarding: RackForwarding, short: bool, skew: Span) -> Builder {
    let mut net = Builder::new();
    let switches = ["w", "x", "y", "z"].map(|name| net.core(name));
    for at in 0..8 {
        let rack = net.rack(&format!("r{at}"));
        for switch in &switches {
            net.link(&rack, switch, LINK, Span::from_us(1));
        }
        for host in ["a", "b"] {
            let host = net.host(&format!("{host}{at}"));
            net.link(&host, &rack, LINK, DELAY);
        }
    }
    for at in 0..8 {
        for step in 1..4 {
            let [from, to] = [at, (at + step) % 8];
            net.udp(
                &format!("a{from}"),
                &format!("a{to}"),
                if step == 1 { full() } else { drawn() },
            );
            net.tcp(&format!("b{from}"), &format!("b{to}"), Source::Bulk(Bulk { size: None }));
        }
    }
    let schedule = if short { CircuitSchedule::Opera } else { CircuitSchedule::Rotor };
    let short_flows = short.then_some(ShortFlowsSpec {
        below: Some(Bytes(1_000_000)),
        over: ShortWay::Circuits,
        queue: None,
        mark_above: None,
        trim: None,
    });
    net.switched_by(CoreSpec::Circuit(CircuitCoreSpec {
        slot: Span::from_us(200),
        reconfiguration: Span::from_us(10),
        channels: None,
        schedule,
        file: None,
        matchings: None,
        phases: None,
        demand: None,
        draw: None,
        guard: Span::ZERO,
        skew,
        forwarding,
        without_circuit: WithoutCircuit::Wait,
        rack_queue: Bytes(100_000),
        mark_above: None,
        short_flows,
        prebuffer: None,
        tell_hosts: None,
    }));
    net
}

#[test]
fn packets_pass_circuit_switches_when_they_are_sent() {
    for forwarding in [RackForwarding::Direct, RackForwarding::Valiant, RackForwarding::RotorLb] {
        for short in [false, true] {
            let [with, without] =
                both(&rotor(forwarding, short, Span::ZERO), Shortcut::Passages, &[]);
            let saved = with.events_beside() - without.events_beside();
            assert!(saved > 2_000, "{saved} of {}", with.events_beside());
        }
    }
}

#[test]
fn racks_send_promptly_on_circuits_that_are_there() {
    for forwarding in [RackForwarding::Direct, RackForwarding::Valiant, RackForwarding::RotorLb] {
        for (others, skew) in [(&[][..], 0), (&[Shortcut::Passages], 0), (&[], 2)] {
            let net = rotor(forwarding, true, Span::from_us(skew));
            let [with, without] = both(&net, Shortcut::PromptRacks, others);
            let saved = with.events_beside() - without.events_beside();
            assert!(saved > 100, "{saved} of {}", with.events_beside());
        }
    }
}

/// Nothing is skipped that an observer would miss: without any shortcut the run is the same.
#[test]
fn without_any_shortcut_the_run_is_the_same() {
    let all = [
        Shortcut::Express,
        Shortcut::Trains,
        Shortcut::QuietHosts,
        Shortcut::QuietRouters,
        Shortcut::Arrears,
        Shortcut::Passages,
        Shortcut::PromptRacks,
    ];
    for net in [two_routers(), rotor(RackForwarding::RotorLb, true, Span::ZERO)] {
        assert_eq!(run(&net, &[]).digest(), run(&net, &all).digest());
    }
}

/// Four routers in a row with a host each: what the links between them do, and when one of them is down, if it is.
fn row(
    queue: QueueSpec,
    (rate, delay): (Rate, Span),
    loss: f64,
    down: Option<(Span, Span)>,
) -> Builder {
    let mut net = Builder::new();
    net.queues(queue);
    for at in 0..4 {
        let (host, router) = (net.host(&format!("h{at}")), net.router(&format!("r{at}")));
        net.link(&host, &router, LINK, DELAY);
    }
    for at in 0..3 {
        let link = net.link(&format!("r{at}"), &format!("r{}", at + 1), rate, delay);
        if at == 1 && loss > 0.0 {
            link.loss = Some(LossSpec::Bernoulli { p: loss, direction: Direction::Both });
        }
    }
    if let Some((from, to)) = down {
        net.change(from, "r1 - r2", Change::Down).change(to, "r1 - r2", Change::Up);
    }
    net
}

/// DCTCP, whose packets queues may mark.
fn dctcp() -> TransportPlan {
    let options = TcpOptions { preset: Some(Preset::Dctcp), ..TcpOptions::default() };
    let config = transport::resolve(Profile::default(), &options);
    TransportPlan::Tcp(Arc::new(config.expect("a preset's own options")))
}

proptest! {
    #![proptest_config(trials::cases(64))]

    /// Packets on the shortest way through routers are counted as those on the way of all packets, by each link and flow:
    /// queues that fill up or judge, links that lose packets, go down, or are so far that they have places of their own.
    #[test]
    fn the_shortest_way_counts_as_the_way_of_all_packets(
        queue in select(vec![
            QueueSpec::packets(3),
            QueueSpec::packets(100),
            QueueSpec::bytes(Bytes(20_000)),
            QueueSpec::EcnThreshold(ecn_threshold::Options {
                limit: Limit::packets(20),
                mark_above: MarkAbove::Packets(3),
            }),
            QueueSpec::EcnThreshold(ecn_threshold::Options {
                limit: Limit::bytes(Bytes(20_000)),
                mark_above: MarkAbove::Bytes(Bytes(4_000)),
            }),
            QueueSpec::Red(red::Options {
                limit: Limit::packets(50),
                min: 2.0,
                max: 8.0,
                max_probability: 0.1,
                weight: 0.02,
                gentle: true,
                ecn: false,
            }),
            QueueSpec::Codel(codel::Options {
                limit: Limit::packets(50),
                target: Span::from_us(500),
                interval: Span::from_ms(2),
                ecn: false,
            }),
        ]),
        rate in select(vec![Rate(50_000_000), Rate(100_000_000), LINK]),
        delay in select(vec![Span::ZERO, DELAY, Span::from_ms(1)]),
        loss in select(vec![0.0, 0.02]),
        down in prop::option::of((1..10u64, 10..19u64)),
        flows in prop::collection::vec((0..4usize, 1..4usize, any::<bool>()), 1..6),
        seed in 0..100u64,
    ) {
        let down = down.map(|(from, to)| (Span::from_ms(from), Span::from_ms(to)));
        let mut net = row(queue, (rate, delay), loss, down);
        for (from, hops, is_tcp) in flows {
            let [from, to] = [from, (from + hops) % 4].map(|at| format!("h{at}"));
            if is_tcp {
                net.flow((&from, &to), dctcp(), Source::Bulk(Bulk { size: None }));
            } else {
                net.udp(&from, &to, drawn());
            }
        }
        let with = World::run(net.plan(Span::from_ms(20)), seed);
        let without = World::run(net.without(Shortcut::Express).plan(Span::from_ms(20)), seed);
        prop_assert_eq!(with.digest(), without.digest());
        prop_assert_eq!(with.events(), without.events());
        prop_assert_eq!(with.link_counters(), without.link_counters());
    }
}
