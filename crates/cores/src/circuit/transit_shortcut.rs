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

use wire::context::Context;
use wire::packet::PacketId;

use super::state::{Rack, Rules, Switch, ps};

impl Rack {
    /// Sends a packet on its link to a switch, which is free, in the present slot of that.
    #[inline]
    pub(super) fn transmit(
        &mut self,
        context: &mut Context,
        rules: &Rules,
        (switch, node): (u32, &mut Switch),
        id: PacketId,
    ) {
        let bytes = context.transit(id).bytes;
        let uplink = &mut self.uplinks[switch as usize];
        let link = uplink.link;
        let length = rules.length(context, link, bytes);
        uplink.free_at = context.now() + length;
        let Some(delay) = rules.passed_after else { return context.send(link, id) };
        let first = context.now() + delay;
        let is_next = node.awaited < context.now();
        // The clock of the rack may say that it is another slot.
        let mut slot = uplink.slot;
        rules.schedule.bring(&mut slot, switch, ps(first));
        let to = rules.schedule.passes(&slot, self.number, (first, length));
        let Some(to) = to.filter(|_| is_next && context.is_unseen(first)) else {
            node.awaited = first;
            return context.send(link, id);
        };
        node.counters.passes(bytes);
        let out = node.outputs[to as usize];
        debug_assert!(context.link(out).free_at() <= first, "one rack at a time sends to another");
        context.send_through([link, out], (first, length), id);
    }
}
