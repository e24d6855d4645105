//! The output-queued core switch: it chooses among the lightpaths of a bundle with all of its queues in
//! view.
//!
//! It acts on the **last** bit of a packet, or on the **first** where it is cut-through: then its links
//! deliver that ([`Link::with_first_bit`](wire::link::Link::with_first_bit)), and the far end of a
//! bundle is to act on it too.
//!
//! Under ideal-JSQ packets are assigned in the order of first bits, each to the port that is free first.
//! So first bits leave a bundle in that order: no port is free earlier than the one taken by the packet
//! before. Two that leave at one instant arrive in the order of assignment, which the agenda keeps. The
//! order is always checked, and a run under ideal-JSQ that violates it fails.

pub mod check;
mod state;

use plan::table::{Sums, Table};
use plan::topology::Graph;
use state::OutputQueuedNode;
pub use state::OutputQueuedSwitches;
use units::LinkId;
use wire::context::Context;
use wire::packet::PacketId;

use super::bundle_selection::fail;
use super::list::Account;
use super::seam::{Core, Place};

impl Core for OutputQueuedSwitches {
    #[inline]
    fn on_packet(&mut self, context: &mut Context, at: Place, id: PacketId) {
        let now = context.now();
        let picked = self.wiring.picked(context, at, id);
        let switch = &mut self.nodes[at.number as usize];
        // It knows which lightpaths work: one that is down is never the shortest.
        let pending = |_: u32, link: LinkId| {
            let link = context.link(link);
            if link.is_up() { link.wait_ahead(now).0 } else { u64::MAX }
        };
        let output = switch.outlets.choose(picked, context.transit(id), pending);
        if let Some(fault) = switch.outlets.fault() {
            fail(context, at.node, fault);
        }
        let link = switch.outlets.link(output);
        let first_bit = now + context.link(link).wait_ahead(now);
        switch.assigned(output, first_bit);
        context.send(link, id);
    }

    fn on_alarm(&mut self, _: &mut Context, _: u32) {
        unreachable!("output-queued switches set no alarm")
    }

    fn on_link_up(&mut self, _: &mut Context, _: LinkId) {}

    fn catch_up(&mut self, _: &mut Context) {}

    fn begin_measuring(&mut self) {}

    fn account(&self, _: u32) -> Account {
        Account::Electronic
    }

    /// Every waiting packet waits for a link.
    fn inside(&self) -> u64 {
        0
    }

    /// The order of first bits under ideal-JSQ.
    fn check_conservation(&self) -> Result<(), String> {
        match self.nodes.iter().find(|node| node.overtaking > 0) {
            Some(OutputQueuedNode { overtaking, .. }) if self.keeps_order => {
                Err(format!("{overtaking} first bits overtook others under ideal-JSQ"))
            }
            _ => Ok(()),
        }
    }

    fn tables(&self, _: &Graph) -> Vec<(Table, Sums)> {
        Vec::new()
    }

    fn words(&self, _: &mut dyn FnMut(u64)) {}
}
