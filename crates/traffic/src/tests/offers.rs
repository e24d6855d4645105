//! When and how much a generator offers.

use proptest::prelude::*;
use random::Seed;
use units::{Bytes, MeanRate, Rate, Span, Time};

use super::{K, errors_off, exponential, listed, stream, trimodal};
use crate::{
    Bulk, Cbr, Flows, Generator, Offer, PoissonPackets, PoissonWrites, Shuffle, Size, SizeLaw,
    Source, Transfers,
};

const SEGMENT: Bytes = Bytes(1460);

fn offers(source: &Source, n: usize) -> Vec<Offer> {
    let (mut generator, mut stream) = (Generator::new(source, SEGMENT), stream("offers"));
    (0..n).map_while(|_| generator.next(&mut stream)).collect()
}

fn exponential_packets() -> Source {
    let packet = exponential(Bytes(1000)).into();
    Source::PoissonPackets(PoissonPackets { rate: Rate(8_000_000).into(), packet })
}

#[test]
fn bulk_offers_once_at_the_start() {
    let file = Source::Bulk(Bulk { size: Some(Bytes(5000)) });
    assert_eq!(offers(&file, 3), [Offer { after: Span::ZERO, bytes: 5000 }]);
    let endless = Source::Bulk(Bulk { size: None });
    assert_eq!(offers(&endless, 3), [Offer { after: Span::ZERO, bytes: Offer::ENDLESS }]);
}

#[test]
fn a_list_offers_each_flow_at_its_start() {
    let flows = [listed(3, 700), listed(3, 20), listed(10, 9)].into();
    let gap = |us, bytes| Offer { after: Span::from_us(us), bytes };
    let source = Source::Flows(Flows { file: None, flows });
    assert_eq!(offers(&source, 9), [gap(3, 700), gap(0, 20), gap(7, 9)]);
}

#[test]
fn cbr_starts_at_once_and_keeps_its_period() {
    let source = Source::Cbr(Cbr { rate: Rate(12_000_000).into(), packet: Bytes(1500).into() });
    let gaps: Vec<Span> = offers(&source, 4).iter().map(|offer| offer.after).collect();
    assert_eq!(gaps, [Span::ZERO, Span::from_ms(1), Span::from_ms(1), Span::from_ms(1)]);
}

#[test]
fn cbr_does_not_drift() {
    // 12,000 bits at 622 Mb/s take 19.292604501... µs, so a rounded period would be off by 0.5 µs
    // after a million packets.
    let source = Source::Cbr(Cbr { rate: Rate(622_000_000).into(), packet: Bytes(1500).into() });
    let mut at = Time::ZERO;
    for (n, offer) in (0..).zip(offers(&source, 1_000_001)) {
        at += offer.after;
        assert_eq!(at - Time::ZERO, Rate(622_000_000).time_to_send(Bytes(1500 * n)));
    }
}

#[test]
fn cbr_past_the_end_of_time_is_saturated() {
    let packet = Size::Plain(Bytes(1_000_000_000_000));
    let gaps = offers(&Source::Cbr(Cbr { rate: Rate(1).into(), packet }), 3);
    assert_eq!(gaps[1].after, Span(u64::MAX));
    assert_eq!(gaps[2].after, Span(u64::MAX));
}

#[test]
fn poisson_packets_have_their_rate() {
    let drawn = offers(&exponential_packets(), 200_000);
    assert!(errors_off(drawn.iter().map(|offer| offer.after.as_secs_f64()), 1e-3, 1e-3) < K);
    assert!(errors_off(drawn.iter().map(|offer| offer.bytes as f64), 1e3, 1e3) < K);
    let bits: u64 = drawn.iter().map(|offer| 8 * offer.bytes).sum();
    let seconds: f64 = drawn.iter().map(|offer| offer.after.as_secs_f64()).sum();
    // The ratio of two independent means, each with a coefficient of variation of 1.
    assert!((bits as f64 / seconds / 8e6 - 1.0).abs() < K * (2.0 / 200_000_f64).sqrt());
}

#[test]
fn poisson_counts_vary_as_much_as_their_mean() {
    let mut counts = vec![0_u64; 20_000];
    let mut at = 0.0;
    let window_s = 10e-3;
    for offer in offers(&exponential_packets(), 210_000) {
        at += offer.after.as_secs_f64();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        if let Some(count) = counts.get_mut((at / window_s) as usize) {
            *count += 1;
        }
    }
    let n = counts.len() as f64;
    assert!(errors_off(counts.iter().map(|&count| count as f64), 10.0, 10_f64.sqrt()) < K);
    let mean = counts.iter().sum::<u64>() as f64 / n;
    let squares: f64 = counts.iter().map(|&count| (count as f64 - mean).powi(2)).sum();
    let dispersion = squares / (n - 1.0) / mean;
    assert!((dispersion - 1.0).abs() < K * (2.0 / (n - 1.0)).sqrt(), "{dispersion}");
}

