//! Regular shapes have the numbers of links, the distances and the cuts of the textbook (Dally and
//! Towles 2004, chapters 3 and 5).

use std::collections::VecDeque;

use units::{Rate, Span};

use super::RegularShape;
use crate::shapes::{FullMesh, LeafSpine, Mesh, ParkingLot, Ring, Torus};
use crate::spec::{LinkSpec, NodeKind, QueueSpec};
use crate::topology::{Builder, Graph};

const LINK: LinkSpec = LinkSpec::plain(Rate(1_000_000), Span::from_ms(1));

fn ring(routers: u32) -> Ring {
    Ring { routers, hosts: 2, link: LINK, access: LINK }
}

fn torus(dimensions: &[u32]) -> Torus {
    Torus { dimensions: dimensions.into(), hosts: 1, link: LINK, access: LINK }
}

fn mesh(dimensions: &[u32]) -> Mesh {
    Mesh { dimensions: dimensions.into(), hosts: 1, link: LINK, access: LINK }
}

fn full_mesh(routers: u32) -> FullMesh {
    FullMesh { routers, hosts: 3, link: LINK, access: LINK }
}

fn leaf_spine(leaves: u32, spines: u32) -> LeafSpine {
    LeafSpine { leaves, spines, hosts: 4, link: LINK, access: LINK, packet_spines: None }
}

fn parking_lot(bottlenecks: u32) -> ParkingLot {
    ParkingLot { bottlenecks, link: LINK, access: LINK }
}

fn graph(shape: &dyn RegularShape) -> Graph {
    let queue = QueueSpec::packets(100);
    let mut graph = Graph::default();
    shape.add(&mut Builder { graph: &mut graph, interface: queue, switch: NodeKind::Router });
    graph
}

/// The routers that a router is joined to.
fn neighbours(graph: &Graph, at: usize) -> impl Iterator<Item = usize> {
    let inner = |at: usize| graph.nodes[at].kind.forwards();
    let out = graph.links.iter().filter(move |link| link.from.index() == at);
    out.map(|link| link.to.index()).filter(move |&to| inner(to))
}

/// The number of links on the shortest path from each router to each other one, by search.
fn distances(graph: &Graph) -> Vec<u32> {
    let routers: Vec<usize> =
        (0..graph.nodes.len()).filter(|&at| graph.nodes[at].kind.forwards()).collect();
    let mut all = Vec::new();
    for &start in &routers {
        let mut far = vec![u32::MAX; graph.nodes.len()];
        far[start] = 0;
        let mut next = VecDeque::from([start]);
        while let Some(at) = next.pop_front() {
            for to in neighbours(graph, at) {
                if far[to] == u32::MAX {
                    far[to] = far[at] + 1;
                    next.push_back(to);
                }
            }
        }
        all.extend(routers.iter().map(|&at| far[at]));
    }
    all
}

/// The sum of all distances, the pairs of a router with itself included.
fn sum(shape: &dyn RegularShape) -> u32 {
    distances(&graph(shape)).iter().sum()
}

fn diameter(shape: &dyn RegularShape) -> u32 {
    *distances(&graph(shape)).iter().max().unwrap()
}

/// The two-way links between routers whose names begin with `one` and others.
fn cut(shape: &dyn RegularShape, side: impl Fn(&str) -> bool) -> usize {
    let graph = graph(shape);
    let name = |at: usize| &graph.nodes[at].name;
    let across = graph.links.iter().filter(|link| {
        let (from, to) = (link.from.index(), link.to.index());
        let inner = graph.nodes[from].kind.forwards() && graph.nodes[to].kind.forwards();
        inner && side(name(from)) && !side(name(to))
    });
    across.count()
}

