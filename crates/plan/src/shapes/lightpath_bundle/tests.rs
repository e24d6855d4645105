//! Counts, pairing, lightpaths and round-trip times, against the words of the paper.

use std::collections::{BTreeMap, BTreeSet};

use random::{Seed, mix};
use units::{Bytes, Rate};

use super::*;
use crate::routing::Routing;
use crate::spec::{Direction, LossSpec, Metric, QueueSpec};
use crate::topology::{Bundles, Graph};

const INTERFACE: QueueSpec = QueueSpec::packets(100);
const BUFFER: QueueSpec = QueueSpec::bytes(Bytes(128_000_000));
const LINK: LinkSpec = LinkSpec {
    rate: Rate(2_500_000_000),
    delay: Some(Span::ZERO),
    length: None,
    delay_per_km: None,
    queue: Some(BUFFER),
    loss: None,
    lightpaths: None,
};
const RTT: RttSpec = RttSpec { min: Span::from_ms(15), max: Span::from_ms(25) };

fn graph_with(lightpaths: u32, k: u32, link: LinkSpec, rtt: RttSpec) -> Graph {
    let tcp_rate = Rate(100_000_000);
    let topology = LightpathBundle { lightpaths, k, link, tcp_rate, tcp_queue: None, rtt };
    Graph::new(&topology, INTERFACE, NodeKind::Router)
}

fn graph(lightpaths: u32, k: u32) -> Graph {
    graph_with(lightpaths, k, LINK, RTT)
}

fn id(graph: &Graph, name: &str) -> NodeId {
    NodeId::at(graph.nodes.iter().position(|node| node.name == name).expect(name))
}

/// The number behind a name's last hyphen.
fn number(name: &str) -> usize {
    name.rsplit('-').next().unwrap().parse().unwrap()
}

/// Propagation from one TCP host to another and back.
fn rtt(graph: &Graph, from: &str, to: &str) -> Span {
    let routing = Routing::new(graph, Metric::Hops, 3);
    let (from, to) = (id(graph, from), id(graph, to));
    let way = |from, to| routing.path(graph, from, to, 0).unwrap();
    let links = way(from, to).into_iter().chain(way(to, from));
    links.fold(Span::ZERO, |sum, link| sum + graph.links[link.index()].delay)
}

fn rtts(graph: &Graph) -> [Span; 2] {
    [
        rtt(graph, "left-tcp-source", "right-tcp-sink"),
        rtt(graph, "right-tcp-source", "left-tcp-sink"),
    ]
}

#[test]
fn there_are_as_many_of_all_as_the_paper_says() {
    for (lightpaths, k) in [(2, 2), (3, 2), (4, 2), (4, 1), (1, 3), (1, 1)] {
        let graph = graph(lightpaths, k);
        let networks = (lightpaths * k) as usize;
        let called = |part: &str| graph.nodes.iter().filter(|n| n.name.starts_with(part)).count();
        for side in ["left", "right"] {
            assert_eq!(called(&format!("{side}-agg-")), networks);
            assert_eq!(called(&format!("{side}-source-")), networks * networks);
            assert_eq!(called(&format!("{side}-sink-")), networks * networks);
            assert_eq!(called(&format!("{side}-tcp-")), 2);
            assert_eq!(called(&format!("{side}-core")), 1);
        }
        assert_eq!(graph.nodes.len(), 2 * (1 + networks + 2 * networks * networks + 2));
        let two_way = lightpaths as usize + 2 * (networks + 2 * networks * networks + 2);
        assert_eq!(graph.links.len(), 2 * two_way);
        // Every way has one back of the same lightpath right behind it.
        for ways in graph.links.chunks(2) {
            assert_eq!((ways[0].from, ways[0].to), (ways[1].to, ways[1].from));
            assert_eq!((ways[0].rate, ways[0].delay), (ways[1].rate, ways[1].delay));
            assert_eq!(ways[0].lightpath, ways[1].lightpath);
        }
        // N sources and N sinks are attached to each aggregation node, and the TCP hosts to the first.
        let homes = graph.homes();
        let mut behind: BTreeMap<(NodeId, &str), usize> = BTreeMap::new();
        for host in graph.hosts() {
            let name = graph.nodes[host.index()].name.split('-').nth(1).unwrap();
            *behind.entry((homes[host.index()], name)).or_default() += 1;
        }
        for side in ["left", "right"] {
            for network in 0..networks {
                let agg = id(&graph, &format!("{side}-agg-{network}"));
                assert_eq!(behind[&(agg, "source")], networks);
                assert_eq!(behind[&(agg, "sink")], networks);
                let tcp = behind.get(&(agg, "tcp")).copied().unwrap_or(0);
                assert_eq!(tcp, if network == 0 { 2 } else { 0 });
            }
        }
    }
}

