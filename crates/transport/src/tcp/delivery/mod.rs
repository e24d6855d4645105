//! Delivery-rate samples (draft-ietf-ccwg-bbr section 4.1, before it draft-cheng-iccrg-delivery-rate-estimation).
//!
//! A copy of what is known of the deliveries is kept with each packet when it is sent. When it arrives, the
//! difference is a sample: what was delivered meanwhile, over the longer one of the time in which it was sent
//! and the time in which it was acknowledged. Samples of a sender that had nothing to send are marked.
//!
//! The names in brackets are those of the draft. Packets are numbered as the segments of RACK are, which says
//! which of them have arrived and which are lost.

use std::collections::VecDeque;

use units::{Span, Time};

use super::congestion::{Lost, RateSample};

/// A packet in flight, and what was known when it was sent last.
#[derive(Clone, Copy, Debug)]
struct Packet {
    start: u64,
    octets: u64,
    /// `P.send_time`, and the number of the transmission (`P.packet_id`).
    sent: Time,
    transmission: u64,
    /// `P.first_send_time`.
    first_sent: Time,
    /// `P.delivered_time`.
    delivered_at: Time,
    /// `P.delivered`.
    delivered: u64,
    /// `P.lost`.
    lost: u64,
    /// `P.tx_in_flight`.
    in_flight: u64,
    /// `P.is_app_limited`.
    app_limited: bool,
    resent: bool,
    /// It has arrived.
    done: bool,
}

/// What a sender sees when it sends a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transmission {
    /// Now.
    pub(crate) now: Time,
    /// Its first octet, and the one after its last.
    pub(crate) octets: (u64, u64),
    /// Whether it was sent before.
    pub(crate) resent: bool,
    /// The octets in flight without it.
    pub(crate) in_flight: u64,
}

/// What a sender sees when it has processed an acknowledgment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Present {
    /// Now.
    pub(crate) now: Time,
    /// The octets in flight.
    pub(crate) in_flight: u64,
    /// The oldest octet that is not acknowledged.
    pub(crate) una: u64,
    /// Whether a fast recovery is in progress.
    pub(crate) recovers: bool,
    /// Whether losses are being repaired.
    pub(crate) repairs: bool,
}

/// The sampler of a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delivery {
    packets: VecDeque<Packet>,
    /// The number of the first; those behind follow by one.
    first: u64,
    transmissions: u64,
    /// `C.delivered`.
    delivered: u64,
    /// `C.delivered_time`.
    delivered_at: Time,
    /// `C.first_send_time`.
    first_sent: Time,
    /// `C.lost`.
    lost: u64,
    /// The deliveries up to which samples are those of a sender without data, zero for none
    /// (`C.app_limited`).
    app_limited: u64,
    /// The shortest round-trip time (`C.min_rtt`).
    min_rtt: Option<Span>,
    /// Until this octet is acknowledged the window is deemed used (`C.is_cwnd_limited`).
    full_below: u64,
    /// The end of the packet that was lost last.
    lost_end: u64,
    newest: Option<Packet>,
    newly_delivered: u64,
    newly_lost: u64,
}

impl Delivery {
    /// Whether samples are those of a sender that had nothing to send.
    pub(crate) fn is_app_limited(&self) -> bool {
        self.app_limited > 0
    }

    /// The sender has nothing to send, or holds back on purpose (`MarkConnectionAppLimited`).
    pub(crate) fn mark_app_limited(&mut self, in_flight: u64) {
        self.app_limited = (self.delivered + in_flight).max(1);
    }

    /// The window permits no more, and there are data; `next` is the next new octet.
    pub(crate) fn note_full(&mut self, next: u64) {
        self.full_below = next;
    }

    /// A packet is sent (`OnPacketSent`).
    pub(crate) fn on_sent(&mut self, sent: &Transmission) {
        let Transmission { now, octets: (start, end), resent, in_flight } = *sent;
        if in_flight == 0 {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        self.transmissions += 1;
        let packet = Packet {
            start,
            octets: end - start,
            sent: now,
            transmission: self.transmissions,
            first_sent: self.first_sent,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            lost: self.lost,
            in_flight: in_flight + (end - start),
            app_limited: self.is_app_limited(),
            resent,
            done: false,
        };
        if !resent {
            return self.packets.push_back(packet);
        }
        let place = self.packets.partition_point(|other| other.start + other.octets <= start);
        if let Some(old) = self.packets.get_mut(place).filter(|old| !old.done) {
            *old = Packet { start: old.start, octets: old.octets, ..packet };
        }
    }

    /// The packet of this number has arrived (`UpdateRateSample`).
    pub(crate) fn on_arrived(&mut self, number: u64, now: Time) {
        let place = usize::try_from(number - self.first).expect("it is in flight");
        let Some(packet) = self.packets.get_mut(place).filter(|packet| !packet.done) else {
            return;
        };
        packet.done = true;
        let packet = *packet;
        self.delivered += packet.octets;
        self.delivered_at = now;
        self.newly_delivered += packet.octets;
        if self.newest.is_none_or(|newest| packet.transmission > newest.transmission) {
            self.newest = Some(packet);
            self.first_sent = packet.sent;
        }
        while self.packets.front().is_some_and(|packet| packet.done) {
            self.packets.pop_front();
            self.first += 1;
        }
    }

    /// The packet of this number is deemed lost.
    pub(crate) fn on_lost(&mut self, number: u64, now: Time) -> Option<Lost> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let packet = self.packets.get(place)?;
        self.lost += packet.octets;
        self.newly_lost += packet.octets;
        let follows = packet.start == self.lost_end;
        self.lost_end = packet.start + packet.octets;
        Some(Lost {
            now,
            octets: packet.octets,
            in_flight: packet.in_flight,
            lost: self.lost - packet.lost,
            delivered: self.delivered,
            app_limited: packet.app_limited,
            follows,
        })
    }

    /// All that an acknowledgment brings is noted (`GenerateRateSample`); none where nothing has arrived.
    pub(crate) fn sample(&mut self, present: &Present) -> Option<RateSample> {
        let Present { now, in_flight, una, recovers, repairs } = *present;
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let newly_lost = std::mem::take(&mut self.newly_lost);
        let newest = self.newest.take()?;
        let rtt = (!newest.resent).then(|| now.since(newest.sent));
        self.min_rtt = [self.min_rtt, rtt].into_iter().flatten().min();
        let sending = newest.sent.since(newest.first_sent);
        let interval = sending.max(self.delivered_at.since(newest.delivered_at));
        let delivered = self.delivered - newest.delivered;
        let is_reliable = self.min_rtt.is_some_and(|least| interval >= least) && interval.0 > 0;
        let rate = if is_reliable { delivered as f64 / interval.as_secs_f64() } else { 0.0 };
        Some(RateSample {
            now,
            rate,
            delivered,
            prior_delivered: newest.delivered,
            total_delivered: self.delivered,
            newly_delivered: std::mem::take(&mut self.newly_delivered),
            newly_lost,
            lost: self.lost - newest.lost,
            sent_in_flight: newest.in_flight,
            in_flight,
            rtt,
            app_limited: newest.app_limited,
            window_limited: una <= self.full_below,
            recovers,
            repairs,
        })
    }
}

#[cfg(test)]
mod tests;
