//! A mean bit rate: a real number, unlike the rate of a link.

use std::fmt;
use std::str::FromStr;

use crate::Rate;
use crate::text::{self, Decimal, QuantityError};

/// A mean bit rate in bits per second, with fractions: what a source offers.
///
/// Its text is that of a [`Rate`] where it is a whole number; `"0.66 b/s"` is one, too. Parse ∘ print is the
/// identity.
#[derive(Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct MeanRate(pub f64);

impl MeanRate {
    /// A rate that was computed: what differs from a whole number by no more than rounding is that number.
    pub fn computed(rate: f64) -> Self {
        let whole = rate.round();
        Self(if (rate - whole).abs() <= 1e-12 * whole { whole } else { rate })
    }

    /// This rate times `factor`.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self::computed(self.0 * factor)
    }
}

impl From<Rate> for MeanRate {
    fn from(rate: Rate) -> Self {
        Self(rate.as_f64())
    }
}

impl FromStr for MeanRate {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        match text.parse::<Rate>() {
            Ok(rate) => Ok(rate.into()),
            Err(QuantityError::TooFine(_)) => {
                let Decimal { digits, scale, unit } = text::decimal::<Rate>(text)?;
                let power = scale + unit.grains.ilog10().cast_signed();
                let rate = format!("{digits}e{power}").parse();
                Ok(Self(rate.expect("digits and a power of ten")))
            }
            Err(error) => Err(error),
        }
    }
}

impl fmt::Display for MeanRate {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.fract() == 0.0 && (0.0..1e18).contains(&self.0) {
            return Rate(self.0 as u64).fmt(f);
        }
        let few = self.0 < 1e-3;
        f.pad(&if few { format!("{:e} b/s", self.0) } else { format!("{} b/s", self.0) })
    }
}

impl fmt::Debug for MeanRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

crate::by_text!(MeanRate, "mean rate");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn whole_rates_have_the_text_of_rates_and_others_a_fraction() {
        assert_eq!("2.5 Mb/s".parse(), Ok(MeanRate(2_500_000.0)));
        assert_eq!(MeanRate(2_500_000.0).to_string(), "2.5 Mb/s");
        assert_eq!("0.66 b/s".parse(), Ok(MeanRate(0.66)));
        assert_eq!("0.00066 kb/s".parse(), Ok(MeanRate(0.66)));
        assert_eq!("1e-6 b/s".parse(), Ok(MeanRate(1e-6)));
        assert_eq!(MeanRate(1.5e-6).to_string(), "1.5e-6 b/s");
        assert_eq!("3".parse::<MeanRate>(), Err(QuantityError::NoUnit));
        assert_eq!("-0.5 b/s".parse::<MeanRate>(), Err(QuantityError::Negative));
    }

    #[test]
    fn a_product_that_is_whole_but_for_rounding_is_whole() {
        assert_eq!(MeanRate(12_500_000.0).scaled(0.3), MeanRate(3_750_000.0));
        assert_eq!(MeanRate(1e9).scaled(1.1), MeanRate(1_100_000_000.0));
        assert_eq!(MeanRate(1.0).scaled(0.25), MeanRate(0.25));
        assert_eq!(MeanRate(1.0).scaled(0.0), MeanRate(0.0));
    }

    proptest! {
        #[test]
        fn text_and_back_is_the_identity(power in -15f64..15.0, whole in 0u64..1 << 53) {
            for rate in [MeanRate(10f64.powf(power)), Rate(whole).into()] {
                prop_assert_eq!(rate.to_string().parse(), Ok(rate));
            }
        }
    }
}
