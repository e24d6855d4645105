//! iSLIP: N. McKeown, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM
//! Transactions on Networking 7(2), 1999, section III.

use super::requests::PerPort;
use super::rounds::{Choose, Rounds};
use super::{Mask, Requests};

/// The round-robin pointers of all ports.
#[derive(Debug, Clone)]
pub struct Islip<const W: usize> {
    rounds: Rounds<W>,
    pointers: Pointers<W>,
}

#[derive(Debug, Clone)]
struct Pointers<const W: usize> {
    inputs: u32,
    outputs: u32,
    /// For each output the input that it prefers.
    grant: PerPort<u32, W>,
    /// For each input the output that it prefers.
    accept: PerPort<u32, W>,
}

impl<const W: usize> Islip<W> {
    /// All pointers are at port 0.
    pub(super) fn new(iterations: u32, inputs: u32, outputs: u32) -> Self {
        let zero = PerPort::new(0);
        let pointers = Pointers { inputs, outputs, grant: zero.clone(), accept: zero };
        Self { rounds: Rounds::new(iterations), pointers }
    }

    #[inline]
    pub(super) fn slot(
        &mut self,
        requests: &Requests<W>,
        among: Mask<W>,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        self.rounds.run(requests, among, &mut self.pointers, pairs);
    }

    #[inline]
    pub(super) fn alone(&mut self, input: u32, output: u32) {
        self.pointers.pass(input, output);
    }
}

impl<const W: usize> Pointers<W> {
    /// Both pointers of a match go to one beyond it.
    #[inline]
    fn pass(&mut self, input: u32, output: u32) {
        *self.grant.at(output) = beyond(input, self.inputs);
        *self.accept.at(input) = beyond(output, self.outputs);
    }
}

impl<const W: usize> Choose<W> for Pointers<W> {
    #[inline]
    fn grant(&mut self, output: u32, asking: Mask<W>) -> u32 {
        asking.next_from(self.grant.get(output)).expect("an input asks")
    }

    #[inline]
    fn accept(&mut self, input: u32, granting: Mask<W>, iteration: u32) -> u32 {
        let output = granting.next_from(self.accept.get(input)).expect("an output grants");
        // Later iterations move nothing: a port that is passed over there would starve otherwise.
        if iteration == 0 {
            self.pass(input, output);
        }
        output
    }
}

/// The port after this one, the first after the last.
#[inline]
fn beyond(port: u32, ports: u32) -> u32 {
    if port + 1 == ports { 0 } else { port + 1 }
}
