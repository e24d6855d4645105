//! What edges and cores do with bursts, beyond their fibres: they are lost, with all of their packets.

use kernel::Order;
use units::Time;

use super::Context;
use crate::event::{BurstInstant, Event};
use crate::optical::{Burst, BurstId, Lost};
use crate::packet::{NO_PACKET, PacketId, data_of};
use crate::trace::Cause;

impl Context {
    /// Removes a lost burst with all of its packets.
    #[cold]
    pub fn lose_burst(&mut self, id: BurstId, cause: Lost) {
        let optical = &mut self.optical;
        let burst = *optical.bursts.get(id.0);
        let fec = &mut optical.fecs[burst.fec];
        fec.counters_of(&burst).lose(cause, burst.packets);
        // Random loss happens before a burst requests its first channel.
        if cause != Lost::Random {
            match optical.fibres.get_mut(burst.fibre as usize) {
                Some(fibre) => fibre.lose(&burst),
                None => optical.beside.leave(&burst),
            }
            if let Some(row) = optical.log.reservation(burst.number) {
                row.lost = Some(cause);
            }
        }
        if let Some(row) = optical.log.burst(burst.number) {
            row.lost = Some(cause);
        }
        optical.bursts.release(id.0);
        if let Some(synchronization) = &mut self.synchronization {
            synchronization.lost(burst.fec, burst.number, &self.packets, burst.first);
        }
        if self.optical.tells_losses {
            let flows = data_of(&self.packets, burst.first);
            self.optical.losses.extend(flows.map(|flow| (burst.fec, flow)));
        }
        let loss = self.loss_of_burst(&burst, Cause::Burst(cause));
        let mut next = burst.first;
        while next != NO_PACKET {
            let packet = next;
            next = self.packets.transit(packet).next;
            self.lose(packet, loss);
        }
    }

    /// A burst is on its fibre: this happens to it at the far end then, if nothing its last bit arrives at its egress
    /// edge. What comes there at the same instant on another channel of its kind is something else.
    #[inline]
    pub fn fly(&mut self, id: BurstId, (at, channel): (Time, u16), what: Option<BurstInstant>) {
        let number = self.optical.bursts.get(id.0).fibre;
        let fibre = &self.optical.fibres[number as usize];
        if !fibre.far {
            return self.wake(at, event(id, what));
        }
        let (order, is_cut) = (place_of((number, channel), what), fibre.cut);
        self.agenda.enter_as(at, order, event(id, what).into());
        if is_cut {
            self.cross_in_burst(id, Flight { at, order, what });
        }
    }

    /// Creates a burst that an edge has released: it has waited in its queue since an instant, and
    /// was full or its timer expired.
    pub fn release_burst(&mut self, burst: Burst, since: Time, full: bool) -> BurstId {
        let optical = &mut self.optical;
        let fec = &optical.fecs[burst.fec];
        optical.released += 1;
        optical.log.release(&burst, fec, (since, self.now), full);
        let id = BurstId(optical.bursts.insert(burst));
        if let Some(synchronization) = &mut self.synchronization {
            synchronization.released(burst.fec, burst.number, &self.packets, burst.first);
        }
        id
    }

    /// Removes a burst whose last bit has arrived at its egress edge; returns its first packet, unless
    /// it was lost on the path.
    pub fn deliver_burst(&mut self, id: BurstId) -> Option<PacketId> {
        let now = self.now;
        let optical = &mut self.optical;
        let burst = *optical.bursts.get(id.0);
        if burst.doomed {
            self.lose_burst(id, Lost::Down);
            return None;
        }
        let fec = &mut optical.fecs[burst.fec];
        let mut passed = u64::from(burst.hop);
        if let Some(fibre) = optical.fibres.get_mut(burst.fibre as usize) {
            fibre.leave(now, &burst);
            passed += 1;
            if burst.hop == 0 {
                fec.end_first_link(burst.start + fibre.delay, burst.bytes);
            }
        } else {
            optical.beside.leave(&burst);
        }
        let shortest = burst.length + fec.delay;
        let counters = fec.counters_of(&burst);
        counters.switched.hops += passed;
        if burst.deflections > 0 {
            // Negative if the shortest path by links takes longer than another.
            let taken = now.since(burst.ready).as_secs_f64();
            counters.switched.cost.add_seconds(taken - shortest.as_secs_f64());
        }
        counters.delivered += 1;
        counters.packets_delivered += u64::from(burst.packets);
        counters.bytes_delivered += burst.bytes;
        if let Some(row) = optical.log.burst(burst.number) {
            row.delivered = Some(now);
        }
        optical.bursts.release(id.0);
        Some(burst.first)
    }
}

/// What happens to a burst at the far end of its fibre.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flight {
    /// When.
    pub at: Time,
    /// Its place among the events of that instant.
    pub order: Order,
    /// What; if nothing, its last bit arrives at its egress edge.
    pub what: Option<BurstInstant>,
}

/// What happens to a burst at the far end of its fibre, as an event.
#[inline]
pub(super) fn event(id: BurstId, what: Option<BurstInstant>) -> Event {
    what.map_or(Event::Burst(id), |instant| Event::AtCore(instant, id))
}

/// A place among the events of an instant that depends only on the fibre, the channel and what arrives there: behind
/// what arrives over far links, ahead of all that is reserved.
#[inline]
fn place_of((fibre, channel): (u32, u16), what: Option<BurstInstant>) -> Order {
    let in_fibre = u64::from(what.is_some()) << 16 | u64::from(channel);
    let order = Order((1 << 32) + (u64::from(fibre) << 17 | in_fibre));
    debug_assert!(order < Order::FIRST_RESERVED, "numbers of fibres are small");
    order
}
