//! When a run ends, and how a stalled run is distinguished from a slow one.

use units::Time;

/// Limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// No event after this time is executed.
    pub end: Time,
    /// No more events than this.
    pub events: u64,
    /// Events at one instant after which the run counts as stalled.
    pub events_at_one_instant: u64,
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The end time is reached, no events are pending, or the condition that ends the run is met.
    End,
    /// A part of the run cannot go on.
    Failed,
    /// The event budget is used up.
    Budget,
    /// The clock no longer advances: events at one instant cause further events at the same
    /// instant.
    Stalled,
}

/// Counts events against [`Limits`].
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// Events so far.
    pub events: u64,
    instant: Time,
    at_instant: u64,
}

impl Default for Watch {
    fn default() -> Self {
        Self { events: 0, instant: Time::ZERO, at_instant: 0 }
    }
}

impl Watch {
    /// Checks a slice of a run: `events` more were executed and the clock stands at `now`.
    ///
    /// Called once per slice, not once per event: if the first and last instant of a slice are
    /// equal, all of its events were at that instant.
    pub fn after_slice(&mut self, events: u64, now: Time, limits: &Limits) -> Option<Stop> {
        self.events += events;
        if now == self.instant {
            self.at_instant += events;
        } else {
            self.instant = now;
            self.at_instant = 0;
        }
        if self.at_instant >= limits.events_at_one_instant {
            return Some(Stop::Stalled);
        }
        (self.events >= limits.events).then_some(Stop::Budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { end: Time(100), events: 50, events_at_one_instant: 20 };

    #[test]
    fn a_clock_that_does_not_move_is_a_stall() {
        let mut watch = Watch::default();
        assert_eq!(watch.after_slice(10, Time(3), &LIMITS), None);
        assert_eq!(watch.after_slice(10, Time(3), &LIMITS), None);
        assert_eq!(watch.after_slice(10, Time(3), &LIMITS), Some(Stop::Stalled));
    }

    #[test]
    fn the_budget_ends_a_run() {
        let mut watch = Watch::default();
        assert_eq!(watch.after_slice(30, Time(3), &LIMITS), None);
        assert_eq!(watch.after_slice(30, Time(4), &LIMITS), Some(Stop::Budget));
    }
}
