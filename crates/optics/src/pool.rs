//! A pool of identical devices of a node: converters, delay lines.

use units::Time;

use crate::reservation::Timeline;

/// Up to `limit` alike things, each held for reserved intervals.
///
/// The thing with the lowest number that is free for the whole interval is taken. Things exist from
/// their first use on, so a large limit costs nothing.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    used: Vec<Timeline>,
    limit: u32,
    now: Time,
}

impl Pool {
    pub(crate) fn new(limit: u32) -> Self {
        Self { used: Vec::new(), limit, now: Time::ZERO }
    }

    /// A thing that is free for the whole of [start, end): its place.
    pub(crate) fn find(&self, start: Time, end: Time) -> Option<usize> {
        let free = self.used.iter().position(|thing| thing.gap(start, end).is_some());
        let fresh = || (self.used.len() < self.limit as usize).then_some(self.used.len());
        free.or_else(fresh)
    }

    /// Holds the thing at `place`, which [`find`](Self::find) gave, during [start, end).
    pub(crate) fn hold(&mut self, place: usize, start: Time, end: Time) {
        if place == self.used.len() {
            self.used.push(Timeline::new());
        }
        let thing = &mut self.used[place];
        thing.forget(self.now, |_| ());
        thing.book(start, end);
    }

    /// No later interval starts before `now`.
    pub(crate) fn forget(&mut self, now: Time) {
        self.now = self.now.max(now);
    }
}
