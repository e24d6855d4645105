//! Short flows at a rack (Opera, NSDI 2020): their packets go by a shortest way over circuits that last.
//!
//! A packet takes its place in the queue of a link when it comes. What is still there when the circuit is
//! about to go is given another way: from then on the switch, which goes dark, is not on any.

use kernel::prefetch;
use optics::RackForwarding;
use optics::circuit::Window;
use units::{Span, Time};
use wire::context::Context;
use wire::packet::{Marks, PacketId, Transit};
use wire::trace::Cause;

use super::queue::ShortQueue;
use super::rack::Start;
use super::state::{Rack, Rules, ShortRules, Uplink, ps};

impl Rules {
    /// Whether a packet is to go at once: it belongs to a short flow, or has no data.
    #[inline]
    pub(super) fn is_short(&self, context: &Context, (id, transit): (PacketId, &Transit)) -> bool {
        let Some(short) = &self.short else { return false };
        let body = context.packets().body(id);
        let has_data = !transit.marks.has(Marks::SACK) && body.len_or_sack > 0;
        short.below.is_none_or(|below| !has_data || context.size(body.flow) < below)
    }

    /// Whether a packet that begins at an instant is through before a slot ends, on the clock of the switch.
    #[inline]
    fn is_through(&self, (begins, length): (i64, Span), closes: i64) -> bool {
        begins + ps(Time::ZERO + length) + self.guard <= closes
    }
}

/// The numbers of the bits that are set.
#[inline]
fn bits(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let first = mask.trailing_zeros();
        (mask != 0).then(|| {
            mask &= mask - 1;
            first
        })
    })
}

impl ShortRules {
    /// How many bytes of a packet have room in a queue: all, or those without its data, if any.
    fn admits(&self, queue: &ShortQueue, transit: &Transit) -> Option<u32> {
        let (bytes, marks) = (transit.bytes, transit.marks);
        let has_urgent_room = |bytes: u32| queue.urgent.bytes() + u64::from(bytes) <= self.capacity;
        if marks.has(Marks::URGENT) {
            return has_urgent_room(bytes).then_some(bytes);
        }
        if queue.data.bytes() + u64::from(bytes) <= self.capacity {
            return Some(bytes);
        }
        self.trim.filter(|&left| marks.has(Marks::SPRAYED) && left < bytes && has_urgent_room(left))
    }
}

impl Rack {
    /// A packet of a short flow comes, for another rack; the switch by which it is to be sent at once, if it is.
    pub(super) fn forward_short(
        &mut self,
        context: &mut Context,
        rules: &mut Rules,
        to: u32,
        (id, transit): (PacketId, &Transit),
    ) -> Option<u32> {
        let now = context.now();
        if rules.short.as_ref().is_some_and(|short| short.routes.is_none()) {
            self.counters.sent_beside += 1;
            let link = context.next_link(self.node, id);
            context.send(link, id);
            return None;
        }
        context.packets_mut().transit_mut(id).arrives = now;
        let (switch, closes) = self.way(context, rules, to, transit.bytes);
        let short = rules.short.as_ref().expect("there are short flows");
        let uplink = &mut self.uplinks[switch as usize];
        let Some(bytes) = short.admits(&uplink.short, transit) else {
            self.counters.lost_full += 1;
            context.refuse(id, (uplink.link, now), Cause::Rack);
            return None;
        };
        let mut urgent = transit.marks.has(Marks::URGENT);
        if bytes < transit.bytes {
            context.trim(id, bytes);
            self.counters.trimmed += 1;
            urgent = true;
        }
        if uplink.short.data.bytes() > short.mark_above && transit.marks.has(Marks::ECN_CAPABLE) {
            context.packets_mut().transit_mut(id).marks.0 |= Marks::CONGESTION_EXPERIENCED;
            self.counters.marked += 1;
        }
        if self.goes_at_once(context, rules, (switch, closes), bytes) {
            return Some(switch);
        }
        self.queue_short(context, rules, (switch, closes), (id, bytes, urgent));
        None
    }

    /// Whether a packet for the circuit of a slot that ends then would be alone in the queue of a link, and sent by the next
    /// event, an alarm of this instant. It is counted as if it were.
    #[inline]
    fn goes_at_once(
        &mut self,
        context: &mut Context,
        rules: &Rules,
        (switch, closes): (u32, i64),
        bytes: u32,
    ) -> bool {
        let now = context.now();
        let uplink = &mut self.uplinks[switch as usize];
        let may_go = rules.is_prompt
            && uplink.short.is_empty()
            && uplink.free_at(context, rules) <= now
            && uplink.due > now
            && rules.forwarding != RackForwarding::RotorLb;
        if !may_go {
            return false;
        }
        let there = ps(now) + uplink.lead;
        rules.schedule.bring(&mut uplink.slot, switch, there);
        let Window { opens, closes: ends } = uplink.slot.window;
        if closes != ends || opens + rules.guard > there || !context.take_at_once() {
            return false;
        }
        if uplink.due != Time::NEVER {
            (uplink.due, uplink.later) = (Time::NEVER, uplink.due);
        }
        self.counters.holds(self.bytes + u64::from(bytes));
        self.counters.short_leaves(Span::ZERO);
        true
    }

