//! Lightpaths on demand over a mesh of fibres (routing and wavelength assignment), and the racks between which they are
//! set up.
//!
//! A rack acts on the **last** bit of a packet, like a router. It has a queue for each other rack. When something
//! waits in one that has no lightpath, the rack asks for one (module `request`): it gets a channel of each fibre of a
//! route, and may send when the answer to its request is back. What it sends then (module `light`) passes all
//! cross-connects as light; a lightpath carries one packet after the other, and no node on its way has an event. When
//! nothing has waited for `hold` the rack closes the lightpath.
//!
//! Of each pair of racks there is one alarm at a time, for what is next: the answer, the end of a transmission, the
//! end of the hold, another request. Of each lightpath there is one for its first packet on the way.
//!
//! Assumptions: a request is decided on by the state of all fibres when it is made, and reserves all of its channels
//! at that moment, so that no two requests collide on their way; a route with a fibre that is down is not
//! tried, but a rack is not told of one that fails under its lightpath: what it sends is lost until it closes it.

pub mod check;
mod counters;
mod report;
mod request;
mod state;
mod transmission;

use kinds::Counters;
use plan::table::{Sums, Table};
use plan::topology::Graph;
use state::Stage;
pub use state::{LightpathNodes, RouteRow};
use units::LinkId;
use wire::context::Context;
use wire::optical::NONE;
use wire::packet::PacketId;
use wire::trace::Cause;

use super::list::Account;
use super::seam::{Core, Place};

impl LightpathNodes {
    /// A packet is at a rack, from one of its hosts or by a lightpath: for a host, or for another rack.
    fn at_rack(&mut self, context: &mut Context, rack: u32, id: PacketId) {
        let to = self.home[context.transit(id).to.index()];
        let here = &mut self.racks[rack as usize];
        here.counters.packets_in += 1;
        if to == rack {
            here.counters.to_hosts += 1;
            let link = context.next_link(here.node, id);
            return context.send(link, id);
        }
        let pair = rack * self.count + to;
        let queue = &mut self.pairs[pair as usize].queue;
        let bytes = u64::from(context.transit(id).bytes);
        let Some(is_marked) = self.rules.limits.join(context, queue, id) else {
            here.counters.lost_full += 1;
            return context.refuse(id, (here.fibre, context.now()), Cause::Rack);
        };
        here.bytes += bytes;
        here.counters.marked += u64::from(is_marked);
        here.counters.queue_max = here.counters.queue_max.max(here.bytes);
        match self.pairs[pair as usize].stage {
            Stage::Idle => self.ask(context, pair),
            Stage::Open(lightpath) => self.go_on(context, pair, lightpath),
            Stage::Asking(_) | Stage::Blocked => {}
        }
    }

    /// A pair of racks is woken, for what its stage says.
    fn on_pair(&mut self, context: &mut Context, number: u32) {
        let pair = &mut self.pairs[number as usize];
        if pair.due != context.now() {
            return;
        }
        pair.due = units::Time::NEVER;
        match pair.stage {
            Stage::Asking(lightpath) => {
                pair.stage = Stage::Open(lightpath);
                self.lightpaths[lightpath as usize].begin(context.now());
                self.go_on(context, number, lightpath);
            }
            Stage::Open(lightpath) => self.go_on(context, number, lightpath),
            Stage::Blocked => self.ask(context, number),
            Stage::Idle => {}
        }
    }
}

impl Core for LightpathNodes {
    #[inline]
    fn on_packet(&mut self, context: &mut Context, at: Place, id: PacketId) {
        let rack = self.rack_of[at.number as usize];
        debug_assert_ne!(rack, NONE, "packets pass cross-connects as light, without events");
        self.at_rack(context, rack, id);
    }

    /// A pair of racks is woken, or a lightpath: pairs have the lower numbers.
    fn on_alarm(&mut self, context: &mut Context, number: u32) {
        let pairs = self.count * self.count;
        if number < pairs {
            self.on_pair(context, number);
        } else {
            self.on_light(context, number - pairs);
        }
    }

    fn on_link_up(&mut self, _: &mut Context, _: LinkId) {}

    /// Counts for how long lightpaths have been held, and channels been busy, up to now.
    fn catch_up(&mut self, context: &mut Context) {
        self.seen = context.now();
        for lightpath in 0..self.lightpaths.len() {
            self.count_times(context, lightpath);
        }
    }

    fn begin_measuring(&mut self) {
        self.from = self.seen;
        self.racks.iter_mut().for_each(|rack| rack.before = rack.counters);
        self.known.iter_mut().for_each(|known| known.before = known.counters);
        self.fibres.iter_mut().for_each(|fibre| fibre.before = fibre.counters);
    }

    fn account(&self, number: u32) -> Account {
        if self.is_rack(number) { Account::Electronic } else { Account::None }
    }

    /// Packets in the queues of racks and on lightpaths.
    fn inside(&self) -> u64 {
        let waiting = self.pairs.iter().map(|pair| u64::from(pair.queue.len()));
        waiting.sum::<u64>() + self.on_the_way()
    }

    fn check_conservation(&self) -> Result<(), String> {
        let (mut sent, mut came) = (0, 0);
        for (rack, pairs) in self.racks.iter().zip(self.pairs.chunks(self.racks.len())) {
            let inside: u64 = pairs.iter().map(|pair| u64::from(pair.queue.len())).sum();
            let counters = &rack.counters;
            let lost = counters.lost_full + counters.lost_blocked;
            if counters.packets_in != counters.to_hosts + counters.sent + lost + inside {
                let node = rack.node;
                return Err(format!("rack {node:?}: {counters:?}, {inside} inside"));
            }
            sent += counters.sent;
            came += counters.came + counters.lost_down;
        }
        let inside = self.on_the_way();
        if sent != came + inside {
            return Err(format!("lightpaths: {sent} sent, {came} came or lost, {inside} inside"));
        }
        for (number, fibre) in (0..).zip(&self.fibres) {
            let held: u32 = self.held_on(number);
            if held + self.grid.free(number) != fibre.channels {
                return Err(format!("fibre {number}: {held} lightpaths, {fibre:?}"));
            }
        }
        Ok(())
    }

    fn tables(&self, graph: &Graph) -> Vec<(Table, Sums)> {
        report::tables(self, graph)
    }

    fn words(&self, put: &mut dyn FnMut(u64)) {
        self.racks.iter().for_each(|rack| rack.counters.words(put));
        self.known.iter().for_each(|known| known.counters.words(put));
        self.fibres.iter().for_each(|fibre| fibre.counters.words(put));
    }
}
