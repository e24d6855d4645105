//! The abstract deflection path against the law of its cost.

use random::{Seed, normal_cdf};
use units::{Span, Time};

use crate::{AbstractPath, Hold};

fn path(mean: Span, deviation: Span, congestion: f64, seed: u64) -> AbstractPath {
    let streams = (Seed(seed).stream("costs"), Seed(seed).stream("losses"));
    let hold = Hold { from: Span::from_us(10), to: Span::from_us(30) };
    AbstractPath::new((mean, deviation), hold, congestion, streams)
}

/// E max(0, X) = µΦ(µ/σ) + σφ(µ/σ) and E max(0, X)² = (µ² + σ²)Φ(µ/σ) + µσφ(µ/σ) for a normal X; the
/// mean over time is that of the law, for tv and tc are independent.
#[test]
fn the_cost_is_a_normal_number_cut_at_zero() {
    for (mean, deviation) in [(5, 4), (0, 4), (1, 10), (20, 4_u32)] {
        let ms = |ms: u32| Span::from_ms(u64::from(ms));
        let mut path = path(ms(mean), ms(deviation), 0.0, 20_261_122);
        let (mean, deviation) = (f64::from(mean), f64::from(deviation));
        let samples = 200_000;
        // One look in 20 µs, the mean of tv: some 200,000 costs, neighbours alike.
        let costs: Vec<f64> = (0..samples)
            .map(|at| path.cost(Time::ZERO + Span::from_us(20 * at)).as_secs_f64() * 1e3)
            .collect();
        let first = costs.iter().sum::<f64>() / samples as f64;
        let second = costs.iter().map(|cost| cost * cost).sum::<f64>() / samples as f64;
        let ratio: f64 = mean / deviation;
        let density = (-ratio * ratio / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let below = normal_cdf(ratio);
        let expected = mean * below + deviation * density;
        let squared = (mean.powi(2) + deviation.powi(2)) * below + mean * deviation * density;
        // Six standard errors of 100,000 independent costs.
        let error = 6.0 * (squared - expected.powi(2)).sqrt() / 100_000.0_f64.sqrt();
        assert!((first - expected).abs() < error, "{mean} {deviation}: {first}, {expected}");
        assert!((second / squared - 1.0).abs() < 0.05, "{mean} {deviation}: {second}, {squared}");
    }
}

#[test]
fn a_cost_holds_for_its_time_whoever_asks() {
    let (mean, deviation) = (Span::from_ms(5), Span::from_ms(4));
    let (mut often, mut seldom) = (path(mean, deviation, 0.0, 1), path(mean, deviation, 0.0, 1));
    let mut changes = vec![0];
    let mut last = often.cost(Time::ZERO);
    for ns in 1..2_000_000 {
        let now = Time::ZERO + Span::from_ns(ns);
        let cost = often.cost(now);
        if cost != last {
            changes.push(ns);
        }
        last = cost;
        if ns % 77_777 == 0 {
            assert_eq!(seldom.cost(now), cost);
        }
    }
    // Equal costs follow each other where both are cut at 0: then two times look like one.
    let held = changes.windows(2).map(|pair| pair[1] - pair[0]);
    let short = held.clone().filter(|held| *held <= 30_000).count();
    assert!(held.clone().all(|held| held >= 9_999), "a cost changed early");
    assert!(short > 60 && short * 10 > changes.len() * 7, "{short} of {}", changes.len());
}

#[test]
fn without_deviation_the_cost_is_the_mean() {
    let mut path = path(Span::from_ms(7), Span::ZERO, 0.25, 3);
    assert!((0..1_000).all(|at| path.cost(Time::ZERO + Span::from_us(at)) == Span::from_ms(7)));
    let lost = (0..10_000).filter(|_| path.loses()).count();
    // 2500, standard deviation 43.
    assert!((2_300..2_700).contains(&lost), "{lost}");
}
