//! What happens without its own entry in the agenda, where nothing could see the difference.

use kernel::Order;
use units::{LinkId, Span, Time};

use super::Context;
use crate::event::Event;
use crate::link::Offered;
use crate::packet::PacketId;

/// The place of a packet that has none yet: its first bit is on its way to a switch.
pub(super) const PASSING: Order = Order(u64::MAX);

/// A packet whose first bit is on its way to a switch that will let it pass.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passing {
    /// When it is there.
    at: Time,
    /// The place of that among the events of the instant.
    order: Order,
    /// The link behind the switch, on which the packet is already.
    out: LinkId,
    /// The packet.
    id: PacketId,
}

impl Context {
    /// Nothing looks at the network between events until this instant, events of which do not count.
    pub fn set_unseen_until(&mut self, at: Time) {
        self.unseen_until = at;
    }

    /// Whether nothing can tell what happens at an instant from what has happened just now: it is looked at later, and
    /// packets are not recorded.
    #[inline]
    pub fn is_unseen(&self, at: Time) -> bool {
        at < self.unseen_until && !self.is_watched
    }

    /// How many events of devices have happened without an entry in the agenda.
    pub fn events_beside(&self) -> u64 {
        self.beside
    }

    /// Whether an alarm of this instant would be the next event, beside those that devices take themselves.
    #[inline]
    fn is_next(&self) -> bool {
        // What is held may be of this instant, too.
        self.held.is_none()
            && self.passing_at > self.now
            && self.agenda.next_time().is_none_or(|next| next > self.now)
    }

    /// Sets an alarm of a device that [takes](Self::take_prompt) it itself if it would be the next event.
    #[inline]
    pub fn wake_promptly(&mut self, time: Time, alarm: u32) {
        if time <= self.now && self.is_next() {
            self.prompt.push_back(alarm);
        } else {
            self.wake(time, Event::Alarm(alarm));
        }
    }

    /// The next of these alarms, which goes off now. A device asks for it when it has done all else.
    #[inline]
    pub fn take_prompt(&mut self) -> Option<u32> {
        let alarm = self.prompt.pop_front()?;
        self.beside += 1;
        Some(alarm)
    }

    /// Counts an alarm of a device as set and gone off now, if it would be the next event; whether it would.
    #[inline]
    pub fn take_at_once(&mut self) -> bool {
        let is_next = self.prompt.is_empty() && self.is_next();
        self.beside += u64::from(is_next);
        is_next
    }

    /// Sends a packet on a free link to a switch without a queue, which lets its first bit pass to another link at an instant
    /// in the future: it is on the latter right away, but gets its place among the events of an instant when it
    /// passes. All packets that are sent so take the same time to their switch. It lasts for `length` on both links.
    #[inline]
    pub fn send_through(
        &mut self,
        [link, out]: [LinkId; 2],
        (at, length): (Time, Span),
        id: PacketId,
    ) {
        let order = self.agenda.reserve();
        let bytes = self.packets.transit(id).bytes;
        self.links[link.index()].carry((self.now, length), bytes);
        let target = &mut self.links[out.index()];
        let transits = self.packets.split_mut().0;
        if !target.is_plain() || target.offer_plainly(at, transits, id, PASSING).is_none() {
            let offered = target.offer(at, &mut self.packets, id, PASSING);
            debug_assert!(matches!(offered, Offered::In { .. }), "it takes whatever comes");
        }
        debug_assert!(self.passing.back().is_none_or(|last| (last.at, last.order) < (at, order)));
        if self.passing.is_empty() {
            self.passing_at = at;
        }
        self.passing.push_back(Passing { at, order, out, id });
    }

    /// Packets that pass switches before the next event, up to an instant, get their places. Not a part of the loop of events,
    /// which has none of it in other networks.
    #[inline(never)]
    pub(super) fn settle_passing(&mut self, limit: Time) {
        while let Some(&Passing { at, order, out, id }) = self.passing.front() {
            if at > limit || self.agenda.is_before(at, order) {
                break;
            }
            self.passing.pop_front();
            self.beside += 1;
            self.packets.transit_mut(id).order = self.agenda.reserve();
            if self.links[out.index()].first() == Some(id) {
                self.arm(out);
            }
        }
        self.passing_at = self.passing.front().map_or(Time::NEVER, |first| first.at);
    }
}
