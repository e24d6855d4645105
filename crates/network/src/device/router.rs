//! The electronic router: output-queued, store-and-forward, without a delay of its own.
//!
//! The output queues are those of its [`Link`](crate::link::Link)s. Not modelled: a limit on the
//! fabric's speed, the time to look a route up, a limit on hops (static shortest paths have no
//! loops).

use units::{LinkId, NodeId};

use crate::fabric::Fabric;
use crate::packet::PacketId;

/// Forwards a packet that has arrived with its last bit; says where.
#[inline]
pub fn forward(fabric: &mut Fabric, router: NodeId, packet: PacketId) -> LinkId {
    let link = fabric.next_link(router, packet);
    fabric.send(link, packet);
    link
}
