//! The sizes of packets and transfers, and their distributions.

use std::sync::Arc;

use random::{Stream, bounded_pareto_mean, normal_cdf, normal_quantile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

use crate::measured::{self, DATAMINING, HADOOP, SizePoint, WEBSEARCH};

/// The largest size that may be given or drawn, 1 TB: larger draws of an unbounded distribution are
/// reduced to it.
pub const MAX_SIZE: Bytes = Bytes(1_000_000_000_000);

/// The size of a packet or of a transfer: one size for all, or a distribution from which each is
/// drawn.
///
/// A drawn size is rounded to the nearest byte and lies between 1 B and 1 TB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Size {
    /// The same size for all.
    Plain(#[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))] Bytes),
    /// Drawn for each.
    Drawn(SizeLaw),
}

/// How sizes are drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum SizeLaw {
    /// The same size for all; the long form of giving a plain size.
    Fixed {
        /// The size.
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        size: Bytes,
    },
    /// Exponential.
    Exponential {
        /// The mean m of the law without `max`. With a `max` M the mean of what is drawn is smaller: clipped,
        /// m (1 − e^(−M/m)); redrawn, m − M / (e^(M/m) − 1).
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        mean: Bytes,
        /// The largest size; 1 TB by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        max: Option<Bytes>,
        /// What happens to a draw above `max`: `clip` by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        beyond: Option<Beyond>,
    },
    /// Log-normal: the natural logarithm of the size in bytes is normal.
    LogNormal {
        /// The mean of the logarithm; e to this power is the median size in bytes.
        #[schemars(range(min = 0.0, max = 27.0))]
        mu: f64,
        /// The standard deviation of the logarithm.
        #[schemars(range(min = 0.0, max = 10.0))]
        sigma: f64,
        /// The largest size; 1 TB by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        max: Option<Bytes>,
        /// What happens to a draw above `max`: `clip` by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        beyond: Option<Beyond>,
    },
    /// Pareto: a share (min / x)^shape of the sizes exceeds x.
    Pareto {
        /// The tail index. The mean is infinite at 1 or less, the variance at 2 or less (apart from
        /// the limit of 1 TB).
        #[schemars(range(min = 0.01, max = 100.0))]
        shape: f64,
        /// The smallest size.
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        min: Bytes,
    },
    /// Pareto conditioned on lying between two sizes.
    BoundedPareto {
        /// The tail index.
        #[schemars(range(min = 0.01, max = 100.0))]
        shape: f64,
        /// The smallest size.
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        min: Bytes,
        /// The largest size, at least `min`.
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        max: Bytes,
    },
    /// One of a few sizes, each with its share of the draws.
    Mix {
        /// The sizes.
        #[schemars(length(min = 1, max = 64))]
        sizes: Box<[Bytes]>,
        /// The share of each size, in the same order; their sum is 1.
        #[schemars(length(min = 1, max = 64), inner(range(min = 0.0, max = 1.0)))]
        shares: Box<[f64]>,
    },
    /// Flows of a cluster for web search, with a mean of 1.7 MB: Alizadeh et al. (DCTCP, SIGCOMM 2010), figure
    /// 4, by the 12 points that the traffic generators of HPCC and HKUST have; linear as a table.
    Websearch,
    /// Flows of a cluster for data mining, with a mean of 13 MB: Greenberg et al. (VL2, SIGCOMM 2009), figure
    /// 2, by the 13 points that the traffic generator of HKUST has; linear as a table.
    Datamining,
    /// Flows of a Hadoop cluster, with a mean of 120 kB: Roy et al. (SIGCOMM 2015), figure 6, by the 20 points that
    /// the traffic generator of HPCC has; linear as a table.
    Hadoop,
    /// A measured distribution as a table of points of its distribution function. Between two points
    /// the function is linear in the size, as in the traffic files of ns-3, HPCC and Homa; at the first
    /// point it jumps, as it does between two points of one size.
    Table {
        /// A table in CSV or Parquet with the columns `size` (a number of bytes, or a text such as `6 kB`) and `cdf`,
        /// a point in each row; instead of `points`. A relative path starts at the folder of the file
        /// that names it, on the command line and in Python at the current directory.
        #[serde(default, skip_serializing)]
        #[schemars(
            length(min = 1, max = 4_096),
            extend("x-file" = { "content": "sizes", "key": "points" })
        )]
        file: Option<Box<str>>,
        /// The points, in the order of their sizes.
        #[serde(default)]
        #[schemars(length(max = 10_000))]
        points: Arc<[SizePoint]>,
    },
}

