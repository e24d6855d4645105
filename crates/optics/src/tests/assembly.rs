//! Assembly: its rules by hand, and its bursts against closed forms.

use proptest::prelude::*;
use units::{Bytes, Span, Time};

use super::{at, mean_and_error, stream, us};
use crate::{Assembly, Cause, Overflow, Thresholds, Timer};

/// Standard errors; exceeded once in 16,000 seeds by a right model.
const K: f64 = 4.0;

/// An instant a picosecond later: when the burst leaves whose deadline this is.
fn after(us: u64) -> Time {
    at(us) + Span::from_ps(1)
}

fn queue(max_size: u64, timeout: Span) -> Assembly {
    Assembly::new(thresholds(max_size, timeout))
}

/// A packet enters, with what it does to the queue: whether a burst leaves without it, and whether
/// one leaves with it.
fn enter(queue: &mut Assembly, now: Time, bytes: u32) -> [Option<Cause>; 2] {
    [queue.make_room(now, bytes), queue.on_packet(now, now, bytes)]
}

const NOTHING: [Option<Cause>; 2] = [None, None];

/// At most 1000 B, 10 µs.
#[test]
fn the_rules_by_hand() {
    let mut queue = queue(1_000, us(10));
    assert_eq!((queue.deadline(), queue.alarm()), (None, None));
    assert_eq!(enter(&mut queue, at(1), 400), NOTHING);
    assert_eq!(enter(&mut queue, at(2), 400), NOTHING);
    assert_eq!((queue.bytes(), queue.packets(), queue.opened()), (Bytes(800), 2, at(1)));
    assert_eq!((queue.deadline(), queue.alarm()), (Some(at(11)), Some(after(11))));
    // 400 more would be 1200: the burst leaves without them, and they open the next one.
    assert_eq!(enter(&mut queue, at(3), 400), [Some(Cause::Size), None]);
    assert_eq!((queue.bytes(), queue.packets(), queue.opened()), (Bytes(400), 1, at(3)));
    // Exactly full: it leaves at once, with the packet.
    assert_eq!(enter(&mut queue, at(4), 600), [None, Some(Cause::Size)]);
    assert_eq!((queue.bytes(), queue.packets(), queue.deadline()), (Bytes::ZERO, 0, None));
    // The alarms of the bursts that have left.
    assert!(!queue.on_deadline(after(11)));
    assert!(!queue.on_deadline(after(13)));
    assert_eq!(enter(&mut queue, at(20), 100), NOTHING);
    assert!(!queue.on_deadline(at(30)));
    assert!(queue.on_deadline(after(30)));
    assert_eq!((queue.packets(), queue.deadline()), (0, None));
}

#[test]
fn a_packet_at_the_deadline_is_in_the_burst() {
    let mut queue = queue(1_000, us(10));
    enter(&mut queue, at(0), 100);
    assert_eq!(enter(&mut queue, at(10), 100), NOTHING);
    assert!(!queue.on_deadline(at(10)));
    assert_eq!((queue.packets(), queue.opened(), queue.deadline()), (2, at(0), Some(at(10))));
    assert!(queue.on_deadline(after(10)));
}

/// Whether the packet or the alarm is handled first, the old burst holds one packet and the new one
/// opens a picosecond after its deadline.
#[test]
fn a_packet_at_the_alarm_goes_into_the_next_burst() {
    let mut first = queue(1_000, us(10));
    enter(&mut first, at(0), 100);
    assert_eq!(enter(&mut first, after(10), 100), [Some(Cause::Timer), None]);
    assert!(!first.on_deadline(after(10)));

    let mut second = queue(1_000, us(10));
    enter(&mut second, at(0), 100);
    assert!(second.on_deadline(after(10)));
    assert_eq!(enter(&mut second, after(10), 100), NOTHING);

    for queue in [first, second] {
        let deadline = Some(after(20));
        assert_eq!((queue.packets(), queue.opened(), queue.deadline()), (1, after(10), deadline));
    }
}

