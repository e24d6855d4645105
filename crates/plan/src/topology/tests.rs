use units::{Bytes, LinkId};

use super::*;
use crate::shapes::{Explicit, FatTree, Line, NodeSpec};
use crate::spec::{Direction, ExplicitLink, LinkSpec};

const QUEUE: QueueSpec = QueueSpec::packets(100);

fn link() -> LinkSpec {
    LinkSpec::plain(Rate(1_000_000), Span::from_ms(1))
}

#[test]
fn a_fat_tree_has_the_published_counts() {
    let graph = Graph::new(&FatTree { k: 8, link: link() }, QUEUE, NodeKind::Router);
    assert_eq!(graph.hosts().count(), 128);
    assert_eq!(graph.nodes.len(), 128 + 80);
    assert_eq!(graph.links.len(), 2 * 3 * 128);
    for (at, node) in graph.nodes.iter().enumerate() {
        let degree = graph.links.iter().filter(|link| link.from.index() == at).count();
        assert_eq!(degree, if node.kind == NodeKind::Host { 1 } else { 8 });
    }
}

#[test]
fn loss_keeps_to_its_direction() {
    let loss = LossSpec::Bernoulli { p: 0.1, direction: Direction::Forward };
    let spec = LinkSpec { loss: Some(loss), ..link() };
    let graph = Graph::new(&Line { routers: 0, link: spec, access: None }, QUEUE, NodeKind::Router);
    assert_eq!(graph.links[0].loss, Some(loss));
    assert_eq!(graph.links[1].loss, None);
    assert_eq!(graph.link_name(LinkId(1)), "b -> a");
    assert_eq!(graph.links_named("a - b"), vec![LinkId(0), LinkId(1)]);
    assert_eq!(graph.links_named("b -> a"), vec![LinkId(1)]);
}

#[test]
fn links_without_a_queue_get_that_of_the_interface() {
    let own = QueueSpec::bytes(Bytes(9000));
    let spec = LinkSpec { queue: Some(own), ..link() };
    let line = Line { routers: 2, link: spec, access: Some(link()) };
    let graph = Graph::new(&line, QUEUE, NodeKind::Router);
    let queues: Vec<_> = graph.links.iter().map(|link| link.queue).collect();
    assert_eq!(queues, [QUEUE, QUEUE, own, own, QUEUE, QUEUE]);
}

#[test]
fn a_counted_node_is_so_many_hosts() {
    let node = |name: &str, kind, count| NodeSpec { name: name.into(), kind, count };
    let ends = |from: &str, to: &str| ExplicitLink {
        from: from.into(),
        to: to.into(),
        rate: Rate(1_000_000),
        delay: Some(Span::from_ms(1)),
        length: None,
        delay_per_km: None,
        queue: None,
        loss: None,
        one_way: false,
        channels: None,
        control_channels: None,
        control_rate: None,
        lightpaths: None,
    };
    let nodes = vec![
        node("h", NodeKind::Host, Some(3)),
        node("R", NodeKind::Router, None),
        node("g", NodeKind::Host, None),
    ];
    let links = vec![ends("R", "h"), ends("g", "R")];
    let graph = Graph::new(&Explicit { nodes, links }, QUEUE, NodeKind::Router);
    let names: Vec<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["h-0", "h-1", "h-2", "R", "g"]);
    let links: Vec<String> =
        (0..graph.links.len()).map(|at| graph.link_name(LinkId::at(at))).collect();
    let expected = ["R -> h-0", "h-0 -> R", "R -> h-1", "h-1 -> R", "R -> h-2", "h-2 -> R"];
    assert_eq!(links[..6], expected);
    assert_eq!(links[6..], ["g -> R", "R -> g"]);
}
