//! Graphs worked by hand: who is attached where, which links are kept, where delays and rates come from.

use std::sync::Arc;

use units::Bytes;

use super::*;
use crate::spec::{FileLinkSpec, LinkSpec, QueueSpec, Topology};
use crate::topology::Graph;

const LINK: FileLinkSpec = FileLinkSpec {
    rate: Some(Rate(1_000_000_000)),
    delay: None,
    delay_per_km: None,
    queue: None,
    loss: None,
    lightpaths: None,
    channels: None,
    control_channels: None,
    control_rate: None,
};

fn place(name: &str, coordinates: Option<[f64; 2]>) -> GraphPart {
    let [longitude, latitude] = [0, 1].map(|at| coordinates.map(|pair| pair[at]));
    GraphPart::Place { name: name.into(), label: None, longitude, latitude }
}

fn link(from: &str, to: &str, km: Option<u64>, capacity: Option<f64>) -> GraphPart {
    let length = km.map(|km| Length(km * 1_000_000));
    GraphPart::Link { from: from.into(), to: to.into(), length, capacity, one_way: false }
}

fn one_way(from: &str, to: &str, km: u64) -> GraphPart {
    let length = Some(Length(km * 1_000_000));
    GraphPart::Link { from: from.into(), to: to.into(), length, capacity: None, one_way: true }
}

fn electronic(graph: Vec<GraphPart>) -> FileTopology {
    FileTopology {
        file: None,
        graph: Arc::from(graph),
        edges: None,
        link: LINK,
        capacity_unit: None,
        add_channels: None,
        hosts: 2,
        access: Some(LinkSpec::plain(Rate(100_000_000), Span::from_ms(1))),
    }
}

fn made(file: &FileTopology) -> FileNetwork {
    FileNetwork::new(file, NodeKind::Router).unwrap()
}

fn flaws(file: &FileTopology) -> Vec<String> {
    let found = FileNetwork::new(file, NodeKind::Router).unwrap_err();
    found.into_iter().map(|flaw| format!("{}: {}", flaw.key, flaw.problem)).collect()
}

/// Each link as `FROM TO DELAY`, with `>` if it is one-way.
fn shown(network: &FileNetwork) -> Vec<String> {
    let one = |link: &ExplicitLink| {
        let way = if link.one_way { " >" } else { "" };
        format!("{} {} {}{way}", link.from, link.to, link.delay.unwrap())
    };
    network.links.iter().map(one).collect()
}

#[test]
fn places_of_an_electronic_network_are_switches_with_hosts() {
    let file = electronic(vec![place("A", None), place("B", None), link("A", "B", Some(10), None)]);
    let queue = QueueSpec::DropTail { packets: None, bytes: Some(Bytes(1)) };
    let topology = Topology::File(Box::new(file));
    let graph = Graph::new(&topology, queue, NodeKind::Core);
    let nodes: Vec<_> =
        graph.nodes.iter().map(|node| format!("{} {:?}", node.name, node.kind)).collect();
    assert_eq!(
        nodes,
        ["A Core", "B Core", "host-A-0 Host", "host-A-1 Host", "host-B-0 Host", "host-B-1 Host"]
    );
    assert_eq!(graph.links.len(), 2 * (1 + 4));
    assert_eq!(graph.links[0].delay, Span::from_us(50));
    assert!(graph.links.iter().all(|link| link.channels.is_none() && link.queue == queue));
}

#[test]
fn places_of_an_optical_network_are_cores_with_edges_in_the_order_asked_for() {
    let mut file = electronic(vec![
        place("A", None),
        place("edge-A", None),
        link("A", "edge-A", Some(1), None),
    ]);
    file.link.channels = Some(4);
    file.link.control_channels = Some(1);
    file.add_channels = Some(9);
    file.edges = Some(vec!["edge-A".to_owned(), "A".to_owned()]);
    let network = made(&file);
    let nodes: Vec<_> =
        network.nodes.iter().map(|node| format!("{} {:?}", node.name, node.kind)).collect();
    assert_eq!(
        nodes,
        [
            "A Core",
            "edge-A Core",
            "edge-edge-A Edge",
            "host-edge-A Host",
            "edge-A_2 Edge",
            "host-A Host"
        ]
    );
    let channels: Vec<_> =
        network.links.iter().map(|link| (link.channels, link.control_channels)).collect();
    let (core, add) = ((Some(4), Some(1)), (Some(9), Some(1)));
    assert_eq!(channels, [core, add, (None, None), add, (None, None)]);
    assert_eq!(shown(&network)[1..3], ["edge-edge-A edge-A 0 ps", "host-edge-A edge-edge-A 1 ms"]);
}

/// Of A–B 30, 10 and 20 km the shortest is kept, in both directions; B–C is 10 km there and 20 km back.
#[test]
fn of_parallel_links_the_shortest_is_kept_in_each_direction() {
    let mut file = electronic(vec![
        place("A", None),
        place("B", None),
        place("C", None),
        link("A", "B", Some(30), None),
        link("A", "B", Some(10), None),
        link("B", "A", Some(20), None),
        link("A", "A", None, None),
        one_way("B", "C", 10),
        one_way("C", "B", 20),
        GraphPart::Unused { what: "DEMANDS (3)".into() },
    ]);
    file.edges = Some(vec!["A".to_owned()]);
    let network = made(&file);
    assert_eq!(shown(&network), ["A B 50 us", "B C 50 us >", "C B 100 us >", "host-A A 1 ms"]);
    assert_eq!(
        network.notes,
        [
            "3 places and 6 links",
            "3 links: a length in km, 5 us per km",
            "2 links: left out: parallel to another link; the shortest is kept",
            "1 link: left out: from a place to itself",
            "not used: DEMANDS (3)",
        ]
    );
    // With one delay for all both directions are one link.
    file.link.delay = Some(Span::from_ms(2));
    assert_eq!(shown(&made(&file)), ["A B 2 ms", "B C 2 ms", "host-A A 1 ms"]);
}

