//! One way of a link with the output queue in front of it.
//!
//! A link is store-and-forward: what it carries arrives with its **last** bit, except at a hybrid
//! switch, which acts on the **first**. The instant of
//! arrival is known when a packet is queued, `free_at` + transmission + propagation (without the
//! transmission where the first bit counts), so a hop costs
//! one event. All packets of a link, waiting or on the wire, stand in one list in the order of
//! their arrival; the agenda knows only the first of them, under the order that was reserved when
//! it was sent, so that ties fall as if every packet were in the agenda.
//!
//! Ties: intervals are half-open, so a packet that comes at the instant the wire becomes free finds
//! it free, and the place of the packet that begins at that instant is free too.

mod build;
mod changes;
mod counters;
mod loss;
mod observe;
mod red;
mod timing;

pub use counters::LinkCounters;
use kernel::{Order, prefetch};
pub use loss::Loss;
pub use observe::Passage;
pub use red::{Red, Verdict};
use timing::Timing;
use units::{NodeId, Rate, Span, Time};

use crate::packet::{Marks, NO_PACKET, PacketId, Packets, Transit};

/// What a link does beyond dropping at the tail.
#[derive(Debug)]
enum Discipline {
    DropTail,
    /// Mark above this many waiting packets.
    Threshold(u32),
    Red(Box<Red>),
}

/// Why a packet was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drop {
    /// The queue was full.
    Full,
    /// RED dropped it early.
    Early,
    /// It was lost on the wire.
    Loss,
    /// The link was down.
    Down,
    /// It was busy, and a hybrid switch could not store the packet.
    Contention,
}

/// What became of a packet offered to a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// It is in; `first` says that it stands alone and the agenda must learn of it.
    In {
        /// The first on the link.
        first: bool,
    },
    /// It is out, and why.
    Dropped(Drop),
}

/// One way of a link: two cache lines that every packet touches, and the rest.
#[derive(Debug)]
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
    packets_out: u64,
    bytes_out: u64,
    packets_in: u64,
    bytes_in: u64,
    waiting_bytes: u64,
    up: bool,
    traits: Traits,
    /// Whether the queue does more than drop at the tail.
    judges: bool,
    loses: bool,
    /// Packets that wait, the last so many of the list, or a few that no longer do.
    waiting: u32,
    // Read and written when a packet is offered.
    /// When the last packet queued will have left the transmitter.
    free_at: Time,
    /// The start of the first packet of the account, if there is one.
    next_start: Time,
    /// How long packets last.
    timing: Timing,
    /// The first waiting packet, if one waits.
    first_waiting: PacketId,
    limit: u64,
    /// How long the transmitter was idle before `free_at`.
    idle: Span,
    rare: Box<Rare>,
}

const _: () = assert!(size_of::<Link>() == 128);

/// What a link is, in bits.
#[derive(Debug, Clone, Copy)]
struct Traits(u8);

impl Traits {
    /// Its queue's limit counts bytes.
    const LIMITS_BYTES: u8 = 1;
    /// A packet arrives with its first bit.
    const FIRST_BIT: u8 = 2;
    /// Nothing hangs on when what arrives is looked at.
    const QUIET: u8 = 4;

    #[inline]
    fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// What few packets touch.
#[derive(Debug)]
struct Rare {
    rate: Rate,
    discipline: Discipline,
    loss: Option<Loss>,
    counters: LinkCounters,
}

impl Link {
    /// Says that an arrival is near: both of its cache lines will be needed.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.head);
        prefetch(&self.free_at);
    }

    /// Offers a packet at `now` under a reserved place in the agenda.
    #[inline]
    pub fn offer(
        &mut self,
        now: Time,
        packets: &mut Packets,
        packet: PacketId,
        order: Order,
    ) -> Offered {
        let transit = packets.transit(packet);
        let (bytes, capable) = (transit.bytes, transit.marks.has(Marks::ECN_CAPABLE));
        self.packets_in += 1;
        self.bytes_in += u64::from(bytes);
        if !self.up {
            return self.refuse(Drop::Down, bytes);
        }
        let waits = self.free_at > now;
        // The account is an upper bound: it is settled only where the bound is too coarse.
        if waits && (self.judges || self.is_full(bytes)) {
            self.settle(now, packets);
        } else if !waits {
            self.waiting = 0;
            self.waiting_bytes = 0;
        }
        let mut mark = false;
        if self.judges {
            match self.judge(now, bytes, capable) {
                Verdict::Enqueue => {}
                Verdict::Notify => mark = true,
                Verdict::Drop => return self.refuse(Drop::Early, bytes),
            }
        }
        if waits {
            if self.is_full(bytes) {
                return self.refuse(Drop::Full, bytes);
            }
            self.wait(now, packet, bytes);
        } else {
            self.idle += now - self.free_at;
            self.free_at = now;
        }
        if mark {
            self.rare.counters.marked += 1;
        }
        let start = self.free_at;
        self.free_at = later(start, self.time_to_send(bytes));
        let transit = packets.transit_mut(packet);
        transit.arrives = self.counted(start, self.free_at) + self.delay;
        transit.order = order;
        transit.next = NO_PACKET;
        if mark {
            transit.marks.0 |= Marks::CONGESTION_EXPERIENCED;
        }
        let first = self.len == 0;
        if first {
            self.head = packet;
        } else {
            packets.transit_mut(self.tail).next = packet;
        }
        self.tail = packet;
        self.len += 1;
        Offered::In { first: first && !self.is_quiet() }
    }

