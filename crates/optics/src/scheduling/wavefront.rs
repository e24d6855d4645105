//! The wrapped wave front arbiter: Y. Tamir and H.-C. Chi, "Symmetric crossbar arbiters for VLSI
//! communication switches", IEEE Transactions on Parallel and Distributed Systems 4(1), 1993.
//!
//! The crosspoints of input `i` and output `j` with the same `(i + j) mod N` are a *wrapped diagonal*,
//! on which no port occurs twice. A wave front goes over all diagonals, ascending, from one that is the
//! next one in each slot; it matches every request whose ports are both free. `Deviation:` the paper
//! has as many inputs as outputs; here N is the greater number, and the ports that are missing request
//! nothing.

use super::{Mask, Requests};

/// Nothing is kept from slot to slot: the number of the slot says where the wave front begins.
#[derive(Debug, Clone)]
pub struct Wavefront {
    /// N, also the number of diagonals.
    diagonals: u32,
}

impl Wavefront {
    pub(super) fn new(inputs: u32, outputs: u32) -> Self {
        Self { diagonals: inputs.max(outputs) }
    }

    /// Diagonals without a request between free ports are left out.
    pub(super) fn slot<const W: usize>(
        &self,
        number: u64,
        requests: &Requests<W>,
        among: Mask<W>,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        let (mut free, mut taken) = (among, Mask::<W>::EMPTY);
        let reach = |input, taken| self.reach(number, input, requests.row(input).without(taken));
        while let Some((front, _)) = free.iter().filter_map(|input| reach(input, taken)).min() {
            for input in free {
                match reach(input, taken) {
                    Some((steps, output)) if steps == front => {
                        pairs.push((input, output));
                        free.clear(input);
                        taken.set(output);
                    }
                    Some(_) => {}
                    None => free.clear(input),
                }
            }
        }
    }

    #[inline]
    pub(super) fn slot_of_one<const W: usize>(
        &self,
        number: u64,
        input: u32,
        requested: Mask<W>,
    ) -> u32 {
        self.reach(number, input, requested).expect("a request").1
    }

    /// The first of these outputs that the wave front reaches in the row of an input, and after how
    /// many diagonals.
    #[inline]
    fn reach<const W: usize>(
        &self,
        number: u64,
        input: u32,
        wanted: Mask<W>,
    ) -> Option<(u32, u32)> {
        let diagonals = self.diagonals;
        #[expect(clippy::cast_possible_truncation, reason = "less than the number of diagonals")]
        let first = (number % u64::from(diagonals)) as u32;
        let start = (first + diagonals - input) % diagonals;
        let output = wanted.next_after(start.checked_sub(1).unwrap_or(Mask::<W>::LAST))?;
        Some(((output + diagonals - start) % diagonals, output))
    }
}
