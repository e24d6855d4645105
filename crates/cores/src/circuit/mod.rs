//! Circuit switches that follow a [schedule](optics::circuit::Schedule), and the racks behind them.
//!
//! A switch acts on the **first** bit of a packet: it lets the packet pass to the rack to which the
//! schedule joins that of its origin at this moment, if the last bit, too, will pass before the switch
//! goes dark; else the packet is lost. It stores nothing and looks at no address. A packet that is on
//! its way to the switch when the circuit goes is lost when it arrives there.
//!
//! A rack acts on the **last** bit, like a router. It knows the schedule and the delay of its
//! links: it sends so that the first bit is at the switch when a circuit begins, plus the guard, and
//! nothing whose last bit would be there later than the end, less the guard. Each of its links to a
//! switch is woken when a circuit opens for which packets wait: a schedule by itself has no events.
//!
//! Where links to a switch have several channels, each of them is a link of its own, and what is called a switch here is one
//! channel of it (module `planes`).
//!
//! Circuits may follow what waits in racks (module `demand`); all else is the same then.
//!
//! Where nothing could see the difference a packet passes a switch when it is sent (module `passage`), and a rack whose
//! alarm would be the next event sends right away.
//!
//! Packets of short flows do not wait for a circuit to their rack: each rack passes them on by the next
//! circuit of a shortest way (module `short`).
//!
//! Assumptions: the clocks of the switches are right, and their errors towards racks are those of the
//! racks; with RotorLB offers and acceptances take no time and no room, and packets that are on their
//! way to a rack do not count there until they have come.

mod channel_planes;
pub mod check;
mod counters;
mod demand;
mod electronic_bypass;
mod epochs;
mod multi_hop;
mod next_circuit;
mod queue;
mod rack;
mod report;
mod state;
mod static_timing;
mod transit_shortcut;

use kinds::Counters;
use optics::circuit::share;
use optics::{RackForwarding, TellBy};
use plan::table::{Sums, Table};
use plan::topology::Graph;
use rack::Start;
pub use state::{CircuitNodes, SlotRow};
use state::{Offers, Rack, Role, Rules, bytes_in, ps};
use units::{LinkId, NodeId, Span, Time};
use wire::context::Context;
use wire::optical::NONE;
use wire::packet::PacketId;
use wire::trace::{Cause, Loss};

use super::list::Account;
use super::seam::{Core, Place, Signal};

impl CircuitNodes {
    /// The first bit of a packet is at a switch.
    fn at_switch(&mut self, context: &mut Context, link: LinkId, id: PacketId) {
        let switch = self.switch_of[link.index()];
        let now = context.now();
        let bytes = context.transit(id).bytes;
        let length = context.link(link).time_to_send(bytes);
        let from = self.rack_of[link.index()];
        let schedule = &self.rules.schedule;
        let slot = schedule.slot(switch, schedule.slot_at(switch, ps(now)));
        let to = schedule.passes(&slot, from, (now, length));
        let node = &mut self.switches[switch as usize];
        let Some(to) = to else {
            node.counters.packets_in += 1;
            node.counters.lost_dark += 1;
            let loss = Loss { link: Some(link), at: now, cause: Cause::Dark, taken_in: true };
            return context.lose(id, loss);
        };
        node.counters.passes(bytes);
        let out = node.outputs[to as usize];
        debug_assert!(context.link(out).free_at() <= now, "one rack at a time sends to another");
        context.send(out, id);
    }

    /// The last bit of a packet is at a rack.
    fn at_rack(&mut self, context: &mut Context, rack: u32, at: Place, id: PacketId) {
        let Self { racks, switches, rules, home, rack_of, .. } = self;
        let transit = *context.transit(id);
        let to = home[transit.to.index()];
        let own = &mut racks[rack as usize];
        own.counters.packets_in += 1;
        if to == rack {
            own.counters.to_hosts += 1;
            let link = context.routing().last_link(transit.to).expect("it has hosts");
            return context.send(link, id);
        }
        if rules.is_short(context, (id, &transit)) {
            if let Some(switch) = own.forward_short(context, rules, to, (id, &transit)) {
                own.transmit(context, rules, (switch, &mut switches[switch as usize]), id);
                own.plan(context, rules, switch, Start::Now);
            }
            return;
        }
        let is_own = rack_of[at.link.index()] == NONE;
        own.store(context, rules, (to, is_own), id);
        if let Some(demand) = &mut self.demand {
            demand.wants(context, &self.rules);
        }
    }

