//! Samples of the common distributions, each by inverting the distribution function.

use units::Span;

use crate::{Stream, bounded_pareto_quantile, normal_quantile};

impl Stream {
    /// Exponential with the given mean. The resolution of the uniform number truncates the tail at
    /// 36.7 means, which is exceeded with probability 2^-53.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.uniform())
    }

    /// Exponential with the given mean, to the nearest picosecond (which may be none).
    #[inline]
    pub fn exponential_span(&mut self, mean: Span) -> Span {
        Span::from_ps(nearest(self.exponential(mean.0 as f64)))
    }

    /// Geometric: the number of independent trials up to the first success, at least 1, where each
    /// succeeds with probability `p` in (0, 1]. `p` = 1 gives 1; far tails saturate.
    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    pub fn geometric(&mut self, p: f64) -> u64 {
        // ln(1 − u) / ln(1 − p) failures; the divisor is −∞ where none can be.
        let failures = libm::log1p(-self.uniform()) / libm::log1p(-p);
        (failures as u64).saturating_add(1)
    }

    /// Normal with mean 0 and variance 1.
    #[inline]
    pub fn standard_normal(&mut self) -> f64 {
        normal_quantile(self.open_uniform())
    }

    /// Log-normal: e to the power of a normal number with mean `mu` and standard deviation `sigma`.
    pub fn log_normal(&mut self, mu: f64, sigma: f64) -> f64 {
        libm::exp(mu + sigma * self.standard_normal())
    }

    /// Pareto: P(X > x) = (min / x)^shape for x ≥ `min`. The mean is infinite for a shape of 1 or
    /// less.
    pub fn pareto(&mut self, shape: f64, min: f64) -> f64 {
        min * libm::pow(1.0 - self.uniform(), -1.0 / shape)
    }

    /// Pareto conditioned on lying between `min` and `max`.
    ///
    /// P(X > x) = ((min / x)^shape − (min / max)^shape) / (1 − (min / max)^shape).
    pub fn bounded_pareto(&mut self, shape: f64, min: f64, max: f64) -> f64 {
        bounded_pareto_quantile(self.uniform(), shape, min, max)
    }
}

/// The nearest whole number; the largest one for what is larger, zero for NaN.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn nearest(x: f64) -> u64 {
    (x + 0.5) as u64
}
