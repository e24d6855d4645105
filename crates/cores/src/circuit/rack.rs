//! A rack: queues that open with circuits.
//!
//! An uplink is woken when it may send: its link is free, and a circuit leads to a rack for which
//! something waits, or which may pass something on. It sends one packet and is planned again, so the
//! decision which packet goes is made when it goes. A packet that joins an empty queue plans the uplinks
//! that may take it; those for others are planned already.

use optics::{RackForwarding, WithoutCircuit};
use units::Time;
use wire::chain::Chain;
use wire::context::Context;
use wire::event::Event;
use wire::packet::PacketId;
use wire::trace::Cause;

use super::state::{Offered, Rack, Rules, ps};
use crate::racks::QueueLimits;

/// A queue of a rack, by the rack of its packets' destination.
#[derive(Debug, Clone, Copy)]
enum Queue {
    Own(u32),
    Relayed(u32),
}

/// From when on a link is planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// Now.
    Now,
    /// After the slot that is now.
    Behind,
}

impl Rack {
    /// A packet for another rack joins a queue, if there is room: that of its own hosts, or that of others.
    pub(super) fn store(
        &mut self,
        context: &mut Context,
        rules: &Rules,
        (to, own): (u32, bool),
        id: PacketId,
    ) {
        let now = context.now();
        let bytes = u64::from(context.transit(id).bytes);
        let capacity = rules
            .prebuffer
            .map_or(rules.capacity, |prebuffer| self.capacity(rules, to, now, prebuffer));
        let queue = if own { &mut self.own } else { &mut self.relayed };
        let queue = &mut queue[to as usize];
        let is_first = queue.is_empty();
        let limits = QueueLimits { capacity, mark_above: rules.mark_above };
        let Some(is_marked) = limits.join(context, queue, id) else {
            self.counters.lost_full += 1;
            let first = rules.schedule.ways(self.number, to).next();
            let link = first.map(|first| self.uplinks[first as usize].link);
            // Without a way that is known before, any link to a circuit switch.
            let link = link.unwrap_or(self.uplinks[0].link);
            return context.refuse(id, (link, now), Cause::Rack);
        };
        self.counters.marked += u64::from(is_marked);
        self.bytes += bytes;
        self.counters.holds(self.bytes);
        if is_first && own && rules.forwarding == RackForwarding::Valiant {
            self.turns.push_back(to);
        }
        let is_first_of_all = own && self.waiting == 0;
        self.set_stored(to, true);
        self.waiting += u64::from(own);
        self.passing_on += u64::from(!own);
        if own && rules.without_circuit == WithoutCircuit::PacketSwitches {
            self.order(context, rules, to);
        }
        let takes_any = is_first_of_all && rules.forwarding != RackForwarding::Direct;
        if takes_any || is_first && rules.schedule.decided_until().is_some() {
            self.plan_all(context, rules);
        } else if is_first {
            for switch in rules.schedule.ways(self.number, to) {
                self.plan(context, rules, switch, Start::Now);
            }
        }
    }

    /// The capacity of the queue for a rack in bytes: more while a circuit is there or near.
    fn capacity(&self, rules: &Rules, to: u32, now: Time, (larger, ahead): (u64, i64)) -> u64 {
        if self.outlook(rules, to, ps(now), ahead).open { larger } else { rules.capacity }
    }

    /// Whether an uplink was to be woken now.
    pub(super) fn is_due(&mut self, now: Time, switch: u32) -> bool {
        let uplink = &mut self.uplinks[switch as usize];
        // An alarm of this instant has come, whichever it was.
        if uplink.later == now {
            uplink.later = Time::NEVER;
        }
        let is_due = uplink.due == now;
        if is_due {
            uplink.due = Time::NEVER;
        }
        is_due
    }

