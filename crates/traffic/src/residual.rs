//! The remaining data of a transfer in progress.
//!
//! In the steady state, if the rate of a transfer does not depend on its size, the sizes in
//! progress are length-biased (a long transfer is present longer), and the progress of each is
//! uniform. The remaining size has the density (1 − F(x)) / E\[S\] and the mean E\[S²\] / (2
//! E\[S\]): the residual-life law of renewal theory (D. R. Cox, "Renewal Theory", 1962, chapter 5).

use random::{Stream, bounded_pareto_quantile, normal_cdf, normal_quantile};

use crate::measured;
use crate::size::{
    Beyond, MAX_SIZE, Size, SizeLaw, clipped_log_normal_mean, exponential_quantile,
    exponential_share, log_normal_bytes_below, parts, whole,
};

impl Size {
    /// The remaining bytes of a transfer in progress in the steady state.
    ///
    /// The law is exactly the residual-life law of the sizes that [`Size::draw`] gives before it
    /// rounds them, the limits at which it clips them included; then it is rounded to whole bytes,
    /// 1 at least. Takes two draws whatever the law.
    pub fn residual(&self, stream: &mut Stream) -> u64 {
        let [_, left] = self.split(stream);
        whole(left, MAX_SIZE)
    }

    /// What has gone of it and what is left, neither of them rounded. Takes two draws.
    pub(crate) fn split(&self, stream: &mut Stream) -> [f64; 2] {
        let (u, part) = (stream.open_uniform(), stream.open_uniform());
        let limit = MAX_SIZE.as_f64();
        let size = match *self {
            Self::Plain(size) | Self::Drawn(SizeLaw::Fixed { size }) => size.as_f64(),
            Self::Drawn(SizeLaw::Exponential { mean, max: None, .. }) => {
                // It forgets how far it has come: what is left is exponential too, and, clipped,
                // conditioned on lying below the limit. So is what has gone.
                let mean = mean.as_f64();
                let below = exponential_share(mean, limit);
                return [part, u].map(|u| exponential_quantile(u * below, mean));
            }
            Self::Drawn(SizeLaw::Exponential { mean, max: Some(max), beyond }) => {
                let (m, max) = (mean.as_f64(), max.as_f64());
                let bytes = match beyond.unwrap_or_default() {
                    Beyond::Clip => self.mean(),
                    Beyond::Redraw => exponential_bytes_below(m, max),
                };
                biased_exponential(u * bytes, m, max)
            }
            Self::Drawn(SizeLaw::LogNormal { mu, sigma, max, beyond }) => {
                let max = max.unwrap_or(MAX_SIZE).as_f64();
                let bytes = match beyond.unwrap_or_default() {
                    Beyond::Clip => clipped_log_normal_mean(mu, sigma, max),
                    // Their mean is this over the share of sizes below `max`; so is every part of
                    // it, and the share goes out.
                    Beyond::Redraw => log_normal_bytes_below(mu, sigma, max),
                };
                biased_log_normal(u * bytes, mu, sigma, max)
            }
            Self::Drawn(SizeLaw::Pareto { shape, min }) => {
                biased_pareto(u, shape, min.as_f64(), limit)
            }
            // A density in proportion to x^(−a−1) becomes one in proportion to x^(−a).
            Self::Drawn(SizeLaw::BoundedPareto { shape, min, max }) => {
                bounded_pareto_quantile(u, shape - 1.0, min.as_f64(), max.as_f64())
            }
            // Each size with its share of all bytes.
            Self::Drawn(SizeLaw::Mix { ref sizes, ref shares }) => {
                let (bytes, mut below) = (u * self.mean(), 0.0);
                let picked = parts(sizes, shares).find(|(size, share)| {
                    below += share * size.as_f64();
                    bytes < below
                });
                picked.map_or(sizes[sizes.len() - 1], |(size, _)| size).as_f64()
            }
            Self::Drawn(
                ref law @ (SizeLaw::Websearch
                | SizeLaw::Datamining
                | SizeLaw::Hadoop
                | SizeLaw::Table { .. }),
            ) => measured::biased_quantile(law.points(), u * self.mean()),
        };
        [size * (1.0 - part), size * part]
    }
}

/// The mean of an exponential number X where those beyond `max` count as nothing, E\[X; X < max\] =
/// mean · (1 − e^(−max / mean)) − max · e^(−max / mean).
fn exponential_bytes_below(mean: f64, max: f64) -> f64 {
    mean * exponential_share(mean, max) - max * libm::exp(-max / mean)
}

/// The size x with E\[X; X < x\] = `bytes` for an exponential number X; `max` where it lies beyond.
fn biased_exponential(bytes: f64, mean: f64, max: f64) -> f64 {
    if bytes >= exponential_bytes_below(mean, max) {
        return max;
    }
    // Its inverse has no closed form. Each step halves what it lies in.
    let (mut low, mut high) = (0.0, max);
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        if exponential_bytes_below(mean, middle) < bytes { low = middle } else { high = middle }
    }
    high
}

/// The size x below which a log-normal number X has so many bytes, E\[X; X < x\] = e^(μ + σ²/2) ·
/// Φ((ln x − μ) / σ − σ); `max` where it lies beyond.
fn biased_log_normal(bytes: f64, mu: f64, sigma: f64, max: f64) -> f64 {
    if sigma == 0.0 {
        return libm::exp(mu).min(max);
    }
    let p = bytes / libm::exp(mu + 0.5 * sigma * sigma);
    if p >= normal_cdf((libm::log(max) - mu) / sigma - sigma) {
        return max;
    }
    libm::exp(mu + sigma * (sigma + normal_quantile(p))).min(max)
}

/// The size below which a share `u` of all bytes lies, sizes being the lesser of a Pareto number and
/// `max`, for a shape a above 1.
///
/// With y = ∫ t^(−a) dt from 1 to `max` / `min`, E\[S\] = `min` · (1 + y), of which the sizes below
/// `max` have `min` · a · y; their density, in proportion to x^(−a), is a bounded Pareto's.
fn biased_pareto(u: f64, shape: f64, min: f64, max: f64) -> f64 {
    let tail = shape - 1.0;
    let y = -libm::expm1(-tail * libm::log(max / min)) / tail;
    let below = shape * y / (1.0 + y);
    if u < below { bounded_pareto_quantile(u / below, tail, min, max) } else { max }
}