/// Sources are numbered 1 … N² from the first sub-network on; source j talks to a sink of
/// sub-network 1 + (j − 1) mod N, and every sink has one source.
#[test]
fn every_sub_network_sends_to_every_other() {
    let graph = graph(3, 2);
    let homes = graph.homes();
    let home = |name: &str| {
        let home = homes[id(&graph, name).index()];
        1 + number(&graph.nodes[home.index()].name)
    };
    for (from, to) in [("left", "right"), ("right", "left")] {
        let mut pairs = BTreeSet::new();
        for j in 1..=36 {
            let (source, sink) =
                (format!("{from}-source-{}", j - 1), format!("{to}-sink-{}", j - 1));
            assert_eq!(home(&source), 1 + (j - 1) / 6);
            assert_eq!(home(&sink), 1 + (j - 1) % 6);
            pairs.insert((home(&source), home(&sink)));
        }
        assert_eq!(pairs.len(), 36);
        // As a pattern of traffic takes them: in the order of the nodes, which is that of numbers.
        for role in ["source", "sink"] {
            let part = format!("{from}-{role}-");
            let names = graph.nodes.iter().map(|node| &node.name).filter(|n| n.starts_with(&part));
            assert!(names.map(|name| number(name)).eq(0..36));
        }
    }
}

#[test]
fn links_have_the_rates_queues_and_kinds_that_are_asked() {
    let graph = graph(2, 1);
    for (at, link) in graph.links.iter().enumerate() {
        let name = graph.link_name(LinkId::at(at));
        if name.contains("tcp") {
            let out = graph.nodes[link.from.index()].kind == NodeKind::Host;
            assert_eq!(link.rate, Rate(100_000_000));
            assert_eq!(link.queue, if out { INTERFACE } else { BUFFER }, "{name}");
            assert_eq!(link.delay, Span::from_ms(5));
        } else {
            assert_eq!((link.rate, link.queue, link.delay), (LINK.rate, BUFFER, Span::ZERO));
        }
    }
    let names: Vec<String> = (0..4).map(|at| graph.link_name(LinkId::at(at))).collect();
    let (there, back) = ("left-core -> right-core", "right-core -> left-core");
    assert_eq!(
        names,
        [format!("{there}:0"), format!("{back}:0"), format!("{there}:1"), format!("{back}:1")]
    );
    assert_eq!(graph.links_named(there), [LinkId(0), LinkId(2)]);
    assert_eq!(graph.links_named("right-core - left-core").len(), 4);
    assert_eq!(graph.links_named("right-core -> left-core:1"), [LinkId(3)]);
    assert_eq!(graph.links_named("right-core - left-core:1"), [LinkId(2), LinkId(3)]);
    assert_eq!(graph.links_named("right-core -> left-core:2"), []);
    assert_eq!(graph.links_named("left-agg-0 -> left-core:0"), []);
    let switches = |kind| {
        let tcp_rate = Rate(1_000_000);
        let topology = LightpathBundle {
            lightpaths: 2,
            k: 1,
            link: LINK,
            tcp_rate,
            tcp_queue: None,
            rtt: RTT,
        };
        let graph = Graph::new(&topology, INTERFACE, kind);
        graph.nodes.iter().filter(|node| node.kind == NodeKind::Core).count()
    };
    assert_eq!((switches(NodeKind::Router), switches(NodeKind::Core)), (0, 2));
}

#[test]
fn forward_is_from_left_to_right() {
    let loss = LossSpec::Bernoulli { p: 0.1, direction: Direction::Forward };
    let graph = graph_with(2, 1, LinkSpec { loss: Some(loss), ..LINK }, RTT);
    for (from, to) in [("left", "right"), ("right", "left")] {
        let routing = Routing::new(&graph, Metric::Hops, 0);
        let (source, sink) =
            (id(&graph, &format!("{from}-source-1")), id(&graph, &format!("{to}-sink-1")));
        let path = routing.path(&graph, source, sink, 0).unwrap();
        assert_eq!(path.len(), 5);
        for link in path {
            assert_eq!(graph.links[link.index()].loss.is_some(), from == "left");
        }
    }
}

/// K destinations a lightpath, and on every lightpath traffic from every sub-network.
#[test]
fn ranks_put_k_destinations_on_each_lightpath() {
    for (lightpaths, k) in [(2u32, 2u32), (3, 2), (4, 2), (2, 5), (5, 1)] {
        let graph = graph(lightpaths, k);
        let routing = Routing::new(&graph, Metric::Hops, 9);
        let bundles = Bundles::new(&graph);
        let networks = lightpaths * k;
        for (from, to) in [("left", "right"), ("right", "left")] {
            let core = id(&graph, &format!("{from}-core"));
            let bundle = graph.links_named(&format!("{from}-core -> {to}-core"));
            assert_eq!(bundle.len(), lightpaths as usize);
            assert_eq!(bundles.links(bundles.of(bundle[0])), bundle);
            let mut carried: BTreeMap<u32, BTreeSet<(u32, u32)>> = BTreeMap::new();
            for j in 0..networks * networks {
                let sink = id(&graph, &format!("{to}-sink-{j}"));
                let agg = id(&graph, &format!("{to}-agg-{}", j % networks));
                assert_eq!(routing.rank(core, sink), j % networks);
                assert_eq!(routing.rank(core, agg), j % networks);
                let lightpath = routing.rank(core, sink) % lightpaths;
                carried.entry(lightpath).or_default().insert((j / networks, j % networks));
                assert!(routing.links(core, sink).eq(bundle.iter().copied()));
            }
            assert_eq!(carried.len(), lightpaths as usize);
            for pairs in carried.values() {
                let sources: BTreeSet<u32> = pairs.iter().map(|pair| pair.0).collect();
                let sinks: BTreeSet<u32> = pairs.iter().map(|pair| pair.1).collect();
                assert_eq!((sources.len(), sinks.len()), (networks as usize, k as usize));
            }
            let tcp = id(&graph, &format!("{to}-tcp-sink"));
            assert_eq!(routing.rank(core, tcp), 0, "it is attached to the first");
        }
    }
}

