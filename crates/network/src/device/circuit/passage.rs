//! A rack's packet passes a circuit switch when it is sent: one event instead of two.
//!
//! A circuit switch stores nothing, and its first bit is there after the delay of the link: the rack's clock may be
//! wrong, but what the switch will do is known. The packet is put on the link behind the switch right away, with the instants
//! that it has there, and both links and the switch count it. So the arrival at the switch needs no event.
//!
//! Nobody can tell if nothing reads these counters before the first bit is at the switch: links do not change, nothing
//! looks at the network until then, packets are not recorded, the run does not end at an instant that is not known yet.
//! Packets stay in order behind the switch, because all links to it have the same delay and because one that
//! did not go this way is waited for. Ties do not differ: a packet gets its place among the events of an instant when it
//! passes the switch ([`Context::send_through`]), for which it waits in a list of its own, in order without sorting.

use optics::circuit::Slot;

use super::CircuitNodes;
use crate::context::Context;
use crate::packet::PacketId;

impl CircuitNodes {
    /// A rack sends a packet on its link to a switch, which is free, in a slot of that.
    #[inline]
    pub(super) fn transmit(
        &mut self,
        context: &mut Context,
        (rack, switch): (u32, u32),
        (id, slot): (PacketId, &Slot),
    ) {
        let bytes = context.transit(id).bytes;
        let uplink = &mut self.racks[rack as usize].uplinks[switch as usize];
        let link = uplink.link;
        let length = self.rules.length(context, link, bytes);
        uplink.free_at = context.now() + length;
        let Some(delay) = self.rules.passed_after else { return context.send(link, id) };
        let node = &mut self.switches[switch as usize];
        let first = context.now() + delay;
        let is_next = node.awaited < context.now();
        let to = self.rules.schedule.passes((switch, rack), (first, length), Some(slot));
        let Some(to) = to.filter(|_| is_next && context.is_unseen(first)) else {
            node.awaited = first;
            return context.send(link, id);
        };
        node.counters.passes(bytes);
        let out = node.outputs[to as usize];
        debug_assert!(context.link(out).free_at() <= first, "one rack at a time sends to another");
        context.send_through([link, out], first, id);
    }
}
