//! Heavy-tailed ON periods make a source self-similar: variances over blocks of all lengths.
//!
//! Times are in mean ON periods, loads in what a component sends in one of them.

use random::Seed;
use units::{Bytes, Rate, Span};

use super::alternating::Alternating;
use super::exponential;
use crate::{Generator, Offer, OnOff, Size, SizeLaw, Source};

/// A mean ON period has 90 kB and takes a millisecond.
const MEAN: f64 = 90_000.0;
const PEAK: Rate = Rate(720_000_000);
const UNIT: Span = Span::from_ms(1);

fn pareto() -> Size {
    SizeLaw::Pareto { shape: 1.8, min: Bytes(40_000) }.into()
}

/// A source, and how long to look at it.
struct Measurement {
    components: u32,
    on: Size,
    /// The mean OFF period.
    off: f64,
    /// The size of all packets.
    packet: Bytes,
    /// The length of the shortest blocks.
    block: f64,
    /// How often the length doubles.
    levels: usize,
    /// How many ON periods begin, in the mean.
    periods: f64,
    seed: u64,
}

/// Sums over blocks of one length, about their mean.
#[derive(Clone, Default)]
struct Level {
    blocks: f64,
    squares: f64,
    /// Neighbours, and their squared differences: the details of the Haar wavelet twice as long.
    pairs: f64,
    differences: f64,
    waiting: Option<f64>,
}

impl Level {
    fn variance(&self) -> f64 {
        self.squares / self.blocks
    }
}

/// Takes in the next of the shortest blocks.
fn climb(levels: &mut [Level], mut sum: f64) {
    for level in levels {
        level.blocks += 1.0;
        level.squares += sum * sum;
        let Some(first) = level.waiting.take() else {
            level.waiting = Some(sum);
            return;
        };
        level.pairs += 1.0;
        level.differences += (first - sum).powi(2);
        sum += first;
    }
}

impl Measurement {
    /// The sums of the load over blocks. A packet is laid into the blocks in which it is sent, two
    /// at most.
    fn levels(&self) -> Vec<Level> {
        let &Self { components, off, packet, block, periods, .. } = self;
        assert!(packet.as_f64() <= block * MEAN);
        let duty = f64::from(components) / (1.0 + off);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        let rate = Rate((PEAK.as_f64() * duty) as u64);
        let (on, packet) = (self.on.clone(), packet.into());
        let source = Source::OnOff(OnOff { rate: rate.into(), peak: PEAK, components, on, packet });
        let mut generator = Generator::new(&source, Bytes(1));
        let mut stream = Seed(self.seed).stream("self-similar");
        let mut levels = vec![Level::default(); self.levels];
        // The place in the block that is being filled, its load, and that of the next one so far.
        let (mut at, mut sum, mut next) = (0.0, 0.0, 0.0);
        let mut blocks = periods / duty / block;
        loop {
            let Offer { after, bytes } = generator.next(&mut stream).unwrap();
            at += after.0 as f64 / UNIT.0 as f64;
            while at >= block {
                climb(&mut levels, sum - duty * block);
                (sum, next) = (next, 0.0);
                at -= block;
                blocks -= 1.0;
                if blocks <= 0.0 {
                    return levels;
                }
            }
            let load = bytes as f64 / MEAN;
            let here = load.min(block - at);
            sum += here;
            next += load - here;
        }
    }
}

/// Over more than four decades, to a tenth. The squares of long blocks vary much: with n ON periods
/// the standard error for blocks of t is about √(0.1 t^1.8 / n), 3% for the longest. The short blocks
/// need short packets, the long ones many periods.
fn has_its_variances(components: u32, off: f64) {
    let exact = Alternating::pareto(1.8, off, (0.01, 330.0));
    for (packet, block, periods, within) in [(900, 0.02, 1e5, 0.05), (9_000, 2.56, 4e6, 0.1)] {
        let (on, packet, levels) = (pareto(), Bytes(packet), 8);
        let what = Measurement { components, on, off, packet, block, levels, periods, seed: 1 };
        let mut t = block;
        for level in what.levels() {
            let ratio = level.variance() / f64::from(components) / exact.variance(t);
            assert!((ratio - 1.0).abs() < within, "{components} components, {t}: {ratio}");
            t *= 2.0;
        }
    }
}

