//! Alternating components: their load, their bursts, their start, and a slow twin.

use proptest::prelude::*;
use random::{Seed, Stream};
use units::{Bytes, Rate, Span, Time};

use super::{K, errors_off, stream, trimodal};
use crate::{Generator, Offer, OnOff, Size, SizeLaw, Source};

/// A byte takes 8 ns.
const PEAK: Rate = Rate(1_000_000_000);

fn exponential(mean: u64) -> Size {
    super::exponential(Bytes(mean)).into()
}

/// Components that are ON for a share `duty` of the time.
fn on_off(components: u32, duty: f64, on: &Size, packet: &Size) -> Source {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
    let rate = Rate((duty * PEAK.as_f64() * f64::from(components)) as u64);
    Source::OnOff(OnOff {
        rate: rate.into(),
        peak: PEAK,
        components,
        on: on.clone(),
        packet: packet.clone(),
    })
}

/// All offers, each with its instant.
fn offers(source: &Source, mut stream: Stream) -> impl Iterator<Item = (Time, u64)> {
    let mut generator = Generator::new(source, Bytes(1));
    let mut at = Time::ZERO;
    std::iter::from_fn(move || {
        let Offer { after, bytes } = generator.next(&mut stream).unwrap();
        at = at.saturating_add(after);
        Some((at, bytes))
    })
}

/// The load over its mean, in a time in which `periods` ON periods begin in the mean.
fn load(source: &Source, periods: f64) -> f64 {
    let Source::OnOff(OnOff { rate, on, .. }) = source else { panic!("another source") };
    let all = periods * on.mean();
    let until = Time::ZERO + Span::from_secs_f64(all * 8.0 / rate.0);
    let within = offers(source, stream("load")).take_while(|offer| offer.0 < until);
    within.map(|offer| offer.1).sum::<u64>() as f64 / all
}

/// With a mean ON period of B bytes and packets of x, an ON period has N packets with the mean B / x
/// and E\[N²\] = (B / x) · coth(x / 2B): the train is somewhere in a packet, and each further one
/// begins with probability e^(−x/B). With the variance of rare beginnings the load over n of them has
/// the squared standard error (x / B) · coth(x / 2B) / n, and less where they are not rare.
#[test]
fn exponential_components_have_their_load_whatever_their_packets_and_duty() {
    let n = 300_000.0;
    for (components, duty, on, packet, longest) in [
        (1, 0.05, 20_000, Bytes(1500).into(), 1500.0),
        (7, 0.5, 5_000, trimodal(), 1500.0),
        (1, 0.9, 5_000, trimodal(), 1500.0),
        // Most ON periods are shorter than a packet.
        (3, 0.1, 300, Bytes(1500).into(), 1500.0),
        (100, 0.01, 1_500, exponential(1_000), 2000.0),
    ] {
        let source = on_off(components, duty, &exponential(on), &packet);
        let load = load(&source, n);
        let ratio = longest / on as f64;
        let error = f64::sqrt(ratio / libm::tanh(ratio / 2.0) / n);
        assert!((load - 1.0).abs() < K * error, "{source:?}: {load}");
    }
}

/// Sums of n Pareto sizes of shape 1.8 lie about n^(1/1.8 − 1) from their mean: 0.2% and 0.4% here.
#[test]
fn heavy_tailed_components_have_their_load() {
    let pareto = |min| SizeLaw::Pareto { shape: 1.8, min: Bytes(min) }.into();
    let few = Size::Plain(Bytes(100_000));
    for (components, duty, on, packet, periods) in [
        (1, 0.2, pareto(444_444), &few, 1e6),
        (100, 0.0002, pareto(444_444), &few, 1e6),
        (100, 0.0002, pareto(4_444), &trimodal(), 3e5),
    ] {
        let load = load(&on_off(components, duty, &on, packet), periods);
        assert!((load - 1.0).abs() < 0.02, "{components} components: {load}");
    }
}

/// Packets back to back: how many, from when to when.
struct Burst {
    packets: u64,
    first: Time,
    last: Time,
}

/// The bursts of one component with packets of one size, but the one that it may start in.
fn bursts(source: &Source, packet: Bytes) -> impl Iterator<Item = Burst> {
    let gap = PEAK.time_to_send(packet);
    let mut offers = offers(source, stream("bursts")).peekable();
    let burst = move || {
        let (first, _) = offers.next()?;
        let mut burst = Burst { packets: 1, first, last: first };
        while let Some((next, _)) = offers.next_if(|offer| offer.0 == burst.last + gap) {
            burst.packets += 1;
            burst.last = next;
        }
        Some(burst)
    };
    std::iter::from_fn(burst).skip(1)
}

