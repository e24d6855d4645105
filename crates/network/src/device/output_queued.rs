//! The output-queued core switch: it chooses among the lightpaths of a bundle with all of its queues in
//! view.
//!
//! It acts on the **last** bit of a packet, or on the **first** where it is cut-through: then its links
//! deliver that ([`Link::with_first_bit`](crate::link::Link::with_first_bit)), and the far end of a
//! bundle is to act on it too.
//!
//! Under ideal-JSQ packets are assigned in the order of first bits, each to the port that is free first.
//! So first bits leave a bundle in that order: no port is free earlier than the one that the packet
//! before took was. Two that leave at one instant arrive in the order of assignment, which the agenda
//! keeps. Counted always, and a run under ideal-JSQ in which it does not hold fails.

use units::{LinkId, NodeId};

use crate::fabric::Fabric;
use crate::packet::PacketId;

/// A packet is at a switch, over this link.
#[inline]
pub fn forward(fabric: &mut Fabric, node: NodeId, number: u32, came_by: LinkId, id: PacketId) {
    let now = fabric.now;
    let picked = fabric.picked(node, came_by, id);
    let (links, transit) = (&fabric.links, fabric.packets.transit(id));
    let switch = &mut fabric.anycast.output_queued[number as usize];
    // It knows which lightpaths work: one that is down is never the shortest.
    let pending = |_: u32, link: LinkId| {
        let link = &links[link.index()];
        if link.is_up() { link.wait_ahead(now).0 } else { u64::MAX }
    };
    let output = switch.outlets.choose(picked, transit, pending);
    let link = switch.outlets.link(output);
    let first_bit = now + links[link.index()].wait_ahead(now);
    switch.assigned(output, first_bit);
    fabric.send(link, id);
}
