//! Tests of the partition.

use optics::{
    AssemblyPolicy, AssemblySpec, BurstCoreSpec, ControlSpec, Deflection, Hold, PacketCoreSpec,
    Remedy, Timer,
};
use traffic::{Bulk, Cbr, Incast, Source, Transfers};
use units::{Bytes, Rate, Span};

use super::*;
use crate::builder::Builder;
use crate::spec::{Change, CoreSpec, Until};

const RATE: Rate = Rate(1_000_000_000);

/// Routers in a row with a host each, links of these delays in µs between them, and a flow from each host to the next.
fn row(delays: &[u64]) -> Builder {
    let mut net = Builder::new();
    let mut before: Option<(String, String)> = None;
    for at in 0..=delays.len() {
        let (host, router) = (net.host(&format!("h{at}")), net.router(&format!("r{at}")));
        net.link(&host, &router, RATE, Span::from_us(1));
        if let Some((host_before, router_before)) = before {
            net.link(&router_before, &router, RATE, Span::from_us(delays[at - 1]));
            net.tcp(&host_before, &host, Source::Bulk(Bulk { size: Some(Bytes(1000)) }));
        }
        before = Some((host, router));
    }
    net
}

fn plan(net: &Builder) -> Plan {
    net.plan(Span::from_ms(1))
}

/// The part of each router of a row.
fn parts(plan: &Plan, found: &Partition) -> Vec<u32> {
    let nodes = (0..plan.graph.nodes.len()).map(NodeId::at);
    let routers = nodes.filter(|node| plan.graph.nodes[node.index()].kind == NodeKind::Router);
    routers.map(|node| found.part(node)).collect()
}

#[test]
fn a_network_is_divided_at_its_longest_links() {
    let plan = plan(&row(&[20, 500, 20]));
    let found = Partition::new(&plan, 2).unwrap();
    let of = parts(&plan, &found);
    assert!(of[0] == of[1] && of[1] != of[2] && of[2] == of[3], "{of:?}");
    assert_eq!((found.count(), found.lookahead()), (2, Span::from_us(500)));
    assert!((found.largest() - 0.5).abs() < 0.02, "{found:?}");
    // A host is where its router is.
    for link in &plan.graph.links {
        let is_host = plan.graph.nodes[link.from.index()].kind == NodeKind::Host;
        assert!(!is_host || found.part(link.from) == found.part(link.to));
    }
}

#[test]
fn a_shorter_lookahead_is_taken_for_a_better_balance() {
    let plan = plan(&row(&[20, 20, 20, 20, 20, 500]));
    let found = Partition::new(&plan, 2).unwrap();
    assert_eq!(found.lookahead(), Span::from_us(20));
    assert!(found.largest() < 0.6, "{found:?}");
    let many = Partition::new(&plan, 64).unwrap();
    assert_eq!(many.count(), 7, "no more parts than groups");
}

/// A grid of eight by four routers between which all flows go to neighbours: its halves are squares, which eight flows
/// cross in each direction.
#[test]
fn few_flows_cross() {
    let mut net = Builder::new();
    let name = |x: usize, y: usize| format!("{x}-{y}");
    for (x, y) in (0..8).flat_map(|x| (0..4).map(move |y| (x, y))) {
        let (host, router) = (net.host(&format!("h{}", name(x, y))), net.router(&name(x, y)));
        net.link(&host, &router, RATE, Span::from_us(1));
        for (near, is_one) in [((x.wrapping_sub(1), y), x > 0), ((x, y.wrapping_sub(1)), y > 0)] {
            if is_one {
                let before = name(near.0, near.1);
                net.link(&before, &router, RATE, Span::from_us(50));
                net.tcp(&format!("h{before}"), &host, Source::Bulk(Bulk { size: None }));
            }
        }
    }
    let plan = plan(&net);
    let found = Partition::new(&plan, 2).unwrap();
    let links = plan.graph.links.iter();
    let cut = links.filter(|link| found.part(link.from) != found.part(link.to)).count();
    assert_eq!(cut, 2 * 4, "{found:?}");
    assert!(found.largest() < 0.52, "{found:?}");
}

