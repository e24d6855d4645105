//! How long packets wait for their burst, against closed forms. Packets come at the instants of a
//! Poisson process of rate λ, each of any flow.

use units::{Bytes, Span};

use super::class::{Arrival, Burst, Class};
use super::{K, at, spec, stream, us};
use crate::tests::mean_and_error;
use crate::{AssemblyPolicy, AssemblySpec, Overflow, Timer};

const PACKETS: usize = 200_000;

/// Bytes of each packet.
const SIZE: u32 = 1_500;

/// The mean time between two packets of a flow.
const GAP: Span = Span::from_us(10);

/// The mean time between them, 1/λ, in picoseconds.
const MEAN: f64 = 1e7;

/// A burst: its packets, their waits summed in picoseconds and those squared, and why it left.
struct Waits {
    packets: f64,
    sum: f64,
    squares: f64,
    by_size: bool,
}

/// The bursts of packets of some flows. The first ones are left out: the intervals of a flow begin
/// with a packet. The last ones too, for which the time was too short.
fn bursts(spec: &AssemblySpec, flows: u32) -> Vec<Waits> {
    let mut draws = stream("delays");
    let mut class = Class::unwatched(spec, stream("allocation"));
    let mut came = Vec::new();
    let mut now = at(0);
    for _ in 0..PACKETS {
        now += draws.exponential_span(Span(GAP.0 / u64::from(flows)));
        let flow = u32::try_from(draws.below(u64::from(flows))).unwrap();
        came.push(now);
        class.on_packet(Arrival::new(now, flow, SIZE));
    }
    let waits = |burst: &Burst| {
        let wait = |number: usize| (burst.left - came[number]).0 as f64;
        let waits: Vec<f64> = burst.packets.iter().map(|packet| wait(packet.number)).collect();
        Waits {
            packets: waits.len() as f64,
            sum: waits.iter().sum(),
            squares: waits.iter().map(|wait| wait * wait).sum(),
            by_size: burst.by_size,
        }
    };
    class.bursts.iter().skip(10 * flows as usize).map(waits).collect()
}

/// A ratio of sums over bursts, each by itself, is `expected`: to K standard errors from the scatter
/// of what each burst has beyond it.
fn assert_ratio(bursts: &[Waits], of: impl Fn(&Waits) -> [f64; 2], expected: f64, what: &str) {
    let pairs: Vec<[f64; 2]> = bursts.iter().map(of).collect();
    let weights: Vec<f64> = pairs.iter().map(|pair| pair[1]).collect();
    let beyond: Vec<f64> = pairs.iter().map(|[sum, n]| sum - expected * n).collect();
    let (mean, error) = mean_and_error(&beyond);
    let weight = mean_and_error(&weights).0;
    let found = expected + mean / weight;
    assert!(mean.abs() < K * error, "{what}: {found} ± {}, not {expected}", error / weight);
}

fn assert_mean_wait(bursts: &[Waits], expected: f64, what: &str) {
    assert_ratio(bursts, |burst| [burst.sum, burst.packets], expected, what);
}

fn timed(policy: AssemblyPolicy, timer: Timer, timeout: Span) -> AssemblySpec {
    AssemblySpec { timer, ..spec(policy, 1, timeout) }
}

/// One flow or five, mixed or each by itself: the queues see a Poisson process of the mean gap that
/// is given, in picoseconds.
const CASES: [(AssemblyPolicy, u32, f64); 3] = [
    (AssemblyPolicy::MixedFlow, 1, MEAN),
    (AssemblyPolicy::MixedFlow, 5, MEAN / 5.0),
    (AssemblyPolicy::PerFlow, 5, MEAN),
];

/// Given how many there are, the packets of a Poisson process are anywhere in an interval, each by
/// itself: they wait for a uniform time, Δ/2 in the mean with the variance Δ²/12, however many flows
/// there are and whether they are mixed.
#[test]
fn to_the_end_of_an_interval_it_is_half_of_it() {
    for (policy, flows, _) in CASES {
        for timeout in [us(2), us(50), us(500)] {
            let bursts = bursts(&timed(policy, Timer::Interval, timeout), flows);
            let what = format!("{policy:?}, {flows} flows, {timeout:?}");
            let all = |of: fn(&Waits) -> f64| bursts.iter().map(of).sum::<f64>();
            let n = all(|burst| burst.packets);
            let mean = all(|burst| burst.sum) / n;
            let variance = all(|burst| burst.squares) / n - mean * mean;
            let delta = timeout.0 as f64;
            let error = delta / (12.0 * n).sqrt();
            assert!((mean - delta / 2.0).abs() < K * error, "{what}: {mean} ± {error}");
            // The variance of an estimate of it: the fourth moment less its square, Δ⁴/80 - Δ⁴/144.
            let error = delta * delta / (180.0 * n).sqrt();
            let expected = delta * delta / 12.0;
            assert!((variance - expected).abs() < K * error, "{what}: {variance} ± {error}");
        }
    }
}

