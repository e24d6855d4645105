//! The burst that one assembly queue collects, released by size or time.

use units::{Bytes, Span, Time};

use super::{Cause, Thresholds};
use crate::spec::{Overflow, Timer};

/// The resolution of the clock: a burst leaves this long after its deadline.
const GRAIN: Span = Span::from_ps(1);

/// The burst that an assembly queue collects: its size and its time. The caller keeps its packets.
///
/// Hybrid assembly: a burst leaves when it is full or when its timer expires, whichever is first.
/// The rules for boundary cases are those of the ns-2 extension of the authors of the paper `obs`:
///
/// - A packet that would overflow the burst goes into the next one; the present burst leaves first.
/// - A burst of exactly the largest size leaves at once.
/// - The timer starts at the first packet, or where the [policy](super::Policy) says.
///
/// The paper `ops` differs in two of them, which the [`Thresholds`] can select:
///
/// - A packet that overflows the burst is in, and the burst leaves at once with it.
/// - The timer runs on. Intervals of the timeout's length follow each other, from where the policy
///   says and anew from each burst that leaves by its size: after the start s the first is
///   [s, s + Δ], the others are (s + kΔ, s + (k + 1)Δ]. A burst collects to the end of the interval
///   in which its first packet comes. The interval is found when that packet comes, so that those
///   without packets cost nothing.
///
/// At a tie the packet is included: a burst collects packets up to and including its deadline, and
/// leaves one picosecond later, at its [alarm](Self::alarm). A packet that arrives at the alarm's
/// instant finds the old burst released, whichever event the caller handles first. A packet larger
/// than the maximum size is a separate burst.
#[derive(Debug, Clone)]
pub struct Assembly {
    thresholds: Thresholds,
    bytes: Bytes,
    packets: u32,
    /// From when the present burst collects. While the queue is empty and the timer runs on, the
    /// start of an earlier interval, from which all later ones follow.
    opened: Time,
}

impl Assembly {
    /// An empty queue.
    pub fn new(thresholds: Thresholds) -> Self {
        Self { thresholds, bytes: Bytes::ZERO, packets: 0, opened: Time::ZERO }
    }

    /// A packet is about to enter: why the burst that is there must leave without it, if it must.
    /// The queue is empty then.
    #[inline]
    pub fn make_room(&mut self, now: Time, bytes: u32) -> Option<Cause> {
        if self.packets == 0 {
            return None;
        }
        let over = self.bytes + Bytes(u64::from(bytes));
        if now > self.ends() {
            self.empty();
            Some(Cause::Timer)
        } else if self.thresholds.max_size.is_some_and(|max| over > max)
            && self.thresholds.overflow == Overflow::NextBurst
        {
            self.leave_by_size(now);
            Some(Cause::Size)
        } else {
            None
        }
    }

    /// A packet enters, [room](Self::make_room) having been made. A cause when it fills the
    /// burst: the burst leaves with the packet in it, and the queue is empty. `since` is
    /// what the [place](super::Place) says.
    #[inline]
    pub fn on_packet(&mut self, now: Time, since: Time, bytes: u32) -> Option<Cause> {
        debug_assert!(since <= now && self.deadline().is_none_or(|deadline| now <= deadline));
        if self.packets == 0 {
            self.opened = match self.thresholds.timer {
                Timer::FirstPacket => since,
                Timer::Interval => self.interval(now, since),
            };
        }
        self.packets += 1;
        self.bytes += Bytes(u64::from(bytes));
        let full = self.thresholds.max_size.is_some_and(|max| self.bytes >= max);
        if full {
            self.leave_by_size(now);
        }
        full.then_some(Cause::Size)
    }

    /// The start of the interval in which an instant is.
    fn interval(&self, now: Time, since: Time) -> Time {
        // What happened in this queue before `since` was another flow's.
        let start = self.opened.max(since);
        // The end of an interval is in it, hence the grain.
        let passed = (now - start).saturating_sub(GRAIN).0 / self.thresholds.timeout.0;
        start + self.thresholds.timeout * passed
    }

    fn leave_by_size(&mut self, now: Time) {
        self.empty();
        if self.thresholds.timer == Timer::Interval {
            self.opened = now;
        }
    }

    fn empty(&mut self) {
        self.packets = 0;
        self.bytes = Bytes::ZERO;
    }

    fn ends(&self) -> Time {
        self.opened.saturating_add(self.thresholds.timeout)
    }

    /// The last instant at which the present burst collects; nothing while the queue is empty.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        (self.packets > 0).then(|| self.ends())
    }

    /// When the present burst leaves, a picosecond after its deadline: what the caller's alarm is
    /// set to. Nothing while the queue is empty.
    #[inline]
    pub fn alarm(&self) -> Option<Time> {
        self.deadline().map(|deadline| deadline.saturating_add(GRAIN))
    }

    /// The caller's alarm rings. True when the burst's time is up: it leaves, and the queue is
    /// empty. False when the alarm was that of a burst that has left.
    pub fn on_deadline(&mut self, now: Time) -> bool {
        let due = self.deadline().is_some_and(|deadline| now > deadline);
        if due {
            self.empty();
        }
        due
    }

    /// The size of the present burst.
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// The packets in the present burst.
    pub fn packets(&self) -> u32 {
        self.packets
    }

    /// From when the present burst collects; while the queue is empty, from when the last one did,
    /// or the instant at which it left by its size if the timer runs on.
    pub fn opened(&self) -> Time {
        self.opened
    }
}
