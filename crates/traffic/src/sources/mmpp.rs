//! A Poisson process whose rate changes between two states.
//!
//! W. Fischer, K. Meier-Hellstern, "The Markov-modulated Poisson process (MMPP) cookbook", Performance Evaluation 18,
//! 1993. With rates of arrivals λ₁ and λ₂ and rates of leaving the states σ₁ and σ₂ the mean rate of arrivals is
//! λ = (λ₁σ₂ + λ₂σ₁) / (σ₁ + σ₂), and the variance of their number in a time t over its mean (the index of dispersion)
//! is 1 + I (1 − (1 − e^(−σt)) / (σt)), with σ = σ₁ + σ₂ and I = 2 σ₁σ₂ (λ₁ − λ₂)² / (σ² (λ₁σ₂ + λ₂σ₁)).

use super::prelude::*;

/// The maximum number of changes of the state between two offers, so that an offer takes a bounded time.
const MOST_CHANGES: u32 = 100;

/// Packets of a Poisson process whose rate changes between a high and a low state (a Markov-modulated
/// Poisson process, Fischer and Meier-Hellstern 1993): more bursty than a Poisson process, and without
/// the long memory of `on-off`. Each state lasts for an exponential time. The source starts in its
/// steady state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Mmpp {
    /// The mean bit rate of the data over both states, headers not counted.
    #[schemars(extend("x-min" = "1e-15 b/s", "x-max" = "1000 Tb/s"))]
    pub rate: MeanRate,
    /// The rate of packets in the low state as a share of that in the high state, below 1; with 0 it
    /// has no packets (an interrupted Poisson process).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub low_rate: f64,
    /// The mean time in the high state.
    #[schemars(extend("x-min" = "1 ns", "x-max" = "1000 s"))]
    pub high: Span,
    /// The mean time in the low state.
    #[schemars(extend("x-min" = "1 ns", "x-max" = "1000 s"))]
    pub low: Span,
    /// The data in a packet; its mean must be finite.
    pub packet: Size,
}

impl Kind for Mmpp {
    fn facts(&self) -> Facts<'_> {
        let rate = RateKey::bits(self.rate);
        let facts = Facts::packets(rate, &self.packet, Variation::Correlated);
        Facts { bytes: size_of::<Modulated>() as f64, ..facts }
    }

    fn scale(&mut self, by: f64) {
        self.rate = self.rate.scaled(by);
    }

    fn check(&self, problems: &mut Problems) {
        problems.some_rate(self.rate);
        let below = (0.0..1.0).contains(&self.low_rate);
        problems.demand(below, "low-rate", "must be 0 or more and below 1");
        problems.demand(self.high.0 > 0, "high", "must be above 0");
        problems.demand(self.low.0 > 0, "low", "must be above 0");
        problems.mean_packet(&self.packet);
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        let [low_s, high_s] = [self.low, self.high].map(Span::as_secs_f64);
        let mean = self.rate.0 / (8.0 * self.packet.mean());
        let high = mean * (low_s + high_s) / (self.low_rate * low_s + high_s);
        let states = [[self.low_rate * high, 1.0 / low_s], [high, 1.0 / high_s]];
        Some(Offers::Modulated(Box::new(Modulated {
            states,
            is_high: None,
            size: self.packet.clone(),
        })))
    }
}

/// A running source.
#[derive(Debug, Clone)]
pub(crate) struct Modulated {
    /// Of the low and the high state: how many packets come in a second, and how often it ends.
    states: [[f64; 2]; 2],
    /// Whether it is in the high state; none before the first offer.
    is_high: Option<bool>,
    size: Size,
}

impl Modulated {
    /// The next packet, or after many changes of the state an instant before which there is none. Takes
    /// two draws for each change and three for a packet, and one at first.
    pub(crate) fn next(&mut self, stream: &mut Stream) -> Offer {
        let [[_, low_ends], [_, high_ends]] = self.states;
        let steady = low_ends / (low_ends + high_ends);
        let mut is_high = self.is_high.unwrap_or_else(|| stream.chance(steady));
        let mut seconds = 0.0;
        for _ in 0..MOST_CHANGES {
            let [comes, ends] = self.states[usize::from(is_high)];
            seconds += stream.exponential(1.0 / (comes + ends));
            if stream.chance(comes / (comes + ends)) {
                self.is_high = Some(is_high);
                return Offer {
                    after: Span::from_secs_f64(seconds),
                    bytes: self.size.draw(stream),
                };
            }
            is_high = !is_high;
        }
        self.is_high = Some(is_high);
        Offer { after: Span::from_secs_f64(seconds), bytes: Offer::NOTHING_YET }
    }
}
