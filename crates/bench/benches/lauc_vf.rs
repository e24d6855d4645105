//! What a burst costs: the search for a channel, and its reservation.
//!
//! Each sample serves 10,000 bursts on 64 channels (16 and 256 for comparison), so 10 ms are 1 µs a
//! burst. Headers come as a Poisson process, lengths are exponential, and a burst starts up to
//! `depth` mean lengths after its header, so that there are about load × depth / 2 reservations and
//! voids a channel. The channels are filled before the clock starts.

use divan::Bencher;
use divan::counter::ItemsCount;
use optics::{Candidates, Channels, Scheduling};
use random::Seed;
use units::{Span, Time};

const WARM_UP: usize = 40_000;
const MEASURED: usize = 10_000;
const MEAN: Span = Span::from_us(100);

fn main() {
    divan::main();
}

struct Burst {
    header: Time,
    start: Time,
    length: Span,
}

fn bursts(channels: u32, load: f64, depth: u64) -> Vec<Burst> {
    let mut draws = Seed(1).stream("bench");
    let between = MEAN.scaled(1.0 / (load * f64::from(channels)));
    let mut header = Time::ZERO;
    let mut next = || {
        header += draws.exponential_span(between);
        let ahead = Span(draws.below(depth * MEAN.0));
        Burst { header, start: header + ahead, length: draws.exponential_span(MEAN) }
    };
    (0..WARM_UP + MEASURED).map(|_| next()).collect()
}

/// How many bursts are lost.
fn serve(channels: &mut Channels, bursts: &[Burst]) -> usize {
    let lost = bursts.iter().filter(|burst| {
        channels.forget(burst.header);
        let found = channels.find(Candidates::Any, burst.start, burst.length);
        if let Some(channel) = found {
            channels.book(channel, burst.start, burst.length);
        }
        found.is_none()
    });
    lost.count()
}

fn measure(bencher: Bencher<'_, '_>, scheduling: Scheduling, count: u32, load: f64, depth: u64) {
    let bursts = bursts(count, load, depth);
    let mut warm = Channels::new(scheduling, count);
    serve(&mut warm, &bursts[..WARM_UP]);
    bencher
        .counter(ItemsCount::new(MEASURED))
        .with_inputs(|| warm.clone())
        .bench_local_refs(|channels| serve(channels, &bursts[WARM_UP..]));
}

/// Load and depth: from hardly any reservations ahead to a hundred a channel, and overload.
#[divan::bench(args = [(0.3, 16), (0.8, 1), (0.8, 16), (0.8, 64), (0.8, 128), (2.0, 64)])]
fn lauc_vf(bencher: Bencher<'_, '_>, (load, depth): (f64, u64)) {
    measure(bencher, Scheduling::LaucVf, 64, load, depth);
}

#[divan::bench(args = [16, 256])]
fn lauc_vf_channels(bencher: Bencher<'_, '_>, channels: u32) {
    measure(bencher, Scheduling::LaucVf, channels, 0.8, 64);
}

#[divan::bench(args = [Scheduling::LaucVfOneVoid, Scheduling::Lauc, Scheduling::FirstFit])]
fn others(bencher: Bencher<'_, '_>, scheduling: Scheduling) {
    measure(bencher, scheduling, 64, 0.8, 64);
}
