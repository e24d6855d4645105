//! Read access to a link.

use units::{Bytes, Span, Time};

use super::{Link, LinkCounters, Traits, later};
use crate::packet::{PacketId, Packets, Transit};

/// When a packet is on a link: its first bit leaves, its last bit leaves, the far end acts on it.
#[derive(Debug, Clone, Copy)]
pub struct Passage {
    /// Its first bit leaves.
    pub start: Time,
    /// Its last bit leaves.
    pub end: Time,
    /// The far end acts on it.
    pub arrives: Time,
}

impl Passage {
    /// Unknown: the link is down.
    pub const UNKNOWN: Self = Self { start: Time::NEVER, end: Time::NEVER, arrives: Time::NEVER };
}

impl Link {
    /// Packets and bytes inside, waiting or on the wire.
    pub fn inside(&self, packets: &Packets) -> (u64, u64) {
        let bytes = self.those_inside(packets).map(|id| u64::from(packets.transit(id).bytes));
        let (len, ahead) = self.managed().map_or((0, 0), |queue| (queue.len(), queue.bytes()));
        let across = self.rare.across;
        (u64::from(self.len + len) + across.packets, bytes.sum::<u64>() + ahead + across.bytes)
    }

    /// Packets waiting at `now`.
    pub fn waiting(&self, now: Time, packets: &Packets) -> u32 {
        if let Some(managed) = self.managed() {
            return managed.len();
        }
        let (mut waiting, mut start, mut id) = (self.waiting, self.next_start, self.first_waiting);
        while self.is_up() && waiting > 0 && start <= now {
            start = self.end_of(packets.transit(id));
            id = packets.transit(id).next;
            waiting -= 1;
        }
        waiting
    }

    /// How full its queue is at `now`, in what its limit is in: packets or bytes that wait.
    pub fn filling(&mut self, now: Time, packets: &Packets) -> u64 {
        self.settle(now, packets);
        let (waiting, bytes) =
            self.managed().map_or((self.waiting, self.waiting_bytes), |m| (m.len(), m.bytes()));
        if self.traits.has(Traits::LIMITS_BYTES) { bytes } else { u64::from(waiting) }
    }

    /// Packets offered to its queue, and those of them that the queue dropped.
    #[inline]
    pub fn offered_and_dropped(&self) -> (u64, u64) {
        let counters = &self.rare.counters;
        (self.packets_in, counters.dropped_queue + counters.dropped_red)
    }

    /// From now on what its queue and its wire decide by chance is drawn anew.
    pub fn branch(&mut self, key: u64) {
        if let Some(loss) = &mut self.rare.loss {
            loss.branch(key);
        }
        self.rare.discipline.branch(key);
    }

    /// The packets inside, waiting or on the wire; not those in front of the link, which may be dropped there.
    pub fn those_inside(&self, packets: &Packets) -> impl Iterator<Item = PacketId> {
        let ids = std::iter::successors(self.first(), |&id| Some(packets.transit(id).next));
        ids.take(self.len as usize)
    }

    /// When a packet inside is on the wire, unless the rate has changed since its transmission
    /// started.
    pub fn passage(&self, transit: &Transit) -> Passage {
        let (arrives, length) = (transit.arrives, self.time_to_send(transit.bytes));
        let counted = arrives - self.delay;
        if self.traits.has(Traits::FIRST_BIT) {
            return Passage { start: counted, end: later(counted, length), arrives };
        }
        Passage { start: Time(counted.0.saturating_sub(length.0)), end: counted, arrives }
    }

    /// Packets that its queue has accepted.
    pub(super) fn accepted(&self) -> u64 {
        self.packets_in - self.rare.counters.refused
    }

    /// Measuring begins.
    pub fn begin_measuring(&mut self) {
        self.rare.accepted_before = self.accepted();
    }

    /// Its counters at `now`.
    pub fn counters(&self, now: Time, packets: &Packets) -> LinkCounters {
        // The sum of waits is that of the accepted packets; the part still to come has not been
        // spent in the queue.
        let (mut start, mut id, mut ahead) = (self.next_start, self.first_waiting, 0);
        for _ in 0..self.waiting {
            if !self.is_up() || start > now {
                ahead += i128::from(start.0) - i128::from(now.0);
            }
            start = self.end_of(packets.transit(id));
            id = packets.transit(id).next;
        }
        let (passes, latest) = self.rare.latest;
        let is_passing = passes > now;
        // In front of the link what has been spent is known alone.
        let (spent, longest) = self.managed().map_or((0, 0), |queue| queue.waits(now, packets));
        LinkCounters {
            packets_in: self.packets_in,
            bytes_in: self.bytes_in,
            packets_out: self.packets_out,
            bytes_out: self.bytes_out,
            passing: i64::from(is_passing),
            passing_bytes: if is_passing { i64::from(latest) } else { 0 },
            busy: (self.free_at.min(now).0).saturating_sub(self.idle.0) + self.rare.counters.busy,
            queue_time: self.rare.counters.wait_sum - ahead + spent,
            waited: match self.managed() {
                Some(_) => self.rare.counters.waited,
                None => self.accepted(),
            },
            wait_max: self.rare.counters.wait_max.max(longest),
            // How long they will wait is not known while the link is down.
            waits_moved: self.rare.counters.waits_moved || !self.is_up() && self.waiting > 0,
            ..self.rare.counters
        }
    }

    /// The time that a bit needs to the far end.
    pub fn delay(&self) -> Span {
        self.delay
    }

    /// How long a packet that is queued at `now` will wait, by the current state.
    #[inline]
    pub fn wait_ahead(&self, now: Time) -> Span {
        self.free_at.since(now)
    }

    /// How long a packet with data or without waits in its queue that is full of packets of so many bytes; none if the
    /// queue has no limit, or keeps waits short itself.
    pub fn full_queue(&self, has_data: bool, bytes: u32) -> Option<Span> {
        let goes_first = match self.managed() {
            Some(managed) => managed.goes_first(has_data)?,
            None => false,
        };
        let limit = if goes_first { 0 } else { self.limit };
        let waiting = if self.traits.has(Traits::LIMITS_BYTES) {
            self.rare.rate.time_to_send(Bytes(limit))
        } else {
            Span(limit.saturating_mul(self.time_to_send(bytes).0))
        };
        (self.limit != u64::from(u32::MAX)).then_some(waiting)
    }

    /// Packets that reached the far end.
    pub fn packets_out(&self) -> u64 {
        self.packets_out
    }
}
