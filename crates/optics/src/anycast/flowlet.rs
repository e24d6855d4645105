//! Flowlets: a flow that pauses for long enough may take another path without being reordered
//! (LetFlow: E. Vanini et al., "Let it flow: resilient asymmetric load balancing with flowlet
//! switching", NSDI 2017, section 3).

use ::random::Stream;
use units::{Span, Time};

use super::{Ask, degree};

/// Entries of the table, a power of two. Flows that share one share their flowlets.
const ENTRIES: usize = 1 << 17;

/// The bytes of a switch's table.
pub const FLOWLETS_BYTES: usize = ENTRIES * size_of::<Flowlet>();

/// The flowlet of each entry.
#[derive(Debug, Clone)]
pub(super) struct Flowlets {
    table: Box<[Flowlet]>,
    gap: Span,
}

#[derive(Debug, Clone, Copy)]
struct Flowlet {
    /// When its last packet arrived; never if there was none.
    last: Time,
    /// Uniform in all 32 bits: a bundle of any degree finds its lightpath with it.
    draw: u32,
}

impl Flowlets {
    pub(super) fn new(gap: Span) -> Self {
        let none = Flowlet { last: Time::NEVER, draw: 0 };
        Self { table: vec![none; ENTRIES].into(), gap }
    }

    #[inline]
    pub(super) fn choose(&mut self, ask: &Ask<'_>, draws: &mut Stream) -> u32 {
        let flowlet = &mut self.table[ask.flow as usize % ENTRIES];
        if flowlet.last == Time::NEVER || ask.now.since(flowlet.last) > self.gap {
            flowlet.draw = (draws.next_u64() >> 32) as u32;
        }
        flowlet.last = ask.now;
        ((u64::from(flowlet.draw) * u64::from(degree(ask))) >> 32) as u32
    }
}
