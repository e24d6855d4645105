//! What a policy sees of a packet, and where it puts it.

use units::Time;

/// What a policy sees of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The id of its flow; used again by later flows.
    pub flow: u32,
    /// Which flow of that id it is.
    pub life: u32,
    /// Whether it carries data that was sent before.
    pub resent: bool,
    /// The congestion window of its flow, in octets; none of an acknowledgment, whose loss makes no
    /// window smaller. Only [`WindowAware`](super::WindowAware) reads it: an oracle, for
    /// no edge router could see it.
    pub window: u64,
}

/// Where a packet waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of the queue.
    pub queue: u32,
    /// From when the burst collects if this packet opens it: now, or the start of the common cycle.
    /// With a timer that runs on, from when it does if no burst has left by its size: the first
    /// packet of the queue, or of the flow that has the queue.
    pub since: Time,
}
