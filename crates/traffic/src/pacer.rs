//! A bit rate turned into whole picoseconds without drift.

use units::{MeanRate, Rate, Span};

/// Picoseconds in a second times bits in a byte.
const BIT_PS: u64 = 8_000_000_000_000;

/// With sizes of at most a terabyte, 2^40 B, the work in picoseconds stays below 2^128.
const MOST_HALVINGS: u8 = 40;

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

    /// One for a rate with a fraction, which is whole when it has been doubled so many times; then the bytes are to be
    /// doubled as often. A rate below 2^-20 b/s, at which not even a byte leaves in a run, is rounded.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^53")]
    pub(crate) fn of_mean(rate: MeanRate) -> (Self, u8) {
        let (mut halvings, mut doubled) = (0, rate.0);
        while doubled.fract() != 0.0 && halvings < MOST_HALVINGS {
            (halvings, doubled) = (halvings + 1, 2.0 * doubled);
        }
        (Self::new(Rate((doubled.round() as u64).max(1))), halvings)
    }

    /// The gap after `bytes` more bytes; the longest span when it is longer than any run.
    pub(crate) fn gap_after(&mut self, bytes: u64) -> Span {
        let short = bytes.checked_mul(BIT_PS).and_then(|work| work.checked_add(self.carried));
        if let Some(work) = short {
            self.carried = work % self.rate;
            return Span::from_ps(work / self.rate);
        }
        self.long_gap_after(u128::from(bytes))
    }

    /// The same of more bytes than 64 bits hold: below 2^84.
    pub(crate) fn long_gap_after(&mut self, bytes: u128) -> Span {
        let work = bytes * u128::from(BIT_PS) + u128::from(self.carried);
        let rate = u128::from(self.rate);
        self.carried = u64::try_from(work % rate).expect("a remainder lies below the rate");
        Span::from_ps(u64::try_from(work / rate).unwrap_or(u64::MAX))
    }
}