#[test]
fn counts_are_those_of_the_shape() {
    let shapes = [
        (&ring(7) as &dyn RegularShape, 7, 14, 7),
        (&torus(&[4, 5]), 20, 20, 40),
        (&torus(&[3, 3, 3]), 27, 27, 81),
        // Rows of n have n − 1 links.
        (&mesh(&[4, 5]), 20, 20, 4 * 4 + 5 * 3),
        (&mesh(&[2, 3, 4]), 24, 24, 12 + 2 * 8 + 3 * 6),
        (&full_mesh(6), 6, 18, 15),
        (&leaf_spine(6, 4), 10, 24, 24),
        (&parking_lot(5), 6, 12, 5),
    ];
    for (shape, routers, hosts, links) in shapes {
        let regular = shape.regular();
        assert_eq!((regular.routers, regular.hosts, regular.links), (routers, hosts, links));
        let graph = graph(shape);
        assert_eq!(graph.hosts().count() as u64, hosts, "{routers} routers");
        assert_eq!(graph.nodes.len() as u64, routers + hosts, "{routers} routers");
        assert_eq!(graph.links.len() as u64, 2 * (links + hosts), "{routers} routers");
        // No two links join the same nodes.
        let mut ends: Vec<_> = graph.links.iter().map(|link| (link.from, link.to)).collect();
        ends.sort_unstable();
        ends.dedup();
        assert_eq!(ends.len(), graph.links.len(), "{routers} routers");
        let mut names: Vec<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), graph.nodes.len(), "{routers} routers");
    }
}

#[test]
fn distances_are_those_of_the_textbook() {
    // In a ring of k: k/4 in the mean for an even k, (k − 1/k)/4 for an odd one.
    assert_eq!((diameter(&ring(8)), sum(&ring(8))), (4, 64 * 2));
    assert_eq!((diameter(&ring(7)), sum(&ring(7))), (3, 7 * 12));
    // In a k-ary n-cube: n times that of a ring, n ⌊k/2⌋ at most.
    assert_eq!((diameter(&torus(&[4, 4])), sum(&torus(&[4, 4]))), (4, 16 * 16 * 2));
    assert_eq!((diameter(&torus(&[6, 6, 6])), sum(&torus(&[6, 6, 6]))), (9, 216 * 216 * 9 / 2));
    // In a row of k: (k − 1/k)/3 in the mean; in a grid the sum over dimensions.
    assert_eq!((diameter(&mesh(&[5])), sum(&mesh(&[5]))), (4, 40));
    assert_eq!((diameter(&mesh(&[4, 4])), sum(&mesh(&[4, 4]))), (6, 16 * 40));
    assert_eq!((diameter(&full_mesh(6)), sum(&full_mesh(6))), (1, 30));
    // Leaves are two links apart, and so are spines; a leaf and a spine are one.
    assert_eq!(diameter(&leaf_spine(6, 4)), 2);
    assert_eq!(sum(&leaf_spine(6, 4)), 2 * 6 * 5 + 2 * 4 * 3 + 2 * 24);
    assert_eq!(diameter(&parking_lot(5)), 5);
}

#[test]
fn bisections_are_those_of_the_textbook() {
    let low = |name: &str| ["r0", "r1"].iter().any(|row| name.split('-').next() == Some(row));
    // Two links in each direction for each row of a torus, one for each row of a mesh.
    assert_eq!(cut(&torus(&[4, 5]), low), 10);
    assert_eq!(cut(&mesh(&[4, 5]), low), 5);
    assert_eq!(cut(&ring(4), low), 2);
    assert_eq!(cut(&full_mesh(4), low), 4);
    assert_eq!(cut(&leaf_spine(6, 4), |name| name.starts_with("leaf")), 24);
}

#[test]
fn a_router_is_joined_to_those_beside_it() {
    let graph = graph(&torus(&[3, 4]));
    let of = |name: &str| {
        let at = graph.node_named(name).unwrap();
        let mut names: Vec<&str> =
            neighbours(&graph, at.index()).map(|to| graph.nodes[to].name.as_str()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(of("r0-0"), ["r0-1", "r0-3", "r1-0", "r2-0"]);
    assert_eq!(of("r1-2"), ["r0-2", "r1-1", "r1-3", "r2-2"]);
    let host = graph.node_named("h1-2-0").unwrap();
    assert_eq!(graph.homes()[host.index()], graph.node_named("r1-2").unwrap());
}
