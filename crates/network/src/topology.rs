//! From the shape that a scenario names to nodes and one-way links.

pub mod nsfnet;

use std::collections::BTreeMap;

use nsfnet::Nsfnet;
use units::{LinkId, NodeId, Rate, Span};

use crate::spec::{
    AccessSpec, ChannelsSpec, Direction, ExplicitLink, LinkSpec, LossSpec, NodeKind, NodeSpec,
    QueueSpec, Topology,
};

/// Nodes and one-way links, each in the order of its id.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The links; the two ways of a two-way link stand beside each other, forward first.
    pub links: Vec<OneWayLink>,
}

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
}

/// One way of a link with the queue in front of it.
#[derive(Debug, Clone, PartialEq)]
pub struct OneWayLink {
    /// Where it begins: the queue is there.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    /// Bits a second.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// The queue.
    pub queue: QueueSpec,
    /// Random loss on the wire.
    pub loss: Option<LossSpec>,
    /// The channels of an optical link, which has neither queue nor random loss.
    pub channels: Option<ChannelsSpec>,
}

impl Graph {
    /// Builds the graph of a topology; links without a queue of their own get `interface`, and the
    /// switches of a dumbbell, line, star or fat tree are of the kind `switch`.
    ///
    /// The topology is a checked one: names of explicit links exist, counts are within limits.
    pub fn new(topology: &Topology, interface: QueueSpec, switch: NodeKind) -> Self {
        let mut graph = Self::default();
        let mut build = Builder { graph: &mut graph, interface, switch };
        match topology {
            Topology::Dumbbell { pairs, access, access_delays, bottleneck } => {
                build.dumbbell(*pairs, access, access_delays.as_deref(), bottleneck);
            }
            Topology::Line { routers, link, access } => {
                build.line(*routers, link, access.as_ref().unwrap_or(link));
            }
            Topology::Star { hosts, link } => build.star(*hosts, link),
            Topology::FatTree { k, link } => build.fat_tree(*k, link),
            Topology::Nsfnet { edges, link, add_channels, delay_per_km, hosts, access } => {
                build.nsfnet(Nsfnet {
                    edges,
                    link,
                    add_channels: add_channels.unwrap_or(link.channels),
                    delay_per_km: *delay_per_km,
                    hosts: *hosts,
                    access: access.as_ref(),
                });
            }
            Topology::Explicit { nodes, links } => build.explicit(nodes, links),
        }
        graph
    }

    /// The hosts in the order of their ids.
    pub fn hosts(&self) -> impl Iterator<Item = NodeId> + '_ {
        let ids = (0..self.nodes.len()).map(NodeId::at);
        ids.filter(|id| self.nodes[id.index()].kind == NodeKind::Host)
    }

    /// The nodes that end flows without being hosts, in the order of their ids.
    pub fn edges(&self) -> impl Iterator<Item = NodeId> + '_ {
        let ids = (0..self.nodes.len()).map(NodeId::at);
        ids.filter(|id| self.nodes[id.index()].kind == NodeKind::Edge)
    }

    /// For each node the router that it hangs on: itself for what is no host, and for a host to
    /// which no router leads.
    pub fn homes(&self) -> Vec<NodeId> {
        let mut homes: Vec<NodeId> = (0..self.nodes.len()).map(NodeId::at).collect();
        for link in &self.links {
            let forwards = |id: NodeId| self.nodes[id.index()].kind.forwards();
            if forwards(link.from) && !forwards(link.to) {
                homes[link.to.index()] = link.from;
            }
        }
        homes
    }

    /// The name of a one-way link, `"A -> B"`.
    pub fn link_name(&self, link: LinkId) -> String {
        let link = &self.links[link.index()];
        let name = |id: NodeId| &self.nodes[id.index()].name;
        format!("{} -> {}", name(link.from), name(link.to))
    }

    /// The links that a name means: `"A -> B"` one way, `"A - B"` both ways of it.
    pub fn links_named(&self, name: &str) -> Vec<LinkId> {
        let (from, to, both) = match (name.split_once(" -> "), name.split_once(" - ")) {
            (Some((from, to)), _) => (from.trim(), to.trim(), false),
            (None, Some((from, to))) => (from.trim(), to.trim(), true),
            (None, None) => return Vec::new(),
        };
        let is = |id: NodeId, name: &str| self.nodes[id.index()].name == name;
        let matches = |link: &OneWayLink| {
            (is(link.from, from) && is(link.to, to))
                || (both && is(link.from, to) && is(link.to, from))
        };
        let found = self.links.iter().enumerate().filter(|(_, link)| matches(link));
        found.map(|(at, _)| LinkId::at(at)).collect()
    }
}

struct Builder<'a> {
    graph: &'a mut Graph,
    interface: QueueSpec,
    switch: NodeKind,
}

