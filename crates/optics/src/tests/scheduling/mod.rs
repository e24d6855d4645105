//! Schedulers of a fabric: by hand, against twins and definitions, against theory.

mod by_hand;
mod mask;
mod properties;
mod theory;
mod twin;
mod wavefront;

use super::{mean_and_error, stream};
use crate::{Arbiter, Mask, Requests, SchedulerSpec};

/// An input and an output.
type Pair = (u32, u32);

const ISLIP: SchedulerSpec = SchedulerSpec::Islip { iterations: 1 };
const PIM: SchedulerSpec = SchedulerSpec::Pim { iterations: 1 };
const MAXIMUM_SIZE: SchedulerSpec = SchedulerSpec::MaximumSize {};
const WAVEFRONT: SchedulerSpec = SchedulerSpec::Wavefront {};

fn arbiter<const W: usize>(spec: SchedulerSpec, (inputs, outputs): (u32, u32)) -> Arbiter<W> {
    Arbiter::new(&spec, inputs, outputs, stream("scheduling"))
}

fn requests<const W: usize>((inputs, outputs): (u32, u32), asked: &[Pair]) -> Requests<W> {
    let mut requests = Requests::new(inputs, outputs);
    for &(input, output) in asked {
        requests.set(input, output);
    }
    requests
}

/// Every pair of so many inputs and outputs.
fn all_pairs((inputs, outputs): (u32, u32)) -> Vec<Pair> {
    (0..inputs).flat_map(|input| (0..outputs).map(move |output| (input, output))).collect()
}

/// The matches of the first slot, in which all inputs take part.
fn slot<const W: usize>(arbiter: &mut Arbiter<W>, ports: (u32, u32), asked: &[Pair]) -> Vec<Pair> {
    slot_at(0, arbiter, ports, asked)
}

/// The same of any slot.
fn slot_at<const W: usize>(
    number: u64,
    arbiter: &mut Arbiter<W>,
    ports: (u32, u32),
    asked: &[Pair],
) -> Vec<Pair> {
    let mut pairs = vec![(7, 7)];
    arbiter.slot(number, &requests(ports, asked), Mask::first_ports(ports.0), &mut pairs);
    pairs
}

/// The inputs that the outputs prefer, and the outputs that the inputs prefer: found out by asking a
/// copy. The output for which all inputs ask serves the one that it prefers; the input that asks for
/// all outputs takes the one that it prefers.
fn pointers<const W: usize>(
    arbiter: &Arbiter<W>,
    (inputs, outputs): (u32, u32),
) -> (Vec<u32>, Vec<u32>) {
    let served = |asked: Vec<Pair>| slot(&mut arbiter.clone(), (inputs, outputs), &asked)[0];
    let column = |output| (0..inputs).map(|input| (input, output)).collect();
    let row = |input| (0..outputs).map(|output| (input, output)).collect();
    let grant = (0..outputs).map(|output| served(column(output)).0).collect();
    let accept = (0..inputs).map(|input| served(row(input)).1).collect();
    (grant, accept)
}

fn sorted(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_unstable();
    pairs
}
