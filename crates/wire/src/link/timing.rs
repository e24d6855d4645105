//! Transmission times of packets, computed by a multiplication.

use units::{Bytes, Rate, Span};

/// Sizes below this are timed by a multiplication.
const SMALL: u32 = 1 << 16;

/// The time that a byte takes, as a fixed-point number that is exact for packets.
///
/// It is rounded up to a grain of 2^-shift ps with 2^shift ≥ 2^17 · rate. So the time of fewer than 2^16
/// bytes is too long by less than 1 / (2 · rate) ps. An exact time is a multiple of 1 / rate ps; neither
/// it nor its sum with one half is ever that close below a whole number, so the nearest picosecond is
/// the same. The fixed-point number is below 8·10^12 · 2^18, so it fits. The point is at bit 64 once the
/// bytes are shifted by the rest: whole picoseconds are a separate machine word.
///
/// Packed, because the cache lines of a link are full.
#[derive(Debug, Clone, Copy)]
#[repr(C, packed(4))]
pub struct Timing {
    per_byte: u64,
    /// 64 less the shift of the grain, which is 64 at most: no rate is above 2^47 b/s.
    rest: u32,
}

impl Timing {
    /// Transmission times at a rate.
    pub fn new(rate: Rate) -> Self {
        let shift = rate.0.next_power_of_two().ilog2() + 17;
        let scaled = (8_000_000_000_000u128 << shift).div_ceil(u128::from(rate.0));
        let per_byte = u64::try_from(scaled).expect("below 2^63: see above");
        let rest = 64u32.checked_sub(shift).expect("a rate that the schema allows");
        Self { per_byte, rest }
    }

    /// The time of this number of bytes at the rate, to the nearest picosecond, halves rounded up.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    pub fn of(self, bytes: u32, rate: impl FnOnce() -> Rate) -> Span {
        if bytes >= SMALL {
            return rate().time_to_send(Bytes(u64::from(bytes)));
        }
        let scaled = u128::from(u64::from(bytes) << self.rest) * u128::from(self.per_byte);
        let (whole, part) = ((scaled >> 64) as u64, scaled as u64);
        Span(whole + (part >> 63))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(rate: u64, bytes: u32) {
        let exact = Rate(rate).time_to_send(Bytes(u64::from(bytes)));
        assert_eq!(Timing::new(Rate(rate)).of(bytes, || Rate(rate)), exact, "{rate} {bytes}");
    }

    /// Rates that divide nothing, for every size of a packet; those of the schema's limits.
    #[test]
    fn every_size_takes_what_the_division_says() {
        for bytes in 0..SMALL {
            for rate in [1_000, 622_080_000, 10_000_000_000, 99_999_999_999_971] {
                same(rate, bytes);
            }
        }
        for rate in [1, 2, 3, 7, 100_000_000_000_000] {
            for bytes in [0, 1, 64, 9000, SMALL - 1, SMALL, u32::MAX] {
                same(rate, bytes);
            }
        }
    }

    proptest! {
        #[test]
        fn any_size_takes_what_the_division_says_at_any_rate(
            rate in 1..=100_000_000_000_000u64,
            bytes: u32,
        ) {
            same(rate, bytes);
            same(rate, bytes % SMALL);
        }

        /// Halves and what is next to them: rates at which times end in .5 ps.
        #[test]
        fn halves_are_rounded_up(thousandths in 1..5_000u64, bytes in 0..SMALL) {
            same(16_000_000_000_000 / thousandths, bytes);
        }
    }
}