impl Builder<'_> {
    fn node(&mut self, name: String, kind: NodeKind) -> NodeId {
        self.graph.nodes.push(Node { name, kind });
        NodeId::at(self.graph.nodes.len() - 1)
    }

    fn host(&mut self, name: String) -> NodeId {
        self.node(name, NodeKind::Host)
    }

    fn switch(&mut self, name: String) -> NodeId {
        self.node(name, self.switch)
    }

    fn one_way(&mut self, from: NodeId, to: NodeId, spec: &LinkSpec, skips_loss: Direction) {
        let loss = spec.loss.filter(|loss| loss.direction() != skips_loss);
        let queue = spec.queue.unwrap_or(self.interface);
        let (rate, delay) = (spec.rate, spec.propagation().delay());
        let link = OneWayLink { from, to, rate, delay, queue, loss, channels: None };
        self.graph.links.push(link);
    }

    fn two_way(&mut self, from: NodeId, to: NodeId, spec: &LinkSpec) {
        self.one_way(from, to, spec, Direction::Backward);
        self.one_way(to, from, spec, Direction::Forward);
    }

    fn dumbbell(
        &mut self,
        pairs: u32,
        access: &AccessSpec,
        delays: Option<&[Span]>,
        bottleneck: &LinkSpec,
    ) {
        let left = self.switch("left".into());
        let right = self.switch("right".into());
        self.two_way(left, right, bottleneck);
        for pair in 0..pairs {
            let link = access.link(delays.map(|delays| delays[pair as usize]));
            let source = self.host(format!("left-{pair}"));
            let sink = self.host(format!("right-{pair}"));
            self.two_way(source, left, &link);
            self.two_way(right, sink, &link);
        }
    }

    fn line(&mut self, routers: u32, link: &LinkSpec, access: &LinkSpec) {
        let a = self.host("a".into());
        let mut last = a;
        for at in 0..routers {
            let router = self.switch(format!("r{at}"));
            self.two_way(last, router, if at == 0 { access } else { link });
            last = router;
        }
        let b = self.host("b".into());
        self.two_way(last, b, if routers == 0 { link } else { access });
    }

    fn star(&mut self, hosts: u32, link: &LinkSpec) {
        let hub = self.switch("hub".into());
        for at in 0..hosts {
            let host = self.host(format!("h{at}"));
            self.two_way(host, hub, link);
        }
    }

    /// Al-Fares, Loukissas and Vahdat, SIGCOMM 2008, section 3: aggregation switch `i` of each pod
    /// is joined to the cores `i·k/2 … (i+1)·k/2 − 1`.
    fn fat_tree(&mut self, k: u32, link: &LinkSpec) {
        let half = k / 2;
        let cores: Vec<NodeId> =
            (0..half * half).map(|at| self.switch(format!("core-{at}"))).collect();
        for pod in 0..k {
            let aggs: Vec<NodeId> =
                (0..half).map(|at| self.switch(format!("agg-{pod}-{at}"))).collect();
            for (at, &agg) in aggs.iter().enumerate() {
                for up in 0..half as usize {
                    self.two_way(agg, cores[at * half as usize + up], link);
                }
            }
            for at in 0..half {
                let edge = self.switch(format!("edge-{pod}-{at}"));
                for &agg in &aggs {
                    self.two_way(edge, agg, link);
                }
                for down in 0..half {
                    let host = self.host(format!("h{}", (pod * half + at) * half + down));
                    self.two_way(host, edge, link);
                }
            }
        }
    }

    fn explicit(&mut self, nodes: &[NodeSpec], links: &[ExplicitLink]) {
        let mut ids: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
        for node in nodes {
            let of_name = match node.count {
                Some(count) => {
                    (0..count).map(|at| self.host(format!("{}-{at}", node.name))).collect()
                }
                None => vec![self.node(node.name.clone(), node.kind)],
            };
            ids.insert(&node.name, of_name);
        }
        for link in links {
            for &from in &ids[link.from.as_str()] {
                for &to in &ids[link.to.as_str()] {
                    self.explicit_link(from, to, link);
                }
            }
        }
    }

    fn explicit_link(&mut self, from: NodeId, to: NodeId, link: &ExplicitLink) {
        let first = self.graph.links.len();
        if link.one_way {
            self.one_way(from, to, &link.link(), Direction::Backward);
        } else {
            self.two_way(from, to, &link.link());
        }
        for way in &mut self.graph.links[first..] {
            way.channels = link.channels();
        }
    }
}

#[cfg(test)]
mod tests {
    use units::Bytes;

    use super::*;

    const QUEUE: QueueSpec = QueueSpec::DropTail { packets: Some(100), bytes: None };

    fn link() -> LinkSpec {
        LinkSpec::plain(Rate(1_000_000), Span::from_ms(1))
    }

    #[test]
    fn a_fat_tree_has_the_published_counts() {
        let graph = Graph::new(&Topology::FatTree { k: 8, link: link() }, QUEUE, NodeKind::Router);
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
        let graph = Graph::new(
            &Topology::Line { routers: 0, link: spec, access: None },
            QUEUE,
            NodeKind::Router,
        );
        assert_eq!(graph.links[0].loss, Some(loss));
        assert_eq!(graph.links[1].loss, None);
        assert_eq!(graph.link_name(LinkId(1)), "b -> a");
        assert_eq!(graph.links_named("a - b"), vec![LinkId(0), LinkId(1)]);
        assert_eq!(graph.links_named("b -> a"), vec![LinkId(1)]);
    }

    #[test]
    fn links_without_a_queue_get_that_of_the_interface() {
        let own = QueueSpec::DropTail { packets: None, bytes: Some(Bytes(9000)) };
        let spec = LinkSpec { queue: Some(own), ..link() };
        let line = Topology::Line { routers: 2, link: spec, access: Some(link()) };
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
        };
        let nodes = vec![
            node("h", NodeKind::Host, Some(3)),
            node("R", NodeKind::Router, None),
            node("g", NodeKind::Host, None),
        ];
        let links = vec![ends("R", "h"), ends("g", "R")];
        let graph = Graph::new(&Topology::Explicit { nodes, links }, QUEUE, NodeKind::Router);
        let names: Vec<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["h-0", "h-1", "h-2", "R", "g"]);
        let links: Vec<String> =
            (0..graph.links.len()).map(|at| graph.link_name(LinkId::at(at))).collect();
        let expected = ["R -> h-0", "h-0 -> R", "R -> h-1", "h-1 -> R", "R -> h-2", "h-2 -> R"];
        assert_eq!(links[..6], expected);
        assert_eq!(links[6..], ["g -> R", "R -> g"]);
    }
}