    /// Whether nothing hangs on when what arrives is looked at: the agenda knows nothing of this link.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.traits.has(Traits::QUIET)
    }

    /// Whether the queue has no room for so many bytes, by its account.
    #[inline]
    fn is_full(&self, bytes: u32) -> bool {
        if self.traits.has(Traits::LIMITS_BYTES) {
            self.waiting_bytes + u64::from(bytes) > self.limit
        } else {
            u64::from(self.waiting) >= self.limit
        }
    }

    /// Whether so much may come before the queue drops anything. Only one that drops at the tail knows.
    #[inline]
    pub fn has_room(&self, bytes: u64, packets: u64) -> bool {
        self.has_room_beside((self.waiting_bytes, self.waiting), (bytes, packets))
    }

    /// Whether there is room for what comes, in bytes and packets, beside what waits.
    #[inline]
    fn has_room_beside(&self, waiting: (u64, u32), coming: (u64, u64)) -> bool {
        let (waiting, coming) = if self.traits.has(Traits::LIMITS_BYTES) {
            (waiting.0, coming.0)
        } else {
            (u64::from(waiting.1), coming.1)
        };
        !self.judges && waiting + coming <= self.limit
    }

    /// The same of a quiet link once those that have arrived are out of the account of those that wait: on
    /// other links their arrival takes them out, which here is looked at late.
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

    /// Takes those that have arrived over a quiet link out of the account of those that wait, before that
    /// may be too coarse for one more packet.
    pub fn forget_arrived(&mut self, now: Time, bytes: u32, all: &Packets) {
        if self.is_full(bytes) {
            while self.waiting > 0 && all.transit(self.first_waiting).arrives <= now {
                self.begin_next(all);
            }
        }
    }

    /// Puts a packet into the account of those that wait.
    #[inline]
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

    /// Takes the first packet if its last bit arrives at `now`; says whether the wire lost it.
    #[inline(always)]
    pub fn arrive(&mut self, now: Time, packets: &Packets) -> Option<(PacketId, bool)> {
        if !self.up || self.len == 0 || packets.transit(self.head).arrives != now {
            return None;
        }
        let (packet, bytes) = self.pop(packets);
        let lost = self.loses && self.rare.loss.as_mut().is_some_and(Loss::strikes);
        if lost {
            self.drop(Drop::Loss, bytes);
        } else {
            self.packets_out += 1;
            self.bytes_out += u64::from(bytes);
        }
        Some((packet, lost))
    }

    /// Takes the first packet off the list.
    #[inline(always)]
    fn pop(&mut self, packets: &Packets) -> (PacketId, u32) {
        let packet = self.head;
        let transit = packets.transit(packet);
        self.head = transit.next;
        self.len -= 1;
        if self.waiting > self.len {
            // It was still in the account of those that wait.
            self.begin_next(packets);
        }
        (packet, transit.bytes)
    }

    /// The first packet on the link.
    #[inline]
    pub fn first(&self) -> Option<PacketId> {
        (self.len > 0).then_some(self.head)
    }

    /// Moves packets whose transmission has begun out of the account of those that wait.
    #[inline]
    fn settle(&mut self, now: Time, packets: &Packets) {
        while self.up && self.waiting > 0 && self.next_start <= now {
            self.begin_next(packets);
        }
    }

    /// Moves the first waiting packet out of the account.
    #[inline]
    fn begin_next(&mut self, packets: &Packets) {
        let begun = packets.transit(self.first_waiting);
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

    /// How long a packet lasts on the wire.
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

    /// Turns a packet away that was offered.
    #[cold]
    fn refuse(&mut self, cause: Drop, bytes: u32) -> Offered {
        self.rare.counters.refused += 1;
        self.drop(cause, bytes);
        Offered::Dropped(cause)
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

    /// What the discipline wants done with a packet.
    fn judge(&mut self, now: Time, bytes: u32, capable: bool) -> Verdict {
        let (waiting, free_at) = (self.waiting, self.free_at);
        let typical = self.time_to_send(bytes);
        match &mut self.rare.discipline {
            Discipline::Threshold(above) if capable && waiting > *above => Verdict::Notify,
            Discipline::DropTail | Discipline::Threshold(_) => Verdict::Enqueue,
            Discipline::Red(red) => match red.judge(now, waiting, free_at, typical) {
                Verdict::Notify if !capable => Verdict::Drop,
                verdict => verdict,
            },
        }
    }

    /// When the last packet taken in will have left the transmitter.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Whether the link carries packets.
    pub fn is_up(&self) -> bool {
        self.up
    }

    /// The rate of the wire.
    pub fn rate(&self) -> Rate {
        self.rare.rate
    }
}

/// An instant later by a span, at most half the range of time: no run comes that far, and a delay
/// may still be added.
#[inline]
fn later(time: Time, span: Span) -> Time {
    time.saturating_add(span).min(Time(1 << 63))
}

#[cfg(test)]
mod tests;
