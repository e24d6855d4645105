//! Completion times and slowdowns of flows: of all of an entry of traffic, or of those of similar size.

use std::ops::Range;

use plan::Period;
use units::Span;
use wire::record::{Delays, Quantiles};

use super::{FlowRow, Survival};

/// The number of quantiles' steps in a slowdown of 1.
const UNIT: f64 = 1e6;

/// The slowdowns of flows: their completion times over those in an idle network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slowdowns {
    count: u64,
    sum: f64,
    quantiles: Quantiles,
}

impl Slowdowns {
    /// Adds a flow's.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    pub fn add(&mut self, slowdown: f64) {
        self.count += 1;
        self.sum += slowdown;
        self.quantiles.count((slowdown * UNIT) as u64);
    }

    /// Their mean; NaN without flows.
    pub fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }

    /// The slowdown below which the share `q` of them lies, to 1.6%; NaN without flows.
    pub fn quantile(&self, q: f64) -> f64 {
        self.quantiles.number(q).map_or(f64::NAN, |steps| steps as f64 / UNIT)
    }
}

/// How many flows have ended, and how long they took.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Completions {
    /// Flows.
    pub flows: u64,
    /// Flows whose data were all acknowledged.
    pub completed: u64,
    /// Flows that have begun and are not finished.
    pub unfinished: u64,
    /// Completion times, from the first data offered until all data is acknowledged.
    pub times: Delays,
    /// The same, for quantiles, with the flows that have not ended.
    pub survival: Survival,
    /// Completion times over those in an idle network.
    pub slowdowns: Slowdowns,
}

/// The class of a size in bytes: the power of ten that is at most as large.
pub fn size_class(bytes: u64) -> u32 {
    bytes.max(1).ilog10()
}

/// The sizes of a class in bytes.
pub fn sizes_of(class: u32) -> Range<u64> {
    10_u64.pow(class)..10_u64.saturating_pow(class + 1)
}

impl Completions {
    /// Adds a flow that is removed, or present at the end of the run.
    pub fn add(&mut self, row: &FlowRow, period: Period) {
        self.flows += 1;
        let Some(started) = row.started else { return };
        let age = period.begin.since(started);
        if let Some(finished) = row.finished {
            self.completed += 1;
            self.times.add(finished - started);
            self.survival.end(age, finished - started);
        } else if row.under_way {
            self.unfinished += 1;
            self.survival.leave(age, period.end.since(started));
        }
        if let Some(slowdown) = row.slowdown() {
            self.slowdowns.add(slowdown);
        }
    }

    /// The completion time below which the share `q` of the ended flows lies.
    pub fn quantile(&self, q: f64) -> Option<Span> {
        self.survival.ended().quantile(q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_the_sizes_between_two_powers_of_ten() {
        for (bytes, class) in [(0, 0), (1, 0), (9, 0), (10, 1), (999, 2), (1000, 3), (1_000_000, 6)]
        {
            assert_eq!(size_class(bytes), class, "{bytes}");
        }
        assert_eq!(sizes_of(3), 1000..10_000);
        assert_eq!(sizes_of(size_class(u64::MAX)), 10_u64.pow(19)..u64::MAX);
    }

    #[test]
    fn slowdowns_have_a_mean_and_quantiles() {
        let mut found = Slowdowns::default();
        assert!(found.mean().is_nan() && found.quantile(0.5).is_nan());
        for slowdown in [1.0, 2.0, 3.0, 10.0] {
            found.add(slowdown);
        }
        assert!((found.mean() - 4.0).abs() < 1e-12);
        assert!((found.quantile(0.5) / 2.0 - 1.0).abs() < 0.017);
        assert!((found.quantile(0.99) / 10.0 - 1.0).abs() < 0.017);
    }
}
