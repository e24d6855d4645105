//! Quantiles from log-spaced buckets.

use units::Span;

/// Bits of a bucket's resolution: 2⁵ buckets per octave, at most 1.6% from the middle of a bucket.
const FINE: u32 = 5;

/// A histogram of spans in log-spaced buckets, for quantiles to within 1.6%, none beyond the least and the largest
/// value, which is exact.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantiles {
    counts: Vec<u64>,
    total: u64,
    least: u64,
    most: u64,
}

impl Default for Quantiles {
    fn default() -> Self {
        Self { counts: Vec::new(), total: 0, least: u64::MAX, most: 0 }
    }
}

impl Quantiles {
    /// Adds a span.
    #[inline]
    pub fn add(&mut self, span: Span) {
        self.count(span.0);
    }

    /// Adds a whole number.
    #[inline]
    pub fn count(&mut self, value: u64) {
        let bucket = bucket(value);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.total += 1;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    /// The span below which the share `q` of the values lies; `None` without values.
    pub fn quantile(&self, q: f64) -> Option<Span> {
        self.number(q).map(Span)
    }

    /// The number below which the share `q` of the values lies; `None` without values.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 ≤ q·total")]
    pub fn number(&self, q: f64) -> Option<u64> {
        let rank = ((q * self.total as f64).ceil() as u64).max(1);
        if self.total > 0 && rank >= self.total {
            return Some(self.most);
        }
        let mut below = 0;
        self.counts.iter().enumerate().find_map(|(bucket, &count)| {
            below += count;
            (below >= rank).then(|| middle(bucket).clamp(self.least, self.most))
        })
    }

    /// The buckets in the order of their values: the middle of each with its count, zeros included.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts.iter().enumerate().map(|(bucket, &count)| (middle(bucket), count))
    }

    /// Adds the values of another.
    pub fn absorb(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.counts.fill(0);
        *self = Self { counts: std::mem::take(&mut self.counts), ..Self::default() };
    }
}

/// The bucket of a value: exact below 2^FINE, then FINE bits behind the leading one.
#[inline]
fn bucket(value: u64) -> usize {
    let octave = (64 - FINE).saturating_sub(value.leading_zeros() + 1);
    #[expect(clippy::cast_possible_truncation, reason = "a few thousand buckets")]
    let fine = (value >> octave) as usize;
    ((octave as usize) << FINE) + fine
}

/// The middle of a bucket.
fn middle(bucket: usize) -> u64 {
    let octave = (bucket >> FINE).saturating_sub(1);
    let fine = (bucket - (octave << FINE)) as u64;
    (fine << octave) + ((1u64 << octave) >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middles_lie_within_the_promised_distance() {
        for power in 0..58 {
            for step in 0..50u64 {
                let value = (1u64 << power) + step * (1u64 << power) / 50;
                let got = middle(bucket(value));
                let error = got.abs_diff(value) as f64 / value as f64;
                assert!(error <= 0.0157, "{value}: {got}");
            }
        }
    }

    #[test]
    fn no_quantile_is_beyond_the_values() {
        for value in [1, 33, 1000, 123_456_789, u64::MAX] {
            let mut quantiles = Quantiles::default();
            quantiles.count(value);
            assert_eq!([0.01, 0.5, 1.0].map(|q| quantiles.number(q)), [Some(value); 3]);
            quantiles.count(value / 2);
            assert_eq!(quantiles.number(1.0), Some(value));
            assert!(quantiles.number(0.5).is_some_and(|half| half >= value / 2));
        }
    }

    #[test]
    fn quantiles_of_a_uniform_law() {
        let mut quantiles = Quantiles::default();
        assert_eq!(quantiles.quantile(0.5), None);
        for n in 1..=1000 {
            quantiles.add(Span::from_us(n));
        }
        for q in [0.01, 0.5, 0.9, 0.99, 1.0] {
            let got = quantiles.quantile(q).unwrap().as_secs_f64();
            assert!((got / (q * 1e-3) - 1.0).abs() < 0.017, "{q}: {got}");
        }
    }
}