/// What happens to a draw above the largest size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Beyond {
    /// It is replaced by the largest size.
    #[default]
    Clip,
    /// It is drawn again until it does not exceed the largest size: the distribution is conditioned
    /// on lying below it. It still takes one number from the stream.
    Redraw,
}

impl Default for Size {
    fn default() -> Self {
        Self::Plain(Bytes::ZERO)
    }
}

impl From<Bytes> for Size {
    fn from(size: Bytes) -> Self {
        Self::Plain(size)
    }
}

impl From<SizeLaw> for Size {
    fn from(law: SizeLaw) -> Self {
        Self::Drawn(law)
    }
}

impl SizeLaw {
    /// The points of a measured distribution; none for other laws.
    pub fn points(&self) -> &[SizePoint] {
        match self {
            Self::Table { points, .. } => points,
            Self::Websearch => &WEBSEARCH,
            Self::Datamining => &DATAMINING,
            Self::Hadoop => &HADOOP,
            Self::Fixed { .. }
            | Self::Exponential { .. }
            | Self::LogNormal { .. }
            | Self::Pareto { .. }
            | Self::BoundedPareto { .. }
            | Self::Mix { .. } => &[],
        }
    }
}

impl Size {
    /// The mean in bytes, before rounding and before the limit of 1 TB (which the log-normal law
    /// does include); infinite for a Pareto law with a shape of 1 or less.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Plain(size) | Self::Drawn(SizeLaw::Fixed { size }) => size.as_f64(),
            Self::Drawn(SizeLaw::Exponential { mean, max: None, .. }) => mean.as_f64(),
            Self::Drawn(SizeLaw::Exponential { mean, max: Some(max), beyond }) => {
                let (mean, max) = (mean.as_f64(), max.as_f64());
                match beyond.unwrap_or_default() {
                    Beyond::Clip => mean * exponential_share(mean, max),
                    Beyond::Redraw => mean - max / libm::expm1(max / mean),
                }
            }
            Self::Drawn(SizeLaw::LogNormal { mu, sigma, max, beyond }) => {
                let max = max.unwrap_or(MAX_SIZE).as_f64();
                match beyond.unwrap_or_default() {
                    Beyond::Clip => clipped_log_normal_mean(mu, sigma, max),
                    Beyond::Redraw => {
                        log_normal_bytes_below(mu, sigma, max) / log_normal_share(mu, sigma, max)
                    }
                }
            }
            Self::Drawn(SizeLaw::Pareto { shape, min }) => {
                if shape > 1.0 {
                    min.as_f64() * shape / (shape - 1.0)
                } else {
                    f64::INFINITY
                }
            }
            Self::Drawn(SizeLaw::BoundedPareto { shape, min, max }) => {
                bounded_pareto_mean(shape, min.as_f64(), max.as_f64())
            }
            Self::Drawn(SizeLaw::Mix { ref sizes, ref shares }) => {
                parts(sizes, shares).map(|(size, share)| share * size.as_f64()).sum()
            }
            Self::Drawn(
                ref law @ (SizeLaw::Websearch
                | SizeLaw::Datamining
                | SizeLaw::Hadoop
                | SizeLaw::Table { .. }),
            ) => measured::mean(law.points()),
        }
    }

    /// The share of all data that lies beyond the first `most` bytes of each size: what is lost where sizes are cut
    /// there. All of it where the mean is infinite.
    pub fn share_beyond(&self, most: Bytes) -> f64 {
        let (mean, most) = (self.mean(), most.as_f64());
        let beyond = match *self {
            Self::Plain(size) | Self::Drawn(SizeLaw::Fixed { size }) => size.as_f64() - most,
            Self::Drawn(SizeLaw::Exponential { mean, max, beyond }) => {
                let mean = mean.as_f64();
                let tail = |size: f64| libm::exp(-size / mean);
                // The integral of the share of sizes beyond x, over x from `most` on.
                match max.map(Bytes::as_f64) {
                    None => mean * tail(most),
                    Some(max) if max <= most => 0.0,
                    Some(max) => {
                        let clipped = mean * (tail(most) - tail(max));
                        match beyond.unwrap_or_default() {
                            Beyond::Clip => clipped,
                            Beyond::Redraw => {
                                (clipped - (max - most) * tail(max)) / exponential_share(mean, max)
                            }
                        }
                    }
                }
            }
            Self::Drawn(SizeLaw::LogNormal { mu, sigma, max, beyond }) => {
                let max = max.unwrap_or(MAX_SIZE).as_f64();
                if max <= most {
                    return 0.0;
                }
                let within = log_normal_bytes_below(mu, sigma, most);
                let share = |max| log_normal_share(mu, sigma, max);
                match beyond.unwrap_or_default() {
                    Beyond::Clip => mean - clipped_log_normal_mean(mu, sigma, most),
                    Beyond::Redraw => {
                        mean - (within + most * (share(max) - share(most))) / share(max)
                    }
                }
            }
            Self::Drawn(SizeLaw::Pareto { shape, min }) => {
                let min = min.as_f64();
                if !mean.is_finite() {
                    return 1.0;
                }
                let share = libm::pow((min / most).min(1.0), shape);
                share * most.max(min) / (shape - 1.0) + (min - most).max(0.0)
            }
            Self::Drawn(SizeLaw::BoundedPareto { shape, min, max }) => {
                // Beyond it, the law is the same with a larger smallest size.
                let (min, max) = (min.as_f64(), max.as_f64());
                let from = min.max(most);
                if from >= max {
                    return 0.0;
                }
                let tail = |size: f64| libm::pow(min / size, shape) - libm::pow(min / max, shape);
                tail(from) / tail(min) * (bounded_pareto_mean(shape, from, max) - most)
            }
            Self::Drawn(SizeLaw::Mix { ref sizes, ref shares }) => parts(sizes, shares)
                .map(|(size, share)| share * (size.as_f64() - most).max(0.0))
                .sum(),
            Self::Drawn(
                ref law @ (SizeLaw::Websearch
                | SizeLaw::Datamining
                | SizeLaw::Hadoop
                | SizeLaw::Table { .. }),
            ) => measured::mean_beyond(law.points(), most),
        };
        (beyond / mean).max(0.0)
    }

    /// A size in bytes, 1 … [`MAX_SIZE`].
    ///
    /// Takes one draw for any distribution, including a fixed size, so that scenarios that differ
    /// only in the sizes see the same arrivals.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        match *self {
            Self::Plain(size) | Self::Drawn(SizeLaw::Fixed { size }) => {
                stream.next_u64();
                size.0
            }
            Self::Drawn(SizeLaw::Exponential { mean, max, beyond }) => {
                let (mean, max) = (mean.as_f64(), max.unwrap_or(MAX_SIZE));
                let size = match beyond.unwrap_or_default() {
                    Beyond::Clip => stream.exponential(mean),
                    Beyond::Redraw => exponential_quantile(
                        stream.open_uniform() * exponential_share(mean, max.as_f64()),
                        mean,
                    ),
                };
                whole(size, max)
            }
            Self::Drawn(SizeLaw::LogNormal { mu, sigma, max, beyond }) => {
                let max = max.unwrap_or(MAX_SIZE);
                let size = match beyond.unwrap_or_default() {
                    Beyond::Clip => stream.log_normal(mu, sigma),
                    Beyond::Redraw => {
                        let share = log_normal_share(mu, sigma, max.as_f64());
                        libm::exp(mu + sigma * normal_quantile(stream.open_uniform() * share))
                    }
                };
                whole(size, max)
            }
            Self::Drawn(SizeLaw::Pareto { shape, min }) => {
                whole(stream.pareto(shape, min.as_f64()), MAX_SIZE)
            }
            Self::Drawn(SizeLaw::BoundedPareto { shape, min, max }) => {
                whole(stream.bounded_pareto(shape, min.as_f64(), max.as_f64()), max)
            }
            Self::Drawn(SizeLaw::Mix { ref sizes, ref shares }) => {
                // Summed without a branch that chance would decide. The last size has the rest.
                let (u, mut below, mut at) = (stream.uniform(), 0.0, 0);
                for share in &shares[..shares.len() - 1] {
                    below += share;
                    at += usize::from(u >= below);
                }
                sizes[at].0
            }
            Self::Drawn(
                ref law @ (SizeLaw::Websearch
                | SizeLaw::Datamining
                | SizeLaw::Hadoop
                | SizeLaw::Table { .. }),
            ) => whole(measured::quantile(law.points(), stream.uniform()), MAX_SIZE),
        }
    }
}