#[test]
fn shares_add_up_and_parts_are_numbered_without_gaps() {
    for threads in 2..9 {
        let plan = plan(&row(&[20, 30, 40, 50, 60, 70, 80]));
        let found = Partition::new(&plan, threads).unwrap();
        assert!((found.shares().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(found.shares().len(), found.count());
        assert!(found.shares().iter().all(|&share| share > 0.0), "{found:?}");
        assert!(found.count() <= threads);
    }
}

#[test]
fn near_links_links_of_hosts_and_links_that_change_or_lose_are_not_far() {
    assert_eq!(Partition::new(&plan(&row(&[9, 9])), 2), Err(Obstacle::NoFarLinks));
    let mut net = Builder::new();
    let (a, b, r) = (net.host("a"), net.host("b"), net.router("r"));
    net.link(&a, &r, RATE, Span::from_ms(5));
    net.link(&r, &b, RATE, Span::from_ms(5));
    net.tcp(&a, &b, Source::Bulk(Bulk { size: None }));
    assert_eq!(Partition::new(&plan(&net), 2), Err(Obstacle::NoFarLinks));
    let mut changing = row(&[500]);
    changing.change(Span::from_us(1), "r0 -> r1", Change::Down);
    assert_eq!(Partition::new(&plan(&changing), 2), Err(Obstacle::NoFarLinks));
    let mut losing = plan(&row(&[500]));
    for link in &mut losing.graph.links {
        let direction = crate::spec::Direction::Both;
        link.loss = Some(crate::spec::LossSpec::Bernoulli { p: 0.1, direction });
    }
    assert_eq!(Partition::new(&losing, 2), Err(Obstacle::NoFarLinks));
}

#[test]
fn a_lookahead_in_which_nearly_nothing_happens_is_not_worth_it() {
    // Nine links of 1 Gb/s in use: some 150 events in 200 µs for each half.
    let mut slow = plan(&row(&[200, 200, 200]));
    assert!(Partition::for_run(&slow, 2).is_ok());
    for link in &mut slow.graph.links {
        link.rate = Rate(100_000_000);
    }
    let delay = Span::from_us(200);
    assert_eq!(Partition::for_run(&slow, 2), Err(Obstacle::Lookahead(delay)));
    assert!(Partition::new(&slow, 2).is_ok());
    // The last link of each flow has a tenth of the rate, and the others have no more to carry.
    let mut narrow = plan(&row(&[200, 200, 200]));
    let nodes = &narrow.graph.nodes;
    for link in &mut narrow.graph.links {
        if nodes[link.to.index()].kind == NodeKind::Host {
            link.rate = Rate(100_000_000);
        }
    }
    assert_eq!(Partition::for_run(&narrow, 2), Err(Obstacle::Lookahead(delay)));
    // A tenth of what they could send is offered.
    let mut idle = plan(&row(&[200, 200, 200]));
    for entry in &mut idle.traffic {
        entry.source = Source::Cbr(Cbr {
            rate: units::MeanRate(1e8),
            packet: traffic::Size::Plain(Bytes(1000)),
        });
    }
    assert_eq!(Partition::for_run(&idle, 2), Err(Obstacle::Lookahead(delay)));
}

#[test]
fn traffic_on_one_side_alone_is_not_divided() {
    let mut net = row(&[]);
    let (host, far) = (net.host("x"), net.router("far"));
    net.link(&host, "r0", RATE, Span::from_us(1));
    net.link("r0", &far, RATE, Span::from_ms(1));
    for _ in 0..9 {
        net.tcp("h0", &host, Source::Bulk(Bulk { size: None }));
    }
    assert_eq!(Partition::new(&plan(&net), 2), Err(Obstacle::NoFarLinks));
}

#[test]
fn what_needs_one_order_of_all_events_is_named() {
    let base = || plan(&row(&[500]));
    let found = |change: fn(&mut Plan)| {
        let mut plan = base();
        change(&mut plan);
        Partition::new(&plan, 2).unwrap_err()
    };
    assert_eq!(Partition::new(&base(), 1), Err(Obstacle::OneThread));
    assert_eq!(found(|plan| plan.until = Until::AllFiles), Obstacle::Until);
    assert_eq!(
        found(|plan| plan.synchronization = Some(Span::from_ms(1))),
        Obstacle::Synchronization
    );
    assert_eq!(found(|plan| plan.traffic[0].reordering = true), Obstacle::Reordering);
    assert_eq!(found(|plan| plan.traffic[0].stop = Some(Span::from_ms(1))), Obstacle::Stop);
    assert_eq!(found(|plan| plan.max_events = 7), Obstacle::Budget);
    assert_eq!(found(|plan| plan.bursts_recorded = 1), Obstacle::Record);
    assert_eq!(found(|plan| send_files(plan, 1.0, true)), Obstacle::Ends);
    let incast = |plan: &mut Plan| {
        plan.traffic[0].source =
            Source::Incast(Incast { block: Bytes(1), rounds: 1, senders: None });
    };
    assert_eq!(found(incast), Obstacle::Ends);
    assert!(Partition::new(&base(), 2).is_ok());
}

/// All hosts send files to each other: so many a second, and one that is under way; between idle hosts, or between any.
fn send_files(plan: &mut Plan, per_second: f64, is_idle_first: bool) {
    let size = traffic::Size::Plain(Bytes(1000));
    plan.traffic.truncate(1);
    plan.traffic[0].source =
        Source::Transfers(Transfers { per_second, size, limit: None, under_way: Some(1) });
    let nodes = (0..plan.graph.nodes.len()).map(NodeId::at);
    let hosts = nodes.filter(|node| plan.graph.nodes[node.index()].kind == NodeKind::Host);
    let hosts: Vec<NodeId> = hosts.collect();
    let member = |&host: &NodeId| crate::Member { host, home: host };
    plan.traffic[0].between = if is_idle_first {
        let members: Vec<_> = hosts.iter().map(member).collect();
        crate::Between::Random { from: members.clone(), to: members }
    } else {
        crate::Between::Any { from: hosts.clone(), to: hosts }
    };
}

/// Files between any hosts, and between idle ones if none begins after the start.
#[test]
fn transfers_are_divided_if_none_depends_on_the_end_of_another() {
    for (per_second, is_idle_first) in [(1.0, false), (0.0, true)] {
        let mut plan = plan(&row(&[20, 500, 20]));
        send_files(&mut plan, per_second, is_idle_first);
        let found = Partition::new(&plan, 2).unwrap();
        assert_eq!((found.count(), found.lookahead()), (2, Span::from_us(500)));
        assert!((found.largest() - 0.5).abs() < 0.05, "{found:?}");
        // The links that the paths use are known.
        assert!(Partition::for_run(&plan, 2).is_ok());
    }
}

/// Two cores with two edges each, fibres of these delays in µs between the cores and to the edges, and flows from each
/// edge's host to that of the next.
fn edges(between: u64, to_edges: u64) -> Builder {
    let mut net = Builder::new();
    let cores = ["c0", "c1"].map(|name| net.core(name));
    net.fibre(&cores[0], &cores[1], (2, RATE), Span::from_us(between));
    for at in 0..4 {
        let (host, edge) = (net.host(&format!("h{at}")), net.edge(&format!("e{at}")));
        net.link(&host, &edge, RATE, Span::from_us(50));
        net.fibre(&edge, &cores[at / 2], (2, RATE), Span::from_us(to_edges));
    }
    for at in 0..4 {
        let (from, to) = (format!("h{at}"), format!("h{}", (at + 1) % 4));
        net.tcp(&from, &to, Source::Bulk(Bulk { size: None }));
    }
    net
}

#[test]
fn an_optical_network_is_divided_at_its_fibres_alone() {
    let whole = plan(&edges(100, 5));
    let found = Partition::new(&whole, 4).unwrap();
    assert_eq!((found.count(), found.lookahead()), (2, Span::from_us(100)));
    for link in whole.graph.links.iter().filter(|link| link.channels.is_none()) {
        assert_eq!(found.part(link.from), found.part(link.to), "an electronic link");
    }
    let found = Partition::new(&plan(&edges(100, 30)), 4).unwrap();
    assert_eq!((found.count(), found.lookahead()), (4, Span::from_us(30)));
    assert_eq!(Partition::new(&plan(&edges(9, 9)), 4), Err(Obstacle::NoFarLinks));
}

#[test]
fn what_keeps_an_optical_network_whole_is_named() {
    let found = |change: fn(&mut Builder)| {
        let mut net = edges(100, 30);
        change(&mut net);
        let plan = plan(&net);
        assert!(far_links(&plan).iter().all(|far| !far), "its order of events stays");
        Partition::new(&plan, 2).unwrap_err()
    };
    let deflects = |net: &mut Builder| {
        let deflection = Deflection::Abstract {
            mean: Span::from_ms(1),
            deviation: Span::ZERO,
            hold: Hold::default(),
            congestion: 0.0,
        };
        net.switched_by(CoreSpec::Packet(PacketCoreSpec {
            remedies: vec![Remedy::Deflect],
            deflection: Some(deflection),
            ..PacketCoreSpec::default()
        }));
    };
    assert_eq!(found(deflects), Obstacle::Deflection);
    let fails = |net: &mut Builder| {
        net.change(Span::from_us(10), "c0 - c1", Change::Down);
    };
    assert_eq!(found(fails), Obstacle::Fibres);
    let knows_windows = |net: &mut Builder| {
        let policy = AssemblyPolicy::WindowAware;
        net.assembled_by(AssemblySpec { policy, queues: Some(2), ..AssemblySpec::PER_PACKET });
    };
    assert_eq!(found(knows_windows), Obstacle::Oracle);
    let at_once = |net: &mut Builder| {
        net.switched_by(CoreSpec::Burst(BurstCoreSpec::default()));
        net.controlled_by(ControlSpec { header: Bytes(0), ..ControlSpec::default() });
    };
    assert_eq!(found(at_once), Obstacle::Headers);
    let answers = |net: &mut Builder| {
        net.tcp("e0", "h2", Source::Bulk(Bulk { size: None }));
    };
    assert_eq!(found(answers), Obstacle::Ties);
    let in_step = |net: &mut Builder| {
        let timeout = Some(Span::from_ms(1));
        let (policy, timer) = (AssemblyPolicy::MixedFlow, Timer::Interval);
        net.assembled_by(AssemblySpec { policy, timeout, timer, ..AssemblySpec::PER_PACKET });
    };
    assert_eq!(found(in_step), Obstacle::Ties);
    let mut net = edges(100, 30);
    net.change(Span::from_us(10), "h0 -> e0", Change::Down);
    assert!(Partition::new(&plan(&net), 2).is_ok(), "an electronic link may change");
    net.udp("e0", "h2", Source::Bulk(Bulk { size: Some(Bytes(1000)) }));
    assert!(Partition::new(&plan(&net), 2).is_ok(), "datagrams may come from an edge");
}