    /// The rack to which a circuit leads in the present slot of a switch, if an uplink may begin to send now.
    #[inline]
    pub(super) fn circuit(&self, context: &Context, rules: &Rules, switch: u32) -> Option<u32> {
        let now = context.now();
        let uplink = &self.uplinks[switch as usize];
        let open = uplink.slot.window.opens + rules.guard <= ps(now) + uplink.lead;
        if !open || uplink.free_at(context, rules) > now {
            return None;
        }
        rules.schedule.joined(&uplink.slot, self.number)
    }

    /// Takes the next packet that waits for a circuit to a rack, which is there now, if there is one that will be through in
    /// time.
    pub(super) fn take(
        &mut self,
        context: &Context,
        rules: &Rules,
        (switch, to): (u32, u32),
    ) -> Option<PacketId> {
        let from = self.next(context, rules, switch, to)?;
        let queue = match from {
            Queue::Own(at) => &mut self.own[at as usize],
            Queue::Relayed(at) => &mut self.relayed[at as usize],
        };
        let id = queue.head().expect("a queue with a packet");
        let transit = context.transit(id);
        let (bytes, came) = (transit.bytes, transit.arrives);
        let uplink = &self.uplinks[switch as usize];
        let length = rules.length(context, uplink.link, bytes);
        // It is compared before the packet is taken: one that is too long waits for the next circuit.
        if length > uplink.left(context, rules) {
            return None;
        }
        queue.pop(context.packets());
        let is_empty = queue.is_empty();
        let (Queue::Own(at) | Queue::Relayed(at)) = from;
        self.took(at);
        self.bytes -= u64::from(bytes);
        self.counters.leaves(context.now() - came);
        if let Queue::Own(at) = from {
            self.waiting -= 1;
            if rules.forwarding == RackForwarding::Valiant {
                self.turns.pop_front();
                if !is_empty {
                    self.turns.push_back(at);
                }
            }
        } else {
            self.passing_on -= 1;
        }
        match from {
            Queue::Own(at) if at != to => {
                self.counters.sent_over += 1;
                if rules.forwarding == RackForwarding::RotorLb {
                    let Offered { over, next, .. } = &mut self.offered[switch as usize];
                    over[*next].1 -= u64::from(bytes);
                    *next += 1;
                }
            }
            Queue::Own(_) | Queue::Relayed(_) => self.counters.sent_on += 1,
        }
        Some(id)
    }

    /// The queue whose first packet goes next to a rack.
    fn next(&mut self, context: &Context, rules: &Rules, switch: u32, to: u32) -> Option<Queue> {
        let has = |queue: &Chain| !queue.is_empty();
        if has(&self.relayed[to as usize]) {
            return Some(Queue::Relayed(to));
        }
        match rules.forwarding {
            RackForwarding::Direct => has(&self.own[to as usize]).then_some(Queue::Own(to)),
            RackForwarding::Valiant => self.turns.front().copied().map(Queue::Own),
            RackForwarding::RotorLb => {
                if has(&self.own[to as usize]) {
                    return Some(Queue::Own(to));
                }
                self.over(context, switch).map(Queue::Own)
            }
        }
    }

    /// RotorLB: the rack for which a packet may be sent to another one, each in turn. What does not fit into the rest of
    /// what was accepted, or has come since, was not offered.
    fn over(&mut self, context: &Context, switch: u32) -> Option<u32> {
        let Offered { over, next, .. } = &mut self.offered[switch as usize];
        while !over.is_empty() {
            if *next >= over.len() {
                *next = 0;
            }
            let (at, left) = over[*next];
            let head = self.own[at as usize].head();
            if head.is_some_and(|id| u64::from(context.transit(id).bytes) <= left) {
                return Some(at);
            }
            over.swap_remove(*next);
        }
        None
    }

    /// Whether an uplink may have something to send in a slot in which a circuit leads to a rack.
    fn wants(&self, rules: &Rules, switch: u32, (slot, to): (i64, u32)) -> bool {
        self.stored[to as usize]
            || match rules.forwarding {
                RackForwarding::Direct => false,
                RackForwarding::Valiant => self.waiting > 0,
                RackForwarding::RotorLb => {
                    let Offered { slot: offered, over, .. } = &self.offered[switch as usize];
                    if *offered == slot { !over.is_empty() } else { self.waiting > 0 }
                }
            }
    }

