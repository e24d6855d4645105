//! Quiet links: those over which packets may be delivered late, since nothing depends on when that is
//! looked at.
//!
//! The agenda knows nothing of them. What arrives is looked at when the next packet is sent, or once in a
//! while, and at its own instant.

mod hosts;
mod routers;

use units::LinkId;

use super::World;
use crate::device::Device;
use crate::packet::Transit;
use crate::plan::{Plan, Shortcut};

/// Quiet links are looked at after so many events: few packets wait, and those of one link stand in the
/// cache when they are looked at.
pub(super) const AFTER: u64 = 256;

/// The links that are quiet, those of which packets go on to others first.
pub(super) fn links(plan: &Plan) -> Vec<LinkId> {
    if !plan.takes(Shortcut::QuietHosts) {
        return Vec::new();
    }
    let counts_only = hosts::counts_only(plan);
    let mut links = Vec::new();
    if plan.takes(Shortcut::QuietRouters) {
        links.extend(routers::links(plan, &counts_only));
    }
    links.extend(hosts::links(plan, &counts_only));
    links
}

impl World {
    /// No link is quiet of which packets go on to others: a trace is to be told of their offers in time, or
    /// the rows that it has room for are others. To be called before the run advances.
    pub(super) fn hear_routers(&mut self) {
        for link in std::mem::take(&mut self.quiet) {
            match self.network.device(self.network.link(link).to) {
                Device::Router => self.network.link_mut(link).be_heard(),
                Device::Host | Device::Edge(_) | Device::Core(_) => self.quiet.push(link),
            }
        }
    }

    /// Looks at what has arrived over quiet links.
    pub(super) fn empty_quiet_links(&mut self) {
        for at in 0..self.quiet.len() {
            self.empty(self.quiet[at]);
        }
    }

    /// Takes what has arrived over a link on which nobody waits for it, each packet at its instant.
    pub(super) fn empty(&mut self, link: LinkId) {
        let (now, node) = (self.network.now(), self.network.link(link).to);
        while let Some(packet) = self.network.link(link).first() {
            let Transit { arrives, next, .. } = *self.network.transit(packet);
            if arrives >= now {
                break;
            }
            // In a long queue neither is in the cache.
            self.network.packets().prefetch_transit(next);
            self.network.packets().prefetch_body(next);
            self.network.set_now(arrives);
            self.network.arrive_quietly(link);
            self.beside_events += 1;
            match self.network.device(node) {
                Device::Router => self.at_router(node, packet),
                Device::Host => self.on_delivery(node, packet),
                Device::Edge(_) | Device::Core(_) => unreachable!("no quiet link leads there"),
            }
        }
        self.network.set_now(now);
    }
}
