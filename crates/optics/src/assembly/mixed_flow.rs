//! One queue for all flows between two edges, released by size or time.

use units::{Bytes, Time};

use super::{Cause, Release, Thresholds};

/// The burst that an assembly queue collects: its size and its time. Its packets are with whoever
/// calls.
///
/// Hybrid assembly: a burst leaves when it is full or when its time is up, whichever comes first.
/// The rules at the edges are those of the ns-2 extension of the paper's authors:
///
/// - A packet that would overflow the burst goes into the next one; the present burst leaves first.
/// - A burst of exactly the largest size leaves at once.
/// - The timer starts at the first packet.
///
/// Ours is the rule for ties: a burst collects during the half-open interval from its opening to
/// its deadline, so a packet that comes at the deadline finds the old burst released, whichever
/// event the caller handles first. A packet larger than the largest burst is a burst by itself.
#[derive(Debug, Clone)]
pub struct Assembly {
    thresholds: Thresholds,
    bytes: Bytes,
    packets: u32,
    opened: Time,
}

impl Assembly {
    /// An empty queue.
    pub fn new(thresholds: Thresholds) -> Self {
        Self { thresholds, bytes: Bytes::ZERO, packets: 0, opened: Time::ZERO }
    }

    /// A packet enters. After a release the state is that of the next burst: with `after` it is
    /// empty, with `before` alone it holds this packet.
    pub fn on_packet(&mut self, now: Time, bytes: u32) -> Release {
        let bytes = Bytes(u64::from(bytes));
        let before = self.leaves_before(now, bytes);
        if before.is_some() {
            self.empty();
        }
        if self.packets == 0 {
            self.opened = now;
        }
        self.packets += 1;
        self.bytes += bytes;
        let full = self.bytes >= self.thresholds.max_size;
        let after = full.then_some(Cause::Size);
        if full {
            self.empty();
        }
        Release { before, after }
    }

    fn leaves_before(&self, now: Time, bytes: Bytes) -> Option<Cause> {
        if self.deadline().is_some_and(|deadline| now >= deadline) {
            return Some(Cause::Timer);
        }
        let overflows = self.bytes + bytes > self.thresholds.max_size;
        (self.packets > 0 && overflows).then_some(Cause::Size)
    }

    fn empty(&mut self) {
        self.packets = 0;
        self.bytes = Bytes::ZERO;
    }

    /// When the present burst's time is up; nothing while the queue is empty.
    pub fn deadline(&self) -> Option<Time> {
        (self.packets > 0).then(|| self.opened.saturating_add(self.thresholds.timeout))
    }

    /// The caller's alarm rings. True when the burst's time is up: it leaves, and the queue is
    /// empty. False when the alarm was that of a burst that has left.
    pub fn on_deadline(&mut self, now: Time) -> bool {
        let due = self.deadline().is_some_and(|deadline| now >= deadline);
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

    /// When the first packet of the present burst came; of the last one while the queue is empty.
    pub fn opened(&self) -> Time {
        self.opened
    }
}
