//! Devices, which forward packets and bursts at the nodes.
//!
//! A device changes only itself and the [`Context`](wire::context::Context) passed to it. Routers are
//! store-and-forward: they act when the last bit of a packet has arrived. Core routers of an optical
//! network are cut-through: they act on the header that precedes a burst, or on the first bit of an
//! optical packet. Hybrid switches also act on the first bit, as do output-queued ones with
//! cut-through switching, and circuit switches, which only let light pass.
//!
//! Each kind of [core](Cores) is a folder with its state, its behaviour and its counters.

pub mod bundle_selection;
pub mod burst;
pub mod check;
pub mod cioq;
pub mod circuit;
pub mod edge;
pub mod hybrid;
pub mod ideal;
pub mod lightpath;
mod list;
pub mod output_queued;
pub mod packet;
mod racks;
pub mod router;
mod seam;

pub use list::{Account, BurstCores, Cores, build};
use plan::spec::NodeKind;
use plan::topology::Graph;
pub use seam::{BurstCore, Core, Place, Rules, Signal};

/// The device at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// The endpoint of flows.
    Host,
    /// Forwards packets to its output queues.
    Router,
    /// Assembles packets into bursts, by its number among the edges.
    Edge(u32),
    /// Switches bursts, packets or circuits, or is a rack behind circuits, by its number among the cores.
    Core(u32),
}

impl Device {
    /// The devices at the nodes of a graph, each kind numbered in their order.
    pub fn all(graph: &Graph) -> Vec<Self> {
        let (mut edges, mut cores) = (0.., 0..);
        let next = |numbers: &mut std::ops::RangeFrom<u32>| numbers.next().expect("endless");
        let nodes = graph.nodes.iter();
        let device = |kind| match kind {
            NodeKind::Host => Self::Host,
            NodeKind::Router => Self::Router,
            NodeKind::Edge => Self::Edge(next(&mut edges)),
            NodeKind::Core | NodeKind::Rack => Self::Core(next(&mut cores)),
        };
        nodes.map(|node| node.kind).map(device).collect()
    }
}
