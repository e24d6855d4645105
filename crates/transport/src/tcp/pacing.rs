//! Segments spread over the round-trip time.
//!
//! The rate is cwnd/SRTT times a gain, which the window rule says. Before the first measurement nothing is
//! held back, as the rate is not known. A rule that models the path says the rate itself, and how many octets
//! leave back to back (its quantum).

use units::{Span, Time};

/// When the next segment may leave.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    next: Time,
    waits: bool,
    /// Octets that may still leave back to back.
    burst: u64,
}

impl Pacer {
    pub(crate) fn new() -> Self {
        Self { next: Time::ZERO, waits: false, burst: 0 }
    }

    /// Whether a segment must wait at `now`; if so the pacer has a deadline.
    pub(crate) fn holds(&mut self, now: Time) -> bool {
        self.waits = now < self.next && self.burst == 0;
        self.waits
    }

    /// When a segment that was held may leave, [`Time::NEVER`] if none was.
    pub(crate) fn deadline(&self) -> Time {
        if self.waits { self.next } else { Time::NEVER }
    }

    /// The deadline has come.
    pub(crate) fn release(&mut self, now: Time) {
        if now >= self.next {
            self.waits = false;
        }
    }

    /// A segment of `octets` left at `now`.
    pub(crate) fn on_sent(&mut self, now: Time, octets: u64, pace: &Pace) {
        let share = octets as f64 / (pace.cwnd.max(1) as f64 * pace.gain);
        self.next = self.next.max(now).saturating_add(pace.srtt.scaled(share));
    }

    /// A segment of `octets` left at `now`, at so many octets per second in quanta of so many octets.
    pub(crate) fn on_sent_at(&mut self, now: Time, octets: u64, rate: f64, quantum: u64) {
        if now >= self.next {
            self.burst = quantum;
        }
        self.burst = self.burst.saturating_sub(octets);
        let gap = Span::from_secs(1).scaled(octets as f64 / rate.max(1.0));
        self.next = self.next.max(now).saturating_add(gap);
    }
}

/// What the rate follows from.
pub(crate) struct Pace {
    pub(crate) cwnd: u64,
    pub(crate) gain: f64,
    pub(crate) srtt: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(gain: f64) -> Span {
        let cwnd = 10_000;
        let mut pacer = Pacer::new();
        let now = Time::ZERO + Span::from_secs(1);
        pacer.on_sent(now, 1000, &Pace { cwnd, gain, srtt: Span::from_ms(120) });
        assert!(pacer.holds(now));
        pacer.deadline() - now
    }

    #[test]
    fn a_window_takes_a_round_trip_over_the_gain() {
        assert_eq!(gap(1.2), Span::from_ms(10));
        assert_eq!(gap(2.0), Span::from_ms(6));
    }
}
