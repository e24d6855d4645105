//! Packets in independent slots: the Bernoulli process of a sender, and the part of it that belongs
//! to one of the sender's flows.
//!
//! Every flow draws all of its sender's packets, from a stream that is the same for all of them, and offers
//! those that fall to it. So no two of them ever share a slot, and none needs to know of the others.

use random::Stream;
use units::Span;

use crate::{Offer, Size};

/// A flow's part of the packets that a sender has in slots.
#[derive(Debug, Clone)]
pub(crate) struct Slotted {
    slot: Span,
    probability: f64,
    size: Size,
    /// Which of the sender's flows this is, and of how many.
    share: (u64, u64),
    begun: bool,
}

impl Slotted {
    pub(crate) fn new(slot: Span, probability: f64, size: Size) -> Self {
        Self { slot, probability, size, share: (0, 1), begun: false }
    }

    pub(crate) fn share(&mut self, which: u64, of: u64) {
        assert!(which < of, "flow {which} of {of}");
        self.share = (which, of);
    }

    /// The next packet of this flow. Skips the sender's packets that belong to other flows: the
    /// number drawn is geometric, with the number of flows as its mean.
    pub(crate) fn next(&mut self, stream: &mut Stream) -> Offer {
        // The first slot is the one that begins with the source.
        let mut slots = if self.begun { 0 } else { u64::MAX };
        self.begun = true;
        let (which, of) = self.share;
        loop {
            // Past the end of any run before it can overflow: the least probability is 10^-9.
            slots = slots.wrapping_add(stream.geometric(self.probability));
            let chosen = if of > 1 { stream.below(of) } else { 0 };
            let bytes = self.size.draw(stream);
            if chosen == which {
                let after = Span::from_ps(self.slot.0.saturating_mul(slots));
                return Offer { after, bytes };
            }
        }
    }
}
