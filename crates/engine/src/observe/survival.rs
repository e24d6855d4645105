//! Completion times of flows of which some have not ended.
//!
//! The mean of the flows that have ended is too small while others are under way, for those are the
//! long ones. The product-limit estimator (E. L. Kaplan and P. Meier, J. Am. Stat. Assoc. 53, 1958)
//! counts a flow as long as it was watched: from the age that it had when measuring began (left
//! truncation, section 4.6 of J. P. Klein and M. L. Moeschberger, Survival Analysis, 2nd ed., 2003)
//! to the age at which it ended, or that it had at the end of the run.

use units::Span;
use wire::record::Quantiles;

/// The ages of flows at which they were first watched, ended, and were last watched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Survival {
    /// When they were first watched; of flows that began later, 0.
    entered: Quantiles,
    /// When they ended.
    ended: Quantiles,
    /// When the run ended without them.
    left: Quantiles,
    /// The greatest of the ages at which the run ended without them.
    longest: Span,
}

impl Survival {
    /// Adds a flow that was watched from an age on, and ended at another.
    pub fn end(&mut self, from: Span, at: Span) {
        self.entered.add(from);
        self.ended.add(at);
    }

    /// Adds a flow that was watched between two ages, and had not ended.
    pub fn leave(&mut self, from: Span, at: Span) {
        self.entered.add(from);
        self.left.add(at);
        self.longest = self.longest.max(at);
    }

    /// The completion times of the flows that have ended.
    pub fn ended(&self) -> &Quantiles {
        &self.ended
    }

    /// The time in which the share `q` of all flows ends, to 1.6%; `None` if so many are not known to end.
    pub fn quantile(&self, q: f64) -> Option<Span> {
        self.steps().find(|&(_, surviving)| surviving <= 1.0 - q).map(|(at, _)| at)
    }

    /// The mean of the completion times, those above `within` counted as `within`: the area below the
    /// curve. `None` without flows, or if the last was watched for less than that.
    pub fn mean_within(&self, within: Span) -> Option<f64> {
        self.until(within).map(|(mean, _)| mean)
    }

    /// The share of flows that take longer than `within`, where [`mean_within`](Self::mean_within) has
    /// a value.
    pub fn share_beyond(&self, within: Span) -> Option<f64> {
        self.until(within).map(|(_, surviving)| surviving)
    }

    /// The area below the curve up to an age, and its height there.
    fn until(&self, within: Span) -> Option<(f64, f64)> {
        let (mut area, mut before, mut surviving) = (0.0, 0.0, 1.0);
        for (at, now) in self.steps().take_while(|&(at, _)| at <= within) {
            area += surviving * (at.as_secs_f64() - before);
            (before, surviving) = (at.as_secs_f64(), now);
        }
        let known =
            surviving == 0.0 || self.longest >= within || self.steps().any(|(at, _)| at > within);
        let watched = self.entered.quantile(1.0).is_some();
        let mean = area + surviving * (within.as_secs_f64() - before);
        (known && watched).then_some((mean, surviving))
    }

