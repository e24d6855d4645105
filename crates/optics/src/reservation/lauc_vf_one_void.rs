//! Latest available unused channel with void filling, one void per channel.

use units::{Span, Time};

use super::latest;
use super::timeline::Void;

/// LAUC-VF as in the ns-2 extension of the paper's authors: a channel remembers the end of its last
/// reservation and one void.
///
/// A reservation that leaves a gap behind the last one makes that gap the void, and the void before
/// is forgotten. A reservation in the void leaves the part behind it; the part before it is
/// forgotten. A reservation that touches the last one leaves the void as it is. The choice is that
/// of LAUC-VF among what is remembered.
#[derive(Debug, Clone)]
pub(super) struct LaucVfOneVoid {
    channels: Vec<Memory>,
}

/// What is remembered of a channel.
#[derive(Debug, Clone, Copy)]
struct Memory {
    horizon: Time,
    void: Void,
}

impl Memory {
    /// Where the reservation before [start, end) ends, if the channel takes it.
    fn gap(&self, start: Time, end: Time) -> Option<Time> {
        if self.horizon <= start {
            return Some(self.horizon);
        }
        (self.void.start <= start && end <= self.void.end).then_some(self.void.start)
    }

    fn earliest(&self, start: Time, length: Span) -> Time {
        let in_void = start.max(self.void.start);
        if in_void.saturating_add(length) <= self.void.end {
            in_void
        } else {
            start.max(self.horizon)
        }
    }

    fn book(&mut self, start: Time, end: Time) {
        if start >= self.horizon {
            if start > self.horizon {
                self.void = Void { start: self.horizon, end: start };
            }
            self.horizon = end;
        } else if self.void.start <= start && end <= self.void.end {
            self.void.start = end;
        }
    }
}

impl LaucVfOneVoid {
    pub(super) fn new(channels: u32) -> Self {
        let void = Void { start: Time::ZERO, end: Time::ZERO };
        Self { channels: vec![Memory { horizon: Time::ZERO, void }; channels as usize] }
    }

    /// The channel for [start, end).
    pub(super) fn find(&self, start: Time, end: Time) -> Option<u16> {
        latest(self.channels.iter().map(|memory| memory.gap(start, end)))
    }

    /// Whether the channel takes [start, end).
    pub(super) fn takes(&self, channel: u16, start: Time, end: Time) -> bool {
        self.channels[usize::from(channel)].gap(start, end).is_some()
    }

    /// The first instant from `start` on at which a channel takes `length`.
    pub(super) fn earliest(&self, start: Time, length: Span) -> Time {
        let instants = self.channels.iter().map(|memory| memory.earliest(start, length));
        instants.min().unwrap_or(start)
    }

    /// A reservation of [start, end).
    pub(super) fn book(&mut self, channel: u16, start: Time, end: Time) {
        self.channels[usize::from(channel)].book(start, end);
    }
}
