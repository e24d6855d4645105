//! The largest possible number of matches: H. W. Kuhn, "The Hungarian method for the assignment
//! problem", Naval Research Logistics Quarterly 2, 1955, without weights.

use super::requests::PerPort;
use super::{Mask, Requests};

/// The state of a search. Nothing is kept from slot to slot.
#[derive(Debug, Clone)]
pub struct MaximumSize<const W: usize> {
    /// The input that each matched output has.
    input_of: PerPort<u32, W>,
    /// The output that each matched input has.
    output_of: PerPort<u32, W>,
    /// The input from which a search has reached each output.
    reached_from: PerPort<u32, W>,
    /// Inputs whose requests the search is still to follow.
    open: Vec<u32>,
}

impl<const W: usize> MaximumSize<W> {
    pub(super) fn new() -> Self {
        let zero = PerPort::new(0);
        Self {
            input_of: zero.clone(),
            output_of: zero.clone(),
            reached_from: zero,
            open: Vec::new(),
        }
    }

    /// Inputs are matched one after the other, ascending; who is matched once stays matched, perhaps
    /// with another output. An input takes its lowest output that is free, or one at the end of the
    /// shortest chain of others that move.
    pub(super) fn slot(
        &mut self,
        requests: &Requests<W>,
        among: Mask<W>,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        let (mut inputs, mut outputs) = (Mask::<W>::EMPTY, Mask::<W>::EMPTY);
        for input in among {
            if let Some(output) = self.search(requests, input, outputs) {
                self.shift(input, output);
                inputs.set(input);
                outputs.set(output);
            }
        }
        pairs.extend(inputs.iter().map(|input| (input, self.output_of.get(input))));
    }

    /// A free output to which a chain of requests and matches leads from this input, breadth first.
    fn search(&mut self, requests: &Requests<W>, input: u32, taken: Mask<W>) -> Option<u32> {
        let mut seen = Mask::<W>::EMPTY;
        self.open.clear();
        self.open.push(input);
        let mut next = 0;
        while let Some(&from) = self.open.get(next) {
            next += 1;
            let new = requests.row(from).without(seen);
            if let Some(free) = new.without(taken).first() {
                *self.reached_from.at(free) = from;
                return Some(free);
            }
            for output in new {
                *self.reached_from.at(output) = from;
                self.open.push(self.input_of.get(output));
            }
            seen = seen | new;
        }
        None
    }

    /// Every input on the chain from `input` takes the output that it has reached, the last of them
    /// `free`.
    fn shift(&mut self, input: u32, free: u32) {
        let mut output = free;
        loop {
            let from = self.reached_from.get(output);
            let left = std::mem::replace(self.output_of.at(from), output);
            *self.input_of.at(output) = from;
            if from == input {
                return;
            }
            output = left;
        }
    }
}
