//! Devices: what forwards packets and bursts at the nodes.
//!
//! A device touches only itself and the [`Context`](crate::context::Context) that it is handed. Routers
//! are store-and-forward: they act when the last bit of a packet is in. Core routers of
//! an optical network are cut-through: they act on the header that runs ahead of a burst, or on the
//! first bit of an optical packet; so do hybrid switches, and output-queued ones that are told to.
//!
//! Each kind of [core](cores::Cores) is a folder: what it is made of, what it does, what it counts.

pub mod burst;
pub mod check;
pub mod cioq;
pub mod core;
pub mod cores;
pub mod edge;
pub mod hybrid;
pub mod lightpaths;
pub mod output_queued;
pub mod packet;
pub mod router;

use crate::spec::NodeKind;
use crate::topology::Graph;

/// What stands at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// Ends flows.
    Host,
    /// Forwards packets to its output queues.
    Router,
    /// Gathers packets into bursts, by its number among the edges.
    Edge(u32),
    /// Switches bursts or packets, by its number among the cores.
    Core(u32),
}

impl Device {
    /// What stands at the nodes of a graph, each kind numbered in their order.
    pub fn all(graph: &Graph) -> Vec<Self> {
        let (mut edges, mut cores) = (0.., 0..);
        let next = |numbers: &mut std::ops::RangeFrom<u32>| numbers.next().expect("endless");
        let nodes = graph.nodes.iter();
        let device = |kind| match kind {
            NodeKind::Host => Self::Host,
            NodeKind::Router => Self::Router,
            NodeKind::Edge => Self::Edge(next(&mut edges)),
            NodeKind::Core => Self::Core(next(&mut cores)),
        };
        nodes.map(|node| node.kind).map(device).collect()
    }
}
