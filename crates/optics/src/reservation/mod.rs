//! Reservation of the data channels of a link.
//!
//! A header reserves a channel for exactly the time its burst takes, [start, start + length), ahead
//! of time (delayed reservation, JET). A gap between reservations is a void. A policy decides which
//! channel a burst gets; each has its own file.

mod first_fit;
mod index;
mod lauc;
mod lauc_vf;
mod lauc_vf_one_void;
mod timeline;

use units::{Span, Time};

pub(crate) use timeline::Timeline;

use crate::Scheduling;
use lauc::Lauc;
use lauc_vf::LaucVf;
use lauc_vf_one_void::LaucVfOneVoid;

/// The data channels of one link under one policy.
///
/// Intervals are half-open: a burst that starts where another ends finds the channel free. Requests
/// come in any order of their starts, but none starts before the instant up to which reservations
/// were last [forgotten](Self::forget). A zero length counts as a picosecond.
#[derive(Debug, Clone)]
pub struct Channels {
    timelines: Vec<Timeline>,
    policy: Policy,
    now: Time,
}

/// A policy with what it remembers beside the voids of the channels.
#[derive(Debug, Clone)]
enum Policy {
    LaucVf(LaucVf),
    LaucVfOneVoid(LaucVfOneVoid),
    Lauc(Lauc),
    FirstFit,
}

/// The channels that a burst may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Candidates {
    /// All of the link.
    Any,
    /// This one alone. A link need not have it: then nothing is found.
    Only(u16),
}

impl Channels {
    /// `channels` channels, 1 to 1024, free for ever.
    pub fn new(scheduling: Scheduling, channels: u32) -> Self {
        assert!((1..=1024).contains(&channels), "a link has 1 to 1024 data channels");
        let policy = match scheduling {
            Scheduling::LaucVf => Policy::LaucVf(LaucVf::new(channels)),
            Scheduling::LaucVfOneVoid => Policy::LaucVfOneVoid(LaucVfOneVoid::new(channels)),
            Scheduling::Lauc => Policy::Lauc(Lauc::new(channels)),
            Scheduling::FirstFit => Policy::FirstFit,
        };
        let timelines = vec![Timeline::new(); channels as usize];
        Self { timelines, policy, now: Time::ZERO }
    }

    /// The number of channels.
    pub fn count(&self) -> u32 {
        u32::try_from(self.timelines.len()).expect("at most 1024 channels")
    }

    /// The channel for [start, start + length) among the candidates; books nothing.
    #[inline]
    pub fn find(&self, candidates: Candidates, start: Time, length: Span) -> Option<u16> {
        debug_assert!(start >= self.now, "a request for the past");
        let end = end_of(start, length);
        match candidates {
            Candidates::Any => match &self.policy {
                Policy::LaucVf(policy) => policy.find(start, end),
                Policy::LaucVfOneVoid(policy) => policy.find(start, end),
                Policy::Lauc(policy) => policy.find(start),
                Policy::FirstFit => first_fit::find(&self.timelines, start, end),
            },
            Candidates::Only(channel) => self.takes(channel, start, end).then_some(channel),
        }
    }

    /// How many channels take [start, start + length).
    pub fn free(&self, start: Time, length: Span) -> u32 {
        let end = end_of(start, length);
        let takes = |(channel, _)| u32::from(self.takes(channel, start, end));
        (0_u16..).zip(&self.timelines).map(takes).sum()
    }

    fn takes(&self, channel: u16, start: Time, end: Time) -> bool {
        let Some(timeline) = self.timelines.get(usize::from(channel)) else {
            return false;
        };
        match &self.policy {
            Policy::LaucVf(_) | Policy::FirstFit => timeline.gap(start, end).is_some(),
            Policy::LaucVfOneVoid(policy) => policy.takes(channel, start, end),
            Policy::Lauc(policy) => policy.takes(channel, start),
        }
    }

    /// Reserves [start, start + length) of a channel, which must be free.
    #[inline]
    pub fn book(&mut self, channel: u16, start: Time, length: Span) {
        let end = end_of(start, length);
        let timeline = &mut self.timelines[usize::from(channel)];
        match &mut self.policy {
            Policy::LaucVf(policy) => {
                policy.book((channel, timeline), (start, end), self.now);
                return;
            }
            Policy::LaucVfOneVoid(policy) => policy.book(channel, start, end),
            Policy::Lauc(policy) => policy.book(channel, end),
            Policy::FirstFit => {}
        }
        timeline.forget(self.now, |_| ());
        timeline.book(start, end);
    }

    /// Reservations that ended at or before `now` need not be remembered: no later request starts
    /// before `now`. No decision changes by it.
    ///
    /// Only the instant is noted. A channel forgets when it is booked the next time, so what is
    /// forgotten costs no more than what was booked.
    pub fn forget(&mut self, now: Time) {
        self.now = self.now.max(now);
    }

    /// The first instant from `start` on at which [`find`](Self::find) finds a channel among all,
    /// for an edge that lets its bursts wait.
    pub fn earliest(&self, start: Time, length: Span) -> Time {
        let length = length.max(SHORTEST);
        match &self.policy {
            Policy::LaucVfOneVoid(policy) => policy.earliest(start, length),
            Policy::Lauc(policy) => policy.earliest(start),
            Policy::LaucVf(_) | Policy::FirstFit => {
                let instants = self.timelines.iter().map(|line| line.earliest(start, length));
                instants.min().unwrap_or(start)
            }
        }
    }

    /// The channels with a reservation that covers the instant, which is not before that up to
    /// which reservations were forgotten.
    pub fn busy(&self, at: Time) -> u32 {
        let busy = self.timelines.iter().filter(|timeline| timeline.is_busy(at));
        u32::try_from(busy.count()).expect("at most 1024 channels")
    }
}

/// The shortest reservation.
const SHORTEST: Span = Span::from_ps(1);

/// Where a reservation ends.
#[inline]
pub(crate) fn end_of(start: Time, length: Span) -> Time {
    start.saturating_add(length.max(SHORTEST))
}

/// The channel with the latest instant among those that have one, the lowest number among equal
/// ones.
fn latest(gaps: impl Iterator<Item = Option<Time>>) -> Option<u16> {
    let mut best = None;
    for (channel, gap) in (0_u16..).zip(gaps) {
        if let Some(gap) = gap
            && best.is_none_or(|(_, latest)| gap > latest)
        {
            best = Some((channel, gap));
        }
    }
    best.map(|(channel, _)| channel)
}
