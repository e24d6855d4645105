//! From the topology of a scenario to nodes and one-way links.

mod bundles;
mod file;
mod lightpath_bundle;
mod names;
pub mod nsfnet;
mod regular;

use std::collections::BTreeMap;

pub use bundles::Bundles;
pub use file::FileNetwork;
use lightpath_bundle::LightpathBundle;
pub use lightpath_bundle::RttRange;
pub use names::{LinkName, LinksByName};
use nsfnet::Nsfnet;
use optics::CircuitCoreSpec;
use units::{NodeId, Rate, Span};

use crate::spec::{
    AccessSpec, ChannelsSpec, CoreSpec, Direction, ExplicitLink, LinkSpec, LossSpec, NodeKind,
    NodeSpec, QueueSpec, Topology,
};

/// Nodes and one-way links, each in the order of its id.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The links; the two directions of a link are adjacent, forward first, and the lightpaths of a
    /// bundle follow each other.
    pub links: Vec<OneWayLink>,
    /// The round-trip times that a run draws, see [`Graph::draw_rtts`].
    pub rtts: Vec<RttRange>,
}

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
}

/// One direction of a link with the queue in front of it.
#[derive(Debug, Clone, PartialEq)]
pub struct OneWayLink {
    /// The node where it starts, which has the queue.
    pub from: NodeId,
    /// The node where it ends.
    pub to: NodeId,
    /// Bit rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// The queue.
    pub queue: QueueSpec,
    /// Random loss on the wire.
    pub loss: Option<LossSpec>,
    /// The channels of an optical link, which has neither queue nor random loss.
    pub channels: Option<ChannelsSpec>,
    /// Its number among parallel links, or among the channels of a link to a circuit switch; none if it is the
    /// only one.
    pub lightpath: Option<u32>,
}

impl OneWayLink {
    /// What it carries in b/s, on all of its channels.
    pub fn bits_per_second(&self) -> f64 {
        self.bits_per_second_at(self.rate)
    }

    /// The same if each of its channels has another rate.
    pub fn bits_per_second_at(&self, rate: Rate) -> f64 {
        rate.as_f64() * f64::from(self.data_channels())
    }

    /// Its data channels: one if it is electronic.
    pub fn data_channels(&self) -> u32 {
        self.channels.as_ref().map_or(1, |channels| channels.data)
    }
}

impl Graph {
    /// Whether a node passes packets on.
    pub fn forwards(&self, node: NodeId) -> bool {
        self.nodes[node.index()].kind.forwards()
    }

    /// Whether a link is one between nodes that pass packets on.
    pub fn is_inner(&self, link: &OneWayLink) -> bool {
        self.forwards(link.from) && self.forwards(link.to)
    }

