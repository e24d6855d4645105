//! Sums from which the mean and the standard deviation of delays follow.

use units::Span;

/// Number, sum and sum of squares of delays in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Delays {
    /// Their number.
    pub count: u64,
    /// Their sum in seconds.
    pub sum: f64,
    /// The sum of their squares in s².
    pub squares: f64,
}

impl Delays {
    /// Adds a delay.
    #[inline]
    pub fn add(&mut self, delay: Span) {
        self.add_seconds(delay.as_secs_f64());
    }

    /// Adds a difference of delays in seconds, which may be negative.
    #[inline]
    pub fn add_seconds(&mut self, delay: f64) {
        self.count += 1;
        self.sum += delay;
        self.squares += delay * delay;
    }

    /// The mean in seconds, NaN when there is none.
    pub fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }

    /// The standard deviation in seconds (over n), NaN when there is none.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        (self.squares / self.count as f64 - mean * mean).max(0.0).sqrt()
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }

    /// What was added since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            count: self.count - earlier.count,
            sum: self.sum - earlier.sum,
            squares: self.squares - earlier.squares,
        }
    }
}
