//! Quiet links: those over which packets may be delivered late, because nothing depends on when
//! arrivals are processed.
//!
//! They have no entries in the agenda. Arrivals are processed when the next packet is sent, or
//! periodically, with their own instants.

mod hosts;
mod routers;

use cores::Device;
use plan::{Plan, Shortcut};
use units::LinkId;
use wire::packet::Transit;

use super::World;

/// After how many events so many quiet links are processed, a power of two: few packets wait, and those of one link are in
/// the cache; but where there are many links, each of them is looked at for a few events.
pub(super) fn after(links: usize) -> u64 {
    (4 * links as u64).next_power_of_two().max(256)
}

/// The quiet links; first those whose packets continue to others.
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
    /// Links whose packets continue to others are no longer quiet: a trace must receive their offers in
    /// time, or its limited rows would be different ones. To be called before the run advances.
    pub(super) fn hear_routers(&mut self) {
        for link in std::mem::take(&mut self.quiet) {
            match self.network.device(self.network.link(link).to) {
                Some(Device::Router) => self.network.link_mut(link).be_heard(),
                Some(Device::Host | Device::Edge(_) | Device::Core(_)) | None => {
                    self.quiet.push(link);
                }
            }
        }
    }

    /// Processes arrivals over quiet links.
    pub(super) fn empty_quiet_links(&mut self) {
        for at in 0..self.quiet.len() {
            // There are many, and few events since all were empty.
            if self.network.link(self.quiet[at]).first().is_some() {
                self.empty(self.quiet[at]);
            }
        }
    }

    /// Processes what has arrived over a quiet link, each packet at its instant.
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
                Some(Device::Router) => self.at_router(node, packet),
                Some(Device::Host) => self.on_delivery(node, packet),
                Some(Device::Edge(_) | Device::Core(_)) | None => {
                    unreachable!("no quiet link leads there")
                }
            }
        }
        self.network.set_now(now);
    }
}
