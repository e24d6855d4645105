//! Whether more data in flight no longer raise the rate (draft-ietf-ccwg-bbr section 5.3.1.2): three rounds
//! without a quarter more.

/// The growth of the rate that shows that the path is not full.
const GROWTH: f64 = 1.25;

/// Rounds with less growth that show that it is.
const ROUNDS: u32 = 3;

/// The search for a plateau of the delivery rate.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Plateau {
    /// `BBR.full_bw`.
    rate: f64,
    /// `BBR.full_bw_count`.
    count: u32,
    /// Whether it is reached since the search began (`BBR.full_bw_now`).
    pub(in super::super) now: bool,
    /// Whether it was ever reached (`BBR.full_bw_reached`).
    pub(in super::super) reached: bool,
}

impl Plateau {
    /// The search begins anew, with `rate` to compare with (`ResetFullBW`).
    pub(in super::super) fn reset(&mut self, rate: f64) {
        *self = Self { rate, reached: self.reached, ..Self::default() };
    }

    /// A round of a sender with data has ended at this rate (`CheckFullBWReached`).
    pub(in super::super) fn check(&mut self, rate: f64) {
        if self.now {
            return;
        }
        if rate >= self.rate * GROWTH {
            return self.reset(rate);
        }
        self.count += 1;
        self.now = self.count >= ROUNDS;
        self.reached |= self.now;
    }

    /// Losses show that it is reached.
    pub(in super::super) fn declare(&mut self) {
        (self.now, self.reached) = (true, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_rounds_with_less_than_a_quarter_more_are_a_plateau() {
        let mut plateau = Plateau::default();
        for rate in [1.0, 2.0, 2.4, 2.5, 2.6, 2.9] {
            plateau.check(rate);
            assert!(!plateau.now, "{rate}");
        }
        plateau.check(3.0);
        assert!(plateau.now && plateau.reached);
        plateau.reset(3.0);
        assert!(!plateau.now && plateau.reached);
    }
}
