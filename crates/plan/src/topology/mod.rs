//! Nodes and one-way links, which the [shape](crate::shapes) of a network adds.

mod build;
mod bundles;
mod names;
mod rtts;

pub use build::Builder;
pub use bundles::Bundles;
pub use names::{LinkName, LinksByName};
use optics::CircuitCoreSpec;
pub use rtts::{RttRange, RttSpec};
use units::{NodeId, Rate, Span};

use crate::spec::{ChannelsSpec, CoreSpec, LossSpec, NodeKind, QueueSpec};

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

#[cfg(test)]
mod tests;
