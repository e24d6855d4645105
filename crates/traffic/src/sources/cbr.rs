//! A constant bit rate.

use super::prelude::*;
use crate::pacer::Pacer;

/// A constant bit rate: the first packet at the start, each further one after the time that the
/// bits of those before it take at the rate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cbr {
    /// The bit rate of the data, headers not counted.
    #[schemars(extend("x-min" = "1e-15 b/s", "x-max" = "1000 Tb/s"))]
    pub rate: MeanRate,
    /// The data in a packet.
    pub packet: Size,
}

impl Kind for Cbr {
    fn facts(&self) -> Facts<'_> {
        Facts::packets(RateKey::bits(self.rate), &self.packet, Variation::Constant)
    }

    fn scale(&mut self, by: f64) {
        self.rate = self.rate.scaled(by);
    }

    fn check(&self, problems: &mut Problems) {
        problems.some_rate(self.rate);
        problems.size(&self.packet, "packet");
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        let (pacer, halvings) = Pacer::of_mean(self.rate);
        let (size, gap) = (self.packet.clone(), Span::ZERO);
        Some(match halvings {
            0 => Offers::Paced(Paced { pacer, size, gap }),
            _ => Offers::Fractional(Box::new(Fractional { pacer, halvings, size, gap })),
        })
    }
}

/// A constant bit rate that is a whole number.
#[derive(Debug, Clone)]
pub(crate) struct Paced {
    pacer: Pacer,
    size: Size,
    /// The time from the previous offer to the next.
    gap: Span,
}

impl Paced {
    #[inline]
    pub(crate) fn next(&mut self, stream: &mut Stream) -> Offer {
        let (after, bytes) = (self.gap, self.size.draw(stream));
        self.gap = self.pacer.gap_after(bytes);
        Offer { after, bytes }
    }
}

/// A constant bit rate for which bytes count 2^`halvings` times.
#[derive(Debug, Clone)]
pub(crate) struct Fractional {
    pacer: Pacer,
    halvings: u8,
    size: Size,
    gap: Span,
}

impl Fractional {
    pub(crate) fn next(&mut self, stream: &mut Stream) -> Offer {
        let (after, bytes) = (self.gap, self.size.draw(stream));
        self.gap = self.pacer.long_gap_after(u128::from(bytes) << self.halvings);
        Offer { after, bytes }
    }
}