/// The sizes of a mix, each with its share.
pub(crate) fn parts(sizes: &[Bytes], shares: &[f64]) -> impl Iterator<Item = (Bytes, f64)> {
    sizes.iter().copied().zip(shares.iter().copied())
}

/// The nearest number of bytes, 1 … `max`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
pub(crate) fn whole(bytes: f64, max: Bytes) -> u64 {
    ((bytes + 0.5) as u64).min(max.0).max(1)
}

/// The share of exponential numbers that are at most `max`: 1 − e^(−max / mean).
pub(crate) fn exponential_share(mean: f64, max: f64) -> f64 {
    -libm::expm1(-max / mean)
}

/// The number that a share of all exponential numbers does not exceed.
pub(crate) fn exponential_quantile(share: f64, mean: f64) -> f64 {
    -mean * libm::log1p(-share)
}

/// The mean of the lesser of a log-normal number and `max`:
/// e^(μ + σ²/2) · Φ((ln max − μ) / σ − σ) + max · (1 − Φ((ln max − μ) / σ)).
pub(crate) fn clipped_log_normal_mean(mu: f64, sigma: f64, max: f64) -> f64 {
    if sigma == 0.0 {
        return libm::exp(mu).min(max);
    }
    let z = (libm::log(max) - mu) / sigma;
    log_normal_bytes_below(mu, sigma, max) + max * normal_cdf(-z)
}

/// The share of log-normal numbers that are at most `max`: Φ((ln max − μ) / σ).
pub(crate) fn log_normal_share(mu: f64, sigma: f64, max: f64) -> f64 {
    let far = libm::log(max) - mu;
    if sigma == 0.0 {
        return if far >= 0.0 { 1.0 } else { 0.0 };
    }
    normal_cdf(far / sigma)
}

/// The mean of a log-normal number X where those beyond `max` count as nothing, E\[X; X < max\] =
/// e^(μ + σ²/2) · Φ((ln max − μ) / σ − σ).
pub(crate) fn log_normal_bytes_below(mu: f64, sigma: f64, max: f64) -> f64 {
    if sigma == 0.0 {
        return libm::exp(mu) * log_normal_share(mu, sigma, max);
    }
    let z = (libm::log(max) - mu) / sigma;
    libm::exp(mu + 0.5 * sigma * sigma) * normal_cdf(z - sigma)
}