/// A burst of a cycle that started before its first packet.
#[test]
fn a_burst_may_collect_from_before_its_first_packet() {
    let mut queue = queue(1_000, us(10));
    assert_eq!(queue.on_packet(at(5), at(2), 100), None);
    assert_eq!((queue.opened(), queue.alarm()), (at(2), Some(after(12))));
    // A burst is there already: it goes on as it was opened.
    assert_eq!(queue.on_packet(at(6), at(6), 100), None);
    assert_eq!(queue.alarm(), Some(after(12)));
}

#[test]
fn a_packet_can_release_two_bursts() {
    let both = [Some(Cause::Size); 2];
    let mut queue = queue(1_000, us(10));
    enter(&mut queue, at(0), 1);
    assert_eq!(enter(&mut queue, at(1), 1_000), both);
    assert_eq!(queue.packets(), 0);
}

#[test]
fn a_packet_larger_than_a_burst_is_one_by_itself() {
    let mut queue = queue(1_000, us(10));
    assert_eq!(enter(&mut queue, at(0), 1_001), [None, Some(Cause::Size)]);
    enter(&mut queue, at(1), 10);
    assert_eq!(enter(&mut queue, at(2), 1_001), [Some(Cause::Size); 2]);
}

#[test]
fn without_a_limit_only_time_ends_a_burst() {
    let mut queue = Assembly::new(Thresholds { max_size: None, ..thresholds(0, us(10)) });
    for _ in 0..1_000 {
        assert_eq!(enter(&mut queue, at(10), u32::MAX), NOTHING);
    }
    assert_eq!(queue.bytes(), Bytes(1_000 * u64::from(u32::MAX)));
    assert_eq!(enter(&mut queue, after(20), 1), [Some(Cause::Timer), None]);
}

/// A burst that was released: its packets, its bytes, how long it collected, and why.
#[derive(Debug, Clone, Copy)]
struct Burst {
    packets: u32,
    bytes: u64,
    lasted: Span,
    cause: Cause,
}

/// What becomes of packets, each with its instant and its size, with an alarm handled in time.
fn bursts(thresholds: Thresholds, packets: impl IntoIterator<Item = (Time, u32)>) -> Vec<Burst> {
    let mut queue = Assembly::new(thresholds);
    let mut released = Vec::new();
    for (now, size) in packets {
        if let Some(alarm) = queue.alarm().filter(|&alarm| alarm < now) {
            let (packets, bytes) = (queue.packets(), queue.bytes().0);
            assert!(queue.on_deadline(alarm));
            released.push(Burst {
                packets,
                bytes,
                lasted: thresholds.timeout,
                cause: Cause::Timer,
            });
        }
        let (mut packets, mut bytes) = (queue.packets(), queue.bytes().0);
        let mut opened = queue.opened();
        let [before, after] = enter(&mut queue, now, size);
        if let Some(cause) = before {
            released.push(Burst { packets, bytes, lasted: now - opened, cause });
            (packets, bytes) = (0, 0);
        }
        if packets == 0 {
            opened = now;
        }
        if let Some(cause) = after {
            (packets, bytes) = (packets + 1, bytes + u64::from(size));
            released.push(Burst { packets, bytes, lasted: now - opened, cause });
        }
    }
    released
}

/// `n` packets of one size at the instants of a Poisson process.
fn poisson(name: &str, n: usize, mean: Span, size: u32) -> Vec<(Time, u32)> {
    let mut draws = stream(name);
    let mut now = Time::ZERO;
    let mut next = || {
        now += draws.exponential_span(mean);
        (now, size)
    };
    (0..n).map(|_| next()).collect()
}

fn thresholds(max_size: u64, timeout: Span) -> Thresholds {
    Thresholds {
        max_size: Some(Bytes(max_size)),
        overflow: Overflow::NextBurst,
        timeout,
        timer: Timer::FirstPacket,
    }
}

