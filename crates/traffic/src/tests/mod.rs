//! Tests of sources, sizes and starts.
//!
//! A statistical test fixes its seed and states its tolerance in standard errors.

mod alternating;
mod config;
mod mmpp;
mod offers;
mod on_off;
mod residual;
mod self_similar;
mod sizes;
mod slotted;
mod stops;
mod tables;

use random::{Seed, Stream};
use units::{Bytes, Span};

use crate::{Beyond, ListedFlow, Size, SizeLaw, SizePoint};

/// Standard errors; exceeded once in 16,000 seeds.
const K: f64 = 4.0;

fn stream(name: &str) -> Stream {
    Seed(20_261_121).stream(name)
}

fn exponential(mean: Bytes) -> SizeLaw {
    SizeLaw::Exponential { mean, max: None, beyond: None }
}

/// An exponential law with a largest size.
fn bounded(mean: u64, max: u64, beyond: Beyond) -> SizeLaw {
    SizeLaw::Exponential { mean: Bytes(mean), max: Some(Bytes(max)), beyond: Some(beyond) }
}

/// A log-normal law whose larger draws are drawn again.
fn redrawn(mu: f64, sigma: f64, max: Bytes) -> SizeLaw {
    SizeLaw::LogNormal { mu, sigma, max: Some(max), beyond: Some(Beyond::Redraw) }
}

/// The packets of the Internet around the year 2000: 40, 576 and 1500 B, 348.28 B in the mean.
fn trimodal() -> Size {
    let (sizes, shares) = ([40, 576, 1500].map(Bytes).into(), [0.58, 0.33, 0.09].into());
    SizeLaw::Mix { sizes, shares }.into()
}

/// A table of points: sizes in bytes with the shares up to them.
fn table(points: &[(u64, f64)]) -> SizeLaw {
    let points = points.iter().map(|&(size, cdf)| SizePoint { size: Bytes(size), cdf }).collect();
    SizeLaw::Table { file: None, points }
}

/// A flow of a list, from a to b: its start in microseconds and its bytes.
fn listed(start_us: u64, size: u64) -> ListedFlow {
    let [from, to] = ["a", "b"].map(Box::from);
    ListedFlow { start: Span::from_us(start_us), from, to, size: Bytes(size) }
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
