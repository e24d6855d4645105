//! Circuits on demand: before each epoch the queues of all racks are read, and its matchings decided.
//!
//! An epoch has an event, but only while something waits. Between two of them racks know the matchings that
//! are decided, as they know those of a round.

use units::Time;
use wire::chain::Chain;
use wire::context::Context;
use wire::event::Event;

use super::state::{Demand, Rack, Rules, ps};

impl Demand {
    /// Something waits: the next epoch is decided on, unless it is already.
    pub(super) fn wants(&mut self, context: &mut Context, rules: &Rules) {
        if self.next.is_some() {
            return;
        }
        let earliest = ps(context.now()) + self.epochs.report;
        let slot = rules.schedule.slot_at(0, earliest - 1) + 1;
        let undecided = rules.schedule.decided_until().expect("matchings on demand");
        self.enter(context, rules, self.epochs.first(slot.max(undecided)));
    }

    fn enter(&mut self, context: &mut Context, rules: &Rules, first: i64) {
        self.next = Some(first);
        let decided = self.epochs.decided(&rules.schedule, first);
        let alarm = rules.schedule.racks() * rules.alarms;
        context.wake(Time(decided.max(0).unsigned_abs()), Event::Alarm(alarm));
    }

    /// The matchings of the next epoch are decided; racks with something for one of them plan to send.
    pub(super) fn decide(&mut self, context: &mut Context, rules: &mut Rules, racks: &mut [Rack]) {
        let first = self.next.take().expect("an epoch to decide on");
        let waits = racks.iter().flat_map(|rack| rack.own.iter().map(Chain::bytes));
        let mut demand: Vec<u64> = waits.collect();
        if demand.iter().all(|&bytes| bytes == 0) {
            return;
        }
        rules.schedule.decide(first, &self.decider.decide(&mut demand));
        racks.iter_mut().for_each(Rack::forget_slots);
        for rack in racks.iter_mut().filter(|rack| rack.waiting > 0) {
            rack.plan_all(context, rules);
        }
        self.enter(context, rules, first + self.epochs.slots);
    }
}
