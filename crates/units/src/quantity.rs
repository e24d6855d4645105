//! The quantities and the meaningful arithmetic between them.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// Picoseconds in a second.
const PS: u64 = 1_000_000_000_000;

/// An instant: picoseconds since the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(pub u64);

/// A length of time in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(pub u64);

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

/// A bit rate in bits per second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rate(pub u64);

/// A length in millimetres.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Length(pub u64);

/// Energy per bit, in attojoules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EnergyPerBit(pub u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than any event.
    pub const NEVER: Self = Self(u64::MAX);

    /// Seconds since the start, for formulas and reports.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PS as f64
    }

    /// The span since `earlier`, zero when `earlier` lies ahead.
    pub fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// This instant plus a span, [`Time::NEVER`] when that is past the end of time.
    #[must_use]
    pub fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// `n` picoseconds.
    pub const fn from_ps(n: u64) -> Self {
        Self(n)
    }
    /// `n` nanoseconds.
    pub const fn from_ns(n: u64) -> Self {
        Self(n * 1_000)
    }
    /// `n` microseconds.
    pub const fn from_us(n: u64) -> Self {
        Self(n * 1_000_000)
    }
    /// `n` milliseconds.
    pub const fn from_ms(n: u64) -> Self {
        Self(n * 1_000_000_000)
    }
    /// `n` seconds.
    pub const fn from_secs(n: u64) -> Self {
        Self(n * PS)
    }

    /// The nearest picosecond to `secs` seconds; negative values and NaN give zero, too large ones
    /// the longest span.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * PS as f64 + 0.5) as u64)
    }

    /// Seconds, for formulas and reports.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PS as f64
    }

    /// The span times `factor`, to the nearest picosecond.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self::from_secs_f64(self.as_secs_f64() * factor)
    }

    /// This span less `other`, not below zero.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Rate {
    /// The time that `bytes` take at this rate, to the nearest picosecond (halves up), at most the
    /// longest span.
    pub fn time_to_send(self, bytes: Bytes) -> Span {
        assert!(self.0 > 0, "a rate of zero sends nothing");
        let bit_ps = u128::from(bytes.0) * 8 * u128::from(PS);
        let ps = (bit_ps + u128::from(self.0) / 2) / u128::from(self.0);
        Span(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// Bits per second, for formulas and reports.
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }
}

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);

    /// Bytes, for formulas and reports.
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }
}

impl Length {
    /// The propagation time over this length at `per_km` for a kilometre, to the nearest picosecond
    /// (halves up), at most the longest span.
    pub fn propagation(self, per_km: Span) -> Span {
        const MM_IN_KM: u128 = 1_000_000;
        let ps = (u128::from(self.0) * u128::from(per_km.0) + MM_IN_KM / 2) / MM_IN_KM;
        Span(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}

impl EnergyPerBit {
    /// Joules per bit, for formulas and reports.
    pub fn as_joules_f64(self) -> f64 {
        self.0 as f64 * 1e-18
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Time {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(self.0 - span.0)
    }
}

/// The span from the earlier instant on the right to the later one on the left.
impl Sub for Time {
    type Output = Span;
    fn sub(self, earlier: Self) -> Span {
        Span(self.0 - earlier.0)
    }
}

macro_rules! additive {
    ($name:ident) => {
        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl SubAssign for $name {
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }
        impl Mul<u64> for $name {
            type Output = Self;
            fn mul(self, n: u64) -> Self {
                Self(self.0 * n)
            }
        }
        impl Div<u64> for $name {
            type Output = Self;
            fn div(self, n: u64) -> Self {
                Self(self.0 / n)
            }
        }
    };
}

additive!(Span);
additive!(Bytes);

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", Span(self.0))
    }
}

macro_rules! debug_is_display {
    ($($name:ident),*) => { $(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )* };
}

debug_is_display!(Span, Bytes, Rate, Length, EnergyPerBit);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_to_send_is_exact_for_even_rates() {
        assert_eq!(Rate(10_000_000_000).time_to_send(Bytes(9000)), Span::from_ns(7200));
        assert_eq!(Rate(2_500_000_000 * 4).time_to_send(Bytes(64)), Span::from_ps(51_200));
    }

    #[test]
    fn light_in_glass_takes_50_ns_for_10_m() {
        assert_eq!(Length(10_000).propagation(Span::from_us(5)), Span::from_ns(50));
        assert_eq!(Length(1).propagation(Span(3_335_641)), Span(3));
        assert_eq!(Length(u64::MAX).propagation(Span(u64::MAX)), Span(u64::MAX));
    }

    #[test]
    fn time_to_send_rounds_to_the_nearest_picosecond() {
        // 12,000 bits at 622 Mb/s are 19.292604501... µs.
        assert_eq!(Rate(622_000_000).time_to_send(Bytes(1500)), Span::from_ps(19_292_605));
        assert_eq!(Rate(3_000_000_000_000).time_to_send(Bytes(1)), Span::from_ps(3));
    }

    #[test]
    fn spans_from_seconds_round_and_saturate() {
        assert_eq!(Span::from_secs_f64(1e-12), Span::from_ps(1));
        assert_eq!(Span::from_secs_f64(-1.0), Span::ZERO);
        assert_eq!(Span::from_secs_f64(f64::NAN), Span::ZERO);
        assert_eq!(Span::from_secs_f64(f64::INFINITY), Span(u64::MAX));
    }

    #[test]
    fn a_time_less_a_time_is_a_span() {
        let later = Time::ZERO + Span::from_ms(3);
        assert_eq!(later - Time::ZERO, Span::from_ms(3));
        assert_eq!(Time::ZERO.since(later), Span::ZERO);
    }
}