/// A quarter of the equator is 2 π 6371.0088 / 4 = 10007.557 km, at 4 us per km 40.030229 ms.
#[test]
fn without_a_length_the_great_circle_counts_to_the_nanosecond() {
    let ends = |b| vec![place("A", Some([0.0, 0.0])), place("B", b), link("A", "B", None, None)];
    let mut file = electronic(ends(Some([90.0, 0.0])));
    file.link.delay_per_km = Some(Span::from_us(4));
    let delay = made(&file).links[0].delay.unwrap();
    assert_eq!(delay.0 % 1000, 0);
    assert!(delay.0.abs_diff(Span::from_ns(40_030_229).0) <= 2_000, "{delay}");
    assert_eq!(
        flaws(&electronic(ends(None))),
        ["topology.graph.2: the link from 'A' to 'B' has no length"]
    );
    // 11.1 km of the parallel at 60 degrees are half of those at the equator.
    let east = |north: f64| great_circle([0.0, north], [0.1, north]);
    assert!((east(60.0) / east(0.0) - 0.5).abs() < 1e-5);
    assert!(great_circle([-180.0, 10.0], [180.0, 10.0]) < 1e-6);
}

#[test]
fn capacities_are_rates_if_they_have_a_unit() {
    let mut file = electronic(vec![
        place("A", None),
        place("B", None),
        place("C", None),
        link("A", "B", Some(1), Some(2.5)),
        link("B", "C", Some(1), None),
    ]);
    let rates = |file: &FileTopology| -> Vec<u64> {
        made(file).links.iter().take(2).map(|link| link.rate.0).collect()
    };
    assert_eq!(rates(&file), [1_000_000_000; 2]);
    assert_eq!(
        made(&file).notes.last().unwrap(),
        "not used: 1 capacity of links, without capacity-unit"
    );
    file.capacity_unit = Some(Rate(1_000_000));
    assert_eq!(rates(&file), [2_500_000, 1_000_000_000]);
    assert_eq!(made(&file).notes.last().unwrap(), "1 capacity used, in units of 1 Mb/s");
    file.link.rate = None;
    assert_eq!(flaws(&file), ["topology.link.rate: missing key"]);
    let counted = |part: &&GraphPart| !matches!(part, GraphPart::Link { capacity: None, .. });
    file.graph = file.graph.iter().filter(counted).cloned().collect();
    assert_eq!(rates(&file)[0], 2_500_000);
    file.capacity_unit = Some(Rate(1));
    assert_eq!(flaws(&file), ["topology.graph.3.capacity: not the rate of a link"]);
}

#[test]
fn what_is_no_network_is_told_by_its_key() {
    let two = || vec![place("A", None), place("B", None), link("A", "B", Some(1), None)];
    let with = |more: Vec<GraphPart>| electronic([two(), more].concat());
    assert_eq!(flaws(&electronic(Vec::new())), ["topology.file: missing key"]);
    assert_eq!(flaws(&electronic(vec![place("A", None)]))[0], "topology.graph: too few places");
    assert_eq!(flaws(&electronic(two()[..2].to_vec())), ["topology.graph: no links"]);
    assert_eq!(
        flaws(&with(vec![place("A", None), place("a b", None), link("A", "D", Some(1), None)])),
        [
            "topology.graph.3.name: another place is also called \"A\"",
            "topology.graph.4.name: not a name",
            "topology.graph.5.to: no place has this name",
        ]
    );
    let mut file = with(Vec::new());
    file.edges = Some(vec!["A".to_owned(), "A".to_owned(), "X".to_owned()]);
    assert_eq!(
        flaws(&file),
        ["topology.edges.1: named twice", "topology.edges.2: no place has this name"]
    );
    let channels = "does not apply without link.channels: the network is electronic";
    let mut file = with(Vec::new());
    (file.add_channels, file.hosts) = (Some(1), 0);
    (file.link.delay, file.link.delay_per_km) = (Some(Span::ZERO), Some(Span::ZERO));
    assert_eq!(
        flaws(&file),
        [
            "topology.link.delay-per-km: does not apply: every link has link.delay".to_owned(),
            format!("topology.add-channels: {channels}"),
            "topology.access: does not apply: there are no hosts".to_owned(),
        ]
    );
    file = with(Vec::new());
    (file.hosts, file.access) = (0, None);
    assert_eq!(flaws(&file), ["topology.hosts: an electronic network has hosts"]);
    (file.hosts, file.link.channels, file.link.lightpaths) = (1, Some(2), Some(2));
    (file.capacity_unit, file.edges) = (Some(Rate(1)), Some(vec!["A".to_owned()]));
    assert_eq!(
        flaws(&file),
        [
            "topology.edges: too few",
            "topology.link.lightpaths: does not apply to an optical link, which has channels",
            "topology.capacity-unit: does not apply to an optical network, whose channels have one rate",
            "topology.access: missing key",
        ]
    );
}
