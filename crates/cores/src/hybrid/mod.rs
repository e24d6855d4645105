//! A hybrid opto-electronic switch: it acts on the **first** bit of a packet (cut-through).
//!
//! A packet whose azimuth is free passes as light and holds it for its length. One whose azimuth is
//! busy goes to the shared buffer, if an electronic input is free, and is sent again from there; else
//! it is lost. [`optics::HybridSwitch`] has the rules of the buffer.
//!
//! Ties: a waiting packet goes before one that arrives at the same instant, so the first arrival
//! lets the buffer send what it can. While the head of an azimuth's queue is not stored yet, or no
//! electronic output is free, the azimuth is free for light.
//!
//! Of several links of equal cost a packet takes the one that `routing` draws or, with [`Paths::Free`],
//! one that is free. A packet that waits keeps the link that it was drawn.
//!
//! Assumptions: reading a header and setting the switch take no time; a link that fails does not cut
//! a packet whose first bit has passed it; packets that wait for an azimuth that is down stay.

pub mod check;
mod counters;
mod state;

pub use counters::HybridCounters;
use kinds::Counters;
use optics::{Fate, Paths};
use plan::table::{Sums, Table};
use plan::topology::Graph;
use state::HybridNode;
pub use state::HybridSwitches;
use units::{LinkId, Time};
use wire::context::Context;
use wire::event::Event;
use wire::link::Drop;
use wire::packet::PacketId;
use wire::trace::Cause;

use super::list::Account;
use super::seam::{Core, Place};

impl HybridSwitches {
    /// A packet finds its azimuth busy.
    fn contend(&mut self, context: &mut Context, number: u32, link: LinkId, id: PacketId) {
        let now = context.now();
        let bytes = context.transit(id).bytes;
        let length = context.link(link).time_to_send(bytes);
        let azimuth = self.azimuth_of(link);
        let HybridNode { switch, counters, .. } = &mut self.nodes[number as usize];
        let fate = switch.store(now, id, azimuth, (length, bytes));
        match fate {
            Fate::Stored => {
                counters.packets_buffered += 1;
                counters.bytes_buffered += u64::from(bytes);
                counters.buffer_max = counters.buffer_max.max(switch.len());
                counters.buffer_max_bytes = counters.buffer_max_bytes.max(switch.bytes());
                self.arm(context, number);
                return;
            }
            Fate::NoPort => counters.lost_ports += 1,
            Fate::Full => counters.lost_full += 1,
        }
        context.turn_away(link, bytes);
        context.refuse(id, (link, now), Cause::Link(Drop::Contention));
    }

    /// The buffer sends what it can.
    fn serve(&mut self, context: &mut Context, number: u32) {
        let now = context.now();
        loop {
            let HybridNode { switch, counters, azimuths, .. } = &mut self.nodes[number as usize];
            let Some(stored) = switch.release(now, free_at(context, azimuths)) else { break };
            counters.release(now - stored.came);
            let link = azimuths[stored.azimuth as usize];
            context.send(link, stored.packet);
        }
        self.arm(context, number);
    }

    /// Enters an alarm unless there is an earlier one: that one will enter the next.
    fn arm(&mut self, context: &mut Context, number: u32) {
        let HybridNode { switch, azimuths, armed, .. } = &mut self.nodes[number as usize];
        let due = switch.due(free_at(context, azimuths));
        if let Some(due) = due.filter(|due| due < armed) {
            *armed = due;
            context.wake(due, Event::Alarm(number));
        }
    }
}

/// When an azimuth is free, never while it is down.
fn free_at(context: &Context, azimuths: &[LinkId]) -> impl Fn(u32) -> Time {
    |azimuth| {
        let link = context.link(azimuths[azimuth as usize]);
        if link.is_up() { link.free_at() } else { Time::NEVER }
    }
}

impl Core for HybridSwitches {
    #[inline]
    fn on_packet(&mut self, context: &mut Context, at: Place, id: PacketId) {
        let Place { node, number, .. } = at;
        // Nothing may leave the buffer before the alarm that is entered.
        if self.nodes[number as usize].armed <= context.now() {
            self.serve(context, number);
        }
        let drawn = context.next_link(node, id);
        let link = match self.paths {
            Paths::Drawn => drawn,
            Paths::Free => context.free_link(node, id).unwrap_or(drawn),
        };
        let bytes = context.transit(id).bytes;
        let azimuth = context.link(link);
        let counters = &mut self.nodes[number as usize].counters;
        counters.packets_in += 1;
        if !azimuth.is_up() {
            counters.lost_down += 1;
        } else if azimuth.free_at() > context.now() {
            return self.contend(context, number, link, id);
        } else {
            counters.packets_through += 1;
            counters.bytes_through += u64::from(bytes);
        }
        context.send(link, id);
    }

    fn on_alarm(&mut self, context: &mut Context, number: u32) {
        let node = &mut self.nodes[number as usize];
        if node.armed == context.now() {
            node.armed = Time::NEVER;
        }
        self.serve(context, number);
    }

    /// Packets that wait for the link may leave.
    fn on_link_up(&mut self, context: &mut Context, link: LinkId) {
        if let Some(number) = self.number_of(link) {
            self.serve(context, number);
        }
    }

    fn catch_up(&mut self, _: &mut Context) {}

    fn begin_measuring(&mut self) {
        self.begin();
    }

    fn account(&self, number: u32) -> Account {
        Account::Hybrid(self.counters(number), self.azimuths(number))
    }

    fn inside(&self) -> u64 {
        self.nodes.iter().map(|hybrid| u64::from(hybrid.switch.len())).sum()
    }

    /// In = through + out of the buffer + lost + in the buffer.
    fn check_conservation(&self) -> Result<(), String> {
        for HybridNode { counters: c, switch, node, .. } in &self.nodes {
            let inside = u64::from(switch.len());
            if c.packets_in != c.packets_through + c.packets_released + c.lost() + inside
                || c.packets_buffered != c.packets_released + inside
            {
                return Err(format!("hybrid switch {node:?}: {c:?}, inside {inside}"));
            }
        }
        Ok(())
    }

    fn tables(&self, _: &Graph) -> Vec<(Table, Sums)> {
        Vec::new()
    }

    fn words(&self, put: &mut dyn FnMut(u64)) {
        self.nodes.iter().for_each(|hybrid| hybrid.counters.words(put));
    }
}
