//! When each octet of a flow was first sent, for delays that include retransmissions.

use std::collections::VecDeque;

use units::Time;

use super::Delays;

/// The segments that have not arrived yet, and the delays of those that have: from the first
/// transmission of a segment to the last bit of the first copy that arrives.
#[derive(Debug, Clone, Default)]
pub struct FirstSent {
    /// First octet and instant, in the order of the octets; [`Time::NEVER`] once it has arrived.
    segments: VecDeque<(u64, Time)>,
    /// The delays.
    pub delays: Delays,
}

impl FirstSent {
    /// A segment that starts at `seq` is on the wire from `at` on; only the first time counts.
    pub fn sent(&mut self, seq: u64, at: Time) {
        if self.segments.back().is_none_or(|&(last, _)| last < seq) {
            self.segments.push_back((seq, at));
        }
    }

    /// Octets `seq` to `seq + len` arrive at `now`.
    pub fn arrived(&mut self, seq: u64, len: u32, now: Time) {
        let from = self.segments.partition_point(|&(first, _)| first < seq);
        for (first, sent) in self.segments.range_mut(from..) {
            if *first >= seq + u64::from(len) {
                break;
            }
            if *sent < Time::NEVER {
                self.delays.add(now.since(*sent));
                *sent = Time::NEVER;
            }
        }
        while self.segments.len() > 1 && self.segments[0].1 == Time::NEVER {
            self.segments.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use units::Span;

    use super::*;

    #[test]
    fn a_delay_runs_from_the_first_copy_sent_to_the_first_that_comes() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut first = FirstSent::default();
        for (n, ms) in [(0, 1), (1, 2), (2, 3)] {
            first.sent(n * 1000, at(ms));
        }
        first.arrived(0, 1000, at(11));
        // The second is lost; the third arrives, then the second again, then a copy of the third.
        first.arrived(2000, 1000, at(13));
        first.sent(1000, at(50));
        first.arrived(1000, 1000, at(60));
        first.sent(2000, at(51));
        first.arrived(2000, 1000, at(61));
        assert_eq!(first.delays.count, 3);
        assert!((first.delays.sum - (0.010 + 0.058 + 0.010)).abs() < 1e-12);
        first.sent(3000, at(70));
        first.arrived(3000, 1000, at(80));
        assert_eq!(first.delays.count, 4);
        assert_eq!(first.segments.len(), 1);
    }
}
