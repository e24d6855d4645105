//! Packets in independent slots: the Bernoulli process of a sender, and the part of it that belongs
//! to one of the sender's flows.
//!
//! Every flow draws all of its sender's packets, from a stream that is the same for all of them, and offers
//! those that fall to it. So no two of them ever share a slot, and none needs to know of the others.

use super::prelude::*;

/// Packets in slots: in each of its slots a sender sends a packet with a given probability,
/// independently of earlier slots (a Bernoulli process). That is the usual input of a switch in
/// slotted time, with a packet that fills the slot (Karol, Hluchyj and Morgan 1987; McKeown
/// 1999).
///
/// All flows of a sender in the entry share its slots: at most one of them sends in a slot, each
/// with the same probability. With the pattern `all` a sender thus chooses a receiver for each
/// packet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Bernoulli {
    /// The length of a slot; the first slot begins at `start`.
    #[schemars(extend("x-min" = "1 ps", "x-max" = "1000 s"))]
    pub slot: Span,
    /// The probability that a slot has a packet, above 0: the load of an input whose link needs
    /// one slot for a packet.
    #[schemars(range(min = 1e-9, max = 1.0))]
    pub probability: f64,
    /// The data in a packet.
    pub packet: Size,
}

impl Kind for Bernoulli {
    fn facts(&self) -> Facts<'_> {
        let each = Some((&self.packet, self.slot.as_secs_f64()));
        let rate = RateKey { key: "probability", value: self.probability, least: 1e-9, each };
        let facts = Facts::packets(rate, &self.packet, Variation::Unknown);
        Facts { is_shared_by_flows: true, ..facts }
    }

    fn scale(&mut self, by: f64) {
        self.probability *= by;
    }

    fn check(&self, problems: &mut Problems) {
        problems.demand(self.slot.0 > 0, "slot", "must be at least 1 ps");
        let sound = self.probability > 0.0 && self.probability <= 1.0;
        problems.demand(sound, "probability", "must be above 0 and at most 1");
        problems.size(&self.packet, "packet");
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        let slotted = Slotted::new(self.slot, self.probability, self.packet.clone());
        Some(Offers::Slotted(Box::new(slotted)))
    }
}

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
    fn new(slot: Span, probability: f64, size: Size) -> Self {
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
