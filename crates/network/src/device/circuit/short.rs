//! Short flows at a rack (Opera, NSDI 2020): their packets go by a shortest way over circuits that last.
//!
//! A packet takes its place in the queue of a link when it comes. What is still there when the circuit is
//! about to go is given another way: from then on the switch, which goes dark, is not on any.

use kernel::prefetch;
use units::{Span, Time};

use super::queue::ShortQueue;
use super::rack::Start;
use super::state::{Rack, Rules, ShortRules, ps};
use crate::context::Context;
use crate::packet::{Marks, PacketId};
use crate::trace::Cause;

impl Rules {
    /// Whether a packet is to go at once: it belongs to a short flow, or has no data.
    #[inline]
    pub(super) fn is_short(&self, context: &Context, id: PacketId) -> bool {
        let Some(short) = &self.short else { return false };
        let body = context.packets().body(id);
        let has_data = !context.transit(id).marks.has(Marks::SACK) && body.len_or_sack > 0;
        short.below.is_none_or(|below| !has_data || context.size(body.flow) < below)
    }

    /// How late a packet may still begin on a circuit, on the clock of the switch.
    #[inline]
    fn latest(&self, (switch, slot): (u32, i64), length: Span) -> i64 {
        self.schedule.window(switch, slot).closes - self.guard - ps(Time::ZERO + length)
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
    /// Whether a packet has room in a queue, as it is or without its data.
    fn admits(&self, context: &mut Context, queue: &ShortQueue, id: PacketId) -> bool {
        let transit = context.transit(id);
        let (bytes, marks) = (u64::from(transit.bytes), transit.marks);
        let has_urgent_room = |bytes: u64| queue.urgent.bytes() + bytes <= self.capacity;
        if marks.has(Marks::URGENT) {
            return has_urgent_room(bytes);
        }
        if queue.data.bytes() + bytes <= self.capacity {
            return true;
        }
        let Some(left) = self.trim.filter(|&left| {
            marks.has(Marks::SPRAYED) && u64::from(left) < bytes && has_urgent_room(u64::from(left))
        }) else {
            return false;
        };
        context.trim(id, left);
        true
    }
}

impl Rack {
    /// A packet of a short flow comes, for another rack.
    pub(super) fn forward_short(
        &mut self,
        context: &mut Context,
        rules: &mut Rules,
        to: u32,
        id: PacketId,
    ) {
        let now = context.now();
        if rules.short.as_ref().is_some_and(|short| short.routes.is_none()) {
            self.counters.sent_beside += 1;
            let link = context.next_link(self.node, id);
            return context.send(link, id);
        }
        context.packets_mut().transit_mut(id).arrives = now;
        let (switch, slot) = self.way(context, rules, to, id);
        let short = rules.short.as_ref().expect("there are short flows");
        let uplink = &mut self.uplinks[switch as usize];
        let bytes = context.transit(id).bytes;
        if !short.admits(context, &uplink.short, id) {
            self.counters.lost_full += 1;
            return context.refuse(id, (uplink.link, now), Cause::Rack);
        }
        self.counters.trimmed += u64::from(context.transit(id).bytes < bytes);
        let transit = context.packets_mut().transit_mut(id);
        if uplink.short.data.bytes() > short.mark_above && transit.marks.has(Marks::ECN_CAPABLE) {
            transit.marks.0 |= Marks::CONGESTION_EXPERIENCED;
            self.counters.marked += 1;
        }
        self.queue_short(context, rules, (switch, slot), id);
    }

