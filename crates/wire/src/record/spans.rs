//! Bytes in time spans of one length.

use units::{Span, Time};

/// Bytes that arrived in each span, from the start of the run.
#[derive(Debug, Clone)]
pub struct Spans {
    length: Span,
    bytes: Vec<u64>,
}

/// Statistics of all whole spans of the measured time, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpanStatistics {
    /// The mean.
    pub mean: f64,
    /// The population standard deviation of the spans (divided by their number).
    pub deviation: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
}

impl Spans {
    /// Counts in spans of this length.
    pub fn new(length: Span) -> Self {
        Self { length, bytes: Vec::new() }
    }

    /// Spans of the same length, without bytes.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self::new(self.length)
    }

    /// Adds bytes counted elsewhere in spans of the same length.
    pub fn absorb(&mut self, other: &Self) {
        if self.bytes.len() < other.bytes.len() {
            self.bytes.resize(other.bytes.len(), 0);
        }
        for (bytes, more) in self.bytes.iter_mut().zip(&other.bytes) {
            *bytes += more;
        }
    }

    /// Counts bytes that arrive at an instant, past or future.
    pub fn add(&mut self, at: Time, bytes: u64) {
        let span = usize::try_from(at.0 / self.length.0).expect("limited by the schema");
        if self.bytes.len() <= span {
            self.bytes.resize(span + 1, 0);
        }
        self.bytes[span] += bytes;
    }

    /// The spans entirely between two instants: the start of each and its bytes.
    pub fn between(&self, from: Time, to: Time) -> impl Iterator<Item = (Time, u64)> + Clone {
        let first = from.0.div_ceil(self.length.0);
        let end = (to.0 / self.length.0).max(first);
        (first..end).map(move |span| {
            let at = usize::try_from(span).expect("limited by the schema");
            (Time(span * self.length.0), self.bytes.get(at).copied().unwrap_or_default())
        })
    }

    /// Statistics of the spans entirely between two instants; `None` if there are none.
    pub fn statistics(&self, from: Time, to: Time) -> Option<SpanStatistics> {
        let bytes = || self.between(from, to).map(|(_, bytes)| bytes);
        let (min, max) = (bytes().min()?, bytes().max()?);
        let count = bytes().count() as f64;
        let mean = bytes().sum::<u64>() as f64 / count;
        let squares: f64 = bytes().map(|bytes| (bytes as f64 - mean).powi(2)).sum();
        let deviation = libm::sqrt(squares / count);
        Some(SpanStatistics { mean, deviation, min: min as f64, max: max as f64 })
    }

    /// The length of a span.
    pub fn length(&self) -> Span {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_count_in_the_span_in_which_they_come_and_empty_spans_count() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut spans = Spans::new(Span::from_ms(3));
        for (ms, bytes) in [(0, 1), (2, 2), (3, 10), (8, 20), (12, 40)] {
            spans.add(at(ms), bytes);
        }
        let listed: Vec<_> = spans.between(at(0), at(15)).collect();
        assert_eq!(listed, [(at(0), 3), (at(3), 10), (at(6), 20), (at(9), 0), (at(12), 40)]);
        // A span that begins before or ends after does not count.
        let found = spans.statistics(at(1), at(14)).unwrap();
        assert_eq!((found.mean, found.min, found.max), (10.0, 0.0, 20.0));
        assert!((found.deviation - (200.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(spans.statistics(at(4), at(8)), None);
    }
}
