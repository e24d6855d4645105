//! What is free of one channel, in order of time.

use units::{Span, Time};

/// A maximal interval [start, end) without a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Void {
    /// Where the reservation before it ends; zero where there is none.
    pub(super) start: Time,
    /// Where the reservation behind it starts; [`Time::NEVER`] where there is none.
    pub(super) end: Time,
}

/// The voids of one channel in order of time. The last one has no end.
///
/// Voids are kept rather than reservations: the last void that starts at or before an instant says
/// how long the channel is free from then on and where the reservation before it ends, and
/// reservations that touch each other take one entry less.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    /// Those before `head` are forgotten; they are removed when they are the larger part.
    voids: Vec<Void>,
    head: usize,
}

impl Timeline {
    /// Free for ever.
    pub(crate) fn new() -> Self {
        Self { voids: vec![Void { start: Time::ZERO, end: Time::NEVER }], head: 0 }
    }

    /// Where the reservation before [start, end) ends, if the whole of it is free.
    #[inline]
    pub(crate) fn gap(&self, start: Time, end: Time) -> Option<Time> {
        self.void_at(start).filter(|void| end <= void.end).map(|void| void.start)
    }

    /// Whether a reservation covers the instant.
    pub(super) fn is_busy(&self, at: Time) -> bool {
        self.void_at(at).is_none_or(|void| void.end <= at)
    }

    /// The first instant from `start` on at which `length` is free.
    pub(super) fn earliest(&self, start: Time, length: Span) -> Time {
        let live = &self.voids[self.head..];
        let first = live.partition_point(|void| void.start <= start).saturating_sub(1);
        let fits = |void: &&Void| start.max(void.start).saturating_add(length) <= void.end;
        let void = live[first..].iter().find(fits).expect("the last void has no end");
        start.max(void.start)
    }

    /// The last void that starts at or before `at`; nothing where no such one is remembered.
    #[inline]
    fn void_at(&self, at: Time) -> Option<Void> {
        let live = &self.voids[self.head..];
        let behind = live.partition_point(|void| void.start <= at);
        live.get(behind.wrapping_sub(1)).copied()
    }

    /// Reserves [start, end), which must be free and not empty. Gives the void in which it lies.
    pub(crate) fn book(&mut self, start: Time, end: Time) -> Void {
        let live = &self.voids[self.head..];
        let behind = live.partition_point(|void| void.start <= start);
        assert!(behind > 0, "the channel is reserved at {start:?}");
        let at = self.head + behind - 1;
        let void = self.voids[at];
        assert!(start < end && end <= void.end, "the channel is not free until {end:?}");
        match (void.start < start, end < void.end) {
            (true, true) => {
                self.voids[at].end = start;
                self.voids.insert(at + 1, Void { start: end, end: void.end });
            }
            (true, false) => self.voids[at].end = start,
            (false, true) => self.voids[at].start = end,
            (false, false) => {
                self.voids.remove(at);
            }
        }
        void
    }

    /// Forgets the voids that ended at or before `now`, and tells of each. A request from `now` on
    /// finds the channel as before: the void that contains `now` stays, and so does its start.
    pub(crate) fn forget(&mut self, now: Time, mut forgotten: impl FnMut(Void)) {
        while self.voids[self.head].end <= now {
            forgotten(self.voids[self.head]);
            self.head += 1;
        }
        if self.head * 2 > self.voids.len() {
            self.voids.drain(..self.head);
            self.head = 0;
        }
    }

    /// How many voids are remembered.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.voids.len() - self.head
    }
}
