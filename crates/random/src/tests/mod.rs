//! Tests against values computed elsewhere and against closed-form distributions.
//!
//! A statistical test fixes its seed and states its tolerance in standard errors.

mod known_answers;
mod laws;

use crate::{Seed, Stream};

fn stream(name: &str) -> Stream {
    Seed(20_261_121).stream(name)
}

/// `n` samples.
fn samples(n: usize, mut draw: impl FnMut() -> f64) -> Vec<f64> {
    (0..n).map(|_| draw()).collect()
}

/// The Kolmogorov–Smirnov statistic times √n. A right sampler exceeds 1.95 once in 1000 seeds.
fn kolmogorov_smirnov(mut samples: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let n = samples.len() as f64;
    let farthest = samples.iter().enumerate().fold(0.0_f64, |farthest, (rank, &x)| {
        let p = cdf(x);
        farthest.max(p - rank as f64 / n).max((rank + 1) as f64 / n - p)
    });
    farthest * n.sqrt()
}

/// How many standard errors the mean of the samples lies from `mean`, given their true `std`.
fn errors_off(samples: &[f64], mean: f64, std: f64) -> f64 {
    let n = samples.len() as f64;
    (samples.iter().sum::<f64>() / n - mean).abs() / (std / n.sqrt())
}

/// Pearson's statistic for counts that are all expected to be `expected`.
fn chi_square(counts: &[u64], expected: f64) -> f64 {
    counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum()
}
