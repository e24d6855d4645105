//! Distributions of sizes that were measured: points of a distribution function, linear in between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// A point of the distribution function of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SizePoint {
    /// The size; at least that of the point before.
    #[schemars(extend("x-max" = "1 TB"))]
    pub size: Bytes,
    /// The share of sizes that are at most this one, at least that of the point before; 1 at the last
    /// point.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub cdf: f64,
}

/// The pieces of a distribution, from one size to another. The first is all of one size.
fn pieces(points: &[SizePoint]) -> impl Iterator<Item = Piece> {
    let start = points.first().map_or(Bytes(0), |point| point.size);
    let before = std::iter::once(SizePoint { size: start, cdf: 0.0 }).chain(points.iter().copied());
    before.zip(points).map(|(low, high)| Piece {
        sizes: [low.size.as_f64(), high.size.as_f64()],
        share: high.cdf - low.cdf,
    })
}

/// Sizes that are uniform between two, and their share of the draws.
struct Piece {
    sizes: [f64; 2],
    share: f64,
}

impl Piece {
    /// What it adds to the mean.
    fn bytes(&self) -> f64 {
        self.share * 0.5 * (self.sizes[0] + self.sizes[1])
    }
}

/// The mean in bytes: the sum of each piece's share times its middle.
pub(crate) fn mean(points: &[SizePoint]) -> f64 {
    pieces(points).map(|piece| piece.bytes()).sum()
}

/// The size below which a share `u`, less than 1, of the draws lies.
pub(crate) fn quantile(points: &[SizePoint], u: f64) -> f64 {
    let at = points.partition_point(|point| point.cdf <= u).min(points.len() - 1);
    let high = points[at];
    let Some(low) = at.checked_sub(1).map(|before| points[before]) else {
        return high.size.as_f64();
    };
    let part = (u - low.cdf) / (high.cdf - low.cdf);
    let low = low.size.as_f64();
    // The largest share may lie a rounding error below 1.
    low + (high.size.as_f64() - low) * part.min(1.0)
}

/// The size below which draws have so many bytes, of a mean of all: within a piece from a to b the
/// density of bytes is in proportion to x, so a part v of them lies below √(a² + v (b² − a²)).
pub(crate) fn biased_quantile(points: &[SizePoint], bytes: f64) -> f64 {
    let mut below = 0.0;
    for piece in pieces(points) {
        let here = piece.bytes();
        if bytes < below + here {
            let [low, high] = piece.sizes;
            let v = (bytes - below) / here;
            return libm::sqrt(low * low + v * (high * high - low * low));
        }
        below += here;
    }
    points.last().map_or(0.0, |point| point.size.as_f64())
}
