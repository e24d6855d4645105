//! The ideal switch: no contention and no queue. It is the smallest kind of core, and the one to copy for another.
//!
//! It acts on the **last** bit of a packet, or on the **first** where it is cut-through. The packet leaves at that
//! instant on its next link, however many others do: [`Context::send_at_once`]. The switch has no state.

mod check;

use plan::table::{Sums, Table};
use plan::topology::Graph;
use units::LinkId;
use wire::context::Context;
use wire::packet::PacketId;

use super::list::Account;
use super::seam::{Core, Place};

/// All ideal switches.
#[derive(Debug, Clone)]
pub struct IdealSwitches;

impl Core for IdealSwitches {
    #[inline]
    fn on_packet(&mut self, context: &mut Context, at: Place, id: PacketId) {
        let link = context.next_link(at.node, id);
        context.send_at_once(link, id);
    }

    fn on_alarm(&mut self, _: &mut Context, _: u32) {
        unreachable!("ideal switches set no alarm")
    }

    fn on_link_up(&mut self, _: &mut Context, _: LinkId) {}

    fn catch_up(&mut self, _: &mut Context) {}

    fn begin_measuring(&mut self) {}

    fn account(&self, _: u32) -> Account {
        Account::Electronic
    }

    /// Links have all packets.
    fn inside(&self) -> u64 {
        0
    }

    fn check_conservation(&self) -> Result<(), String> {
        Ok(())
    }

    fn tables(&self, _: &Graph) -> Vec<(Table, Sums)> {
        Vec::new()
    }

    fn words(&self, _: &mut dyn FnMut(u64)) {}
}