    /// A link of a rack to a switch may send, if a circuit is there.
    fn serve(&mut self, context: &mut Context, rack: u32, switch: u32) {
        let Self { racks, rules, home, .. } = self;
        let own = &mut racks[rack as usize];
        let uplink = &mut own.uplinks[switch as usize];
        rules.schedule.bring(&mut uplink.slot, switch, ps(context.now()) + uplink.lead);
        if !uplink.is_in_time(context, rules) {
            own.turn_back(context, rules, switch, home);
        }
        let Some(to) = own.circuit(context, rules, switch) else {
            return own.plan(context, rules, switch, Start::Now);
        };
        if rules.forwarding == RackForwarding::RotorLb
            && own.offered[switch as usize].slot != own.uplinks[switch as usize].slot.number
        {
            self.offer(context, (rack, to), switch);
        }
        let Self { racks, rules, switches, .. } = self;
        let own = &mut racks[rack as usize];
        // What waits for the present circuit is in time: a packet of a short flow that is not was turned back.
        let uplink = &own.uplinks[switch as usize];
        let is_short = !uplink.short.is_empty() && uplink.short.closes == uplink.slot.window.closes;
        let sent = if is_short {
            Some(own.take_short(context, switch))
        } else {
            own.take(context, rules, (switch, to))
        };
        if let Some(id) = sent {
            let node = &mut switches[switch as usize];
            own.transmit(context, rules, (switch, node), id);
        }
        let next = if sent.is_some() { Start::Now } else { Start::Behind };
        own.plan(context, rules, switch, next);
    }

    /// A link of a rack to a switch is woken, by its number: those of a rack follow each other, with those to circuit
    /// switches first.
    fn wake(&mut self, context: &mut Context, number: u32) {
        let Self { racks, rules, demand, .. } = self;
        let Rules { schedule, alarms, .. } = &*rules;
        let (rack, switch) = (number / alarms, number % alarms);
        if rack == schedule.racks() {
            let demand = demand.as_mut().expect("circuits on demand");
            return demand.decide(context, rules, racks);
        }
        if switch >= schedule.switches().end {
            let at = (switch - schedule.switches().end) as usize;
            return self.racks[rack as usize].serve_beside(context, &self.rules, at);
        }
        if self.racks[rack as usize].is_due(context.now(), switch) {
            self.serve(context, rack, switch);
        }
    }

    /// Prefetches the packet that arrives next, and the rack at which it does.
    #[inline]
    fn prefetch_next(&self, context: &Context) {
        if let Some(link) = context.prefetch_packet()
            && let Some(rack) = self.racks.get(self.rack_behind[link.index()] as usize)
        {
            rack.prefetch();
        }
    }

    /// Does what alarms of this instant would do next.
    #[inline]
    fn go_on(&mut self, context: &mut Context) {
        while let Some(number) = context.take_prompt() {
            self.wake(context, number);
        }
    }

    /// RotorLB: a rack offers what the rest of a slot can carry to the rack at the other end of a circuit, and
    /// that accepts what it can pass on in its next round.
    fn offer(&mut self, context: &Context, (from, to): (u32, u32), switch: u32) {
        let Self { rules, racks, offers: Offers { accepted, given, sorted }, .. } = self;
        let now = context.now();
        accepted.clear();
        accepted.resize(racks.len(), 0);
        for other in rules.schedule.switches().filter(|&other| other != switch) {
            let slot = rules.schedule.slot_at(other, ps(now));
            let Some(near) = rules.schedule.near_end(other, slot, to) else { continue };
            let offered = &racks[near as usize].offered[other as usize];
            if offered.slot == slot {
                let over = offered.over.iter();
                over.for_each(|&(for_rack, bytes)| accepted[for_rack as usize] += bytes);
            }
        }
        let (own, other) = (&racks[from as usize], &racks[to as usize]);
        let rate = context.link(own.uplinks[switch as usize].link).rate();
        let whole = bytes_in(rules.usable(), rate);
        // Those behind the other rack first, so that none is always the first.
        let count = rules.schedule.racks();
        let others = (1..count).map(|step| (to + step) % count);
        given.clear();
        given.extend(others.clone().map(|for_rack| {
            let at = for_rack as usize;
            let waits = own.own[at].bytes();
            if for_rack == from || waits == 0 {
                return 0;
            }
            let round = whole * rules.schedule.ways(to, for_rack).count() as u64;
            let there = other.own[at].bytes() + other.relayed[at].bytes() + accepted[at];
            waits.min(round.saturating_sub(there))
        }));
        let uplink = &own.uplinks[switch as usize];
        let (left, slot) = (uplink.left(context, rules), uplink.slot.number);
        let direct = own.own[to as usize].bytes() + own.relayed[to as usize].bytes();
        share(bytes_in(left, rate).saturating_sub(direct), given, sorted);
        let offered = &mut racks[from as usize].offered[switch as usize];
        (offered.slot, offered.next) = (slot, 0);
        offered.over.clear();
        let accepted_here = others.zip(given.iter().copied());
        offered.over.extend(accepted_here.filter(|&(_, bytes)| bytes > 0));
    }
}

