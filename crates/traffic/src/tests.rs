//! Tests of sources, sizes and starts.
//!
//! A statistical test fixes its seed and states its tolerance in standard errors.

mod config;
mod offers;
mod residual;
mod sizes;

use random::{Seed, Stream};

/// Standard errors; exceeded once in 16,000 seeds.
const K: f64 = 4.0;

fn stream(name: &str) -> Stream {
    Seed(20_261_121).stream(name)
}

/// How many standard errors of its mean the samples lie from `mean`, given their true `std`.
fn errors_off(samples: impl IntoIterator<Item = f64>, mean: f64, std: f64) -> f64 {
    let (mut n, mut sum) = (0.0, 0.0);
    for sample in samples {
        n += 1.0;
        sum += sample;
    }
    (sum / n - mean).abs() / (std / f64::sqrt(n))
}