    /// Builds the graph of a topology; links without their own queue get `interface`, and the
    /// switches of the generators for packets, and the core nodes beside a bundle of
    /// lightpaths, are of the kind `switch`; spines between leaves that are racks are core nodes.
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
            Topology::Ring { .. }
            | Topology::Torus { .. }
            | Topology::Mesh { .. }
            | Topology::FullMesh { .. }
            | Topology::LeafSpine { .. }
            | Topology::ParkingLot { .. } => build.regular(topology),
            Topology::Nsfnet {
                edges,
                link,
                add_channels,
                delay_per_km,
                hosts,
                access,
                access_spread,
            } => {
                build.nsfnet(Nsfnet {
                    edges,
                    link,
                    add_channels: add_channels.unwrap_or(link.channels),
                    delay_per_km: *delay_per_km,
                    hosts: *hosts,
                    access: access.as_ref(),
                    access_spread: *access_spread,
                });
            }
            Topology::LightpathBundle { lightpaths, k, link, tcp_rate, tcp_queue, rtt } => {
                let tcp = LinkSpec { queue: *tcp_queue, ..LinkSpec::plain(*tcp_rate, Span::ZERO) };
                let (lightpaths, k, rtt) = (*lightpaths, *k, *rtt);
                build.lightpath_bundle(LightpathBundle { lightpaths, k, link, tcp, rtt });
            }
            Topology::File(file) => {
                let FileNetwork { nodes, links, .. } =
                    FileNetwork::new(file, switch).expect("checked");
                build.explicit(&nodes, &links);
            }
            Topology::Explicit { nodes, links } => build.explicit(nodes, links),
        }
        graph
    }

    /// Where lightpaths are set up, every link between two switches is a fibre with channels. Where circuits are
    /// switched, each channel of a link between a rack and a switch becomes a link of its own.
    pub fn add_channels(&mut self, core: Option<&CoreSpec>) {
        let Some(facts) = core.map(CoreSpec::facts) else { return };
        if let Some(core) = facts.circuit {
            return self.split_channels(core);
        }
        let Some(core) = facts.lightpath else { return };
        let Self { nodes, links, .. } = self;
        let forwards = |id: NodeId| nodes[id.index()].kind.forwards();
        for link in links.iter_mut().filter(|link| forwards(link.from) && forwards(link.to)) {
            let all = ChannelsSpec { data: core.channels, control: 0, control_rate: link.rate };
            link.channels.get_or_insert(all);
        }
    }

    /// Puts the channels of each link to a circuit switch in its place, with both directions of a channel side by side.
    fn split_channels(&mut self, core: &CircuitCoreSpec) {
        let counts: Vec<u32> = self.links.iter().map(|link| self.channels_of(core, link)).collect();
        let whole = std::mem::take(&mut self.links);
        let mut at = 0;
        while at < whole.len() {
            let turned = whole.get(at + 1).is_some_and(|next| {
                (next.from, next.to) == (whole[at].to, whole[at].from)
                    && next.lightpath == whole[at].lightpath
            });
            let ways = at..at + 1 + usize::from(turned);
            for channel in 0..ways.clone().map(|way| counts[way]).max().unwrap_or(1) {
                for way in ways.clone().filter(|&way| channel < counts[way]) {
                    let lightpath = Some(channel).filter(|_| counts[way] > 1);
                    let lightpath = lightpath.or(whole[way].lightpath);
                    let channels =
                        whole[way].channels.filter(|_| !self.joins_circuits(&whole[way]));
                    self.links.push(OneWayLink { channels, lightpath, ..whole[way].clone() });
                }
            }
            at = ways.end;
        }
    }

    /// Whether a link is one between a rack and a core node.
    fn joins_circuits(&self, link: &OneWayLink) -> bool {
        let ends = [link.from, link.to].map(|end| self.nodes[end.index()].kind);
        [[NodeKind::Rack, NodeKind::Core], [NodeKind::Core, NodeKind::Rack]].contains(&ends)
    }

    /// The channels of a link where circuits are switched: one unless it is between a rack and a switch.
    fn channels_of(&self, core: &CircuitCoreSpec, link: &OneWayLink) -> u32 {
        if !self.joins_circuits(link) || link.lightpath.is_some() {
            return 1;
        }
        link.channels.map_or_else(|| core.channels(), |own| own.data)
    }

    /// How many links there are, with the channels of those to circuit switches.
    pub fn count_with_channels(&self, core: &CircuitCoreSpec) -> usize {
        self.links.iter().map(|link| self.channels_of(core, link) as usize).sum()
    }

    /// The hosts in the order of their ids.
    pub fn hosts(&self) -> impl Iterator<Item = NodeId> + '_ {
        let ids = (0..self.nodes.len()).map(NodeId::at);
        ids.filter(|id| self.nodes[id.index()].kind == NodeKind::Host)
    }

    /// The nodes that are endpoints of flows without being hosts, in the order of their ids.
    pub fn edges(&self) -> impl Iterator<Item = NodeId> + '_ {
        let ids = (0..self.nodes.len()).map(NodeId::at);
        ids.filter(|id| self.nodes[id.index()].kind == NodeKind::Edge)
    }

    /// For each node the router that it is attached to: the node itself if it is not a host, or if
    /// no router has a link to it.
    pub fn homes(&self) -> Vec<NodeId> {
        let mut homes: Vec<NodeId> = (0..self.nodes.len()).map(NodeId::at).collect();
        for link in &self.links {
            if self.forwards(link.from) && !self.forwards(link.to) {
                homes[link.to.index()] = link.from;
            }
        }
        homes
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

    /// A switch that only joins others: between racks it sets circuits.
    fn spine(&mut self, name: String) -> NodeId {
        let kind = if self.switch == NodeKind::Rack { NodeKind::Core } else { self.switch };
        self.node(name, kind)
    }

    fn one_way(&mut self, from: NodeId, to: NodeId, spec: &LinkSpec, skips_loss: Direction) {
        let loss = spec.loss.filter(|loss| loss.direction() != skips_loss);
        let queue = spec.queue.unwrap_or(self.interface);
        let (rate, delay) = (spec.rate, spec.propagation().delay());
        let (channels, lightpath) = (None, None);
        let link = OneWayLink { from, to, rate, delay, queue, loss, channels, lightpath };
        self.graph.links.push(link);
    }

    fn two_way(&mut self, from: NodeId, to: NodeId, spec: &LinkSpec) {
        self.bundle(from, to, spec, true);
    }

    /// The parallel links of a link, forward and, if it is two-way, back. The link of a host is
    /// always a single one.
    fn bundle(&mut self, from: NodeId, to: NodeId, spec: &LinkSpec, both: bool) {
        let between = self.graph.forwards(from) && self.graph.forwards(to);
        let lightpaths = spec.lightpaths.filter(|&count| count > 1 && between);
        for lightpath in 0..lightpaths.unwrap_or(1) {
            let first = self.graph.links.len();
            self.one_way(from, to, spec, Direction::Backward);
            if both {
                self.one_way(to, from, spec, Direction::Forward);
            }
            for way in &mut self.graph.links[first..] {
                way.lightpath = lightpaths.map(|_| lightpath);
            }
        }
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
        self.bundle(from, to, &link.link(), !link.one_way);
        for way in &mut self.graph.links[first..] {
            way.channels = link.channels();
        }
    }
}

#[cfg(test)]
mod tests;
