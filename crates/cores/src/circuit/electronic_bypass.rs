//! Packets of a rack's own hosts that go by electronic switches while no circuit leads to their rack.
//!
//! A link to such a switch takes the first packet of the queues in turn, one whenever it is free; a queue whose
//! circuit is there is passed over. When all have theirs it is woken as soon as one of those goes.

use optics::WithoutCircuit;
use units::Time;
use wire::context::Context;
use wire::event::Event;

use super::state::{Rack, Rules, ps};

impl Rack {
    /// A queue of its own has a packet that may go by an electronic switch.
    pub(super) fn order(&mut self, context: &mut Context, rules: &Rules, to: u32) {
        if !std::mem::replace(&mut self.ordered[to as usize], true) {
            self.order.push_back(to);
        }
        for at in 0..self.beside.len() {
            self.wake_beside(context, rules, at, context.now());
        }
    }

    /// Wakes a link to an electronic switch at an instant, or when it is free after that, unless it is woken earlier.
    fn wake_beside(&mut self, context: &mut Context, rules: &Rules, at: usize, when: Time) {
        let beside = &mut self.beside[at];
        let when = when.max(context.link(beside.link).free_at());
        if when < beside.due {
            beside.due = when;
            let place = u32::try_from(at).expect("fewer than links");
            let alarm = self.number * rules.alarms + rules.schedule.switches().end + place;
            context.wake(when, Event::Alarm(alarm));
        }
    }

    /// A link to an electronic switch takes the next packet.
    pub(super) fn serve_beside(&mut self, context: &mut Context, rules: &Rules, at: usize) {
        debug_assert_eq!(rules.without_circuit, WithoutCircuit::PacketSwitches);
        let now = context.now();
        if self.beside[at].due != now {
            return;
        }
        self.beside[at].due = Time::NEVER;
        let link = self.beside[at].link;
        if context.link(link).free_at() > now {
            return self.wake_beside(context, rules, at, now);
        }
        let mut goes = Time::NEVER;
        for _ in 0..self.order.len() {
            let to = self.order.pop_front().expect("one of them");
            let Some(id) = self.own[to as usize].head() else {
                self.ordered[to as usize] = false;
                continue;
            };
            self.order.push_back(to);
            if let Some(until) = self.joined_until(context, rules, to) {
                goes = goes.min(until);
                continue;
            }
            let destination = context.transit(id).to;
            if !context.routing().links(self.node, destination).any(|each| each == link) {
                continue;
            }
            self.own[to as usize].pop(context.packets());
            self.took(to);
            self.waiting -= 1;
            self.bytes -= u64::from(context.transit(id).bytes);
            self.counters.sent_beside += 1;
            context.send(link, id);
            return self.wake_beside(context, rules, at, now);
        }
        if goes != Time::NEVER {
            self.wake_beside(context, rules, at, goes);
        }
    }

    /// When the last circuit goes that leads to a rack now, on the clock of this rack; none if none does.
    fn joined_until(&self, context: &Context, rules: &Rules, to: u32) -> Option<Time> {
        let now = ps(context.now());
        let until = |switch: u32| {
            let lead = self.uplinks[switch as usize].lead;
            let slot = rules.schedule.slot_at(switch, now + lead);
            let window = rules.schedule.window(switch, slot);
            let is_there = window.opens + rules.guard <= now + lead
                && now + lead < window.closes - rules.guard
                && rules.schedule.far_end(switch, slot, self.number) == Some(to);
            is_there.then(|| Time((window.closes - rules.guard - lead).unsigned_abs()))
        };
        rules.schedule.switches().filter_map(until).max()
    }
}
