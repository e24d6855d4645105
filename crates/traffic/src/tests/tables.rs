//! Sizes that were measured follow the table of their distribution function.

use super::{K, stream, table};
use crate::{Size, SizeLaw};

const N: usize = 100_000;
/// Exceeded once in 1000 seeds.
const KS: f64 = 1.95;

/// Half of all draws at 1 kB, a quarter between 1 and 3 kB, none up to 9 kB, a quarter at 9 kB:
/// the mean is 0.5 · 1 + 0.25 · 2 + 0.25 · 9 kB.
const BY_HAND: [(u64, f64); 4] = [(1_000, 0.5), (3_000, 0.75), (9_000, 0.75), (9_000, 1.0)];

#[test]
fn the_mean_is_the_sum_of_the_pieces() {
    let mean = |points: &[(u64, f64)]| Size::from(table(points)).mean();
    assert!((mean(&BY_HAND) - 3_250.0).abs() < 1e-9);
    assert!((mean(&[(0, 0.0), (2_000, 1.0)]) - 1_000.0).abs() < 1e-9);
    assert!((mean(&[(1_500, 1.0)]) - 1_500.0).abs() < 1e-9);
}

#[test]
fn draws_have_the_shares_of_the_points() {
    let (size, mut stream) = (Size::from(table(&BY_HAND)), stream("table"));
    let draws: Vec<u64> = (0..N).map(|_| size.draw(&mut stream)).collect();
    let share = |found: &dyn Fn(u64) -> bool| {
        draws.iter().filter(|&&size| found(size)).count() as f64 / N as f64
    };
    for (found, expected) in [
        (share(&|size| size == 1_000), 0.5),
        (share(&|size| (1_001..=2_000).contains(&size)), 0.125),
        (share(&|size| (2_001..=3_000).contains(&size)), 0.125),
        (share(&|size| size == 9_000), 0.25),
    ] {
        // A size just above a point is rounded to it: half a byte of 2 kB.
        let error = f64::sqrt(expected * (1.0 - expected) / N as f64);
        assert!((found - expected).abs() < K * error + 0.25 / 2_000.0, "{found}, {expected}");
    }
    assert!(draws.iter().all(|size| (1_000..=3_000).contains(size) || *size == 9_000));
}

/// The distance of the draws from the line between the points (Kolmogorov and Smirnov).
#[test]
fn between_two_points_the_distribution_is_linear() {
    let points = [(0, 0.0), (1_000_000, 0.8), (11_000_000, 1.0)];
    let (size, mut stream) = (Size::from(table(&points)), stream("linear"));
    let mut draws: Vec<f64> = (0..N).map(|_| size.draw(&mut stream) as f64).collect();
    draws.sort_by(f64::total_cmp);
    let known = |x: f64| if x < 1e6 { 0.8 * x / 1e6 } else { 0.8 + 0.2 * (x - 1e6) / 1e7 };
    let mut farthest = 0.0_f64;
    for (rank, &x) in draws.iter().enumerate() {
        let rank = rank as f64 / N as f64;
        farthest = farthest.max(rank - known(x + 0.5));
        farthest = farthest.max(known(x - 0.5) - rank - 1.0 / N as f64);
    }
    assert!(farthest * f64::sqrt(N as f64) < KS, "{farthest}");
}

#[test]
fn tables_with_mistakes_are_refused() {
    let first = |points: &[(u64, f64)]| Size::from(table(points)).check().remove(0);
    for (points, key, problem) in [
        (&[][..], "file", "a table needs a file, or points"),
        (&[(9, 0.5), (8, 1.0)], "points.1.size", "less than the size before, 9 B"),
        (&[(9, 0.5), (10, 0.4), (11, 1.0)], "points.1.cdf", "less than the share before, 0.5"),
        (&[(9, 0.5)], "points.0.cdf", "must be 1: all sizes are at most the last one"),
        (&[(0, 1.0)], "points.0.size", "must be at least 1 B"),
        (&[(2_000_000_000_000, 1.0)], "points.0.size", "must be at most 1 TB"),
    ] {
        assert_eq!(first(points), (key.to_owned(), problem.to_owned()));
    }
}

/// Integrated with `SciPy` 1.17 from the points as they are in the public traffic generators:
/// `trapezoid(1 − cdf, size)`.
#[test]
fn measured_distributions_have_the_means_of_their_points() {
    for (law, mean) in [
        (SizeLaw::Websearch, 1_711_250.0),
        (SizeLaw::Datamining, 12_658_198.6),
        (SizeLaw::Hadoop, 120_420.75),
    ] {
        let found = Size::from(law.clone()).mean();
        assert!((found / mean - 1.0).abs() < 1e-12, "{law:?}: {found}");
        assert_eq!(Size::from(law.clone()).check(), [], "{law:?}");
        // A distribution function: it rises from 0 to 1.
        let points = law.points();
        assert!(points.windows(2).all(|two| two[0].size < two[1].size && two[0].cdf < two[1].cdf));
        assert!(points[0].cdf.abs() < 1e-12 && (points[points.len() - 1].cdf - 1.0).abs() < 1e-12);
    }
}

/// Half of the flows of the cluster for data mining are smaller than 1.1 kB, 2 % exceed 100 MB.
#[test]
fn measured_distributions_have_their_quantiles() {
    let (size, mut stream) = (Size::from(SizeLaw::Datamining), stream("datamining"));
    let draws: Vec<u64> = (0..N).map(|_| size.draw(&mut stream)).collect();
    for (least, expected) in [(1_100, 0.5), (10_000, 0.2), (100_000_000, 0.02)] {
        let found = draws.iter().filter(|&&size| size > least).count() as f64 / N as f64;
        let error = f64::sqrt(expected * (1.0 - expected) / N as f64);
        assert!((found - expected).abs() < K * error + 0.5 * 0.1 / 200.0, "{least}: {found}");
    }
}
