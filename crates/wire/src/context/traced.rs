//! What the context reports to the trace, if there is one. Nothing reads it back.

use transport::tcp::SackBlocks;
use units::{LinkId, Time};

use super::Context;
use crate::link::Passage;
use crate::optical::{Burst, BurstId, BurstLog, Fibre};
use crate::packet::{Marks, NO_PACKET, PacketId};
use crate::trace::{Cause, Loss, Offer, laid_out};

impl Context {
    /// Records nothing from now on.
    pub fn stop_recording(&mut self) {
        self.trace = None;
        self.is_watched = self.frontier.is_some();
        self.optical.log = BurstLog::default();
        self.synchronization = None;
    }

    /// A packet has been created.
    #[cold]
    #[inline(never)]
    pub(super) fn trace_sending(&mut self, id: PacketId) {
        let packet = self.packets.look(id);
        if let Some(trace) = &mut self.trace {
            trace.sends(id, &packet);
        }
    }

    /// A link has accepted a packet.
    #[cold]
    #[inline(never)]
    pub(super) fn trace_taken_in(&mut self, link: LinkId, at: Time, id: PacketId) {
        self.trace_offer(id, &Offer { link, at, burst: None });
        let passage = self.links[link.index()].passage(self.packets.transit(id));
        if let Some(trace) = &mut self.trace {
            trace.passes(id, passage);
        }
    }

    pub(super) fn trace_offer(&mut self, id: PacketId, offer: &Offer) {
        let packet = self.packets.look(id);
        let sack = if packet.transit.marks.has(Marks::SACK) {
            *self.sacks.get(packet.body.len_or_sack)
        } else {
            SackBlocks::default()
        };
        if let Some(trace) = &mut self.trace {
            trace.offer(id, (&packet, sack), offer);
        }
    }

    /// A packet is lost.
    pub(super) fn trace_loss(&mut self, id: PacketId, loss: Loss) {
        let Loss { link, at, cause, taken_in } = loss;
        if let Some(link) = link.filter(|_| !taken_in) {
            self.trace_offer(id, &Offer { link, at, burst: None });
        }
        if let Some(trace) = self.trace.as_mut().filter(|_| taken_in || link.is_some()) {
            trace.loses(id, at, cause);
        }
    }

    /// A link has changed: packets that wait for it leave at another time, or at an unknown time.
    pub(super) fn trace_change(&mut self, link: LinkId) {
        let Some(trace) = &mut self.trace else { return };
        let link = &self.links[link.index()];
        for id in link.those_inside(&self.packets) {
            let passage = if link.is_up() {
                link.passage(self.packets.transit(id))
            } else {
                Passage::UNKNOWN
            };
            trace.moves(id, self.now, passage);
        }
    }

    /// A burst has been granted a channel of the fibre that it requested.
    #[inline]
    pub fn granted(&mut self, id: BurstId) {
        if self.trace.is_some() {
            self.trace_burst(id);
        }
    }

    #[cold]
    fn trace_burst(&mut self, id: BurstId) {
        let burst = *self.optical.bursts.get(id.0);
        let Burst { number, hop, .. } = burst;
        let Fibre { link, delay, rate, .. } = self.optical.fibres[burst.fibre as usize];
        let mut place =
            laid_out(burst.start, delay, |bytes| rate.time_to_send(units::Bytes(bytes)));
        let offer = Offer { link, at: self.now, burst: Some((burst.channel, number)) };
        let mut next = burst.first;
        while next != NO_PACKET {
            let (packet, transit) = (next, *self.packets.transit(next));
            next = transit.next;
            self.trace_offer(packet, &offer);
            if let Some(trace) = &mut self.trace {
                trace.passes(packet, place(transit.bytes));
                trace.grants(packet, number, hop);
            }
        }
    }

    /// How the packets of a burst are lost.
    pub(super) fn loss_of_burst(&self, burst: &Burst, cause: Cause) -> Loss {
        let link = self.optical.fibres.get(burst.fibre as usize).map(|fibre| fibre.link);
        let Burst { number, hop, first, .. } = *burst;
        let taken_in =
            self.trace.as_ref().is_some_and(|trace| trace.is_granted(first, number, hop));
        Loss { link, at: self.now, cause, taken_in }
    }
}
