//! Packets that pass some links one after the other as light, on a channel that is their own: links only count them.

use units::{LinkId, Span};

use super::Context;
use crate::link::Drop;
use crate::packet::PacketId;
use crate::trace::{Cause, Loss};

impl Context {
    /// A packet has passed these links.
    pub fn let_pass(&mut self, links: &[LinkId], id: PacketId) {
        let bytes = self.transit(id).bytes;
        for link in links {
            self.links[link.index()].let_pass(bytes);
        }
    }

    /// A packet is lost at a link on its way that is down.
    pub fn break_off(&mut self, link: LinkId, id: PacketId) {
        let bytes = self.transit(id).bytes;
        self.links[link.index()].break_off(bytes);
        let cause = Cause::Link(Drop::Down);
        self.lose(id, Loss { link: Some(link), at: self.now, cause, taken_in: false });
    }

    /// A channel of each of these links was busy for so long.
    pub fn count_busy(&mut self, links: &[LinkId], time: Span) {
        for link in links {
            self.links[link.index()].count_busy(time);
        }
    }

    /// The first of these links that is down.
    pub fn broken(&self, links: &[LinkId]) -> Option<LinkId> {
        links.iter().copied().find(|link| !self.link(*link).is_up())
    }
}