impl Core for CircuitNodes {
    #[inline]
    fn on_packet(&mut self, context: &mut Context, at: Place, id: PacketId) {
        match self.roles[at.number as usize] {
            Role::Switch => self.at_switch(context, at.link, id),
            Role::Rack(rack) => {
                self.prefetch_next(context);
                self.at_rack(context, rack, at, id);
                self.go_on(context);
            }
        }
    }

    fn on_alarm(&mut self, context: &mut Context, number: u32) {
        self.prefetch_next(context);
        self.wake(context, number);
        self.go_on(context);
    }

    fn on_link_up(&mut self, _: &mut Context, _: LinkId) {}

    fn catch_up(&mut self, _: &mut Context) {}

    fn begin_measuring(&mut self) {
        self.racks.iter_mut().for_each(|rack| rack.before = rack.counters);
        self.switches.iter_mut().for_each(|switch| switch.before = switch.counters);
    }

    /// Packets in the queues of racks.
    fn inside(&self) -> u64 {
        self.racks.iter().map(Rack::packets).sum()
    }

    fn check_conservation(&self) -> Result<(), String> {
        for rack in &self.racks {
            let (counters, inside) = (&rack.counters, rack.packets());
            let out =
                counters.to_hosts + counters.sent() + counters.sent_short + counters.sent_beside;
            if counters.packets_in != out + counters.lost_full + inside {
                let node = rack.node;
                return Err(format!("rack {node:?}: {counters:?}, {inside} inside"));
            }
        }
        for switch in &self.switches {
            let counters = &switch.counters;
            if counters.packets_in != counters.packets_through + counters.lost_dark {
                return Err(format!("circuit switch {:?}: {counters:?}", switch.plane));
            }
        }
        Ok(())
    }

    fn tables(&self, graph: &Graph) -> Vec<(Table, Sums)> {
        report::tables(self, graph)
    }

    fn account(&self, number: u32) -> Account {
        if self.is_rack(number) { Account::Electronic } else { Account::None }
    }

    fn words(&self, put: &mut dyn FnMut(u64)) {
        self.racks.iter().for_each(|rack| rack.counters.words(put));
        self.switches.iter().for_each(|switch| switch.counters.words(put));
    }

    /// What a host knows now of circuits from its rack to that of another, if racks tell; its link has this delay.
    fn signal(&self, now: Time, (from, to): (NodeId, NodeId), link: Span) -> Option<Signal> {
        let told = self.rules.told?;
        let mut delay = told.delay.unwrap_or(link);
        if self.rules.epochs.is_some() {
            // What is decided now is known a moment later, whichever of the two events of this instant comes first.
            delay = delay.max(Span(1));
        }
        let [from, to] = [from, to].map(|host| self.home[host.index()]);
        if from == to {
            return Some(Signal::Steady);
        }
        // Nobody has told anything before the run.
        let then = (ps(now) - ps(Time::ZERO + delay)).max(0);
        let outlook = self.racks[from as usize].outlook(&self.rules, to, then, told.ahead);
        let next = match (told.by, outlook.changes) {
            (TellBy::Messages, Some(at)) => Time(at.unsigned_abs()) + delay,
            (TellBy::Messages, None) | (TellBy::Acknowledgments, _) => Time::NEVER,
        };
        let with_acks = told.by == TellBy::Acknowledgments;
        Some(Signal::Path { open: outlook.open, next, with_acks })
    }
}
