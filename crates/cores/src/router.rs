//! The electronic router: output-queued, store-and-forward, without processing delay.
//!
//! The output queues are those of its [`Link`](wire::link::Link)s. Not modelled: a limit on the
//! fabric's speed, the time of a route lookup, a hop limit (static shortest paths have no loops).

use units::{LinkId, NodeId};
use wire::context::Context;
use wire::packet::PacketId;

/// Forwards a packet that has arrived with its last bit; returns where to.
#[inline]
pub fn forward(context: &mut Context, router: NodeId, packet: PacketId) -> LinkId {
    let link = context.next_link(router, packet);
    context.send(link, packet);
    link
}