#[test]
fn poisson_writes_are_one_segment_unless_given() {
    let rate = Rate(10_000_000);
    for (write, bytes) in [(None, SEGMENT), (Some(Bytes(4000)), Bytes(4000))] {
        let drawn =
            offers(&Source::PoissonWrites(PoissonWrites { rate: rate.into(), write }), 50_000);
        assert!(drawn.iter().all(|offer| offer.bytes == bytes.0));
        let gap_s = bytes.as_f64() * 8.0 / 10e6;
        assert!(errors_off(drawn.iter().map(|offer| offer.after.as_secs_f64()), gap_s, gap_s) < K);
    }
}

#[test]
fn transfers_begin_at_their_rate_and_end_at_their_limit() {
    let size = SizeLaw::BoundedPareto { shape: 0.331, min: Bytes(40_000), max: Bytes(100_000_000) };
    let source = Source::Transfers(Transfers {
        per_second: 50.0,
        size: size.clone().into(),
        limit: Some(20_000),
        under_way: None,
    });
    let drawn = offers(&source, 30_000);
    assert_eq!(drawn.len(), 20_000);
    assert!(errors_off(drawn.iter().map(|offer| offer.after.as_secs_f64()), 0.02, 0.02) < K);
    assert!(drawn.iter().all(|offer| (40_000..=100_000_000).contains(&offer.bytes)));
    let endless = Source::Transfers(Transfers {
        per_second: 50.0,
        size: size.into(),
        limit: None,
        under_way: None,
    });
    assert_eq!(offers(&endless, 30_000)[..20_000], drawn);
}

#[test]
fn arrivals_do_not_depend_on_the_law_of_sizes() {
    let laws: [Size; 6] = [
        Bytes(1000).into(),
        exponential(Bytes(1000)).into(),
        SizeLaw::LogNormal { mu: 6.0, sigma: 1.0, max: None, beyond: None }.into(),
        SizeLaw::Pareto { shape: 1.5, min: Bytes(300) }.into(),
        SizeLaw::BoundedPareto { shape: 1.5, min: Bytes(300), max: Bytes(9000) }.into(),
        trimodal(),
    ];
    let gaps = |size: &Size| -> Vec<Span> {
        let size = size.clone();
        let source =
            Source::Transfers(Transfers { per_second: 3.0, size, limit: None, under_way: None });
        offers(&source, 100).iter().map(|offer| offer.after).collect()
    };
    assert!(laws.iter().all(|law| gaps(law) == gaps(&laws[0])));
}

#[test]
fn mean_rates_are_those_of_the_data() {
    let files = Size::Plain(Bytes(1_000_000));
    let transfers =
        Source::Transfers(Transfers { per_second: 2.0, size: files, limit: None, under_way: None });
    assert_eq!(transfers.mean_rate(), Some(16e6));
    assert_eq!(exponential_packets().mean_rate(), Some(8e6));
    assert_eq!(Source::Bulk(Bulk { size: None }).mean_rate(), None);
    assert_eq!(Source::Shuffle(Shuffle { block: Bytes(1), parallel: 1 }).mean_rate(), None);
}

#[test]
#[should_panic(expected = "a source with mistakes")]
fn a_source_with_mistakes_does_not_run() {
    offers(&Source::PoissonWrites(PoissonWrites { rate: Rate(0).into(), write: None }), 1);
}

#[test]
fn a_generator_is_small() {
    assert!(size_of::<Generator>() <= 64, "{}", size_of::<Generator>());
}

proptest! {
    /// The obvious version: send everything so far in one go.
    #[test]
    fn cbr_of_any_rate_and_sizes_is_exact(
        seed: u64, rate in 1_000..1_000_000_000_000_000_u64, mean in 1..100_000_u64,
    ) {
        let packet = exponential(Bytes(mean)).into();
        let mut generator = Generator::new(&Source::Cbr(Cbr { rate: Rate(rate).into(), packet }), SEGMENT);
        let mut stream = Seed(seed).stream("sizes");
        let (mut at, mut sent) = (Span::ZERO, Bytes::ZERO);
        for _ in 0..100 {
            let offer = generator.next(&mut stream).unwrap();
            at += offer.after;
            prop_assert_eq!(at, Rate(rate).time_to_send(sent));
            sent += Bytes(offer.bytes);
        }
    }

    /// A rate with a fraction, against the same number of bits in as many times the time at a whole rate.
    #[test]
    fn cbr_with_a_fraction_is_exact(rate in 1e-3..1e6_f64, bytes in 1..100_000_u64) {
        let source = Source::Cbr(Cbr { rate: MeanRate(rate), packet: Bytes(bytes).into() });
        let mut stream = Seed(1).stream("sizes");
        let mut generator = Generator::new(&source, SEGMENT);
        let mut at = 0.0;
        for n in 0..50 {
            at += generator.next(&mut stream).unwrap().after.as_secs_f64();
            if at > 1e6 {
                break;
            }
            prop_assert!((at - 8.0 * (n * bytes) as f64 / rate).abs() <= 1e-9 * at + 1e-12);
        }
    }
}
