//! Iterations of request, grant and accept: the common part of iSLIP and PIM.

use super::requests::PerPort;
use super::{Mask, Requests};

/// How ports choose.
pub(super) trait Choose<const W: usize> {
    /// Which of the requesting inputs an output grants.
    fn grant(&mut self, output: u32, asking: Mask<W>) -> u32;

    /// Which of the outputs that grant it an input accepts, in the iteration of this number (from 0).
    fn accept(&mut self, input: u32, granting: Mask<W>, iteration: u32) -> u32;
}

/// The iterations of a slot.
#[derive(Debug, Clone)]
pub(super) struct Rounds<const W: usize> {
    iterations: u32,
    /// The outputs that grant each input. Empty between iterations.
    granting: PerPort<Mask<W>, W>,
}

impl<const W: usize> Rounds<W> {
    pub(super) fn new(iterations: u32) -> Self {
        Self { iterations, granting: PerPort::new(Mask::EMPTY) }
    }

    /// Adds the matches of a slot to `pairs`: those of each iteration by input.
    #[inline]
    pub(super) fn run(
        &mut self,
        requests: &Requests<W>,
        among: Mask<W>,
        choose: &mut impl Choose<W>,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        // What is not matched yet.
        let mut inputs = among;
        let mut outputs = requests.wanted(among);
        for iteration in 0..self.iterations {
            let mut granted = Mask::<W>::EMPTY;
            for output in outputs {
                let asking = requests.column(output) & inputs;
                if asking.is_empty() {
                    outputs.clear(output);
                } else {
                    let input = choose.grant(output, asking);
                    self.granting.at(input).set(output);
                    granted.set(input);
                }
            }
            // Without a grant nothing is added, with one something is.
            if granted.is_empty() {
                return;
            }
            for input in granted {
                let granting = std::mem::take(self.granting.at(input));
                let output = choose.accept(input, granting, iteration);
                outputs.clear(output);
                pairs.push((input, output));
            }
            inputs = inputs.without(granted);
        }
    }
}