/// Ordinary routers hash flows over the lightpaths as over any equal paths.
#[test]
fn a_hash_spreads_flows_evenly_over_lightpaths() {
    let graph = graph(4, 2);
    let routing = Routing::new(&graph, Metric::Hops, 1);
    let (core, sink) = (id(&graph, "left-core"), id(&graph, "right-sink-5"));
    let mut uses: BTreeMap<LinkId, u32> = BTreeMap::new();
    for flow in 0..4000 {
        *uses.entry(routing.next_link(core, sink, || mix(flow))).or_default() += 1;
    }
    // 1000 each, standard deviation 27.
    assert_eq!(
        uses.keys().copied().collect::<Vec<_>>(),
        graph.links_named("left-core -> right-core")
    );
    assert!(uses.values().all(|&n| (890..1110).contains(&n)), "{uses:?}");
}

#[test]
fn round_trip_times_are_drawn_uniformly_and_one_does_not_hang_on_another() {
    const RUNS: usize = 1000;
    assert_eq!(rtts(&graph(2, 1)), [Span::from_ms(20); 2], "before a seed: the mean");
    let mut drawn: Vec<[f64; 2]> = Vec::new();
    for seed in 0..RUNS as u64 {
        let mut graph = graph(2, 1);
        graph.draw_rtts(Seed(seed));
        let both = rtts(&graph);
        for (at, rtt) in both.into_iter().enumerate() {
            assert!((RTT.min..=RTT.max).contains(&rtt));
            // Straight from the stream, whole picoseconds on each of four links.
            let draw = Seed(seed).stream(&format!("topology/rtt/{at}")).below(10_000_000_001);
            assert_eq!(rtt, Span((15_000_000_000 + draw) / 4 * 4));
        }
        drawn.push(both.map(|rtt| (rtt.as_secs_f64() - 0.015) / 0.010));
    }
    for at in 0..2 {
        let mut sorted: Vec<f64> = drawn.iter().map(|both| both[at]).collect();
        sorted.sort_by(f64::total_cmp);
        // Kolmogorov and Smirnov: 1.63/√n is passed once in a hundred.
        let steps = sorted.iter().enumerate();
        let off =
            steps.map(|(n, x)| (x - (n as f64 + 0.5) / RUNS as f64).abs()).fold(0.0, f64::max);
        assert!(off < 1.63 / (RUNS as f64).sqrt(), "{off}");
    }
    // The correlation of independent ones is 0 ± 1/√n.
    let products = drawn.iter().map(|both| 12.0 * (both[0] - 0.5) * (both[1] - 0.5));
    let correlation = products.sum::<f64>() / RUNS as f64;
    assert!(correlation.abs() < 4.0 / (RUNS as f64).sqrt(), "{correlation}");
}

#[test]
fn round_trip_times_hang_on_nothing_but_the_seed_and_the_range() {
    let drawn = |mut graph: Graph| {
        let mean = rtts(&graph);
        graph.draw_rtts(Seed(5));
        let drawn = rtts(&graph);
        graph.mean_rtts();
        assert_eq!(rtts(&graph), mean);
        drawn
    };
    let expected = drawn(graph(2, 1));
    assert_eq!(drawn(graph(4, 2)), expected);
    // What the other links take is taken off the links of the hosts: 6 · 2 ms.
    let slow = LinkSpec { delay: Some(Span::from_ms(2)), ..LINK };
    let graph = graph_with(2, 1, slow, RTT);
    let access = graph.links_named("left-tcp-source -> left-agg-0")[0];
    assert_eq!(graph.links[access.index()].delay, Span::from_ms(2));
    assert_eq!(drawn(graph), expected);
    // A range of one length: nothing to draw.
    let fixed = RttSpec { min: Span::from_ms(16), max: Span::from_ms(16) };
    assert_eq!(drawn(graph_with(2, 1, LINK, fixed)), [Span::from_ms(16); 2]);
    assert_eq!(drawn(graph_with(2, 1, slow, fixed)), [Span::from_ms(16); 2]);
}
