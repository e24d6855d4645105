//! What is left of a transfer under way follows the residual-life law.
//!
//! The law is computed from the survival function of the sizes alone, by summing: what is left lies
//! below x with probability ∫ (1 − F(t)) dt from 0 to x over the same to the largest size.

use random::normal_cdf;
use units::Bytes;

use super::{K, bounded, exponential, redrawn, stream, table};
use crate::{Beyond, MAX_SIZE, Size, SizeLaw};

const N: usize = 100_000;
/// Exceeded once in 1000 seeds.
const KS: f64 = 1.95;
const STEPS: usize = 100_000;

/// A law with the share of its sizes that exceed x, for x below the largest size.
struct Known {
    law: SizeLaw,
    exceeds: Box<dyn Fn(f64) -> f64>,
    largest: f64,
}

fn known(law: &SizeLaw) -> Known {
    let limit = MAX_SIZE.as_f64();
    let (exceeds, largest): (Box<dyn Fn(f64) -> f64>, f64) = match law.clone() {
        SizeLaw::Fixed { size } => (Box::new(|_| 1.0), size.as_f64()),
        SizeLaw::Exponential { mean, max, beyond } => {
            known_below(move |x| libm::exp(-x / mean.as_f64()), max, beyond)
        }
        SizeLaw::LogNormal { mu, sigma, max, beyond } => {
            known_below(move |x| normal_cdf((mu - libm::log(x)) / sigma), max, beyond)
        }
        SizeLaw::Pareto { shape, min } => {
            let exceeds = move |x| libm::pow(min.as_f64() / x, shape).min(1.0);
            (Box::new(exceeds), limit)
        }
        SizeLaw::BoundedPareto { shape, min, max } => {
            let (min, max) = (min.as_f64(), max.as_f64());
            let end = libm::pow(min / max, shape);
            let exceeds = move |x| ((libm::pow(min / x, shape) - end) / (1.0 - end)).min(1.0);
            (Box::new(exceeds), max)
        }
        SizeLaw::Mix { sizes, shares } => {
            let largest = sizes.iter().max().unwrap().as_f64();
            let exceeds = move |x| {
                let above = sizes.iter().zip(&shares).filter(|(size, _)| size.as_f64() > x);
                above.map(|(_, share)| share).sum()
            };
            (Box::new(exceeds), largest)
        }
        SizeLaw::Websearch | SizeLaw::Datamining | SizeLaw::Hadoop | SizeLaw::Table { .. } => {
            let points = law.points().to_vec();
            let largest = points[points.len() - 1].size.as_f64();
            let exceeds = move |x: f64| {
                let Some(at) = points.iter().position(|point| point.size.as_f64() > x) else {
                    return 0.0;
                };
                let (high, low) = (points[at], if at > 0 { points[at - 1] } else { return 1.0 });
                let across = high.size.as_f64() - low.size.as_f64();
                let part = (x - low.size.as_f64()) / across;
                1.0 - low.cdf - (high.cdf - low.cdf) * part
            };
            (Box::new(exceeds), largest)
        }
    };
    Known { law: law.clone(), exceeds, largest }
}

/// The same where sizes have a largest one, beyond which they are clipped or drawn again.
fn known_below(
    exceeds: impl Fn(f64) -> f64 + 'static,
    max: Option<Bytes>,
    beyond: Option<Beyond>,
) -> (Box<dyn Fn(f64) -> f64>, f64) {
    let max = max.unwrap_or(MAX_SIZE).as_f64();
    let end = if beyond == Some(Beyond::Redraw) { exceeds(max) } else { 0.0 };
    (Box::new(move |x| (exceeds(x) - end) / (1.0 - end)), max)
}

impl Known {
    /// Points x from a thousandth of a byte to the largest size, evenly spaced in ln x, with
    /// ∫ (1 − F) and ∫ 2t (1 − F(t)) dt, which is E[S²] at the end, up to each.
    fn integrals(&self) -> Vec<(f64, f64, f64)> {
        let least = 1e-3;
        let step = libm::log(self.largest / least) / STEPS as f64;
        let mut sums = vec![(least, least, least * least)];
        for at in 0..STEPS {
            let (from, first, second) = sums[at];
            let middle = least * libm::exp((at as f64 + 0.5) * step);
            let to = least * libm::exp((at as f64 + 1.0) * step);
            let share = (self.exceeds)(middle) * (to - from);
            sums.push((to, first + share, second + share * (from + to)));
        }
        sums
    }
}

/// The share of the law that lies below x.
fn below(integrals: &[(f64, f64, f64)], x: f64) -> f64 {
    let whole = integrals[integrals.len() - 1].1;
    let at = integrals.partition_point(|point| point.0 < x);
    let Some(&(to, up, _)) = integrals.get(at) else { return 1.0 };
    let (from, low, _) = integrals[at - 1];
    (low + (up - low) * (x - from) / (to - from)) / whole
}

