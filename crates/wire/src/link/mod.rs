//! One direction of a link with the output queue in front of it.
//!
//! A link is store-and-forward: packets arrive with their **last** bit, except at a hybrid
//! switch, which acts on the **first**. The instant of arrival is known when a packet is
//! queued, `free_at` + transmission + propagation (without the transmission where the first bit
//! counts), so a hop costs one event. All packets of a link, waiting or on the wire, are in one
//! list in the order of their arrival; the agenda has only the first of them, under the order
//! that was reserved when it was sent, so that ties are broken as if every packet were in the
//! agenda.
//!
//! Ties: intervals are half-open, so a packet that arrives at the instant the wire becomes free
//! finds it free, and the queue place of the packet whose transmission starts at that instant is
//! free as well.

mod across;
mod bucket;
mod build;
mod changes;
mod counters;
mod discipline;
mod ecn_threshold;
mod express;
mod lightpath_transit;
mod loss;
mod managed;
mod observe;
mod pi;
mod pie;
mod red;
mod serve;
mod timing;

use across::Across;
pub use counters::LinkCounters;
use discipline::{Arriving, Discipline, Verdict};
use kernel::{Order, prefetch};
pub use loss::Loss;
pub use observe::Passage;
pub use serve::Served;
pub use timing::Timing;
use units::{NodeId, Rate, Span, Time};

use crate::packet::{Marks, NO_PACKET, PacketId, Packets, Transit};

/// Why a packet was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drop {
    /// The queue was full.
    Full,
    /// RED or another active queue management dropped it, or a policer.
    Early,
    /// It was lost on the wire.
    Loss,
    /// The link was down.
    Down,
    /// It was busy, and a hybrid switch could not store the packet.
    Contention,
}

/// The result of offering a packet to a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// It is accepted; `first` is set if it is the only one and must be entered into the agenda.
    In {
        /// The first on the link.
        first: bool,
    },
    /// It is dropped, with the reason.
    Dropped(Drop),
}

/// One direction of a link: two cache lines that every packet touches, and the rest.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct Link {
    // Read and written when a packet arrives.
    /// The first packet on the link.
    head: PacketId,
    /// The last packet on the link.
    tail: PacketId,
    /// Packets on the link, waiting or on the wire.
    len: u32,
    /// The device at the far end.
    pub to: NodeId,
    delay: Span,
    // Those of one packet are apart: next to each other the compiler adds to both at once, with three more instructions.
    packets_out: u64,
    packets_in: u64,
    bytes_out: u64,
    bytes_in: u64,
    waiting_bytes: u64,
    traits: Traits,
    /// The number of waiting packets at the end of the list; may include a few that no longer wait.
    waiting: u32,
    // Read and written when a packet is offered.
    /// When the last packet queued will have left the transmitter.
    free_at: Time,
    /// When the first packet counted as waiting starts, if there is one.
    next_start: Time,
    /// Transmission times of packets.
    timing: Timing,
    /// The first waiting packet, if one waits.
    first_waiting: PacketId,
    limit: u64,
    /// The idle time of the transmitter before `free_at`.
    idle: Span,
    rare: Box<Rare>,
}

const _: () = assert!(size_of::<Link>() == 128);

/// What a link is, in bits.
#[derive(Debug, Clone, Copy)]
struct Traits(u16);

impl Traits {
    /// Its queue's limit counts bytes.
    const LIMITS_BYTES: u16 = 1;
    /// A packet arrives with its first bit.
    const FIRST_BIT: u16 = 2;
    /// Nothing depends on when arrivals are processed.
    const QUIET: u16 = 4;
    /// Its queue decides when a packet leaves.
    const MANAGED: u16 = 8;
    /// Arrivals go before other events of their instant.
    const FAR: u16 = 16;
    /// Its far end is in another part of the network.
    const CUT: u16 = 32;
    /// What arrives may take the shortest way.
    const SHORT: u16 = 64;
    /// It leads to a router.
    const TO_ROUTER: u16 = 128;
    /// It carries packets.
    const UP: u16 = 256;
    /// Its queue does more than drop-tail.
    const JUDGES: u16 = 512;
    /// Packets are lost on it.
    const LOSES: u16 = 1_024;
    /// Its queue marks above a threshold, and does nothing else: it takes what finds it empty as drop-tail does.
    const MARKS: u16 = 2_048;
    /// What is offered takes another way than the shortest.
    const SPECIAL: u16 = Self::FIRST_BIT | Self::QUIET | Self::MANAGED | Self::CUT | Self::JUDGES;

