//! What a rule that models the path is told: delivery-rate samples and lost packets.

use units::{Span, Time};

/// A delivery-rate sample (draft-ietf-ccwg-bbr section 4.1): what an acknowledgment shows of the path. Amounts
/// are in octets of data.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct RateSample {
    /// The instant of the acknowledgment.
    pub now: Time,
    /// The delivery rate in octets per second, zero where the interval was too short to tell
    /// (`RS.delivery_rate`).
    pub rate: f64,
    /// Delivered between the sending of the newest packet that has arrived and now (`RS.delivered`).
    pub delivered: u64,
    /// Delivered in the life of the connection when that packet was sent (`RS.prior_delivered`).
    pub prior_delivered: u64,
    /// Delivered in the life of the connection (`C.delivered`).
    pub total_delivered: u64,
    /// Delivered by this acknowledgment (`RS.newly_acked`).
    pub newly_delivered: u64,
    /// Deemed lost since the sample before (`RS.newly_lost`).
    pub newly_lost: u64,
    /// Deemed lost between the sending of that packet and now (`RS.lost`).
    pub lost: u64,
    /// In flight when that packet was sent, itself included (`RS.tx_in_flight`).
    pub sent_in_flight: u64,
    /// In flight now (`C.inflight`).
    pub in_flight: u64,
    /// The round-trip time of that packet, if it was sent once (`RS.rtt`).
    pub rtt: Option<Span>,
    /// Whether the sender had nothing to send when that packet was sent (`RS.is_app_limited`).
    pub app_limited: bool,
    /// Whether the window was used in full in the last round trip (`C.is_cwnd_limited`).
    pub window_limited: bool,
    /// Whether a fast recovery is in progress.
    pub recovers: bool,
    /// Whether losses are being repaired, in a fast recovery or after a timeout.
    pub repairs: bool,
}

/// A packet is deemed lost. Amounts are in octets of data.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// Now.
    pub now: Time,
    /// Its data (`P.size`).
    pub octets: u64,
    /// In flight when it was sent, itself included (`P.tx_in_flight`).
    pub in_flight: u64,
    /// Deemed lost since it was sent, itself included.
    pub lost: u64,
    /// Delivered in the life of the connection (`C.delivered`).
    pub delivered: u64,
    /// Whether the sender had nothing to send when it was sent.
    pub app_limited: bool,
    /// Whether it follows the packet that was lost before it, so that both are one range of octets.
    pub follows: bool,
}

/// Data are about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Now.
    pub now: Time,
    /// The smoothed round-trip time, if it was measured.
    pub srtt: Option<Span>,
    /// Whether nothing is in flight and the sender had nothing to send.
    pub after_idle: bool,
}
