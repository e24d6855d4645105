//! The shortest way of a packet through a router: taken off a link, offered to the next and entered into the agenda in one
//! function. Whatever is not plain goes the way of all packets.
//!
//! On which link a router sends a packet is looked up when the agenda gets its arrival. So what the next event touches can be
//! prefetched while this one happens.

use kernel::Agenda;
use units::{LinkId, NodeId, Time};

use super::shortcuts::PASSING;
use super::{Context, place_of};
use crate::event::Packed;
use crate::link::Link;
use crate::packet::{Body, PacketId, Transit, prefetch_body};
use crate::routing::Routing;
use crate::spread::Spread;

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

/// What an arrival is entered with.
pub(super) struct Entering<'a> {
    agenda: &'a mut Agenda<Packed>,
    routing: &'a Routing,
    spread: &'a Spread,
    bodies: &'a [Body],
}

impl Entering<'_> {
    /// Enters the arrival of the first packet of a link, if there is one.
    #[inline(always)]
    pub(super) fn enter_first(&mut self, id: LinkId, link: &Link, transits: &[Transit]) {
        let Some(packet) = link.first() else { return };
        let first = &transits[packet.0 as usize];
        // One that is still on its way to the switch before this link is entered when it is there.
        if first.order != PASSING {
            self.enter(id, link, packet, first);
        }
        // The packet behind is needed when this one arrives: half the time of a hop when many packets are in flight.
        if let Some(behind) = transits.get(first.next.0 as usize) {
            kernel::prefetch(behind);
        }
    }

    /// Enters the arrival of a packet that is the first of a link.
    #[inline(always)]
    fn enter(&mut self, id: LinkId, link: &Link, packet: PacketId, transit: &Transit) {
        let event = if link.is_to_router() {
            let key = || self.spread.key(transit);
            Packed::onward(id, self.routing.next_link(link.to, transit.to, key))
        } else {
            prefetch_body(self.bodies, packet);
            Packed::arriving(id, packet)
        };
        self.agenda.enter_as(transit.arrives, transit.order, event);
    }

    /// Offers a packet to a link if that is plain and its queue is certain to have room; whether that is so.
    #[inline(always)]
    fn offer(
        &mut self,
        target: &mut Link,
        transits: &mut [Transit],
        now: Time,
        (out, packet): (LinkId, PacketId),
    ) -> bool {
        if !target.is_plain() {
            return false;
        }
        let reserved = self.agenda.reserve();
        let order = if target.is_far() { place_of(out) } else { reserved };
        let Some(first) = target.offer_plainly(now, transits, packet, order) else {
            self.agenda.take_back(reserved);
            return false;
        };
        if first {
            self.enter(out, target, packet, &transits[packet.0 as usize]);
        }
        true
    }
}

impl Context {
    /// From now on packets may take the shortest way.
    pub fn take_shortest_way(&mut self, is_router: impl Fn(NodeId) -> bool) {
        for link in &mut self.links {
            link.take_shortest_way(is_router(link.to));
        }
    }

    /// What is needed to enter an arrival, beside the links and what is read of packets on their way.
    #[inline(always)]
    pub(super) fn entering(&mut self) -> (Entering<'_>, &mut [Link], &mut [Transit]) {
        let Self { agenda, links, packets, routing, spread, .. } = self;
        let (transits, bodies) = packets.split_mut();
        (Entering { agenda, routing, spread, bodies }, links, transits)
    }

    /// A packet may arrive at the far end of a link; a router there sends it on `out`.
    #[inline(always)]
    pub fn hop(&mut self, id: LinkId, out: Option<LinkId>) -> Hop {
        debug_assert!(self.held.is_none(), "a train goes the way of all packets");
        let (now, is_watched) = (self.now, self.is_watched);
        let (mut entering, links, transits) = self.entering();
        let link = &mut links[id.index()];
        if !link.arrives_plainly() || is_watched {
            return Hop::All;
        }
        let to = link.to;
        let Some(packet) = link.arrive_plainly(now, transits) else { return Hop::Done };
        entering.enter_first(id, link, transits);
        let Some(out) = out else { return Hop::At(to, packet) };
        if entering.offer(&mut links[out.index()], transits, now, (out, packet)) {
            Hop::Done
        } else {
            Hop::Forward(out, packet)
        }
    }

    /// Offers a packet to a link the short way; whether that is done.
    #[inline(always)]
    pub(super) fn send_shortly(&mut self, out: LinkId, packet: PacketId) -> bool {
        let (now, is_general) = (self.now, self.is_watched || self.held.is_some());
        let (mut entering, links, transits) = self.entering();
        !is_general && entering.offer(&mut links[out.index()], transits, now, (out, packet))
    }
}
