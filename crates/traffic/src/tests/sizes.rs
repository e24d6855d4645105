//! Sizes and starts follow their laws.

use random::Stream;
use units::{Bytes, Span};

use super::{K, bounded, errors_off, exponential, redrawn, stream, trimodal};
use crate::{Beyond, MAX_SIZE, Size, SizeLaw, SizePoint, Start, StartLaw};

const N: usize = 100_000;

fn drawn(size: impl Into<Size>) -> Vec<f64> {
    let (size, mut stream) = (size.into(), stream("sizes"));
    (0..N).map(|_| size.draw(&mut stream) as f64).collect()
}

fn std(samples: &[f64]) -> f64 {
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    (samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / samples.len() as f64).sqrt()
}

#[test]
fn what_lies_beyond_a_limit_is_the_mean_of_what_draws_have_beyond_it() {
    let (shape, min, max) = (2.5, Bytes(500), Bytes(1_000_000));
    let points = [(500, 0.2), (500, 0.3), (2_000, 0.7), (9_000, 1.0)];
    let points = points.map(|(size, cdf)| SizePoint { size: Bytes(size), cdf });
    let laws = [
        SizeLaw::Fixed { size: Bytes(700) },
        exponential(Bytes(1000)),
        bounded(1000, 2500, Beyond::Clip),
        bounded(1000, 2500, Beyond::Redraw),
        SizeLaw::LogNormal { mu: 7.0, sigma: 0.7, max: None, beyond: None },
        SizeLaw::LogNormal { mu: 7.0, sigma: 0.7, max: Some(Bytes(2500)), beyond: None },
        redrawn(7.0, 0.7, Bytes(2500)),
        SizeLaw::Pareto { shape, min },
        SizeLaw::BoundedPareto { shape, min, max },
        SizeLaw::Table { file: None, points: points.to_vec().into() },
    ];
    for size in laws.map(Size::from).into_iter().chain([trimodal()]) {
        let draws = drawn(size.clone());
        for most in [1u32, 400, 600, 1_400, 3_000, 20_000] {
            let beyond: f64 = draws.iter().map(|x| (x - f64::from(most)).max(0.0)).sum();
            let (beyond_it, seen) =
                (size.share_beyond(Bytes(most.into())), beyond / draws.iter().sum::<f64>());
            assert!((beyond_it - seen).abs() < 0.01, "{size:?} beyond {most}: {beyond_it}, {seen}");
        }
    }
    assert_eq!(
        Size::from(SizeLaw::Pareto { shape: 1.0, min }).share_beyond(max).to_bits(),
        1f64.to_bits()
    );
}

#[test]
fn drawn_sizes_have_their_mean() {
    let (shape, min, max) = (1.2, Bytes(500), Bytes(1_000_000));
    let laws = [
        SizeLaw::Fixed { size: Bytes(700) },
        exponential(Bytes(1000)),
        bounded(20_000, 60_000, Beyond::Clip),
        bounded(20_000, 60_000, Beyond::Redraw),
        bounded(1_000_000, 100, Beyond::Redraw),
        SizeLaw::LogNormal { mu: 8.0, sigma: 1.0, max: None, beyond: None },
        SizeLaw::LogNormal { mu: 8.0, sigma: 1.0, max: Some(Bytes(5000)), beyond: None },
        SizeLaw::LogNormal { mu: 8.0, sigma: 0.0, max: None, beyond: None },
        redrawn(8.0, 1.0, Bytes(5000)),
        redrawn(9.48, 2.46, Bytes(5_000_000)),
        redrawn(8.0, 0.0, Bytes(5000)),
        SizeLaw::Pareto { shape: 5.0, min },
        SizeLaw::BoundedPareto { shape, min, max },
        SizeLaw::BoundedPareto { shape, min, max: min },
        SizeLaw::Mix { sizes: [min, max].into(), shares: [0.75, 0.25].into() },
    ];
    for law in laws {
        let samples = drawn(law.clone());
        let off = (samples.iter().sum::<f64>() / N as f64 - Size::from(law.clone()).mean()).abs();
        // Rounding to whole bytes moves the mean by half a byte at most.
        let tolerance = K * std(&samples) / (N as f64).sqrt() + 0.5;
        assert!(off < tolerance, "{law:?}: {off}");
    }
}

