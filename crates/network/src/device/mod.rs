//! Devices: what stands at the ends of links.
//!
//! A device touches only itself and the [`Fabric`](crate::fabric::Fabric) that it is handed. Hosts
//! and routers are store-and-forward: they act when the last bit of a packet is in. Core routers of
//! an optical network are cut-through: they act on the header that runs ahead of a burst, or on the
//! first bit of an optical packet; so do hybrid switches, and output-queued ones that are told to.

pub mod burst_core;
pub mod cioq;
pub mod edge;
pub mod ends;
pub mod host;
pub mod hybrid;
pub mod output_queued;
pub mod packet_core;
pub mod router;

/// What stands at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// Ends flows.
    Host,
    /// Forwards packets to its output queues.
    Router,
    /// Gathers packets into bursts, by its number among the edges.
    Edge(u32),
    /// Switches bursts, or optical packets. No other packet reaches it.
    Core,
    /// Cuts packets through or stores them, by its number among the hybrid switches.
    Hybrid(u32),
    /// Moves cells from input queues to output queues, by its number among the CIOQ switches.
    Cioq(u32),
    /// Chooses among its output queues, by its number among the output-queued switches.
    OutputQueued(u32),
}
