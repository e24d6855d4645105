//! Where optical packets have been, for deflection without loops.

use units::NodeId;
use wire::optical::BurstId;

/// For each optical packet in the network: the nodes that it has visited.
#[derive(Debug, Clone, Default)]
pub(super) struct Trails {
    /// By the packet's place in the arena; reused with it.
    nodes: Vec<Vec<NodeId>>,
}

impl Trails {
    /// A packet starts.
    pub(super) fn begin(&mut self, id: BurstId) {
        let at = id.0 as usize;
        if at >= self.nodes.len() {
            self.nodes.resize_with(at + 1, Vec::new);
        }
        self.nodes[at].clear();
    }

    /// A packet is at a node.
    pub(super) fn pass(&mut self, id: BurstId, node: NodeId) {
        self.nodes[id.0 as usize].push(node);
    }

    /// Whether a packet has visited a node.
    pub(super) fn has(&self, id: BurstId, node: NodeId) -> bool {
        self.nodes[id.0 as usize].contains(&node)
    }
}