#[test]
fn pareto_sizes_have_their_tail() {
    let min = 1e6;
    for shape in [0.8, 1.0101, 1.5] {
        let samples = drawn(SizeLaw::Pareto { shape, min: Bytes(1_000_000) });
        // The maximum likelihood estimate; its standard error is the shape over √n.
        let logs: f64 = samples.iter().map(|x| libm::log(x / min)).sum();
        let estimate = N as f64 / logs;
        assert!((estimate / shape - 1.0).abs() < K / (N as f64).sqrt(), "{shape}: {estimate}");
    }
}

#[test]
fn a_heavy_tail_has_no_mean() {
    let of = |shape| Size::from(SizeLaw::Pareto { shape, min: Bytes(40_000) }).mean();
    assert!(of(1.0).is_infinite() && of(0.5).is_infinite());
    assert!((of(1.0101) / 4.0e6 - 1.0).abs() < 0.02);
}

#[test]
fn a_mix_has_its_shares() {
    let n = 1_000_000;
    let (size, mut stream) = (trimodal(), stream("mix"));
    assert!((size.mean() - 348.28).abs() < 1e-9);
    let sizes: Vec<u64> = (0..n).map(|_| size.draw(&mut stream)).collect();
    for (bytes, share) in [(40, 0.58), (576, 0.33), (1500, 0.09)] {
        let found = sizes.iter().filter(|size| **size == bytes).count() as f64 / f64::from(n);
        let error = f64::sqrt(share * (1.0 - share) / f64::from(n));
        assert!((found - share).abs() < K * error, "{bytes} B: {found}");
    }
    // 312,914 B² is the mean square.
    let std = f64::sqrt(312_914.0 - 348.28 * 348.28);
    assert!(errors_off(sizes.iter().map(|&size| size as f64), 348.28, std) < K);
}

/// What lies beyond the largest size, drawn again one by one: the obvious twin, held against the
/// single draw by their distance (Kolmogorov and Smirnov).
#[test]
fn one_draw_of_a_conditioned_law_is_as_good_as_drawing_again() {
    let log_normal = [(9.48, 2.46, 5_000_000), (8.0, 1.0, 3000), (8.0, 1.5, 150)];
    let log_normal = log_normal.map(|(mu, sigma, max)| {
        let one = move |stream: &mut Stream| stream.log_normal(mu, sigma);
        (redrawn(mu, sigma, Bytes(max)), max, Box::new(one) as Box<dyn Fn(&mut Stream) -> f64>)
    });
    let exponential = [(20_000_u32, 60_000), (1000, 300)].map(|(mean, max)| {
        let one = move |stream: &mut Stream| stream.exponential(mean.into());
        (bounded(mean.into(), max, Beyond::Redraw), max, Box::new(one) as Box<_>)
    });
    for (law, max, one) in log_normal.into_iter().chain(exponential) {
        let mut ours = drawn(law);
        let mut stream = stream("again");
        let mut again = || loop {
            let size = one(&mut stream);
            if size <= max as f64 {
                return (size + 0.5).floor().max(1.0);
            }
        };
        let mut twin: Vec<f64> = (0..N).map(|_| again()).collect();
        ours.sort_by(f64::total_cmp);
        twin.sort_by(f64::total_cmp);
        let below = |list: &[f64], x: f64| list.partition_point(|y| *y <= x) as f64 / N as f64;
        let farthest = ours.iter().chain(&twin).map(|&x| below(&ours, x) - below(&twin, x));
        let distance = farthest.fold(0.0, |most: f64, d| most.max(d.abs()));
        // Exceeded once in 1000 seeds.
        assert!(distance * (N as f64 / 2.0).sqrt() < 1.95, "{max}: {distance}");
    }
}

