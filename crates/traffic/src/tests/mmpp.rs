//! A Poisson process with two rates: its closed forms.

use units::{Bytes, Rate, Span};

use super::{K, errors_off, exponential, stream};
use crate::{Generator, Mmpp, Offer, Size, Source};

/// 1000 packets of 1000 B in a second in the mean: 2500 in the high state, 500 in the low one.
fn source(packet: Size) -> Source {
    let (high, low) = (Span::from_ms(20), Span::from_ms(60));
    Source::Mmpp(Mmpp { rate: Rate(8_000_000).into(), low_rate: 0.2, high, low, packet })
}

/// The packets in each of `n` windows.
fn counts(source: &Source, window_s: f64, n: usize) -> Vec<f64> {
    let (mut generator, mut stream) = (Generator::new(source, Bytes(1)), stream("modulated"));
    let (mut counts, mut at) = (vec![0.0; n], 0.0);
    loop {
        let Offer { after, bytes } = generator.next(&mut stream).expect("it never ends");
        at += after.as_secs_f64();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        match counts.get_mut((at / window_s) as usize) {
            Some(count) if bytes != Offer::NOTHING_YET => *count += 1.0,
            Some(_) => {}
            None => return counts,
        }
    }
}

#[test]
fn mean_and_dispersion_are_those_of_the_closed_form() {
    // σ = 1/0.02 + 1/0.06 = 66.7 /s, I = 2 · 50 · 16.7 · 2000² / (66.7² · (2500 · 16.7 + 500 · 50)) = 22.5.
    let (sigma, dispersion) = (200.0 / 3.0, 22.5);
    for window_s in [0.001, 0.015, 0.3] {
        let n = 40_000;
        let counts = counts(&source(Bytes(1000).into()), window_s, n);
        let mean = 1000.0 * window_s;
        let t = sigma * window_s;
        let index = 1.0 + dispersion * (1.0 - (1.0 - f64::exp(-t)) / t);
        // Counts of neighbouring windows depend on each other: their sum has the dispersion of all.
        let std = f64::sqrt((1.0 + dispersion) * mean);
        assert!(errors_off(counts.iter().copied(), mean, std) < K, "{window_s}");
        let squares: f64 = counts.iter().map(|count| (count - mean).powi(2)).sum();
        let found = squares / n as f64 / mean;
        assert!((found / index - 1.0).abs() < 0.08, "{window_s}: {found} for {index}");
    }
}

#[test]
fn an_interrupted_process_has_no_packets_in_its_low_state_and_starts_in_its_steady_state() {
    let (high, low) = (Span::from_ms(1), Span::from_ms(3));
    let rate = Rate(800_000_000).into();
    let packet = exponential(Bytes(1000)).into();
    let source = Source::Mmpp(Mmpp { rate, low_rate: 0.0, high, low, packet });
    // 400 packets in a high state: a gap of more than 0.1 ms is one of the low state.
    let firsts: Vec<f64> = (0..4_000)
        .map(|n| {
            let mut stream = random::Seed(n).stream("first");
            let offer = Generator::new(&source, Bytes(1)).next(&mut stream).expect("one");
            f64::from(offer.after < Span::from_us(100))
        })
        .collect();
    // In the high state with a probability of 1/4; of the others some leave the low state at once.
    let soon = 0.25 + 0.75 * (1.0 - f64::exp(-0.1 / 3.0));
    assert!(errors_off(firsts, soon, f64::sqrt(soon * (1.0 - soon))) < 1.5 * K);
}

#[test]
fn states_that_never_have_packets_take_a_bounded_time() {
    let (high, low) = (Span::from_us(1), Span::from_us(1));
    let rate = units::MeanRate(1e-3);
    let source = Source::Mmpp(Mmpp { rate, low_rate: 0.5, high, low, packet: Bytes(1).into() });
    let offer = Generator::new(&source, Bytes(1)).next(&mut stream("rare")).expect("one");
    assert_eq!(offer.bytes, Offer::NOTHING_YET);
    assert!(offer.after > Span::ZERO);
}

#[test]
fn states_that_do_not_differ_or_do_not_last_are_refused() {
    let found = |low_rate, high| {
        let (rate, low, packet) = (Rate(1).into(), Span::from_ms(1), Bytes(1).into());
        let found = Source::Mmpp(Mmpp { rate, low_rate, high, low, packet }).check();
        found.into_iter().map(|(key, _)| key).collect::<Vec<_>>()
    };
    for low_rate in [1.0, -0.1, f64::NAN] {
        assert_eq!(found(low_rate, Span::from_ms(1)), ["low-rate"], "{low_rate}");
    }
    assert_eq!(found(0.0, Span::ZERO), ["high"]);
    assert_eq!(found(0.0, Span::from_ms(1)), [""; 0]);
}
