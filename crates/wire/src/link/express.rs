//! The shortest way of a packet over a plain link: up, with a queue that is drop-tail or marks above a threshold and is empty,
//! and nobody else decides when it leaves or arrives.
//!
//! [`Link::offer`] and [`Link::arrive`] do the same on all links; a test holds both to each other.

use kernel::Order;
use units::Time;

use super::{Link, Traits, later};
use crate::packet::{PacketId, Transit};

impl Traits {
    /// Whether all that is offered takes the shortest way but for what judges it, which does nothing while the queue is empty.
    #[inline(always)]
    fn are_plain(self) -> bool {
        const PLAIN: u16 = Traits::UP | Traits::SHORT;
        const MARKING: u16 = PLAIN | Traits::JUDGES | Traits::MARKS;
        let traits = self.0 & (MARKING | Self::SPECIAL);
        traits == PLAIN || traits == MARKING
    }
}

impl Link {
    /// From now on packets that arrive may take the shortest way; `to_router` if a router passes them on.
    pub fn take_shortest_way(&mut self, to_router: bool) {
        if !self.traits.has(Traits::FIRST_BIT) {
            self.traits.0 |= Traits::SHORT | if to_router { Traits::TO_ROUTER } else { 0 };
        }
    }

    /// From now on packets take the way of all packets: what the agenda has of the first one may not be so.
    pub fn take_general_way(&mut self) {
        self.traits.0 &= !(Traits::SHORT | Traits::TO_ROUTER);
    }

    /// Whether packets that take the shortest way are passed on by a router.
    #[inline(always)]
    pub fn is_to_router(&self) -> bool {
        self.traits.has(Traits::TO_ROUTER)
    }

    /// Whether what arrives may take the shortest way: nothing is lost on the link.
    #[inline(always)]
    pub fn arrives_plainly(&self) -> bool {
        self.traits.has_only(Traits::UP | Traits::SHORT, Traits::LOSES)
    }

    /// Whether what is offered may take the shortest way, and then on to the agenda.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.traits.are_plain()
    }

    /// Whether what is offered may take the shortest way, even if the agenda has no entry for the link.
    #[inline(always)]
    pub fn takes_plainly(&self) -> bool {
        Traits(self.traits.0 & !Traits::QUIET).are_plain()
    }

    /// [Takes](Link::arrive) the first packet if its last bit arrives at `now`.
    #[inline(always)]
    pub fn arrive_plainly(&mut self, now: Time, transits: &[Transit]) -> Option<PacketId> {
        if self.len == 0 || transits[self.head.0 as usize].arrives != now {
            return None;
        }
        let (packet, transit) = self.pop(transits);
        self.packets_out += 1;
        self.bytes_out += u64::from(transit.bytes);
        Some(packet)
    }

    /// The same on a [quiet](Self::is_quiet) link, where every packet that arrives takes the shortest way.
    #[inline(always)]
    pub fn arrive_quietly(&mut self, now: Time, transits: &[Transit]) {
        debug_assert!(self.is_up() && !self.traits.has(Traits::LOSES | Traits::FIRST_BIT));
        self.arrive_plainly(now, transits);
    }

    /// [Offers](Link::offer) a packet to a link that [takes it plainly](Self::takes_plainly); whether it is the first there.
    /// `None`, with nothing done, if the queue may be full, or may mark it.
    #[inline(always)]
    pub fn offer_plainly(
        &mut self,
        now: Time,
        transits: &mut [Transit],
        packet: PacketId,
        order: Order,
    ) -> Option<bool> {
        let bytes = transits[packet.0 as usize].bytes;
        if self.free_at > now {
            if self.judges() || self.is_full(bytes) {
                return None;
            }
            self.wait(now, packet, bytes);
        } else {
            self.waiting = 0;
            self.waiting_bytes = 0;
            self.idle += now - self.free_at;
            self.free_at = now;
        }
        self.packets_in += 1;
        self.bytes_in += u64::from(bytes);
        self.free_at = later(self.free_at, self.time_to_send(bytes));
        let arrives = self.free_at + self.delay;
        Some(self.append_arriving(transits, packet, arrives, order))
    }
}