/// Integrated from the density: of log-normal laws with Python's mpmath, to 12 digits and more, and of exponential ones
/// by Simpson's rule with 200,000 steps.
#[test]
fn the_mean_of_a_law_with_a_largest_size_is_that_of_its_density() {
    for (law, mean) in [
        (bounded(20_000, 60_000, Beyond::Clip), 19_004.258_632_643),
        (bounded(20_000, 60_000, Beyond::Redraw), 16_856.258_210_525),
        (bounded(1_000_000, 100, Beyond::Clip), 99.995_000_166_662),
        (bounded(1_000_000, 100, Beyond::Redraw), 49.999_166_666_667),
        (redrawn(9.48, 2.46, Bytes(5_000_000)), 131_310.868_235_67),
        (redrawn(8.0, 1.0, Bytes(100)), 79.341_643_476_395_1),
        (redrawn(27.0, 10.0, Bytes(1)), 0.235_234_100_987_22),
    ] {
        let found = Size::from(law.clone()).mean();
        assert!((found / mean - 1.0).abs() < 1e-9, "{law:?}: {found}");
    }
}

#[test]
fn a_condition_far_in_the_tail_still_gives_sizes() {
    // 70 B is at the least share of the law that is accepted: 4.75 standard deviations below.
    let law = redrawn(9.0, 1.0, Bytes(70));
    let samples = drawn(law.clone());
    assert!(samples.iter().all(|&x| (1.0..=70.0).contains(&x)));
    let mean = samples.iter().sum::<f64>() / N as f64;
    assert!((mean / Size::from(law).mean() - 1.0).abs() < 0.01, "{mean}");
    // What no check lets pass is no number's end either.
    let beyond = drawn(redrawn(27.0, 0.1, Bytes(1)));
    assert!(beyond.iter().all(|&x| (x - 1.0).abs() < 0.5));
}

#[test]
fn sizes_are_whole_and_within_their_limits() {
    let tiny = drawn(exponential(Bytes(1)));
    assert!(tiny.iter().all(|&x| x >= 1.0) && tiny.contains(&1.0) && tiny.contains(&3.0));
    let huge = drawn(SizeLaw::Pareto { shape: 0.01, min: Bytes(1) });
    assert!(huge.iter().all(|&x| x <= MAX_SIZE.as_f64()) && huge.contains(&MAX_SIZE.as_f64()));
    let clipped =
        drawn(SizeLaw::LogNormal { mu: 8.0, sigma: 1.0, max: Some(Bytes(5000)), beyond: None });
    assert!(clipped.iter().all(|&x| x <= 5000.0) && clipped.contains(&5000.0));
    let clipped = drawn(bounded(4000, 5000, Beyond::Clip));
    assert!(clipped.iter().all(|&x| x <= 5000.0) && clipped.contains(&5000.0));
    assert!(drawn(Bytes(1500)).iter().all(|&x| (x - 1500.0).abs() < 0.5));
}

#[test]
fn starts_are_fixed_or_uniform() {
    let mut stream = stream("starts");
    assert_eq!(Start::default().draw(&mut stream), Span::ZERO);
    assert_eq!(Start::At(Span::from_ms(3)).draw(&mut stream), Span::from_ms(3));
    let (from, to) = (Span::from_secs(1), Span::from_secs(3));
    let start = Start::from(StartLaw::Uniform { from, to });
    let starts: Vec<f64> = (0..N).map(|_| start.draw(&mut stream).as_secs_f64()).collect();
    assert!(starts.iter().all(|start| (1.0..3.0).contains(start)));
    assert!(errors_off(starts, 2.0, 2.0 / 12_f64.sqrt()) < K);
    assert_eq!(Start::from(StartLaw::Uniform { from, to: from }).draw(&mut stream), from);
}
