//! What a source offers.

use units::Span;

/// Data that an application offers at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// The time since the previous offer, or since the start for the first.
    pub after: Span,
    /// How many bytes; [`Offer::ENDLESS`] for data without end, [`Offer::NOTHING_YET`] for none.
    pub bytes: u64,
}

impl Offer {
    /// The `bytes` of an offer that never ends.
    pub const ENDLESS: u64 = u64::MAX;
    /// The `bytes` of the last offer of a bulk source that is stopped: it withdraws what has not been
    /// sent.
    pub const WITHDRAWN: u64 = u64::MAX - 1;
    /// The `bytes` of an offer without data: the next offer is not known yet, and must be requested
    /// at this instant.
    pub const NOTHING_YET: u64 = 0;
}