    /// A packet for a rack has left its queue.
    pub(super) fn took(&mut self, to: u32) {
        let at = to as usize;
        self.set_stored(to, !self.own[at].is_empty() || !self.relayed[at].is_empty());
    }

    /// Whether packets for a rack are stored: where that changes, so may the slots that are wanted.
    fn set_stored(&mut self, to: u32, is_stored: bool) {
        let stored = &mut self.stored[to as usize];
        if *stored != is_stored {
            *stored = is_stored;
            self.uplinks.iter_mut().for_each(|uplink| uplink.wanted = i64::MIN);
        }
    }

    /// When a link may next begin to send what waits for circuits, on the clock of the switch, not before an instant
    /// there.
    fn opens(&mut self, rules: &Rules, switch: u32, (there, from): (i64, Start)) -> Option<i64> {
        let schedule = &rules.schedule;
        let uplink = &mut self.uplinks[switch as usize];
        // What is asked for never goes back, but for `Behind`.
        if from == Start::Now && there + rules.guard < uplink.wanted {
            return (uplink.wanted != i64::MAX)
                .then(|| schedule.opens(uplink.wanted) + rules.guard);
        }
        schedule.bring(&mut uplink.slot, switch, there);
        let slot = uplink.slot;
        let is_over = from == Start::Behind || there >= slot.window.closes - rules.guard;
        let first = slot.number + i64::from(is_over);
        let wanted = |slot, to| self.wants(rules, switch, (slot, to));
        let slot = schedule.next_slot((switch, self.number), first, wanted);
        let window = slot.map(|slot| schedule.window(switch, slot));
        if from == Start::Now && rules.wants_what_is_stored() {
            self.uplinks[switch as usize].wanted = window.map_or(i64::MAX, |window| window.closes);
        }
        Some(window?.opens + rules.guard)
    }

    /// Enters the next instant of each uplink.
    pub(super) fn plan_all(&mut self, context: &mut Context, rules: &Rules) {
        for switch in rules.schedule.switches() {
            self.plan(context, rules, switch, Start::Now);
        }
    }

    /// Enters the next instant at which an uplink may send, unless there is an earlier one: that will enter the next.
    pub(super) fn plan(&mut self, context: &mut Context, rules: &Rules, switch: u32, from: Start) {
        let uplink = &self.uplinks[switch as usize];
        let ready = uplink.free_at(context, rules).max(context.now());
        if uplink.due <= ready {
            return;
        }
        let there = ps(ready) + uplink.lead;
        let short = uplink.short_opens(rules);
        // RotorLB: what was accepted and has gone another way is struck off by an event, so that what comes later does not
        // count as offered.
        let stores = || {
            let accepted = !self.offered[switch as usize].over.is_empty();
            self.waiting > 0 || self.passing_on > 0 || accepted
        };
        let opens = if short > there && stores() {
            self.opens(rules, switch, (there, from)).map_or(short, |opens| opens.min(short))
        } else {
            short
        };
        if opens == i64::MAX {
            return;
        }
        let uplink = &mut self.uplinks[switch as usize];
        let due = Time((there.max(opens) - uplink.lead).unsigned_abs());
        if due < uplink.due {
            // Each packet of a short flow comes between a link and its next slot: that has its alarm already.
            let is_entered = due == uplink.later;
            if uplink.due != Time::NEVER {
                uplink.later = uplink.due;
            } else if is_entered {
                uplink.later = Time::NEVER;
            }
            uplink.due = due;
            if is_entered {
                return;
            }
            let alarm = self.number * rules.alarms + switch;
            if rules.is_prompt {
                context.wake_promptly(due, alarm);
            } else {
                context.wake(due, Event::Alarm(alarm));
            }
        }
    }
}
