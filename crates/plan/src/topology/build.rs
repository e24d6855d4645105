//! How nodes and links are added to a graph.

use units::NodeId;

use super::{Graph, Node, OneWayLink};
use crate::spec::{Direction, LinkSpec, NodeKind, QueueSpec};

/// Adds the nodes and links of a shape to a graph.
#[derive(Debug)]
pub struct Builder<'a> {
    /// The graph.
    pub graph: &'a mut Graph,
    /// The queue of links without one of their own.
    pub interface: QueueSpec,
    /// The kind of the switches of a generator.
    pub switch: NodeKind,
}

impl Builder<'_> {
    /// Adds a node.
    pub(crate) fn node(&mut self, name: String, kind: NodeKind) -> NodeId {
        self.graph.nodes.push(Node { name, kind });
        NodeId::at(self.graph.nodes.len() - 1)
    }

    /// Adds a host.
    pub(crate) fn host(&mut self, name: String) -> NodeId {
        self.node(name, NodeKind::Host)
    }

    /// Adds a switch that may have hosts.
    pub(crate) fn switch(&mut self, name: String) -> NodeId {
        self.node(name, self.switch)
    }

    /// A switch that only joins others: between racks it sets circuits.
    pub(crate) fn spine(&mut self, name: String) -> NodeId {
        let kind = if self.switch == NodeKind::Rack { NodeKind::Core } else { self.switch };
        self.node(name, kind)
    }

    /// Adds one direction of a link, without the loss of a direction that is skipped.
    pub(crate) fn one_way(
        &mut self,
        from: NodeId,
        to: NodeId,
        spec: &LinkSpec,
        skips_loss: Direction,
    ) {
        let loss = spec.loss.filter(|loss| loss.direction() != skips_loss);
        let queue = spec.queue.unwrap_or(self.interface);
        let (rate, delay) = (spec.rate, spec.propagation().delay());
        let (channels, lightpath) = (None, None);
        let link = OneWayLink { from, to, rate, delay, queue, loss, channels, lightpath };
        self.graph.links.push(link);
    }

    /// Adds both directions of a link.
    pub(crate) fn two_way(&mut self, from: NodeId, to: NodeId, spec: &LinkSpec) {
        self.bundle(from, to, spec, true);
    }

    /// The parallel links of a link, forward and, if it is two-way, back. The link of a host is
    /// always a single one.
    pub(crate) fn bundle(&mut self, from: NodeId, to: NodeId, spec: &LinkSpec, both: bool) {
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
}
