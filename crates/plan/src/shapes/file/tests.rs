//! Graphs worked by hand: who is attached where, which links are kept, where delays and rates come from.

use std::sync::Arc;

use units::Bytes;

use super::*;
use crate::spec::{LinkSpec, QueueSpec};
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
    GraphPart::Link {
        from: from.into(),
        to: to.into(),
        length,
        delay: None,
        capacity,
        one_way: false,
    }
}

fn one_way(from: &str, to: &str, km: u64) -> GraphPart {
    let length = Some(Length(km * 1_000_000));
    GraphPart::Link {
        from: from.into(),
        to: to.into(),
        length,
        delay: None,
        capacity: None,
        one_way: true,
    }
}

fn electronic(graph: Vec<GraphPart>) -> File {
    File {
        file: None,
        graph: Arc::from(graph),
        edges: None,
        link: LINK,
        capacity_unit: None,
        missing_length: None,
        parallel: None,
        largest_part: false,
        add_channels: None,
        hosts: 2,
        access: Some(LinkSpec::plain(Rate(100_000_000), Span::from_ms(1))),
    }
}

fn made(file: &File) -> FileNetwork {
    FileNetwork::new(file, NodeKind::Router).unwrap()
}

fn flaws(file: &File) -> Vec<String> {
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
    let queue = QueueSpec::bytes(Bytes(1));
    let graph = Graph::new(&file, queue, NodeKind::Core);
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
    let rates = |file: &File| -> Vec<u64> {
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

/// A square of 10 km at the equator, and places of which the file says nothing.
fn unplaced() -> Vec<GraphPart> {
    let degrees = 10.0 / (6371.0088 * std::f64::consts::PI / 180.0);
    vec![
        place("A", Some([0.0, 0.0])),
        place("B", Some([2.0 * degrees, 0.0])),
        place("C", None),
        place("D", None),
        link("A", "B", None, None),
        link("A", "C", None, None),
        link("C", "B", None, None),
        link("C", "D", None, None),
        link("A", "D", Some(40), None),
    ]
}

fn missing(rule: MissingLength) -> File {
    File { missing_length: Some(rule), ..electronic(unplaced()) }
}

/// The delays of the links between places, in microseconds.
fn delays(file: &File) -> Vec<u64> {
    let links = made(file).links.into_iter().filter(|link| !link.from.starts_with("host-"));
    links.map(|link| link.delay.unwrap_or_default().0 / 1_000_000).collect()
}

#[test]
fn links_without_a_length_take_a_delay_the_median_or_that_to_the_middle_of_neighbours() {
    assert_eq!(flaws(&electronic(unplaced())).len(), 3);
    // Known are 20 km and 40 km: 100 and 200 us, of which the lower is the median.
    assert_eq!(delays(&missing(MissingLength::Median)), [100, 100, 100, 100, 200]);
    let one = MissingLength::Delay(Span::from_us(7));
    assert_eq!(delays(&missing(one)), [100, 7, 7, 7, 200]);
    // C is in the middle of A and B; D, which has links to A and C, is placed in the same round by A alone.
    assert_eq!(delays(&missing(MissingLength::Neighbours)), [100, 50, 50, 50, 200]);
}

/// In place of a mistake for each of them.
#[test]
fn where_nothing_says_how_long_any_link_is_one_delay_is_missing() {
    let mut graph: Vec<GraphPart> =
        "ABCD".chars().map(|name| place(&name.to_string(), None)).collect();
    let pairs = [("A", "B"), ("B", "C"), ("C", "D")];
    graph.extend(pairs.map(|(from, to)| link(from, to, None, None)));
    for missing in [None, Some(MissingLength::Median), Some(MissingLength::Neighbours)] {
        let mut file = electronic(graph.clone());
        file.missing_length = missing;
        let [flaw] = &FileNetwork::new(&file, NodeKind::Router).unwrap_err()[..] else { panic!() };
        assert_eq!(flaw.key, "topology.link.delay");
    }
}

#[test]
fn the_delay_of_a_link_in_the_file_goes_before_its_length_and_after_one_for_all() {
    let mut graph = vec![place("A", Some([0.0, 0.0])), place("B", Some([1.0, 0.0]))];
    graph.push(link("A", "B", Some(20), None));
    let GraphPart::Link { delay, .. } = &mut graph[2] else { panic!() };
    *delay = Some(Span::from_us(443));
    let mut file = electronic(graph);
    assert_eq!(delays(&file), [443]);
    assert_eq!(made(&file).notes[1], "1 link: the delay in the file");
    file.link.delay = Some(Span::from_us(7));
    assert_eq!(delays(&file), [7]);
}

#[test]
fn places_far_from_all_coordinates_are_placed_in_rounds_or_not_at_all() {
    let chain = vec![
        place("A", Some([7.0, 46.0])),
        place("B", None),
        place("C", None),
        link("A", "B", None, None),
        link("B", "C", None, None),
    ];
    let file = File { missing_length: Some(MissingLength::Neighbours), ..electronic(chain) };
    assert_eq!(delays(&file), [0, 0]);
    let nowhere = vec![place("A", None), place("B", None), link("A", "B", None, None)];
    for rule in [MissingLength::Neighbours, MissingLength::Median] {
        let file = File { missing_length: Some(rule), ..electronic(nowhere.clone()) };
        assert_eq!(flaws(&file), ["topology.graph.2: the link from 'A' to 'B' has no length"]);
    }
}

#[test]
fn the_middle_of_places_is_on_the_sphere() {
    let found = middle([[179.0, 0.0], [-179.0, 0.0]].into_iter()).unwrap();
    assert!((found[0].abs() - 180.0).abs() < 1e-9 && found[1].abs() < 1e-9, "{found:?}");
    assert_eq!(middle([[0.0, 0.0], [180.0, 0.0]].into_iter()), None);
    assert_eq!(middle([].into_iter()), None);
}

/// Two links of 2.5 and 10 Gb/s of 30 and 20 km, and one the other way alone.
fn doubled(parallel: Option<Parallel>) -> File {
    let graph = vec![
        place("A", None),
        place("B", None),
        link("A", "B", Some(30), Some(2.5)),
        link("B", "A", Some(20), Some(10.0)),
        one_way("A", "B", 50),
    ];
    let unit = Some(Rate(1_000_000_000));
    File { parallel, capacity_unit: unit, ..electronic(graph) }
}

#[test]
fn parallel_links_are_one_of_them_or_all_together() {
    let found = |parallel| -> Vec<(u64, u64, bool)> {
        let links = made(&doubled(parallel)).links.into_iter();
        let links = links.filter(|link| !link.from.starts_with("host-"));
        let of = |link: ExplicitLink| {
            (link.rate.0 / 100_000_000, link.delay.unwrap_or_default().0 / 1_000_000, link.one_way)
        };
        links.map(of).collect()
    };
    assert_eq!(found(None), [(100, 100, false)]);
    assert_eq!(found(Some(Parallel::First)), [(100, 100, false)]);
    // The third has the rate of links without a capacity, 1 Gb/s, and only one direction.
    assert_eq!(found(Some(Parallel::Sum)), [(135, 100, true), (125, 100, true)]);
    assert_eq!(made(&doubled(None)).parallel, 2);
    assert_eq!(flaws(&doubled(Some(Parallel::Bundle))).len(), 1);
    let mut equal = doubled(Some(Parallel::Bundle));
    equal.capacity_unit = None;
    let links = made(&equal).links;
    assert_eq!(links[0].lightpaths, Some(3));
    assert_eq!(links[1].lightpaths, Some(2));
}

#[test]
fn channels_of_parallel_fibres_add_up() {
    let fibre = FileLinkSpec { channels: Some(4), ..LINK };
    let file = File {
        link: fibre,
        hosts: 0,
        access: None,
        capacity_unit: None,
        ..doubled(Some(Parallel::Sum))
    };
    let links = made(&file).links;
    assert_eq!((links[0].channels, links[1].channels), (Some(12), Some(8)));
    let bundle = File { parallel: Some(Parallel::Bundle), ..file };
    assert_eq!(
        flaws(&bundle),
        ["topology.parallel: does not apply to an optical link, which has channels"]
    );
}

#[test]
fn the_largest_part_is_that_with_ways_to_and_fro() {
    let graph = vec![
        place("Alone", None),
        place("A", None),
        place("B", None),
        place("C", None),
        place("Out", None),
        link("A", "B", Some(1), None),
        link("B", "C", Some(1), None),
        one_way("C", "Out", 1),
        link("Alone", "Alone", Some(1), None),
    ];
    let whole = electronic(graph);
    assert_eq!(FileNetwork::parts(&whole), [3, 1, 1]);
    let part = File { largest_part: true, ..whole };
    let network = made(&part);
    let names: Vec<&str> = network.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["A", "B", "C", "host-A", "host-B", "host-C"]);
    assert_eq!(network.links.len(), 2 + 3);
    assert!(network.notes.iter().any(|note| note.starts_with("2 of 5 places left out")));
    let edges = Some(vec!["A".to_owned(), "Out".to_owned()]);
    let flaw = "topology.edges.1: not in the largest part of the graph";
    assert_eq!(flaws(&File { edges, ..part }), [flaw]);
}

#[test]
fn lengths_that_contradict_coordinates_are_noted() {
    let graph = |km| {
        let places = [place("A", Some([7.0, 46.0])), place("B", Some([8.0, 46.0]))];
        [&places[..], &[link("A", "B", Some(km), None)]].concat()
    };
    // The great circle has 77 km.
    for (km, noted) in [(25, true), (26, false), (77, false), (231, false), (233, true)] {
        let notes = made(&electronic(graph(km))).notes;
        let found = notes.iter().any(|note| note.contains("more than three times"));
        assert_eq!(found, noted, "{km}: {notes:?}");
    }
    // What a place is given contradicts nothing.
    let notes = made(&missing(MissingLength::Neighbours)).notes;
    assert!(!notes.iter().any(|note| note.contains("more than three times")), "{notes:?}");
}
