//! What an acknowledgment costs a window rule: the built-in ones, and the same as programs.
//!
//! Each sample acknowledges 10,000 segments in congestion avoidance, after what it
//! delivered is told, as by a sender: 100 µs are 10 ns an acknowledgment.

use divan::Bencher;
use divan::counter::ItemsCount;
use transport::tcp::congestion::program::{self, Source};
use transport::tcp::congestion::{
    Acked, Congested, Congestion, Delivered, Growth, Options, RateSample, Signal, Sizes, Start,
    bbr1, bbr3, cubic, dctcp, prague, reno, slow_start,
};
use units::{Span, Time};

const SEGMENT: u64 = 1460;
const ACKS: u64 = 10_000;

fn main() {
    divan::main();
}

fn program(source: &str) -> Options {
    Options::Program(program::Options { source: Source::new(source), ..Default::default() })
}

/// A window of 1000 segments without limits.
fn sizes(paced: bool) -> Sizes {
    Sizes {
        segment: SEGMENT,
        initial: 1000 * SEGMENT,
        ssthresh: u64::MAX,
        max: u64::MAX,
        growth: Growth::Bytes,
        whole_ssthresh: false,
        paced,
    }
}

fn measure(bencher: Bencher<'_, '_>, options: &Options) {
    let standard = slow_start::Options::Standard(slow_start::standard::Options::default());
    measure_with(bencher, options, &standard);
}

fn measure_with(bencher: Bencher<'_, '_>, options: &Options, slow_start: &slow_start::Options) {
    let mut warm = Congestion::new(options, slow_start, &sizes(false));
    let now = Time::ZERO + Span::from_secs(1);
    warm.on_loss(&Congested { now, signal: Signal::Loss, basis: 1000 * SEGMENT });
    bencher.counter(ItemsCount::new(ACKS)).with_inputs(|| warm.clone()).bench_local_refs(|rule| {
        for number in 1..=ACKS {
            let now = now + Span::from_us(number);
            let (srtt, ack) = (Span::from_ms(10), number * SEGMENT);
            let (next, rtt) = (ack + 1000 * SEGMENT, Some(srtt));
            rule.on_delivered(&Delivered { now, octets: SEGMENT, marked: 0, ack, next, rtt });
            let (after_timeout, may_grow) = (false, true);
            rule.on_ack(&Acked { now, octets: SEGMENT, srtt, after_timeout, may_grow });
        }
        rule.cwnd()
    });
}

#[divan::bench]
fn built_in_reno(bencher: Bencher<'_, '_>) {
    measure(bencher, &Options::Reno(reno::Options::default()));
}

#[divan::bench]
fn built_in_cubic(bencher: Bencher<'_, '_>) {
    measure(bencher, &Options::Cubic(cubic::Options::default()));
}

#[divan::bench]
fn cubic_of_linux(bencher: Bencher<'_, '_>) {
    let cubic = Options::Cubic(cubic::Options { law: Some(cubic::Law::Linux) });
    let hystart = slow_start::Options::HyStart(slow_start::hystart::Options::default());
    measure_with(bencher, &cubic, &hystart);
}

/// A rule that models the path: what an acknowledgment costs it, with its sample at hand.
fn measure_samples(bencher: Bencher<'_, '_>, options: &Options) {
    let standard = slow_start::Options::Standard(slow_start::standard::Options::default());
    let warm = Congestion::new(options, &standard, &sizes(true));
    bencher.counter(ItemsCount::new(ACKS)).with_inputs(|| warm.clone()).bench_local_refs(|rule| {
        for number in 1..=ACKS {
            let now = Time::ZERO + Span::from_us(10 * number);
            let total = (number + 1000) * SEGMENT;
            rule.on_sample(&RateSample {
                now,
                rate: 1.46e8,
                delivered: 1000 * SEGMENT,
                prior_delivered: total - 1000 * SEGMENT,
                total_delivered: total,
                newly_delivered: SEGMENT,
                newly_lost: 0,
                lost: 0,
                sent_in_flight: 1000 * SEGMENT,
                in_flight: 1000 * SEGMENT,
                rtt: Some(Span::from_ms(10)),
                app_limited: false,
                window_limited: true,
                recovers: false,
                repairs: false,
            });
            rule.on_start(&Start { now, srtt: None, after_idle: false });
        }
        rule.cwnd()
    });
}

#[divan::bench]
fn built_in_bbr3(bencher: Bencher<'_, '_>) {
    measure_samples(bencher, &Options::Bbr3(bbr3::Options::default()));
}

#[divan::bench]
fn built_in_bbr1(bencher: Bencher<'_, '_>) {
    measure_samples(bencher, &Options::Bbr1(bbr1::Options::default()));
}

#[divan::bench]
fn built_in_dctcp(bencher: Bencher<'_, '_>) {
    measure(bencher, &Options::Dctcp(dctcp::Options::default()));
}

#[divan::bench]
fn built_in_prague(bencher: Bencher<'_, '_>) {
    measure(bencher, &Options::Prague(prague::Options::default()));
}

#[divan::bench]
fn program_reno(bencher: Bencher<'_, '_>) {
    measure(
        bencher,
        &program(include_str!("../../transport/src/tcp/congestion/program/reno.program")),
    );
}

#[divan::bench]
fn program_cubic(bencher: Bencher<'_, '_>) {
    measure(
        bencher,
        &program(include_str!("../../transport/src/tcp/congestion/program/cubic.program")),
    );
}

#[divan::bench]
fn program_dctcp(bencher: Bencher<'_, '_>) {
    measure(
        bencher,
        &program(include_str!("../../transport/src/tcp/congestion/program/dctcp.program")),
    );
}
