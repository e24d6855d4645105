use units::{Rate, Span};

use super::*;
use crate::shapes::{Explicit, FatTree, NodeSpec};
use crate::spec::{ExplicitLink, LinkSpec, NodeKind, QueueSpec};

fn fat_tree(k: u32) -> Graph {
    let queue = QueueSpec::packets(10);
    let link = LinkSpec::plain(Rate(1), Span(1));
    Graph::new(&FatTree { k, link }, queue, NodeKind::Router)
}

#[test]
fn a_fat_tree_uses_all_equal_paths_evenly() {
    let graph = fat_tree(4);
    let routing = Routing::new(&graph, Metric::Hops, 7);
    let host =
        |name: &str| NodeId::at(graph.nodes.iter().position(|node| node.name == name).unwrap());
    let mut uses: BTreeMap<Vec<LinkId>, u32> = BTreeMap::new();
    for flow in 0..4000 {
        let path = routing.path(&graph, host("h0"), host("h15"), mix(flow)).unwrap();
        assert_eq!(path.len(), 6);
        *uses.entry(path).or_default() += 1;
    }
    // (k/2)² = 4 paths of 1000 flows each, standard deviation 27.
    assert_eq!(uses.len(), 4);
    assert!(uses.values().all(|&n| (890..1110).contains(&n)), "{uses:?}");
    let near = routing.path(&graph, host("h0"), host("h1"), 1).unwrap();
    assert_eq!(near.len(), 2);
    let pod = routing.path(&graph, host("h0"), host("h2"), 1).unwrap();
    assert_eq!(pod.len(), 4);
}

/// R has bundles to S and T, both of which lead to U and V; V has no hosts.
fn diamond() -> Graph {
    let node = |name: &str, kind| NodeSpec { name: name.into(), kind, count: None };
    let link = |from: &str, to: &str, lightpaths| ExplicitLink {
        from: from.into(),
        to: to.into(),
        rate: Rate(1_000_000),
        delay: Some(Span::ZERO),
        length: None,
        delay_per_km: None,
        queue: None,
        loss: None,
        one_way: false,
        channels: None,
        control_channels: None,
        control_rate: None,
        lightpaths,
    };
    let routers = ["R", "V", "S", "T", "U"].map(|name| node(name, NodeKind::Router));
    let hosts = ["r", "s", "t", "u"].map(|name| node(name, NodeKind::Host));
    let bundles = [("R", "S"), ("R", "T"), ("S", "U"), ("T", "U"), ("S", "V")];
    let access = [("r", "R"), ("s", "S"), ("t", "T"), ("u", "U")];
    let links = bundles.map(|(from, to)| link(from, to, Some(2))).into_iter();
    let links = links.chain(access.map(|(from, to)| link(from, to, None))).collect();
    let nodes = routers.into_iter().chain(hosts).collect();
    let queue = QueueSpec::packets(10);
    Graph::new(&Explicit { nodes, links }, queue, NodeKind::Router)
}

#[test]
fn a_rank_counts_the_routers_with_hosts_behind_a_bundle() {
    let graph = diamond();
    let routing = Routing::new(&graph, Metric::Hops, 0);
    let id =
        |name: &str| NodeId::at(graph.nodes.iter().position(|node| node.name == name).unwrap());
    let ranks = |at: &str| ["r", "s", "t", "u"].map(|to| routing.rank(id(at), id(to)));
    // Over the bundle to S: S itself, and U, whose set has both bundles, that to S first. V, which
    // is before them in the order of the nodes, does not count. Over that to T: T.
    assert_eq!(routing.links(id("R"), id("u")).count(), 4);
    assert_eq!(ranks("R"), [0, 0, 0, 1]);
    // From U over S: R and S; over T: T.
    assert_eq!(ranks("U"), [0, 1, 0, 0]);
    // From V everything is over S.
    assert_eq!(ranks("V"), [0, 1, 2, 3]);
    // Without parallel links there is nothing to rank.
    assert!(Routing::new(&fat_tree(4), Metric::Hops, 7).ranks.is_empty());
}
