//! The shortest way of a packet through a router: taken off a link, routed, offered to the next and entered into the agenda
//! in one function. Whatever is not plain goes the way of all packets.

use units::{LinkId, NodeId, Time};

use super::{Context, PASSING, place_of};
use crate::event::Packed;
use crate::packet::{PacketId, prefetch_body};

/// What is left to do when a packet has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hop {
    /// Nothing.
    Done,
    /// All: it has not even been taken off the link.
    All,
    /// It is at a node.
    At(NodeId, PacketId),
    /// It is at a router, to be sent on this link.
    Forward(LinkId, PacketId),
}

impl Context {
    /// From now on packets may take the shortest way.
    pub fn take_shortest_way(&mut self, is_router: impl Fn(NodeId) -> bool) {
        for link in &mut self.links {
            link.take_shortest_way(is_router(link.to));
        }
    }

    /// A packet may arrive at the far end of a link; where a router passes it on to a plain link, that is all.
    #[inline(always)]
    pub fn hop(&mut self, id: LinkId) -> Hop {
        let Self { now, agenda, links, packets, routing, spread, held, is_watched, .. } = self;
        let now: Time = *now;
        let link = &mut links[id.index()];
        if !link.arrives_plainly() || held.is_some() || *is_watched {
            return Hop::All;
        }
        let (to, is_router) = (link.to, link.is_to_router());
        let (transits, bodies) = packets.split_mut();
        let Some((packet, transit)) = link.arrive_plainly(now, transits) else { return Hop::Done };
        if let Some(next) = transits.get(transit.next.0 as usize) {
            // One that is still on its way to the switch before this link is entered when it is there.
            if next.order != PASSING {
                agenda.enter_as(next.arrives, next.order, Packed::arriving(id, transit.next));
            }
            if !is_router {
                prefetch_body(bodies, transit.next);
            }
            // The packet behind is needed when the next one arrives.
            if let Some(behind) = transits.get(next.next.0 as usize) {
                kernel::prefetch(behind);
            }
        }
        if !is_router {
            return Hop::At(to, packet);
        }
        let out = routing.next_link(to, transit.to, spread.key(&transit));
        let target = &mut links[out.index()];
        if !target.is_plain() {
            return Hop::Forward(out, packet);
        }
        let reserved = agenda.reserve();
        let order = if target.is_far() { place_of(out) } else { reserved };
        let Some((arrives, first)) = target.offer_plainly(now, transits, packet, order) else {
            agenda.take_back(reserved);
            return Hop::Forward(out, packet);
        };
        if first {
            if !target.is_to_router() {
                prefetch_body(bodies, packet);
            }
            agenda.enter_as(arrives, order, Packed::arriving(out, packet));
        }
        Hop::Done
    }
}
