//! A token bucket, exact in integers: alone it is a policer.

use units::{Bytes, Rate, Time};

/// Picoseconds in a second, times the bits of a byte: a byte's tokens.
const BYTE: u128 = 8_000_000_000_000;

/// A bucket that fills at a rate up to a burst, full at first. Its level is in bits times picoseconds a second.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    rate: u128,
    most: i128,
    level: i128,
    at: Time,
}

impl Bucket {
    pub(super) fn new(rate: Rate, burst: Bytes) -> Self {
        let most = (u128::from(burst.0) * BYTE).cast_signed();
        Self { rate: u128::from(rate.0), most, level: most, at: Time::ZERO }
    }

    fn fill(&mut self, now: Time) {
        let more = u128::from(now.since(self.at).0) * self.rate;
        self.level = (self.level + more.cast_signed()).min(self.most);
        self.at = now;
    }

    /// Takes the tokens of a packet, if there are as many.
    pub(super) fn conforms(&mut self, now: Time, bytes: u32) -> bool {
        self.fill(now);
        let cost = (u128::from(bytes) * BYTE).cast_signed();
        let conforms = self.level >= cost;
        if conforms {
            self.level -= cost;
        }
        conforms
    }

    /// When a packet of this size may leave: now, or when there are enough tokens for it, at most a full bucket.
    pub(super) fn ready(&mut self, now: Time, bytes: u32) -> Time {
        self.fill(now);
        let cost = (u128::from(bytes) * BYTE).cast_signed().min(self.most);
        let missing = (cost - self.level).max(0).cast_unsigned();
        let wait = missing.div_ceil(self.rate);
        now.saturating_add(units::Span(u64::try_from(wait).unwrap_or(u64::MAX)))
    }

    /// A packet has left: its tokens are spent, also where it was larger than the bucket.
    pub(super) fn spend(&mut self, bytes: u32) {
        self.level -= (u128::from(bytes) * BYTE).cast_signed();
    }
}

#[cfg(test)]
mod tests {
    use plan::spec::QueueSpec;
    use plan::spec::queue::Limit;
    use plan::spec::queue::policer::Options;

    use super::*;
    use crate::link::managed::bench::Bench;

    fn at(ms: u64) -> Time {
        Time::ZERO + units::Span::from_ms(ms)
    }

    /// 8 Mb/s are a byte a microsecond.
    #[test]
    fn a_burst_passes_and_then_the_rate() {
        let mut bucket = Bucket::new(Rate(8_000_000), Bytes(3000));
        assert_eq!([(); 4].map(|()| bucket.conforms(at(0), 1000)), [true, true, true, false]);
        assert!(bucket.conforms(at(1), 1000));
        assert!(!bucket.conforms(at(1), 1));
        // No more than the burst after a long time.
        assert_eq!([(); 4].map(|()| bucket.conforms(at(900), 1000)), [true, true, true, false]);
    }

    #[test]
    fn a_packet_waits_for_what_is_missing_to_the_picosecond() {
        let mut bucket = Bucket::new(Rate(8_000_000), Bytes(1500));
        assert_eq!(bucket.ready(at(0), 1500), at(0));
        bucket.spend(1500);
        assert_eq!(bucket.ready(at(0), 1000), at(1));
        assert_eq!(bucket.ready(at(1), 1000), at(1));
        // Larger than the bucket: a full one, and a debt.
        assert_eq!(bucket.ready(at(100), 9000), at(100));
        bucket.spend(9000);
        assert_eq!(bucket.ready(at(100), 1000), at(100 + 8) + units::Span::from_us(500));
    }

    /// Twice the rate of the policer: half is dropped, and what passes does not wait.
    #[test]
    fn a_policer_drops_what_exceeds_its_rate() {
        let (limit, rate, burst) = (Limit::packets(1000), Rate(2_000_000), Bytes(3000));
        let queue = QueueSpec::Policer(Options { limit, rate, burst });
        let mut bench = Bench::new(queue);
        bench.stream((0, 2_000_000), 2000, (1, 1000, 0));
        assert!((497..=500).contains(&bench.refused), "{}", bench.refused);
    }
}
