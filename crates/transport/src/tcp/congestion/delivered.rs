//! What an acknowledgment shows about the path.

use units::{Span, Time};

/// An acknowledgment advanced, in any state of the connection: what it shows about the path.
#[derive(Clone, Copy, Debug)]
pub struct Delivered {
    /// The instant.
    pub now: Time,
    /// Octets acknowledged.
    pub octets: u64,
    /// Octets of these that are told to have met congestion; none without explicit notification.
    pub marked: u64,
    /// The acknowledgment (SEG.ACK).
    pub ack: u64,
    /// The next octet to be sent for the first time (SND.NXT).
    pub next: u64,
    /// The round-trip time of a segment with data, where it was measured.
    pub rtt: Option<Span>,
}