    /// Whether any of these bits is set.
    #[inline]
    fn has(self, bits: u16) -> bool {
        self.0 & bits != 0
    }

    /// Whether all of `bits` are set, and none of `others`.
    #[inline]
    fn has_only(self, bits: u16, others: u16) -> bool {
        self.0 & (bits | others) == bits
    }
}

/// The fields that few packets touch.
#[derive(Debug, Clone)]
struct Rare {
    rate: Rate,
    discipline: Discipline,
    loss: Option<Loss>,
    counters: LinkCounters,
    /// Packets that were accepted before measuring began.
    accepted_before: u64,
    /// When the last bit of the latest packet is at the far end that was taken there with its first bit, and its bytes.
    latest: (Time, u32),
    /// Packets on it that did not wait for it.
    across: Across,
}

impl Link {
    /// Prefetches both cache lines for an arrival.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.head);
        prefetch(&self.free_at);
    }

    /// Offers a packet at `now` under a reserved place in the agenda, to a link that sends in the order of arrival;
    /// one that is [managed](Self::is_managed) is [given](Self::put) it.
    #[inline(always)]
    pub fn offer(
        &mut self,
        now: Time,
        packets: &mut Packets,
        packet: PacketId,
        order: Order,
    ) -> Offered {
        debug_assert!(!self.is_managed(), "its queue decides when a packet leaves");
        let transit = packets.transit(packet);
        let (bytes, is_capable) = (transit.bytes, transit.marks.has(Marks::ECN_CAPABLE));
        self.packets_in += 1;
        self.bytes_in += u64::from(bytes);
        if !self.is_up() {
            return Offered::Dropped(self.refuse(Drop::Down, bytes));
        }
        let waits = self.free_at > now;
        // The count is an upper bound: it is updated only if the bound is too coarse.
        if waits && (self.judges() || self.is_full(bytes)) {
            self.settle(now, packets);
        } else if !waits {
            self.waiting = 0;
            self.waiting_bytes = 0;
        }
        let mut mark = false;
        if self.judges() {
            let packet = Arriving {
                now,
                bytes,
                is_capable,
                waiting: (self.waiting, self.waiting_bytes),
                free_at: self.free_at,
                typical: self.time_to_send(bytes),
            };
            match self.rare.discipline.judge(&packet) {
                Verdict::Enqueue => {}
                Verdict::Mark => mark = true,
                Verdict::Drop => return Offered::Dropped(self.refuse(Drop::Early, bytes)),
            }
        }
        if waits {
            if self.is_full(bytes) {
                return Offered::Dropped(self.refuse(Drop::Full, bytes));
            }
            self.wait(now, packet, bytes);
        } else {
            self.idle += now - self.free_at;
            self.free_at = now;
        }
        if mark {
            self.rare.counters.marked += 1;
            packets.transit_mut(packet).marks.0 |= Marks::CONGESTION_EXPERIENCED;
        }
        let first = self.send_off(packets.split_mut().0, packet, bytes, order);
        Offered::In { first: first && !self.is_quiet() }
    }

    /// Counts a packet that is sent at `now` for `length` and reaches the far end, on a link that is free then and loses
    /// nothing.
    #[inline]
    pub fn carry(&mut self, (now, length): (Time, Span), bytes: u32) {
        debug_assert_eq!(length, self.time_to_send(bytes));
        debug_assert!(self.is_up() && self.free_at <= now && self.waiting == 0 && !self.loses());
        self.packets_in += 1;
        self.bytes_in += u64::from(bytes);
        self.idle += now - self.free_at;
        self.free_at = later(now, length);
        self.packets_out += 1;
        self.bytes_out += u64::from(bytes);
        self.rare.latest = (self.free_at + self.delay, bytes);
    }

    /// A packet is on the link, its transmission starts when those before it have left; whether it is the first.
    #[inline(always)]
    fn send_off(
        &mut self,
        transits: &mut [Transit],
        packet: PacketId,
        bytes: u32,
        order: Order,
    ) -> bool {
        let start = self.free_at;
        self.free_at = later(start, self.time_to_send(bytes));
        let arrives = self.counted(start, self.free_at) + self.delay;
        self.append_arriving(transits, packet, arrives, order)
    }

    /// Appends a packet that arrives at an instant, under a place among others that do; whether it is the first.
    #[inline(always)]
    fn append_arriving(
        &mut self,
        transits: &mut [Transit],
        packet: PacketId,
        arrives: Time,
        order: Order,
    ) -> bool {
        let transit = &mut transits[packet.0 as usize];
        transit.arrives = arrives;
        transit.order = order;
        transit.next = NO_PACKET;
        self.append(transits, packet)
    }

    /// Whether nothing depends on when arrivals are processed: then the agenda has no entry for this
    /// link.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.traits.has(Traits::QUIET)
    }

    /// Whether its queue decides when a packet leaves, or it is far.
    #[inline]
    pub fn is_special(&self) -> bool {
        self.traits.has(Traits::MANAGED | Traits::FAR)
    }

    /// Whether its arrivals go before other events of their instant, in the order of links: on which place they have
    /// there does not depend how the network is [partitioned](plan::partition).
    #[inline]
    pub fn is_far(&self) -> bool {
        self.traits.has(Traits::FAR)
    }

    /// Whether its far end is in another part of the network.
    #[inline]
    pub fn is_cut(&self) -> bool {
        self.traits.has(Traits::CUT)
    }

    /// Whether the queue has no room for this number of bytes, by its count.
    #[inline]
    fn is_full(&self, bytes: u32) -> bool {
        if self.traits.has(Traits::LIMITS_BYTES) {
            self.waiting_bytes + u64::from(bytes) > self.limit
        } else {
            u64::from(self.waiting) >= self.limit
        }
    }

    /// Whether this amount may arrive before the queue drops anything. Only known for drop-tail.
    #[inline]
    pub fn has_room(&self, bytes: u64, packets: u64) -> bool {
        self.has_room_beside((self.waiting_bytes, self.waiting), (bytes, packets))
    }

    /// Whether there is room for the arrivals, in bytes and packets, in addition to the waiting
    /// packets.
    #[inline]
    fn has_room_beside(&self, waiting: (u64, u32), coming: (u64, u64)) -> bool {
        let (waiting, coming) = if self.traits.has(Traits::LIMITS_BYTES) {
            (waiting.0, coming.0)
        } else {
            (u64::from(waiting.1), coming.1)
        };
        !self.judges() && waiting + coming <= self.limit
    }

    /// The same for a quiet link, after packets that have arrived are removed from the count of waiting
    /// ones: on other links their arrival removes them, which is processed late here.
    #[cold]
    pub fn has_room_after_arrivals(&self, now: Time, coming: (u64, u64), all: &Packets) -> bool {
        let (mut waiting, mut waiting_bytes) = (self.waiting, self.waiting_bytes);
        let mut next = self.first_waiting;
        while self.is_quiet() && waiting > 0 && all.transit(next).arrives <= now {
            waiting -= 1;
            waiting_bytes -= u64::from(all.transit(next).bytes);
            next = all.transit(next).next;
        }
        self.has_room_beside((waiting_bytes, waiting), coming)
    }

    /// Removes packets that have arrived over a quiet link from the count of waiting ones, before that
    /// count may be too coarse for one more packet.
    pub fn forget_arrived(&mut self, now: Time, bytes: u32, all: &Packets) {
        if self.is_full(bytes) {
            while self.waiting > 0 && all.transit(self.first_waiting).arrives <= now {
                self.begin_next(all.transit(self.first_waiting));
            }
        }
    }

    /// Adds a packet to the count of waiting ones.
    #[inline(always)]
    fn wait(&mut self, now: Time, packet: PacketId, bytes: u32) {
        if self.waiting == 0 {
            self.first_waiting = packet;
            self.next_start = self.free_at;
        }
        self.waiting += 1;
        self.waiting_bytes += u64::from(bytes);
        let wait = (self.free_at - now).0;
        let counters = &mut self.rare.counters;
        counters.wait_max = counters.wait_max.max(wait);
        counters.wait_sum += i128::from(wait);
    }

    /// Takes the first packet if its last bit arrives at `now`; returns whether the wire lost it.
    #[inline(always)]
    pub fn arrive(&mut self, now: Time, packets: &Packets) -> Option<(PacketId, bool)> {
        if !self.is_up() || self.len == 0 || packets.transit(self.head).arrives != now {
            return None;
        }
        let (packet, Transit { bytes, .. }) = self.pop(packets.transits());
        let lost = self.loses() && self.rare.loss.as_mut().is_some_and(Loss::strikes);
        if lost {
            self.drop(Drop::Loss, bytes);
        } else {
            self.packets_out += 1;
            self.bytes_out += u64::from(bytes);
            if self.traits.has(Traits::FIRST_BIT) {
                self.rare.latest = (later(now, self.time_to_send(bytes)), bytes);
            }
        }
        Some((packet, lost))
    }

    /// Appends a packet that another part has sent; whether it is the first.
    pub fn bring(&mut self, packets: &mut Packets, packet: PacketId) -> bool {
        packets.transit_mut(packet).next = NO_PACKET;
        self.append(packets.split_mut().0, packet)
    }

    /// Appends a packet that is followed by none; whether it is the first.
    #[inline(always)]
    fn append(&mut self, transits: &mut [Transit], packet: PacketId) -> bool {
        let first = self.len == 0;
        if first {
            self.head = packet;
        } else {
            transits[self.tail.0 as usize].next = packet;
        }
        self.tail = packet;
        self.len += 1;
        first
    }

    /// Takes the first packet off the list.
    #[inline(always)]
    fn pop(&mut self, transits: &[Transit]) -> (PacketId, Transit) {
        let packet = self.head;
        let transit = transits[packet.0 as usize];
        self.head = transit.next;
        self.len -= 1;
        if self.waiting > self.len {
            // It was still counted as waiting.
            self.begin_next(&transits[self.first_waiting.0 as usize]);
        }
        (packet, transit)
    }

    /// The first packet on the link.
    #[inline]
    pub fn first(&self) -> Option<PacketId> {
        (self.len > 0).then_some(self.head)
    }

    /// Removes packets whose transmission has started from the count of waiting ones.
    #[inline]
    fn settle(&mut self, now: Time, packets: &Packets) {
        while self.is_up() && self.waiting > 0 && self.next_start <= now {
            self.begin_next(packets.transit(self.first_waiting));
        }
    }

    /// Removes the first waiting packet from the count.
    #[inline]
    fn begin_next(&mut self, begun: &Transit) {
        self.waiting -= 1;
        self.waiting_bytes -= u64::from(begun.bytes);
        self.next_start = self.end_of(begun);
        self.first_waiting = begun.next;
    }

    /// Which of a packet's two ends counts at the far end.
    #[inline]
    fn counted(&self, first: Time, last: Time) -> Time {
        if self.traits.has(Traits::FIRST_BIT) { first } else { last }
    }

    /// When the last bit of a packet on the link leaves, or left, the transmitter.
    #[inline]
    fn end_of(&self, transit: &Transit) -> Time {
        let counted = transit.arrives - self.delay;
        if self.traits.has(Traits::FIRST_BIT) {
            return later(counted, self.time_to_send(transit.bytes));
        }
        counted
    }

    /// The transmission time of a packet.
    #[inline]
    pub fn time_to_send(&self, bytes: u32) -> Span {
        self.timing.of(bytes, || self.rare.rate)
    }

    /// Counts a packet that a hybrid switch had to lose for this link.
    pub fn turn_away(&mut self, bytes: u32) {
        self.packets_in += 1;
        self.bytes_in += u64::from(bytes);
        self.refuse(Drop::Contention, bytes);
    }

    /// Rejects an offered packet.
    #[cold]
    fn refuse(&mut self, cause: Drop, bytes: u32) -> Drop {
        self.rare.counters.refused += 1;
        self.drop(cause, bytes);
        cause
    }

    #[cold]
    fn drop(&mut self, cause: Drop, bytes: u32) {
        let counters = &mut self.rare.counters;
        counters.bytes_dropped += u64::from(bytes);
        match cause {
            Drop::Full => counters.dropped_queue += 1,
            Drop::Early => counters.dropped_red += 1,
            Drop::Down => counters.dropped_down += 1,
            Drop::Loss => {
                counters.dropped_loss += 1;
                counters.bytes_lost += u64::from(bytes);
            }
            Drop::Contention => counters.dropped_contention += 1,
        }
    }

    /// When the last accepted packet will have left the transmitter.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Whether the link carries packets.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.traits.has(Traits::UP)
    }

    /// Whether its queue does more than drop-tail.
    #[inline]
    fn judges(&self) -> bool {
        self.traits.has(Traits::JUDGES)
    }

    /// Whether packets are lost on it.
    #[inline]
    fn loses(&self) -> bool {
        self.traits.has(Traits::LOSES)
    }

    /// The rate of the wire.
    pub fn rate(&self) -> Rate {
        self.rare.rate
    }
}

/// An instant later by a span, at most half the range of time: no run lasts that long, and a delay
/// can still be added.
#[inline]
fn later(time: Time, span: Span) -> Time {
    time.saturating_add(span).min(Time(1 << 63))
}

#[cfg(test)]
mod tests;