#[test]
fn packets_that_begin_in_an_on_period_are_sent_back_to_back() {
    let source = on_off(1, 1e-6, &Bytes(10_000).into(), &Bytes(1000).into());
    let found: Vec<Burst> = bursts(&source, Bytes(1000)).take(20_000).collect();
    assert!(found.iter().all(|burst| burst.packets == 10));
    // 10 kB are 10⅔ packets of 3 kB less a third: the fourth begins in every third.
    let source = on_off(1, 1e-6, &Bytes(10_000).into(), &Bytes(3000).into());
    let fourth = bursts(&source, Bytes(3000)).take(20_000).map(|burst| burst.packets as f64 - 3.0);
    assert!(errors_off(fourth, 1.0 / 3.0, f64::sqrt(2.0 / 9.0)) < K);
    // From the last packet of a burst to the first of the next: the OFF period, what the last one
    // has to send of it beyond, and the wait for the next one: in the mean half a packet each.
    let off = 80e-6 * 999_999.0;
    let ends = found.iter().zip(&found[1..]);
    let gaps: Vec<f64> = ends.map(|(a, b)| (b.first - a.last).as_secs_f64()).collect();
    assert!(errors_off(gaps.iter().copied(), off + 8e-6, off) < K);
    // An exponential number has a fourth moment of 24, so its square has a variance of 20.
    let squares = gaps.iter().map(|gap| ((gap - 8e-6) / off).powi(2));
    assert!(errors_off(squares, 2.0, f64::sqrt(20.0)) < K);
}

/// The maximum likelihood estimate of a million sizes has a standard error of 0.1%.
#[test]
fn on_periods_have_the_tail_of_their_law() {
    let n = 1_000_000;
    let hill = |bytes: &mut dyn Iterator<Item = f64>| {
        n as f64 / bytes.take(n).map(|x| libm::log(x / 444_444.0)).sum::<f64>()
    };
    let on: Size = SizeLaw::Pareto { shape: 1.8, min: Bytes(444_444) }.into();
    let mut stream = stream("tail");
    let drawn = hill(&mut std::iter::from_fn(|| Some(on.draw(&mut stream) as f64)));
    assert!((drawn / 1.8 - 1.0).abs() < 0.01, "{drawn}");
    // As they are seen in the offers, to a tenth of the least.
    let source = on_off(1, 0.001, &on, &Bytes(44_444).into());
    let sizes = bursts(&source, Bytes(44_444)).map(|burst| burst.packets as f64 * 44_444.0);
    let seen = hill(&mut { sizes });
    assert!((seen / 1.8 - 1.0).abs() < 0.01, "{seen}");
}

/// The obvious version: an endless train of packets for each component, ON and OFF by its own clock
/// since long before.
struct Twin {
    on: Size,
    packet: Size,
    off: f64,
}

impl Twin {
    /// The bytes whose packets begin between `from` and `until`, both in bytes at the peak rate.
    fn bytes(&self, (from, until): (f64, f64), stream: &mut Stream) -> u64 {
        let (mut train, mut switch, mut is_on, mut sum) = (0.0, 0.0, false, 0);
        while train < until {
            while switch <= train {
                is_on = !is_on;
                switch +=
                    if is_on { self.on.draw(stream) as f64 } else { stream.exponential(self.off) };
            }
            let packet = self.packet.draw(stream);
            if is_on && train >= from {
                sum += packet;
            }
            train += packet as f64;
        }
        sum
    }
}

/// By the distance of the distributions (Kolmogorov and Smirnov), in windows from the start on.
#[test]
fn a_source_starts_in_the_steady_state_of_its_slow_twin() {
    let n = 4000;
    let (on, packet) = (exponential(4_000), trimodal());
    let twin = Twin { on: on.clone(), packet: packet.clone(), off: 6_000.0 };
    let source = on_off(3, 0.4, &on, &packet);
    for (from, until) in [(0.0, 1_000.0), (0.0, 10_000.0), (20_000.0, 30_000.0)] {
        let instant = |bytes: f64| Time::ZERO + Span::from_secs_f64(bytes * 8e-9);
        let window = instant(from)..instant(until);
        let mut ours: Vec<u64> = (0..n)
            .map(|seed| {
                let offers = offers(&source, Seed(seed).stream("start"));
                let before = offers.take_while(|offer| offer.0 < window.end);
                before.filter(|offer| window.contains(&offer.0)).map(|offer| offer.1).sum()
            })
            .collect();
        let mut stream = stream("twin");
        let long = 100_000.0;
        let mut three =
            || (0..3).map(|_| twin.bytes((from + long, until + long), &mut stream)).sum();
        let mut twins: Vec<u64> = (0..n).map(|_| three()).collect();
        ours.sort_unstable();
        twins.sort_unstable();
        let below = |list: &[u64], x| list.partition_point(|y| *y <= x) as f64 / n as f64;
        let farthest = ours.iter().chain(&twins).map(|&x| below(&ours, x) - below(&twins, x));
        let distance = farthest.fold(0.0, |most: f64, d| most.max(d.abs()));
        // Exceeded once in 1000 seeds.
        assert!(distance * (n as f64 / 2.0).sqrt() < 1.95, "{from} to {until}: {distance}");
        let mean = 3.0 * 0.4 * (until - from);
        let std = ours.iter().map(|&x| (x as f64 - mean).powi(2)).sum::<f64>() / n as f64;
        assert!(errors_off(ours.iter().map(|&x| x as f64), mean, std.sqrt()) < K);
    }
}