    /// The estimator's steps: ages at which flows ended, with the share that takes longer.
    fn steps(&self) -> impl Iterator<Item = (Span, f64)> + '_ {
        let of = |ages: &Quantiles| ages.buckets().map(|(_, count)| count).collect::<Vec<_>>();
        let (entered, left) = (of(&self.entered), of(&self.left));
        let count = |ages: &[u64], at: usize| ages.get(at).copied().unwrap_or(0);
        // Those of one bucket: flows enter before others end, and leave after it.
        let (mut watched, mut surviving) = (0, 1.0);
        self.ended.buckets().enumerate().filter_map(move |(at, (age, ended))| {
            watched += count(&entered, at);
            if ended > 0 {
                surviving *= 1.0 - ended as f64 / watched as f64;
            }
            watched -= ended + count(&left, at);
            (ended > 0).then_some((Span(age), surviving))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ages in seconds, of flows that were watched from their start.
    fn survival(ended: &[u64], left: &[u64]) -> Survival {
        let mut found = Survival::default();
        let span = |s: u64| Span::from_ms(1000 * s);
        for &age in ended {
            found.end(Span::ZERO, span(age));
        }
        for &age in left {
            found.leave(Span::ZERO, span(age));
        }
        found
    }

    /// The remission times in weeks of 21 patients with 6-mercaptopurine (E. J. Freireich et al., Blood
    /// 21, 1963), the standard example: its estimates are those of Klein and Moeschberger, table 4.1.
    #[test]
    fn the_standard_example_has_its_printed_estimates() {
        let ended = [6, 6, 6, 7, 10, 13, 16, 22, 23];
        let left = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35];
        let found = survival(&ended, &left);
        let printed = [
            (6, 0.857),
            (7, 0.807),
            (10, 0.753),
            (13, 0.690),
            (16, 0.627),
            (22, 0.538),
            (23, 0.448),
        ];
        let steps: Vec<(Span, f64)> = found.steps().collect();
        assert_eq!(steps.len(), printed.len());
        for ((at, surviving), (week, share)) in steps.into_iter().zip(printed) {
            assert!((at.as_secs_f64() / f64::from(week) - 1.0).abs() < 0.017, "{week}: {at:?}");
            assert!((surviving - share).abs() < 6e-4, "{week}: {surviving}");
        }
        let median = found.quantile(0.5).unwrap().as_secs_f64();
        assert!((median / 23.0 - 1.0).abs() < 0.017, "{median}");
        // The area below the printed curve up to 35 weeks, as R's package survival prints it (rmean).
        let mean = found.mean_within(Span::from_ms(35_000)).unwrap();
        assert!((mean / 23.287 - 1.0).abs() < 0.01, "{mean}");
        let beyond = found.share_beyond(Span::from_ms(20_000)).unwrap();
        assert!((beyond - 0.627).abs() < 6e-4, "{beyond}");
    }

    #[test]
    fn without_flows_that_left_the_estimates_are_those_of_a_sample() {
        let found = survival(&[1, 2, 3, 4], &[]);
        assert!((found.quantile(0.5).unwrap().as_secs_f64() / 2.0 - 1.0).abs() < 0.017);
        assert!((found.mean_within(Span::from_ms(100_000)).unwrap() / 2.5 - 1.0).abs() < 0.01);
        // Those above 2 s count as 2 s.
        let within = found.mean_within(Span::from_ms(2_500)).unwrap();
        assert!((within / 2.0 - 1.0).abs() < 0.01, "{within}");
    }

    #[test]
    fn what_was_not_watched_is_not_estimated() {
        assert_eq!(survival(&[], &[]).quantile(0.5), None);
        assert_eq!(survival(&[], &[]).mean_within(Span::from_ms(1)), None);
        let most_left = survival(&[1], &[2, 3, 4]);
        assert_eq!(most_left.quantile(0.5), None);
        assert!((most_left.mean_within(Span::from_ms(4_000)).unwrap() - 3.25).abs() < 0.05);
        assert_eq!(most_left.mean_within(Span::from_ms(5_000)), None);
        assert_eq!(most_left.share_beyond(Span::from_ms(4_000)), Some(0.75));
        assert_eq!(most_left.share_beyond(Span::from_ms(5_000)), None);
    }

    /// A flow that began before measuring is at risk only from the age that it had: of those that
    /// ended younger nothing is known.
    #[test]
    fn a_flow_counts_from_the_age_at_which_it_was_first_watched() {
        let span = |s: u64| Span::from_ms(1000 * s);
        let mut found = Survival::default();
        found.end(Span::ZERO, span(2));
        found.end(Span::ZERO, span(8));
        found.end(span(4), span(16));
        let steps: Vec<f64> = found.steps().map(|(_, surviving)| surviving).collect();
        assert_eq!(steps, [0.5, 0.25, 0.0]);
    }
}
