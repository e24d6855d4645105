//! Tests of sources, sizes and starts.
//!
//! A statistical test fixes its seed and states its tolerance in standard errors.

mod config;
mod offers;
mod residual;
mod sizes;

use random::{Seed, Stream};
use units::Bytes;

use crate::{Beyond, SizeLaw};

/// Standard errors; exceeded once in 16,000 seeds.
const K: f64 = 4.0;

fn stream(name: &str) -> Stream {
    Seed(20_261_121).stream(name)
}

/// A log-normal law whose larger draws are drawn again.
fn redrawn(mu: f64, sigma: f64, max: Bytes) -> SizeLaw {
    SizeLaw::LogNormal { mu, sigma, max: Some(max), beyond: Some(Beyond::Redraw) }
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
