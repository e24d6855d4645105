//! Latest available unused channel with void filling.

use units::Time;

use super::index::Index;
use super::timeline::Timeline;

/// LAUC-VF: among the channels that are free for the whole interval, the one whose previous
/// reservation ends latest, the lowest number among equal ones.
///
/// Source: Y. Xiong, M. Vandenhoude, H. C. Cankaya, "Control architecture in optical burst-switched
/// WDM networks", IEEE JSAC 18(10), 2000. All voids are searched, those between reservations and
/// those behind the last one. A channel that was never reserved counts as if a reservation had
/// ended at time zero (the paper leaves this open).
#[derive(Debug, Clone)]
pub(super) struct LaucVf {
    voids: Index,
}

impl LaucVf {
    pub(super) fn new(channels: u32) -> Self {
        Self { voids: Index::new(channels) }
    }

    /// The channel for [start, end).
    #[inline]
    pub(super) fn find(&self, start: Time, end: Time) -> Option<u16> {
        self.voids.find(start, end)
    }

    /// Books, and keeps the index in step with what the channel remembers.
    pub(super) fn book(&mut self, on: (u16, &mut Timeline), span: (Time, Time), now: Time) {
        let (channel, timeline) = on;
        let (start, end) = span;
        timeline.forget(now, |void| self.voids.remove(channel, void));
        let void = timeline.book(start, end);
        self.voids.split(channel, void, start, end);
    }
}

#[cfg(test)]
mod tests {
    use units::Span;

    use super::*;

    /// A thousand bursts one after the other leave nothing behind.
    #[test]
    fn what_is_over_is_forgotten() {
        let mut policy = LaucVf::new(1);
        let mut timeline = Timeline::new();
        for burst in 0..1_000_u64 {
            let start = Time(burst * 10);
            policy.book((0, &mut timeline), (start, start + Span(5)), start);
            assert!(timeline.remembered() <= 2);
            assert_eq!(policy.voids.len(), timeline.remembered());
        }
    }
}
