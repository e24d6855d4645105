//! The CIOQ switch: an electronic switch that queues at its inputs, moves cells and queues at its outputs.
//!
//! Store-and-forward: it acts on the **last** bit of a packet, which is when its input line card decides
//! on the output and cuts it into cells. The decisions are those of
//! [`optics::cioq`] and [`optics::anycast`]; the queue at the output is that of the
//! [`Link`](wire::link::Link).
//!
//! Ties: a packet whose last bit arrives at the instant at which a slot begins takes part in that
//! slot, regardless of other events at that instant; packets whose last cells arrive at the same
//! instant join their output queues in the order in which the scheduler matched them.

mod arrears;
pub mod check;
mod line_card;
mod report;
mod state;

pub use line_card::{CardCounters, LineCard};
use plan::table::{Sums, Table};
use plan::topology::Graph;
use state::CioqNode;
pub use state::CioqSwitches;
use units::{LinkId, Time};
use wire::context::Context;
use wire::event::Event;
use wire::packet::PacketId;
use wire::trace::Cause;

use super::bundle_selection::fail;
use super::list::Account;
use super::seam::{Core, Place};

impl CioqNode {
    /// Computes the slots that have ended, and moves packets that have crossed the fabric to the queues of
    /// their outputs. The time of the call does not change results.
    #[inline]
    fn catch_up(&mut self, context: &mut Context) {
        let now = context.now();
        let Self { fabric, cards, outlets, .. } = self;
        fabric.advance(now, |done| {
            cards[done.input as usize].done(done.cells, done.at - done.came);
            let link = outlets.link(done.output);
            debug_assert!(
                done.at == now
                    || context.link(link).is_quiet()
                    || context.link(link).free_at() >= now,
                "what joins in arrears finds the link busy, or it is quiet"
            );
            context.join(link, done.at, done.packet);
        });
    }

    /// The time until which a packet for an output may join its queue late.
    #[inline]
    fn busy(&self, context: &Context, output: u32) -> Time {
        self.arrears.until(context, self.outlets.link(output))
    }

    /// Whether there is no look that is at least as early: that one would enter the next.
    #[inline]
    fn is_first(&self, due: Time) -> bool {
        self.alarms.last().is_none_or(|first| due < *first)
    }

    /// Enters a look unless there is one that is at least as early.
    #[inline(always)]
    fn arm(&mut self, context: &mut Context, number: u32, due: Time) {
        if self.is_first(due) {
            self.alarms.push(due);
            context.wake(due, Event::Look(number));
        }
    }
}

impl Core for CioqSwitches {
    /// Its last bit has arrived.
    #[inline]
    fn on_packet(&mut self, context: &mut Context, at: Place, id: PacketId) {
        let now = context.now();
        let picked = self.wiring.picked(context, at, id);
        let switch = &mut self.nodes[at.number as usize];
        if switch.outlets.looks_at_queues() {
            switch.catch_up(context);
        }
        let transit = context.transit(id);
        let CioqNode { fabric, outlets, .. } = switch;
        let (input, bytes) = (picked.input, transit.bytes);
        let output = outlets.choose(picked, transit, |port, _| fabric.bytes_in_queue(input, port));
        if let Some(fault) = outlets.fault() {
            fail(context, at.node, fault);
        }
        let (at_input, waits) = fabric.meets(now, (input, output));
        let has_room =
            |at_input: u64, switch: &CioqNode| at_input + u64::from(bytes) <= switch.input_buffer;
        // Before a packet is lost, packets that have crossed are taken out.
        let is_certain = has_room(at_input, switch);
        if !is_certain || !waits {
            switch.catch_up(context);
        }
        if !is_certain && !has_room(switch.fabric.bytes_at(input), switch) {
            switch.cards[input as usize].loses(bytes);
            return context.refuse(id, (switch.outlets.link(output), now), Cause::LineCard);
        }
        let (found, end) = switch.fabric.offer(now, (input, output), id, bytes);
        switch.cards[input as usize].joins(bytes, found);
        if let Some(end) = end.filter(|end| switch.is_first(*end)) {
            let due = end.max(switch.busy(context, output));
            switch.arm(context, at.number, due);
        }
    }

    /// A packet may have crossed the fabric.
    ///
    /// Each packet has a look no later than the instant at which it must join the queue of its output, or
    /// one ahead of it with the same output has. So nothing needs to be entered when others cross early;
    /// when a look is due, its packets may not have crossed yet.
    #[inline]
    fn on_alarm(&mut self, context: &mut Context, number: u32) {
        let switch = &mut self.nodes[number as usize];
        let alarm = switch.alarms.pop();
        debug_assert_eq!(alarm, Some(context.now()), "the first look is due");
        switch.catch_up(context);
        if let Some(due) = switch.fabric.due(|output| switch.busy(context, output)) {
            switch.arm(context, number, due);
        }
    }

    fn on_link_up(&mut self, _: &mut Context, _: LinkId) {}

    fn catch_up(&mut self, context: &mut Context) {
        self.nodes.iter_mut().for_each(|switch| switch.catch_up(context));
    }

    fn begin_measuring(&mut self) {
        self.nodes.iter_mut().flat_map(|node| &mut node.cards).for_each(LineCard::begin_measuring);
    }

    fn account(&self, _: u32) -> Account {
        Account::Electronic
    }

    /// Packets in the fabrics.
    fn inside(&self) -> u64 {
        self.nodes.iter().map(|node| node.fabric.len() as u64).sum()
    }

    fn check_conservation(&self) -> Result<(), String> {
        for CioqNode { cards, fabric, node, .. } in &self.nodes {
            let sum = |of: fn(&LineCard) -> u64| cards.iter().map(of).sum::<u64>();
            let (came, went, lost) =
                (sum(LineCard::packets_in), sum(LineCard::packets_out), sum(LineCard::lost));
            let inside = fabric.len() as u64;
            if came != went + lost + inside {
                return Err(format!(
                    "CIOQ switch {node:?}: {came} in, {went} out, {lost} lost, {inside} inside"
                ));
            }
        }
        Ok(())
    }

    fn tables(&self, graph: &Graph) -> Vec<(Table, Sums)> {
        report::tables(self, graph)
    }

    fn words(&self, put: &mut dyn FnMut(u64)) {
        self.cards().for_each(|card| card.words(put));
    }

    fn cells(&self) -> u64 {
        self.cards().map(|card| card.counters().cells).sum()
    }
}
