//! A bit rate turned into whole picoseconds without drift.

use units::{Rate, Span};

/// Picoseconds in a second times bits in a byte.
const BIT_PS: u64 = 8_000_000_000_000;

/// Times the gaps of a constant bit rate.
///
/// The sum of the gaps is, after every one of them, the exact time that all bytes so far take at the
/// rate, rounded to the nearest picosecond (halves up): later gaps compensate the rounding of
/// earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pacer {
    rate: u64,
    /// What is carried over, in picoseconds times the rate: half a picosecond, less what has been
    /// rounded up, plus what has been rounded down. Always below the rate.
    carried: u64,
}

impl Pacer {
    pub(crate) fn new(rate: Rate) -> Self {
        assert!(rate.0 > 0, "a rate of zero sends nothing");
        Self { rate: rate.0, carried: rate.0 / 2 }
    }

    /// The gap after `bytes` more bytes; the longest span when it is longer than any run.
    pub(crate) fn gap_after(&mut self, bytes: u64) -> Span {
        let short = bytes.checked_mul(BIT_PS).and_then(|work| work.checked_add(self.carried));
        if let Some(work) = short {
            self.carried = work % self.rate;
            return Span::from_ps(work / self.rate);
        }
        let work = u128::from(bytes) * u128::from(BIT_PS) + u128::from(self.carried);
        let rate = u128::from(self.rate);
        self.carried = u64::try_from(work % rate).expect("a remainder lies below the rate");
        Span::from_ps(u64::try_from(work / rate).unwrap_or(u64::MAX))
    }
}