/// A burst has the packet that opens it, which waits for Δ, and a Poisson number of mean λΔ of
/// others, which wait for a uniform time. The mean of a packet's wait is that of the sum over a burst
/// by that of their number, (Δ + λΔ · Δ/2) / (1 + λΔ), and that of its square likewise.
#[test]
fn from_the_first_packet_it_is_more_than_half_of_the_timeout() {
    for (policy, flows, gap) in CASES {
        for timeout in [us(2), us(10), us(50)] {
            let bursts = bursts(&timed(policy, Timer::FirstPacket, timeout), flows);
            let what = format!("{policy:?}, {flows} flows, {timeout:?}");
            let delta = timeout.0 as f64;
            let others = delta / gap;
            let mean = (delta + others * delta / 2.0) / (1.0 + others);
            assert_mean_wait(&bursts, mean, &what);
            let square = delta * delta * (1.0 + others / 3.0) / (1.0 + others);
            assert_ratio(&bursts, |burst| [burst.squares, burst.packets], square, &what);
        }
    }
}

/// B0 Δ / 8 of 77,750 B is 51.8 packets of 1500 B. The 52nd fills the burst: while it collects, k
/// packets wait for the (k + 1)th for 1/λ, k = 1, …, 51, which makes (n - 1)/(2λ) for each of
/// n = 52. Where the 52nd goes into the next burst, 51 wait for it: (n + 1)/(2λ) for n = 51.
#[test]
fn to_the_size_it_is_half_of_the_time_in_which_it_fills() {
    for (overflow, packets, gaps) in
        [(Overflow::ThisBurst, 52.0, 51.0), (Overflow::NextBurst, 51.0, 52.0)]
    {
        for timer in [Timer::FirstPacket, Timer::Interval] {
            for (policy, flows, gap) in CASES {
                let max_size = Some(Bytes(77_750));
                let spec = timed(policy, timer, Span::from_secs(1_000));
                let bursts = bursts(&AssemblySpec { max_size, overflow, ..spec }, flows);
                let full =
                    |burst: &Waits| burst.by_size && burst.packets.total_cmp(&packets).is_eq();
                assert!(bursts.len() > 3_000 && bursts.iter().all(full));
                let what = format!("{policy:?} {flows} {overflow:?} {timer:?}");
                assert_mean_wait(&bursts, gaps / 2.0 * gap, &what);
            }
        }
    }
}

/// Intervals and a limit of n packets. Both ends of an interval leave the queue empty with a whole Δ
/// ahead, so what happens from one to the next is a renewal process. With N(t) Poisson of mean λt,
/// an interval has min(N(Δ), n) packets; it lasts for the mean of that by λ (Wald); and what they wait
/// is summed ∫ E[N(t); N(t) < n] dt = Σ j P(N(Δ) > j) / λ, j = 1, …, n - 1. Bursts are the intervals
/// with packets.
#[test]
fn intervals_and_sizes_are_a_renewal_process() {
    for (policy, flows, gap) in CASES {
        for (m, packets) in [(5.0, 3), (5.0, 6), (1.0, 2), (0.2, 2)] {
            let timeout = GAP.scaled(m * gap / MEAN);
            let spec = AssemblySpec {
                max_size: Some(Bytes(u64::from(packets * SIZE))),
                overflow: Overflow::ThisBurst,
                ..timed(policy, Timer::Interval, timeout)
            };
            let bursts = bursts(&spec, flows);
            let what = format!("{policy:?}, {flows} flows, {timeout:?}, {packets} packets");
            // P(N > j) for j = 0, 1, …
            let more: Vec<f64> = (1_u32..)
                .scan(((-m).exp(), 1.0), |(p, more), j| {
                    *more -= *p;
                    *p *= m / f64::from(j);
                    Some(*more)
                })
                .take(packets as usize)
                .collect();
            let inside: f64 = more.iter().sum();
            let waits = more.iter().zip(0_u32..).map(|(more, j)| more * f64::from(j)).sum::<f64>();
            assert_mean_wait(&bursts, waits * gap / inside, &what);
            assert_ratio(&bursts, |burst| [burst.packets, 1.0], inside / more[0], &what);
            let by_size = more.last().unwrap() / more[0];
            assert_ratio(&bursts, |burst| [f64::from(burst.by_size), 1.0], by_size, &what);
        }
    }
}
