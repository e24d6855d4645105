//! Trains: packets that a source sends back to back, with one event for each instead of two.
//!
//! A source whose peak rate is that of its link offers a packet in the very instant at which the last bit of
//! the one before arrives: one event for both, if nothing can happen between them. Until that is known the
//! first packet of the link is not entered into the agenda but held ([`Context::hold`]).
//!
//! [`Context::hold`]: wire::context::Context::hold

use plan::Shortcut;
use units::FlowId;
use wire::event::{Event, Life};

use super::World;
use crate::host::Stage;

impl World {
    /// Whether sources may send in trains: links do not change during the run.
    fn has_trains(&self) -> bool {
        self.plan.takes(Shortcut::Trains) && self.plan.changes.is_empty()
    }

    /// An application offers something; with `arrival` the first packet on its host's link arrives right
    /// after it.
    pub(super) fn on_offer(&mut self, id: FlowId, life: Life, arrival: bool) {
        let has_trains = self.has_trains();
        let flow = &mut self.workload.flows[id.index()];
        if flow.life != life || flow.stage == Stage::Gone {
            return;
        }
        let Some(link) = flow.link_of_datagrams().filter(|_| has_trains) else {
            if let Some((time, order)) = flow.on_offer(&mut self.network, id) {
                self.network.enter_as(time, order, Event::Offer(id, life));
            }
            return self.after(id);
        };
        let is_shown = !arrival && self.network.link(link).first().is_some();
        self.network.hold(link);
        let next = flow.on_offer(&mut self.network, id);
        if arrival {
            self.beside_events += 1;
            let out = self.network.onward(link);
            let hop = self.network.hop(link, out, true);
            self.after_hop(link, hop);
        }
        self.network.let_go();
        if let (Some((time, order)), false) = (next, is_shown)
            && let Some(first) = self.network.link(link).first()
            && let first = self.network.transit(first)
            && first.arrives == time
            && first.order.follows(order)
        {
            self.network.enter_as(time, order, Event::Train(id, life));
            return;
        }
        if let Some((time, order)) = next {
            self.network.enter_as(time, order, Event::Offer(id, life));
        }
        if !is_shown {
            self.network.arm(link);
        }
    }
}
