//! Devices: what stands at the ends of links.
//!
//! A device touches only itself and the [`Fabric`](crate::fabric::Fabric) that it is handed. Hosts
//! and routers are store-and-forward: they act when the last bit of a packet is in.

pub mod host;
pub mod router;

/// What stands at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// Ends flows.
    Host,
    /// Forwards packets to its output queues.
    Router,
}
