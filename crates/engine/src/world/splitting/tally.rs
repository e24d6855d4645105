//! What trials have met, by region, and what follows from it.

use plan::Period;
use units::{Span, Time};

/// Parts of the measured period whose estimates are compared with each other.
const BATCHES: usize = 20;
/// Parts that must have met losses: with fewer, how far these lie apart is not known.
const ENOUGH: usize = BATCHES / 2;

/// The 97.5 % quantile of Student's t distribution with one degree of freedom less than there are batches.
const T: f64 = 2.093_024_054_408_263;

/// From one level to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Region {
    /// The level where it begins; 0 for the first.
    pub level: u64,
    /// The trials of each that enters it from below; 1 for the first.
    pub factor: u32,
    /// What an observation in it counts for: one over the product of the factors up to here.
    pub weight: f64,
    /// The trials that have entered it from below, or begun in it.
    pub trials: u64,
    /// What all trials together have offered in it.
    pub offered: u64,
    /// How many of these were lost.
    pub lost: u64,
    /// What was offered after which a trial was in it, by weight.
    reached: f64,
}

/// What trials have met.
#[derive(Debug, Clone)]
pub struct Tally {
    /// The regions, from low to high levels.
    pub regions: Vec<Region>,
    period: Period,
    /// By part of the measured period in which the trial that all others branch from was: what was offered, and lost,
    /// by weight.
    batches: [(f64, f64); BATCHES],
}

/// The share that is lost of what is offered to a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// What was offered, by weight.
    pub offered: f64,
    /// What was lost, by weight.
    pub lost: f64,
    /// The share that was lost; NaN if nothing was offered.
    pub share: f64,
    /// The ends of its 95 % interval; NaN if fewer than half of the batches have met a loss.
    pub interval: (f64, f64),
}

impl Tally {
    /// Nothing yet; each level with its factor.
    pub fn new(levels: &[(u64, u32)], period: Period) -> Self {
        let base = Region {
            level: 0,
            factor: 1,
            weight: 1.0,
            trials: 1,
            offered: 0,
            lost: 0,
            reached: 0.0,
        };
        let mut regions = vec![base];
        let mut weight = 1.0;
        for &(level, factor) in levels {
            weight /= f64::from(factor);
            regions.push(Region { level, factor, weight, trials: 0, ..base });
        }
        Self { regions, period, batches: [(0.0, 0.0); BATCHES] }
    }

    /// The part of the measured period in which an instant is.
    pub fn batch(&self, at: Time) -> usize {
        let whole = self.period.end.since(self.period.begin).max(Span(1));
        let passed = u128::from(at.since(self.period.begin).0) * BATCHES as u128;
        usize::try_from(passed / u128::from(whole.0)).map_or(BATCHES - 1, |at| at.min(BATCHES - 1))
    }

    /// A trial was offered so much in a region, has lost so much of it, and is in another now, or still there.
    #[inline]
    pub(super) fn count(
        &mut self,
        (from, to): (usize, usize),
        batch: usize,
        (offered, lost): (u64, u64),
    ) {
        let region = &mut self.regions[from];
        region.offered += offered;
        region.lost += lost;
        let (offered, lost) = (offered as f64 * region.weight, lost as f64 * region.weight);
        self.regions[to].reached += offered;
        let batch = &mut self.batches[batch];
        batch.0 += offered;
        batch.1 += lost;
    }

    /// The share that is lost, with the interval of the batches' ratios (A. M. Law, "Simulation Modeling and
    /// Analysis", section 9.5.3: batch means; for a ratio, those of the deviations from it).
    pub fn estimate(&self) -> Estimate {
        let sum = |of: fn(&Region) -> u64| -> f64 {
            self.regions.iter().map(|region| of(region) as f64 * region.weight).sum()
        };
        let (offered, lost) = (sum(|region| region.offered), sum(|region| region.lost));
        let share = lost / offered;
        let n = BATCHES as f64;
        let deviations =
            self.batches.iter().map(|(offered, lost)| (lost - share * offered).powi(2));
        let deviation = (deviations.sum::<f64>() / (n - 1.0)).sqrt();
        // Of its logarithm: the estimate is a product of shares, skewed to the right.
        let ratio = libm::exp(T * deviation * n.sqrt() / lost);
        let met = self.batches.iter().filter(|(_, lost)| *lost > 0.0).count();
        let ratio = if met < ENOUGH { f64::NAN } else { ratio };
        Estimate { offered, lost, share, interval: (share / ratio, share * ratio) }
    }

    /// By region, the share of what is offered after which a trial is in it or above.
    pub fn shares(&self) -> Vec<f64> {
        let all: f64 = self.regions.iter().map(|region| region.reached).sum();
        let mut above = 0.0;
        let sums = self.regions.iter().rev().map(|region| {
            above += region.reached;
            above / all
        });
        let mut shares: Vec<f64> = sums.collect();
        shares.reverse();
        shares
    }
}
