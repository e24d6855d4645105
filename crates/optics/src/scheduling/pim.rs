//! Parallel iterative matching: T. Anderson, S. Owicki, J. Saxe and C. Thacker, "High-speed switch
//! scheduling for local-area networks", ACM Transactions on Computer Systems 11(4), 1993.

use random::Stream;

use super::rounds::{Choose, Rounds};
use super::{Mask, Requests};

/// What chooses at random.
#[derive(Debug, Clone)]
pub struct Pim<const W: usize> {
    rounds: Rounds<W>,
    draws: Stream,
}

impl<const W: usize> Pim<W> {
    pub(super) fn new(iterations: u32, draws: Stream) -> Self {
        Self { rounds: Rounds::new(iterations), draws }
    }

    #[inline]
    pub(super) fn slot(
        &mut self,
        requests: &Requests<W>,
        among: Mask<W>,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        self.rounds.run(requests, among, &mut self.draws, pairs);
    }

    #[inline]
    pub(super) fn slot_of_one(&mut self, requested: Mask<W>) -> u32 {
        any(&mut self.draws, requested)
    }
}

impl<const W: usize> Choose<W> for Stream {
    #[inline]
    fn grant(&mut self, _: u32, asking: Mask<W>) -> u32 {
        any(self, asking)
    }

    #[inline]
    fn accept(&mut self, _: u32, granting: Mask<W>, _: u32) -> u32 {
        any(self, granting)
    }
}

/// One of the ports with equal probability; a single port costs no draw.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "below the number of ports")]
fn any<const W: usize>(draws: &mut Stream, ports: Mask<W>) -> u32 {
    let count = ports.len();
    let lower = if count == 1 { 0 } else { draws.below(u64::from(count)) as u32 };
    ports.nth(lower).expect("a port to choose")
}