/// λT = 20: a burst has the packet that opens it and a Poisson number of others.
#[test]
fn by_time_alone_a_burst_has_one_packet_and_a_poisson_number_more() {
    let packets = poisson("timer", 200_000, us(5), 1_500);
    let bursts = bursts(thresholds(1_000_000_000, us(100)), packets);
    let more: Vec<f64> = bursts.iter().map(|burst| f64::from(burst.packets) - 1.0).collect();
    assert!(bursts.iter().all(|burst| burst.cause == Cause::Timer && burst.lasted == us(100)));
    let n = more.len() as f64;
    let (mean, _) = mean_and_error(&more);
    assert!((mean - 20.0).abs() < K * (20.0 / n).sqrt(), "mean {mean}");
    // The variance of a Poisson number is its mean m, that of its estimate about (m + 2 m²) / n.
    let variance = more.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    assert!((variance - 20.0).abs() < K * (820.0 / n).sqrt(), "variance {variance}");
}

/// 10,000 B: six packets of 1500 B are 9000 B and a seventh would overflow; ten of 1000 B fill it.
#[test]
fn by_size_alone_a_burst_has_as_many_packets_as_fit() {
    for (size, fit) in [(1_500, 6), (1_000, 10), (10_000, 1), (9_999, 1), (5_001, 1), (5_000, 2)] {
        let packets = poisson("size", 10_000, us(5), size);
        let bursts = bursts(thresholds(10_000, Span::from_secs(1_000)), packets);
        assert!(bursts.len() >= 10_000 / fit as usize - 1);
        for burst in bursts {
            assert_eq!((burst.packets, burst.cause), (fit, Cause::Size), "{size} B");
        }
    }
}

/// P(N = j) of a Poisson number N with the mean `m`, for j = 0, 1, …
fn poisson_law(m: f64) -> impl Iterator<Item = f64> {
    (1_u32..).scan((-m).exp(), move |p, j| {
        let this = *p;
        *p *= m / f64::from(j);
        Some(this)
    })
}

/// With N Poisson of mean λT = 8 packets within the timeout and k that fit, a burst has
/// min(k, 1 + N). It leaves by size when the packet that fills or overflows it comes in time: the
/// k-th where k packets fill it exactly, the one after it otherwise.
#[test]
fn by_size_and_time_a_burst_ends_by_what_comes_first() {
    for (size, filled_by) in [(1_000, 10), (950, 11)] {
        let packets = poisson("both", 200_000, us(5), size);
        let bursts = bursts(thresholds(10_000, us(40)), packets);
        let n = bursts.len() as f64;
        let counts: Vec<f64> = bursts.iter().map(|burst| f64::from(burst.packets)).collect();
        let expected: f64 =
            (1_u32..).zip(poisson_law(8.0)).take(60).map(|(j, p)| p * f64::from(j.min(10))).sum();
        let (mean, error) = mean_and_error(&counts);
        assert!((mean - expected).abs() < K * error, "{mean} ± {error}, not {expected}");
        let by_size = bursts.iter().filter(|burst| burst.cause == Cause::Size).count() as f64 / n;
        let p = 1.0 - poisson_law(8.0).take(filled_by - 1).sum::<f64>();
        let error = (p * (1.0 - p) / n).sqrt();
        assert!((by_size - p).abs() < K * error, "{by_size} ± {error}, not {p}");
    }
}

proptest! {
    #[test]
    fn no_burst_is_too_large_or_too_late_and_no_packet_is_lost(
        packets in prop::collection::vec((0..30_u64, 1..600_u32), 1..300),
        max_size in 1..1_500_u64,
        timeout in 0..60_u64,
    ) {
        let mut now = Time::ZERO;
        let mut sent: Vec<(Time, u32)> = Vec::new();
        for (later, size) in packets {
            now += Span(later);
            sent.push((now, size));
        }
        // The last burst leaves before a packet far behind it, which stays.
        let last = (now + Span(1_000), 0);
        let bursts = bursts(thresholds(max_size, Span(timeout)), sent.iter().copied().chain([last]));
        for burst in &bursts {
            prop_assert!(burst.packets > 0);
            prop_assert!(burst.bytes <= max_size || burst.packets == 1);
            prop_assert!(burst.lasted <= Span(timeout + 1));
        }
        let bytes: u64 = sent.iter().map(|&(_, size)| u64::from(size)).sum();
        prop_assert_eq!(bursts.iter().map(|burst| burst.bytes).sum::<u64>(), bytes);
        let count: u32 = bursts.iter().map(|burst| burst.packets).sum();
        prop_assert_eq!(count as usize, sent.len());
    }
}
