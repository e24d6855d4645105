//! What a slot of a fabric costs: the matching, and the account of requests and queues.
//!
//! Each sample serves 10,000 slots, so 1 ms is 100 ns a slot. `backlogged` is the matching alone, with
//! a cell in every virtual output queue. `uniform` has queues: in a slot a cell comes to each input
//! with the probability `load`, for any output, and the queues are filled before the clock starts.

use divan::Bencher;
use divan::counter::ItemsCount;
use optics::{Arbiter, Mask, Requests, SchedulerSpec};
use random::{Seed, Stream};

const SLOTS: usize = 10_000;
const ISLIP: SchedulerSpec = SchedulerSpec::Islip { iterations: 1 };

fn main() {
    divan::main();
}

fn stream() -> Stream {
    Seed(1).stream("bench")
}

/// Cells in the virtual output queues of a switch.
#[derive(Clone)]
struct Queues<const W: usize> {
    arbiter: Arbiter<W>,
    requests: Requests<W>,
    waiting: Mask<W>,
    cells: Vec<u32>,
    ports: u32,
    pairs: Vec<(u32, u32)>,
    slots: u64,
}

impl<const W: usize> Queues<W> {
    fn new(spec: SchedulerSpec, ports: u32) -> Self {
        Self {
            arbiter: Arbiter::new(&spec, ports, ports, stream()),
            requests: Requests::new(ports, ports),
            waiting: Mask::EMPTY,
            cells: vec![0; (ports * ports) as usize],
            ports,
            pairs: Vec::new(),
            slots: 0,
        }
    }

    fn slot(&mut self, arrivals: &[(u32, u32)]) {
        for &(input, output) in arrivals {
            let cells = &mut self.cells[(input * self.ports + output) as usize];
            if *cells == 0 {
                self.requests.set(input, output);
                self.waiting.set(input);
            }
            *cells += 1;
        }
        self.arbiter.slot(self.slots, &self.requests, self.waiting, &mut self.pairs);
        self.slots += 1;
        for &(input, output) in &self.pairs {
            let cells = &mut self.cells[(input * self.ports + output) as usize];
            *cells -= 1;
            if *cells == 0 {
                self.requests.clear(input, output);
                if self.requests.row(input).is_empty() {
                    self.waiting.clear(input);
                }
            }
        }
    }
}

fn arrivals(ports: u32, load: f64) -> Vec<Vec<(u32, u32)>> {
    let mut draws = stream();
    let mut slot = || {
        let inputs = (0..ports).filter(|_| draws.chance(load)).collect::<Vec<_>>();
        let port = |draws: &mut Stream| u32::try_from(draws.below(u64::from(ports))).unwrap();
        inputs.into_iter().map(|input| (input, port(&mut draws))).collect()
    };
    (0..2 * SLOTS).map(|_| slot()).collect()
}

fn uniform_of<const W: usize>(bencher: Bencher<'_, '_>, spec: SchedulerSpec, size: (u32, f64)) {
    let arrivals = arrivals(size.0, size.1);
    let mut warm = Queues::<W>::new(spec, size.0);
    arrivals[..SLOTS].iter().for_each(|slot| warm.slot(slot));
    bencher
        .counter(ItemsCount::new(SLOTS))
        .with_inputs(|| warm.clone())
        .bench_local_refs(|queues| arrivals[SLOTS..].iter().for_each(|slot| queues.slot(slot)));
}

/// The matching alone, of requests that stay.
fn standing(bencher: Bencher<'_, '_>, ports: u32, asked: &[(u32, u32)]) {
    let mut requests = Requests::<1>::new(ports, ports);
    for &(input, output) in asked {
        requests.set(input, output);
    }
    let among = asked.iter().map(|&(input, _)| input).collect();
    let mut pairs = Vec::new();
    bencher
        .counter(ItemsCount::new(SLOTS))
        .with_inputs(|| Arbiter::new(&ISLIP, ports, ports, stream()))
        .bench_local_refs(|arbiter| {
            for _ in 0..SLOTS {
                arbiter.slot(0, divan::black_box(&requests), among, &mut pairs);
                divan::black_box(&pairs);
            }
        });
}

#[divan::bench(args = [8, 16, 32, 64])]
fn backlogged(bencher: Bencher<'_, '_>, ports: u32) {
    let asked: Vec<_> = (0..ports * ports).map(|pair| (pair / ports, pair % ports)).collect();
    standing(bencher, ports, &asked);
}

/// A few inputs that ask for one output (the number of inputs), which a switch serves as a round where
/// they ask for nothing else.
#[divan::bench(args = [1, 2, 3, 4])]
fn contended(bencher: Bencher<'_, '_>, inputs: u32) {
    let asked: Vec<_> = (0..inputs).map(|input| (3 * input, 5)).collect();
    standing(bencher, 12, &asked);
}

/// Ports and load.
#[divan::bench(args = [
    (8, 0.2), (8, 0.5), (8, 0.8), (16, 0.2), (16, 0.5), (16, 0.8),
    (32, 0.2), (32, 0.5), (32, 0.8), (64, 0.2), (64, 0.5), (64, 0.8),
])]
fn uniform(bencher: Bencher<'_, '_>, size: (u32, f64)) {
    uniform_of::<1>(bencher, ISLIP, size);
}

/// More than one word a mask.
#[divan::bench(args = [64, 128, 256])]
fn four_words(bencher: Bencher<'_, '_>, ports: u32) {
    uniform_of::<4>(bencher, ISLIP, (ports, 0.8));
}

#[divan::bench(args = [1, 2, 4, 16])]
fn iterations(bencher: Bencher<'_, '_>, iterations: u32) {
    uniform_of::<1>(bencher, SchedulerSpec::Islip { iterations }, (16, 0.8));
}

#[divan::bench(args = [SchedulerSpec::Pim { iterations: 4 }, SchedulerSpec::MaximumSize {}])]
fn others(bencher: Bencher<'_, '_>, spec: SchedulerSpec) {
    uniform_of::<1>(bencher, spec, (16, 0.8));
}