#[test]
fn periods_past_the_end_of_time_are_saturated() {
    // An OFF period takes 25,000 years in the mean.
    let (rate, peak) = (Rate(10), Rate(1_000));
    let on = Size::Plain(Bytes(1_000_000_000_000));
    for (components, packet) in [(1, Bytes(1_000_000_000_000)), (50, Bytes(1500))] {
        let packet = packet.into();
        let source =
            Source::OnOff(OnOff { rate: rate.into(), peak, components, on: on.clone(), packet });
        let (mut generator, mut stream) = (Generator::new(&source, Bytes(1)), stream("late"));
        let last = (0..20_000_000).map(|_| generator.next(&mut stream).unwrap()).last().unwrap();
        assert_eq!(last.after, Span(u64::MAX), "{components}");
    }
}

proptest! {
    /// No component begins a packet before its last one has ended, so there are never more at a
    /// time than components, and never more ON than the peak rates allow.
    #[test]
    fn packets_of_a_component_never_overlap(
        seed: u64, components in 1..5_u32, peak in 1_000..100_000_000_000_u64,
        on in 1..100_000_u64, packet in 1..10_000_u64, duty in 0.001..0.999_f64,
    ) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        let rate = Rate((duty * peak as f64 * f64::from(components)) as u64);
        let (on, packet) = (exponential(on), exponential(packet));
        let source = Source::OnOff(OnOff { rate: rate.into(), peak: Rate(peak), components, on, packet });
        prop_assume!(source.check().is_empty());
        let mut under_way: Vec<u64> = Vec::new();
        for (at, bytes) in offers(&source, Seed(seed).stream("overlap")).take(1000) {
            // A picosecond of grain, each way.
            under_way.retain(|end| *end > at.0 + 1);
            under_way.push(at.0 + Rate(peak).time_to_send(Bytes(bytes)).0);
            prop_assert!(under_way.len() <= components as usize);
        }
    }
}

#[test]
fn a_source_whose_packets_are_vastly_longer_than_its_on_periods_answers_in_a_bounded_time() {
    // An ON period in a thousand million has a packet.
    let source = on_off(10, 1e-6, &exponential(1_000), &Bytes(1_000_000_000_000).into());
    let found: Vec<(Time, u64)> = offers(&source, stream("vast")).take(2_000).collect();
    assert!(found.is_sorted_by_key(|offer| offer.0));
    assert!(found.iter().any(|offer| offer.1 == Offer::NOTHING_YET));
}

#[test]
fn empty_offers_take_nothing_from_the_load() {
    let (n, packets_an_on) = (1e7, 1.0 / 3_000.0);
    let source = on_off(3, 0.3, &exponential(1_000), &Bytes(3_000_000).into());
    let empty = offers(&source, stream("load")).take(1_000).filter(|offer| offer.1 == 0).count();
    assert!(empty > 500, "{empty}");
    let load = load(&source, n);
    let error = (1.0 / (n * packets_an_on)).sqrt();
    assert!((load - 1.0).abs() < 4.0 * error, "{load}");
}

#[test]
fn a_train_of_long_packets_is_coupled_by_the_law_of_those_under_way() {
    // OFF periods are as long as ON periods. Packets a little shorter and a little longer than they are, and
    // ten times as long: what is left of the one under way is drawn in two ways, and the load is met in both.
    let n = 300_000.0;
    for packet in [900, 1_100, 10_000] {
        for (size, longest) in
            [(Bytes(packet).into(), packet as f64), (exponential(packet), 2.0 * packet as f64)]
        {
            let source = on_off(3, 0.5, &exponential(1_000), &size);
            let ratio = longest / 1_000.0;
            let error = f64::sqrt(ratio / libm::tanh(ratio / 2.0) / n);
            let load = load(&source, n);
            assert!((load - 1.0).abs() < K * error, "{source:?}: {load}");
        }
    }
}
