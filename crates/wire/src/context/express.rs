//! The shortest way of a packet through a router: taken off a link, offered to the next and entered into the agenda in one
//! function. Whatever is not plain goes the way of all packets.
//!
//! On which link a router sends a packet is looked up when the agenda gets its arrival. So what the next event touches can be
//! prefetched while this one happens.

use kernel::{Agenda, Order};
use plan::routing::Routing;
use units::{LinkId, NodeId, Time};

use super::shortcuts::PASSING;
use super::{Context, place_of};
use crate::event::Packed;
use crate::link::Link;
use crate::packet::{Body, PacketId, Transit, prefetch_body};
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

    /// Offers a packet to a link that takes it plainly; whether it is the first there, and its arrival is to be entered.
    /// `None`, with nothing done, if the queue may be full.
    #[inline(always)]
    fn offer(
        &mut self,
        target: &mut Link,
        transits: &mut [Transit],
        now: Time,
        (out, packet): (LinkId, PacketId),
    ) -> Option<bool> {
        let reserved = self.agenda.reserve();
        let order = if target.is_far() { place_of(out) } else { reserved };
        let first = target.offer_plainly(now, transits, packet, order);
        if first.is_none() {
            self.agenda.take_back(reserved);
        }
        first
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

    /// The link on which the router at the far end of a link sends the first packet there, if one may take the shortest way.
    #[inline]
    pub fn onward(&self, id: LinkId) -> Option<LinkId> {
        let link = self.link(id);
        let first = link.first().filter(|_| link.is_to_router())?;
        Some(self.next_link(link.to, first))
    }

    /// A packet may arrive at the far end of a link, which may be [held](Self::hold); a router there sends it on `out`.
    #[inline(always)]
    pub fn hop(&mut self, id: LinkId, out: Option<LinkId>, is_held: bool) -> Hop {
        let (now, is_traced) = (self.now, self.trace.is_some());
        let (mut entering, links, transits) = self.entering();
        let link = &mut links[id.index()];
        if !link.arrives_plainly() || is_traced {
            return Hop::All;
        }
        let to = link.to;
        let Some(packet) = link.arrive_plainly(now, transits) else { return Hop::Done };
        if !is_held {
            entering.enter_first(id, link, transits);
        }
        let Some(out) = out else { return Hop::At(to, packet) };
        let target = &mut links[out.index()];
        if !target.is_plain() {
            return Hop::Forward(out, packet);
        }
        match entering.offer(target, transits, now, (out, packet)) {
            Some(true) => entering.enter(out, target, packet, &transits[packet.0 as usize]),
            Some(false) => {}
            None => return Hop::Forward(out, packet),
        }
        Hop::Done
    }

    /// Offers a packet to a link the short way; whether that is done.
    #[inline(always)]
    pub(super) fn send_shortly(&mut self, out: LinkId, packet: PacketId) -> bool {
        let (now, is_traced, held) = (self.now, self.trace.is_some(), self.held);
        let (mut entering, links, transits) = self.entering();
        let target = &mut links[out.index()];
        if is_traced || !target.takes_plainly() {
            return false;
        }
        let first = entering.offer(target, transits, now, (out, packet));
        if first == Some(true) && !target.is_quiet() && held != Some(out) {
            entering.enter(out, target, packet, &transits[packet.0 as usize]);
        }
        first.is_some()
    }

    /// The same at an instant, under a place among others that arrive when it does. Not one function with `send_shortly`: that
    /// takes 1 to 5 % more instructions in all networks.
    #[inline(always)]
    pub(super) fn join_shortly(
        &mut self,
        out: LinkId,
        (at, order): (Time, Order),
        packet: PacketId,
    ) -> bool {
        let is_traced = self.trace.is_some();
        let (mut entering, links, transits) = self.entering();
        let target = &mut links[out.index()];
        if is_traced || !target.takes_plainly() {
            return false;
        }
        let first = target.offer_plainly(at, transits, packet, order);
        if first == Some(true) && !target.is_quiet() {
            entering.enter(out, target, packet, &transits[packet.0 as usize]);
        }
        first.is_some()
    }
}