    /// The switch by which a packet goes to a rack, and the slot of the circuit: that on a shortest way for which the fewest
    /// bytes wait, each first in turn where that are several.
    fn way(&mut self, context: &Context, rules: &mut Rules, to: u32, id: PacketId) -> (u32, i64) {
        let now = ps(context.now());
        self.uplinks.iter().for_each(prefetch);
        let slice = rules.schedule.slice_at(now + self.uplinks[0].lead);
        let short = rules.short.as_mut().expect("there are short flows");
        let routes = short.routes.as_mut().expect("they go by circuits");
        let on_way = routes.next(&rules.schedule, &slice, (self.number, to));
        let before = on_way & ((1 << self.turn) - 1);
        self.turn = if self.turn + 1 == rules.schedule.switches().end { 0 } else { self.turn + 1 };
        let order = || bits(on_way & !before).chain(bits(before));
        let rules = &*rules;
        let bytes = context.transit(id).bytes;
        let circuit = |switch: u32| {
            let slot = slice.slot_of(switch)?;
            let uplink = &self.uplinks[switch as usize];
            let length = rules.length(context, uplink.link, bytes);
            let ready = ps(self.free_at(context, rules, switch)).max(now) + uplink.lead;
            (ready <= rules.latest((switch, slot), length)).then_some((switch, slot))
        };
        let waits = |switch: u32| self.uplinks[switch as usize].short.bytes();
        let found = order().filter_map(circuit).min_by_key(|&(switch, _)| waits(switch));
        found.unwrap_or_else(|| {
            // None lasts long enough, on the clock of this rack: it goes wherever the next one leads.
            let switch = order().next().expect("checked: a way in each slice");
            let lead = self.uplinks[switch as usize].lead;
            (switch, rules.schedule.slot_at(switch, now + lead) + 1)
        })
    }

    /// A packet joins the queue of a link to a switch, for the circuit of a slot.
    fn queue_short(
        &mut self,
        context: &mut Context,
        rules: &Rules,
        (switch, slot): (u32, i64),
        id: PacketId,
    ) {
        let bytes = u64::from(context.transit(id).bytes);
        let urgent = context.transit(id).marks.has(Marks::URGENT);
        let queue = &mut self.uplinks[switch as usize].short;
        if queue.is_empty() {
            queue.slot = slot;
        }
        if urgent { &mut queue.urgent } else { &mut queue.data }.push(context.packets_mut(), id);
        self.bytes += bytes;
        self.counters.queue_max = self.counters.queue_max.max(self.bytes);
        self.plan(context, rules, switch, Start::Now);
    }

    /// If the first packet for a circuit will not be through in time, all that wait for it get another way.
    pub(super) fn turn_back(
        &mut self,
        context: &mut Context,
        rules: &mut Rules,
        switch: u32,
        home: &[u32],
    ) {
        let uplink = &self.uplinks[switch as usize];
        let Some(head) = uplink.short.head() else { return };
        let length = rules.length(context, uplink.link, context.transit(head).bytes);
        let free_at = self.free_at(context, rules, switch);
        let ready = ps(free_at.max(context.now())) + uplink.lead;
        if ready <= rules.latest((switch, uplink.short.slot), length) {
            return;
        }
        let queue = &mut self.uplinks[switch as usize].short;
        let mut all = std::mem::replace(queue, ShortQueue::EMPTY);
        while let Some(id) = all.pop(context.packets()) {
            let transit = context.transit(id);
            let (to, bytes) = (home[transit.to.index()], transit.bytes);
            self.bytes -= u64::from(bytes);
            let circuit = self.way(context, rules, to, id);
            self.queue_short(context, rules, circuit, id);
        }
    }

    /// When a link may begin to send a packet of a short flow, on the clock of the switch, if one waits.
    pub(super) fn short_opens(&self, rules: &Rules, switch: u32) -> Option<i64> {
        let queue = &self.uplinks[switch as usize].short;
        let opens = || rules.schedule.window(switch, queue.slot).opens + rules.guard;
        (!queue.is_empty()).then(opens)
    }

    /// Takes the next packet of a short flow for a circuit, if one waits for it that is through in time.
    pub(super) fn take_short(
        &mut self,
        context: &Context,
        rules: &Rules,
        (switch, slot): (u32, i64),
        left: Span,
    ) -> Option<PacketId> {
        let uplink = &mut self.uplinks[switch as usize];
        let id = uplink.short.head().filter(|_| uplink.short.slot == slot)?;
        let transit = context.transit(id);
        let (bytes, came) = (transit.bytes, transit.arrives);
        if rules.length(context, uplink.link, bytes) > left {
            return None;
        }
        uplink.short.pop(context.packets());
        self.bytes -= u64::from(bytes);
        self.counters.short_leaves(context.now() - came);
        Some(id)
    }
}