fn laws() -> Vec<SizeLaw> {
    let (min, max) = (Bytes(40_000), Bytes(100_000_000));
    let mut laws = vec![
        SizeLaw::Fixed { size: Bytes(700_000) },
        exponential(Bytes(1_000_000)),
        exponential(Bytes(700_000_000_000)),
        bounded(1_000_000, 2_000_000, Beyond::Clip),
        bounded(1_000_000, 2_000_000, Beyond::Redraw),
        bounded(1_000_000, 1_000, Beyond::Clip),
        bounded(1_000_000, 1_000, Beyond::Redraw),
        bounded(1_000, 1_000_000_000_000, Beyond::Redraw),
        SizeLaw::LogNormal { mu: 12.0, sigma: 1.0, max: None, beyond: None },
        SizeLaw::LogNormal { mu: 12.0, sigma: 1.5, max: Some(Bytes(1_000_000)), beyond: None },
        SizeLaw::LogNormal { mu: 12.0, sigma: 3.0, max: Some(Bytes(10_000)), beyond: None },
        SizeLaw::BoundedPareto { shape: 1.2, min, max: Bytes(50_000) },
    ];
    laws.extend(
        [(12.0, 1.5, 1_000_000), (9.48, 2.46, 5_000_000), (12.0, 3.0, 10_000)]
            .map(|(mu, sigma, max)| redrawn(mu, sigma, Bytes(max))),
    );
    laws.extend([1.0101, 1.5, 4.0].map(|shape| SizeLaw::Pareto { shape, min }));
    laws.extend([0.331, 1.0, 1.5, 3.0].map(|shape| SizeLaw::BoundedPareto { shape, min, max }));
    let (sizes, shares) = ([9_000, 900_000, 40_000].map(Bytes).into(), [0.7, 0.1, 0.2].into());
    laws.push(SizeLaw::Mix { sizes, shares });
    laws.push(table(&[(0, 0.0), (9_000, 0.5), (900_000, 0.5), (5_000_000, 0.9), (5_000_000, 1.0)]));
    laws.extend([SizeLaw::Websearch, SizeLaw::Datamining, SizeLaw::Hadoop]);
    laws.push(table(&[(40_000, 0.25), (100_000, 0.75), (2_000_000, 1.0)]));
    laws
}

#[test]
fn what_is_left_has_the_mean_and_the_distribution_of_the_residual_life() {
    for law in laws() {
        let known = known(&law);
        let integrals = known.integrals();
        let (_, first, second) = integrals[STEPS];
        let (size, mut stream) = (Size::from(known.law), stream("left"));
        let mut left: Vec<f64> = (0..N).map(|_| size.residual(&mut stream) as f64).collect();
        let mean = left.iter().sum::<f64>() / N as f64;
        let square = left.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / N as f64;
        let errors = (mean - second / (2.0 * first)).abs() / (square / N as f64).sqrt();
        // With an infinite variance no standard error is worth anything.
        let heavy = matches!(law, SizeLaw::Pareto { shape, .. } if shape < 3.0);
        assert!(errors < K || heavy, "{law:?}: {errors}");
        left.sort_by(f64::total_cmp);
        let mut farthest = 0.0_f64;
        for (rank, x) in left.iter().enumerate() {
            // Rounded to k: it lay between k − ½ and k + ½.
            let rank = rank as f64 / N as f64;
            farthest = farthest.max(rank - below(&integrals, x + 0.5));
            farthest = farthest.max(below(&integrals, x - 0.5) - rank - 1.0 / N as f64);
        }
        let farthest = farthest * (N as f64).sqrt();
        assert!(farthest < KS, "{law:?}: {farthest}");
    }
}

/// E[S²] / (2 E[S]) by hand.
#[test]
fn the_means_are_those_of_the_textbook() {
    let mean_left = |law: &SizeLaw| {
        let integrals = known(law).integrals();
        integrals[STEPS].2 / (2.0 * integrals[STEPS].1)
    };
    let min = Bytes(40_000);
    for (law, expected) in [
        (SizeLaw::Fixed { size: Bytes(700_000) }, 350_000.0),
        (exponential(Bytes(1_000_000)), 1e6),
        (
            SizeLaw::LogNormal { mu: 12.0, sigma: 1.0, max: None, beyond: None },
            0.5 * libm::exp(12.0 + 1.5),
        ),
        // L (a − 1) / (2 (a − 2)).
        (SizeLaw::Pareto { shape: 4.0, min }, 40_000.0 * 3.0 / 4.0),
        // With a shape of 1: (H − L) / (2 ln(H / L)).
        (
            SizeLaw::BoundedPareto { shape: 1.0, min, max: Bytes(4_000_000) },
            3_960_000.0 / (2.0 * libm::log(100.0)),
        ),
    ] {
        let found = mean_left(&law);
        assert!((found / expected - 1.0).abs() < 1e-4, "{law:?}: {found}");
    }
}

#[test]
fn what_has_gone_and_what_is_left_are_no_more_than_the_largest_size() {
    // What has gone of an exponential one without `max` is as if there were no limit of 1 TB.
    let is_bounded = |law: &SizeLaw| !matches!(law, SizeLaw::Exponential { max: None, .. });
    for law in laws().into_iter().filter(is_bounded) {
        let (size, most) = (Size::from(law.clone()), known(&law).largest * (1.0 + 1e-12));
        let mut stream = stream("split");
        let sums = (0..1000).map(|_| size.split(&mut stream).iter().sum::<f64>());
        let largest = sums.fold(0.0, f64::max);
        assert!(largest <= most, "{law:?}: {largest}");
    }
}

#[test]
fn what_is_left_takes_two_draws_whatever_the_law() {
    for law in laws() {
        let (mut drawn, mut skipped) = (stream("left"), stream("left"));
        let left = Size::from(law.clone()).residual(&mut drawn);
        assert!((1..=MAX_SIZE.0).contains(&left));
        skipped.next_u64();
        skipped.next_u64();
        assert_eq!(drawn, skipped, "{law:?}");
    }
}
