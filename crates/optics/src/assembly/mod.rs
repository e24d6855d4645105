//! Burst assembly: when a burst is released.

mod mixed_flow;

pub use mixed_flow::Assembly;

use units::{Bytes, Span};

/// When a burst is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// At this size, or before a packet that would exceed it.
    pub max_size: Bytes,
    /// This long after its first packet.
    pub timeout: Span,
}

/// Why a burst was released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It was full, or the next packet would have overflowed it.
    Size,
    /// Its time was up.
    Timer,
}

/// What a packet does to the queue that it enters. Both may happen at once: the packet finds no
/// room, and fills the next burst alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Release {
    /// The burst that was there leaves, without the packet.
    pub before: Option<Cause>,
    /// The burst leaves with the packet in it.
    pub after: Option<Cause>,
}
