//! The burst: packets of one class that travel as one unit. In a packet-switched network it is
//! called an optical packet.

use units::{Span, Time};

use crate::packet::PacketId;

/// An index into the arena of bursts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BurstId(pub u32);

/// A burst that has left its assembly queue.
#[derive(Debug, Clone, Copy)]
pub struct Burst {
    /// Its number in the order of release.
    pub number: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Its transmission time on a channel.
    pub length: Span,
    /// When its first bit could leave its ingress edge: after its release and any wait there.
    pub ready: Time,
    /// When its first bit leaves on the current fibre.
    pub start: Time,
    /// Its class.
    pub fec: u32,
    /// How many packets are in it.
    pub packets: u32,
    /// The first of them; the others follow by their `next`.
    pub first: PacketId,
    /// The fibre that it is on, or requests; [`NONE`](super::NONE) outside the network, on an
    /// abstract deflection path.
    pub fibre: u32,
    /// How many fibres it has passed.
    pub hop: u16,
    /// Its data channel.
    pub channel: u16,
    /// How often it was deflected.
    pub deflections: u16,
    /// The fibre that it was on went down: it is lost, which its next event handles.
    pub doomed: bool,
    /// It was released before measuring began.
    pub early: bool,
}

/// Why a burst was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lost {
    /// At random at its ingress edge, as set in the scenario.
    Random,
    /// No data channel was free at its ingress edge.
    Ingress,
    /// No data channel was free at a core router, or at a transit edge, with any of the remedies.
    Contention,
    /// No control channel was idle for its header.
    Control,
    /// Its header had not been processed when its first bit arrived.
    Late,
    /// A fibre was down.
    Down,
    /// On an abstract deflection path.
    Deflected,
    /// It had reached the hop limit.
    Hops,
}

/// The number of causes.
pub(super) const CAUSES: usize = 8;

impl Lost {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "lost-random",
            Self::Ingress => "lost-ingress",
            Self::Contention => "lost-contention",
            Self::Control => "lost-control",
            Self::Late => "lost-late",
            Self::Down => "lost-down",
            Self::Deflected => "lost-deflected",
            Self::Hops => "lost-hops",
        }
    }
}
