//! The data delivered over the measured period, and how much of its beginning is a transient.

use plan::Period;
use units::{Span, Time};

/// Observations of the measured period.
const OBSERVATIONS: usize = 100;
/// Observations of a batch.
const BATCH: usize = 5;

/// Counts the data delivered in equal parts of the measured period.
#[derive(Debug, Clone)]
pub struct Course {
    period: Period,
    /// Bytes delivered since measuring began, at the end of each part, by entry of traffic. They may fall: what was sent
    /// before is left out from its arrival on, which may be ahead of a gap.
    delivered: Vec<Vec<u64>>,
}

/// A beginning that is unlike the rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transient {
    /// Its length from the start of measuring; zero without one.
    pub lasts: Span,
    /// The mean rate after it over the mean rate of all.
    pub rest: f64,
    /// How many standard errors of the batches lie between its mean and that of the rest; zero if batches of
    /// the rest lie beyond its mean.
    pub apart: f64,
}

impl Course {
    /// Nothing yet, for this number of entries of traffic.
    pub fn new(entries: usize, period: Period) -> Self {
        Self { period, delivered: vec![Vec::with_capacity(OBSERVATIONS); entries] }
    }

    /// The end of the present part; [`Time::NEVER`] after the last.
    pub fn next(&self) -> Time {
        let done = self.delivered.first().map_or(OBSERVATIONS, Vec::len);
        if done >= OBSERVATIONS { Time::NEVER } else { self.instant(done + 1) }
    }

    /// The end of a part, counted from 1.
    fn instant(&self, part: usize) -> Time {
        let whole = u128::from(self.period.end.since(self.period.begin).0);
        let until = whole * part as u128 / OBSERVATIONS as u128;
        self.period.begin + Span(u64::try_from(until).expect("no longer than the period"))
    }

    /// A part ends: the bytes delivered until now, by entry.
    pub fn observe(&mut self, delivered: impl Iterator<Item = u64>) {
        for (course, bytes) in self.delivered.iter_mut().zip(delivered) {
            course.push(bytes);
        }
    }

    /// Adds what was delivered in another part of the network.
    pub fn absorb(&mut self, other: &Self) {
        for (course, more) in self.delivered.iter_mut().zip(&other.delivered) {
            course.iter_mut().zip(more).for_each(|(bytes, more)| *bytes += more);
        }
    }

    /// The beginning of an entry's measured period that is unlike the rest, by MSER-5 (K. P. White,
    /// M. J. Cobb and S. C. Spratt, Winter Simulation Conference 2000): of the means of batches of five
    /// observations, as many are left out as make the standard error of the rest least, at most half.
    /// `None` if the run ended before its time, or nothing was delivered.
    pub fn transient(&self, entry: usize) -> Option<Transient> {
        let course = &self.delivered[entry];
        let sum = *course.last().filter(|_| course.len() == OBSERVATIONS)?;
        let ends = course.iter().skip(BATCH - 1).step_by(BATCH);
        let batches: Vec<f64> = ends
            .scan(0.0, |before, &end| Some(end as f64 - std::mem::replace(before, end as f64)))
            .collect();
        let error = |left_out: usize| {
            let rest = &batches[left_out..];
            (squares(rest).sqrt() / rest.len() as f64, left_out)
        };
        let errors = (0..=batches.len() / 2).map(error);
        let (_, left_out) = errors.min_by(|one, other| one.0.total_cmp(&other.0))?;
        let (first, rest) = batches.split_at(left_out);
        let deviation = (squares(rest) / (rest.len() - 1) as f64).sqrt();
        let within = deviation * (1.0 / first.len() as f64 + 1.0 / rest.len() as f64).sqrt();
        let beyond = |value: f64| {
            rest.iter().all(|&batch| batch > value) || rest.iter().all(|&batch| batch < value)
        };
        let apart = if first.is_empty() || !beyond(mean(first)) {
            0.0
        } else {
            (mean(first) - mean(rest)).abs() / within
        };
        (sum > 0).then(|| Transient {
            lasts: self.instant(left_out * BATCH).since(self.period.begin),
            rest: mean(rest) / mean(&batches),
            apart,
        })
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sum of the squared deviations from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A course with these bytes in the batches, over 200 ms after 50 ms.
    fn course(batches: &[u64]) -> Course {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let period = Period { begin: at(50), middle: at(150), end: at(250) };
        let mut found = Course::new(1, period);
        let mut sum = 0;
        for (batch, bytes) in batches.iter().enumerate() {
            for part in 0..BATCH {
                assert_eq!(found.next(), at(50 + 2 * (batch * BATCH + part + 1) as u64));
                sum += bytes / BATCH as u64;
                found.observe([sum].into_iter());
            }
        }
        found
    }

    #[test]
    fn a_rising_start_is_left_out() {
        // Three batches below the rest, which alternates about 100.
        let batches = [
            10, 40, 70, 95, 105, 95, 105, 95, 105, 95, 105, 95, 105, 95, 105, 95, 105, 95, 105, 100,
        ];
        let found = course(&batches).transient(0).unwrap();
        assert_eq!(found.lasts, Span::from_ms(30));
        assert!((found.rest - 100.0 / (1820.0 / 20.0)).abs() < 1e-12, "{found:?}");
        assert!(found.apart > 10.0, "{found:?}");
        assert_eq!(course(&batches).next(), Time::NEVER);
    }

    #[test]
    fn an_even_course_has_none() {
        let batches: Vec<u64> = (0..20).map(|at| if at % 2 == 0 { 95 } else { 105 }).collect();
        let found = course(&batches).transient(0).unwrap();
        assert_eq!((found.lasts, found.rest, found.apart), (Span::ZERO, 1.0, 0.0));
        let still = course(&[100; 20]).transient(0).unwrap();
        assert_eq!((still.lasts, still.rest), (Span::ZERO, 1.0));
    }

    #[test]
    fn a_beginning_that_is_no_lower_than_what_follows_at_times_is_not_apart() {
        let mut batches = [100; 20];
        (batches[0], batches[1], batches[12]) = (60, 70, 50);
        assert!(course(&batches).transient(0).unwrap().apart < 1e-9);
        batches[12] = 100;
        assert!(course(&batches).transient(0).unwrap().apart > 10.0);
    }

    #[test]
    fn bytes_that_are_left_out_late_are_not_delivered_in_that_batch() {
        let period = Period { begin: Time::ZERO, middle: Time::ZERO, end: Time(100) };
        let mut found = Course::new(1, period);
        // 20 in each batch, and one from which 40 are left out.
        let taken = |at: u64| if at < 60 { 0 } else { 40 };
        (0..100).for_each(|at| found.observe([4 * (at + 1) - taken(at)].into_iter()));
        let found = found.transient(0).unwrap();
        assert_eq!((found.lasts, found.rest, found.apart), (Span::ZERO, 1.0, 0.0));
    }

    #[test]
    fn at_most_half_is_left_out() {
        let growing: Vec<u64> = (0..20).map(|at| 100 * (at + 1)).collect();
        let found = course(&growing).transient(0).unwrap();
        assert_eq!(found.lasts, Span::from_ms(100));
    }

    #[test]
    fn a_run_that_stopped_early_or_delivered_nothing_has_no_answer() {
        assert_eq!(course(&[100; 19]).transient(0), None);
        assert_eq!(course(&[0; 20]).transient(0), None);
    }
}