#[test]
fn the_variances_of_a_component_are_those_of_the_alternating_process() {
    has_its_variances(1, 4.0);
}

#[test]
fn the_variances_of_many_rare_components_are_those_of_the_alternating_process() {
    has_its_variances(100, 999.0);
}

/// The slope of the weighted line through points (x, y, weight).
fn slope(points: impl Iterator<Item = [f64; 3]> + Clone) -> f64 {
    let all: f64 = points.clone().map(|p| p[2]).sum();
    let x = points.clone().map(|p| p[2] * p[0]).sum::<f64>() / all;
    let rise: f64 = points.clone().map(|p| p[2] * (p[0] - x) * p[1]).sum();
    rise / points.map(|p| p[2] * (p[0] - x).powi(2)).sum::<f64>()
}

/// The Hurst parameter, by the variances of means over blocks and by the Haar wavelet, on scales of
/// 10 … 10,240 mean ON periods; the mean of ten runs of a million ON periods.
///
/// Means over blocks of m have a variance in proportion to m^(2H−2), their sums to m^(2H). The
/// details of the octave j have a mean square in proportion to 2^(j(2H−1)) (P. Abry, D. Veitch,
/// "Wavelet analysis of long-range-dependent traffic", IEEE Transactions on Information Theory
/// 44(1), 1998): of n details the logarithm is too low by 1 / (n ln 2) bits, and has a weight of n.
fn hurst(on: &Size, off: f64) -> [f64; 2] {
    let (mut by_variance, mut by_wavelet) = (0.0, 0.0);
    for seed in 0..10 {
        let (on, packet, block, levels, periods) = (on.clone(), Bytes(9_000), 5.0, 12, 1.01e6);
        let what = Measurement { components: 1, on, off, packet, block, levels, periods, seed };
        let levels = what.levels();
        let variances = levels[1..].iter().enumerate();
        by_variance +=
            slope(variances.map(|(at, level)| [at as f64, libm::log2(level.variance()), 1.0]))
                / 2.0;
        let details = levels[..11].iter().enumerate().map(|(at, level)| {
            let octave = at as f64;
            // Of unit norm over 2^(at + 1) blocks.
            let square = libm::log2(level.differences / level.pairs) - octave;
            [octave, square + 1.0 / (level.pairs * std::f64::consts::LN_2), level.pairs]
        });
        by_wavelet += 0.5 + slope(details) / 2.0;
    }
    [by_variance / 10.0, by_wavelet / 10.0]
}

/// H = (3 − α) / 2 = 0.6 over long times. Over these the exact slopes, from the spectral density of
/// the process, give 0.627 by variances and 0.639 by the wavelet.
#[test]
fn the_hurst_parameter_is_that_of_the_tail() {
    for hurst in hurst(&pareto(), 1.0 / 3.0) {
        assert!((0.55..0.65).contains(&hurst), "{hurst}");
    }
}

/// Where components are rarely ON the short scales weigh more: the exact slopes give 0.633 by
/// variances and, as short scales have most details, 0.684 by the wavelet.
#[test]
fn the_hurst_parameter_of_rare_components_is_approached_from_above() {
    let [by_variance, by_wavelet] = hurst(&pareto(), 9.0);
    assert!((0.55..0.65).contains(&by_variance), "{by_variance}");
    assert!((by_wavelet - 0.684).abs() < 0.01, "{by_wavelet}");
}

#[test]
fn exponential_periods_are_not_self_similar() {
    let on = exponential(Bytes(90_000)).into();
    for hurst in hurst(&on, 1.0 / 3.0) {
        assert!((hurst - 0.5).abs() < 0.02, "{hurst}");
    }
}
