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

/// A pointer is kept as the port before it, the one matched last: what follows the last port of all is
/// found by the mask.
#[derive(Debug, Clone)]
struct Pointers<const W: usize> {
    /// For each output the input behind which its pointer stands.
    grant: PerPort<u32, W>,
    /// For each input the output behind which its pointer stands.
    accept: PerPort<u32, W>,
}

impl<const W: usize> Islip<W> {
    /// All pointers are at port 0.
    pub(super) fn new(iterations: u32) -> Self {
        let before_first = PerPort::new(Mask::<W>::LAST);
        let pointers = Pointers { grant: before_first.clone(), accept: before_first };
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
    pub(super) fn slot_of_one(&mut self, input: u32, requested: Mask<W>) -> u32 {
        self.pointers.accept(input, requested, 0)
    }

    /// The input behind which the pointer of an output stands.
    #[inline]
    pub(super) fn before(&self, output: u32) -> u32 {
        self.pointers.grant.get(output)
    }

    /// This many slots of a round: inputs that request only this output.
    #[inline]
    pub(super) fn took_turns(&mut self, output: u32, round: Mask<W>, slots: u64) {
        if let (Some(input), 1..) = (round.only(), slots) {
            return self.pointers.pass(input, output);
        }
        let inputs = u64::from(round.len());
        // Once all have had a turn, another turn of all leaves everything as it was.
        let slots = if slots > inputs { inputs + slots % inputs } else { slots };
        for _ in 0..slots {
            let input = round.next_after(self.before(output)).expect("an input asks");
            self.pointers.pass(input, output);
        }
    }
}

impl<const W: usize> Pointers<W> {
    /// Both pointers of a match go to one beyond it.
    #[inline]
    fn pass(&mut self, input: u32, output: u32) {
        *self.grant.at(output) = input;
        *self.accept.at(input) = output;
    }
}

impl<const W: usize> Choose<W> for Pointers<W> {
    #[inline]
    fn grant(&mut self, output: u32, asking: Mask<W>) -> u32 {
        asking.next_after(self.grant.get(output)).expect("an input asks")
    }

    #[inline]
    fn accept(&mut self, input: u32, granting: Mask<W>, iteration: u32) -> u32 {
        let output = granting.next_after(self.accept.get(input)).expect("an output grants");
        // Later iterations move no pointer: a port that is skipped there could starve otherwise.
        if iteration == 0 {
            self.pass(input, output);
        }
        output
    }
}
