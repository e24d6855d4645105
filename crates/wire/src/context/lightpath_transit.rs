//! Packets that pass some links one after the other as light, on a channel that is their own: links only count them.

use units::{LinkId, Span, Time};

use super::Context;
use crate::link::{Drop, Passage};
use crate::packet::PacketId;
use crate::trace::{Cause, Loss, Offer};

impl Context {
    /// A packet sets out now on these links.
    #[inline]
    pub fn set_out(&mut self, links: &[LinkId], id: PacketId) {
        if self.trace.is_some() {
            self.trace_light(links, id);
        }
    }

    /// Records a packet on each of the links: on the last one it arrives with its last bit, on the others with its first.
    #[cold]
    fn trace_light(&mut self, links: &[LinkId], id: PacketId) {
        let (mut start, bytes) = (self.now, self.transit(id).bytes);
        for (at, &link) in links.iter().enumerate() {
            let (length, delay) = (self.link(link).time_to_send(bytes), self.link(link).delay());
            let (end, first) = (start + length, start + delay);
            let arrives: Time = if at + 1 == links.len() { first + length } else { first };
            self.trace_offer(id, &Offer { link, at: start, burst: None });
            if let Some(trace) = &mut self.trace {
                trace.passes(id, Passage { start, end, arrives });
            }
            start = first;
        }
    }

    /// A packet has passed these links.
    pub fn let_pass(&mut self, links: &[LinkId], id: PacketId) {
        let bytes = self.transit(id).bytes;
        for link in links {
            self.links[link.index()].let_pass(bytes);
        }
    }

    /// A packet is lost since a link on its way is down, before it has set out or after.
    pub fn break_off(&mut self, link: LinkId, id: PacketId, has_set_out: bool) {
        let bytes = self.transit(id).bytes;
        self.links[link.index()].break_off(bytes);
        let cause = Cause::Link(Drop::Down);
        self.lose(id, Loss { link: Some(link), at: self.now, cause, taken_in: has_set_out });
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
