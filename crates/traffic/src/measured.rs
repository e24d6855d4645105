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

const fn at(size: u64, cdf: f64) -> SizePoint {
    SizePoint { size: Bytes(size), cdf }
}

/// Web search: M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, figure 4. These points are the
/// same in the traffic generators of HPCC (`alibaba-edu/High-Precision-Congestion-Control`,
/// `WebSearch_distribution.txt`) and HKUST (`HKUST-SING/TrafficGenerator`, `DCTCP_CDF.txt`).
pub(crate) const WEBSEARCH: [SizePoint; 12] = [
    at(0, 0.0),
    at(10_000, 0.15),
    at(20_000, 0.2),
    at(30_000, 0.3),
    at(50_000, 0.4),
    at(80_000, 0.53),
    at(200_000, 0.6),
    at(1_000_000, 0.7),
    at(2_000_000, 0.8),
    at(5_000_000, 0.9),
    at(10_000_000, 0.97),
    at(30_000_000, 1.0),
];

/// Data mining: A. Greenberg et al., "VL2", SIGCOMM 2009, figure 2, by the points of the traffic generator of
/// HKUST (`VL2_CDF.txt`).
pub(crate) const DATAMINING: [SizePoint; 13] = [
    at(0, 0.0),
    at(180, 0.1),
    at(216, 0.2),
    at(560, 0.3),
    at(900, 0.4),
    at(1_100, 0.5),
    at(1_870, 0.6),
    at(3_160, 0.7),
    at(10_000, 0.8),
    at(400_000, 0.9),
    at(3_160_000, 0.95),
    at(100_000_000, 0.98),
    at(1_000_000_000, 1.0),
];

/// Hadoop: A. Roy et al., "Inside the Social Network's (Datacenter) Network", SIGCOMM 2015, figure 6, by the
/// points of the traffic generator of HPCC (`FbHdp_distribution.txt`).
pub(crate) const HADOOP: [SizePoint; 20] = [
    at(0, 0.0),
    at(100, 0.01),
    at(200, 0.02),
    at(300, 0.05),
    at(350, 0.15),
    at(400, 0.2),
    at(500, 0.3),
    at(600, 0.4),
    at(700, 0.5),
    at(1_000, 0.6),
    at(2_000, 0.67),
    at(7_000, 0.7),
    at(30_000, 0.72),
    at(50_000, 0.82),
    at(80_000, 0.87),
    at(120_000, 0.9),
    at(300_000, 0.95),
    at(1_000_000, 0.975),
    at(2_000_000, 0.99),
    at(10_000_000, 1.0),
];

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

/// The mean of the bytes beyond the first `most` of each size.
pub(crate) fn mean_beyond(points: &[SizePoint], most: f64) -> f64 {
    let beyond = |Piece { sizes: [low, high], share }: Piece| {
        if high <= most {
            return 0.0;
        }
        let from = low.max(most);
        let part = if high > low { (high - from) / (high - low) } else { 1.0 };
        share * part * (0.5 * (from + high) - most)
    };
    pieces(points).map(beyond).sum()
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