    /// The switch by which a packet goes to a rack, and when the slot of the circuit ends: that on a shortest way for which the
    /// fewest bytes wait, each first in turn where that are several.
    fn way(&mut self, context: &Context, rules: &mut Rules, to: u32, bytes: u32) -> (u32, i64) {
        let now = context.now();
        self.uplinks.iter().for_each(prefetch);
        let at = ps(now) + self.uplinks[0].lead;
        let Rules { schedule, short, .. } = rules;
        let routes = short.as_mut().and_then(|short| short.routes.as_mut());
        let on_way = routes.expect("they go by circuits").next(schedule, at, (self.number, to));
        let before = on_way & ((1 << self.turn) - 1);
        self.turn = if self.turn + 1 == schedule.switches().end { 0 } else { self.turn + 1 };
        let rules = &*rules;
        let routes = rules.short.as_ref().and_then(|short| short.routes.as_ref());
        let routes = routes.expect("they go by circuits");
        let order = || bits(on_way & !before).chain(bits(before));
        let mut found = None;
        let mut least = u64::MAX;
        for switch in order() {
            let uplink = &self.uplinks[switch as usize];
            let begins = ps(uplink.free_at(context, rules).max(now)) + uplink.lead;
            let length = rules.length(context, uplink.link, bytes);
            let closes = routes.closes(switch);
            if uplink.short.bytes() < least && rules.is_through((begins, length), closes) {
                least = uplink.short.bytes();
                found = Some((switch, closes));
            }
        }
        found.unwrap_or_else(|| {
            // None lasts long enough, on the clock of this rack: it goes wherever the next one leads.
            let switch = order().next().expect("checked: a way in each slice");
            let at = ps(now) + self.uplinks[switch as usize].lead;
            let next = rules.schedule.slot_at(switch, at) + 1;
            (switch, rules.schedule.window(switch, next).closes)
        })
    }

    /// A packet joins the queue of a link to a switch, for the circuit of a slot that ends then.
    fn queue_short(
        &mut self,
        context: &mut Context,
        rules: &Rules,
        (switch, closes): (u32, i64),
        (id, bytes, urgent): (PacketId, u32, bool),
    ) {
        let queue = &mut self.uplinks[switch as usize].short;
        if queue.is_empty() {
            queue.closes = closes;
        }
        if urgent { &mut queue.urgent } else { &mut queue.data }.push(context.packets_mut(), id);
        self.bytes += u64::from(bytes);
        self.counters.holds(self.bytes);
        self.plan(context, rules, switch, Start::Now);
    }

    /// All packets that wait for a circuit get another way: the first one will not be through in time.
    #[cold]
    pub(super) fn turn_back(
        &mut self,
        context: &mut Context,
        rules: &mut Rules,
        switch: u32,
        home: &[u32],
    ) {
        let queue = &mut self.uplinks[switch as usize].short;
        let mut all = std::mem::replace(queue, ShortQueue::EMPTY);
        while let Some(id) = all.pop(context.packets()) {
            let transit = context.transit(id);
            let (to, bytes) = (home[transit.to.index()], transit.bytes);
            let urgent = transit.marks.has(Marks::URGENT);
            self.bytes -= u64::from(bytes);
            let circuit = self.way(context, rules, to, bytes);
            self.queue_short(context, rules, circuit, (id, bytes, urgent));
        }
    }

    /// Takes the first packet of a short flow that waits for the present circuit of a switch, which is through in time.
    pub(super) fn take_short(&mut self, context: &Context, switch: u32) -> PacketId {
        let queue = &mut self.uplinks[switch as usize].short;
        let id = queue.pop(context.packets()).expect("one waits");
        let transit = context.transit(id);
        self.bytes -= u64::from(transit.bytes);
        self.counters.short_leaves(context.now() - transit.arrives);
        id
    }
}

impl Uplink {
    /// When it may begin to send a packet of a short flow, on the clock of the switch; never if none waits.
    #[inline]
    pub(super) fn short_opens(&self, rules: &Rules) -> i64 {
        if self.short.is_empty() {
            return i64::MAX;
        }
        rules.schedule.opens(self.short.closes) + rules.guard
    }

    /// Whether the first packet of a short flow, if one waits, will be through before its circuit goes.
    #[inline]
    pub(super) fn is_in_time(&self, context: &Context, rules: &Rules) -> bool {
        self.short.head().is_none_or(|head| {
            let length = rules.length(context, self.link, context.transit(head).bytes);
            let begins = ps(self.free_at(context, rules).max(context.now())) + self.lead;
            rules.is_through((begins, length), self.short.closes)
        })
    }
}
