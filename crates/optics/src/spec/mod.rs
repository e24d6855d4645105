//! What a scenario says about assembly, cores and control channels: plain values, as they are
//! written in the file.
//!
//! These types *are* the scenario's schema: their doc comments are the reference that users read.
//! What depends on two fields at once is checked by the crate `scenario`.

mod anycast;
mod assembly;
mod burst_core;
mod cioq_core;
mod hybrid_core;
mod packet_core;
mod scheduling;

pub use anycast::AnycastPolicy;
pub use assembly::{
    AllocationRule, AssemblyPolicy, AssemblySpec, Cycle, LossKnown, Overflow, Timer,
};
pub use burst_core::{
    BurstCoreSpec, ControlSpec, Conversion, FibreLoopSpec, Forwarding, Scheduling,
};
pub use cioq_core::{CioqCoreSpec, OutputQueuedCoreSpec, Switching};
pub use hybrid_core::{Buffering, HybridCoreSpec};
pub use packet_core::{Deflection, Hold, Loops, PacketCoreSpec, PortOrder, Remedy};
pub use scheduling::SchedulerSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

/// The kind of the core nodes of an optical network. Assembly, edges, links and traffic stay the
/// same when it changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CoreSpec {
    /// Optical burst switching (OBS): a header precedes each burst and reserves a channel at each
    /// node for exactly its duration.
    Burst(BurstCoreSpec),
    /// Optical packet switching (OPS): no header is sent ahead and nothing is reserved. An optical
    /// packet passes a node as it arrives, unslotted and without a buffer, and contention at a busy
    /// output is resolved when the packet arrives.
    Packet(PacketCoreSpec),
    /// Hybrid opto-electronic switches: a packet passes as light if its output is free, and through
    /// a shared electronic buffer otherwise. Hosts send single packets: there are no edges. With
    /// this kind the switches of a dumbbell, line, star or fat tree are hybrid switches.
    Hybrid(HybridCoreSpec),
    /// Electronic switches with queues at inputs and outputs, a cell-switching fabric and a
    /// scheduler. Like hybrid ones they replace the switches of a generator, and there are no
    /// edges.
    Cioq(CioqCoreSpec),
    /// Electronic switches with queues only at outputs. They, too, replace the switches of a
    /// generator.
    OutputQueued(OutputQueuedCoreSpec),
}

impl Default for CoreSpec {
    fn default() -> Self {
        Self::Burst(BurstCoreSpec::default())
    }
}

impl CoreSpec {
    /// Whether nothing is reserved ahead: a packet-switched network.
    pub fn is_packet(&self) -> bool {
        matches!(self, Self::Packet(_))
    }

    /// Whether it has edges, which gather packets into bursts; without them packets are sent
    /// individually.
    pub fn has_edges(&self) -> bool {
        matches!(self, Self::Burst(_) | Self::Packet(_))
    }

    /// The hybrid switches, where that is what the core is.
    pub fn hybrid(&self) -> Option<&HybridCoreSpec> {
        match self {
            Self::Hybrid(core) => Some(core),
            _ => None,
        }
    }

    /// Which lightpath of a bundle a packet takes, and the silence between flowlets, where the core's
    /// switches choose.
    pub fn anycast(&self) -> Option<(AnycastPolicy, Option<Span>)> {
        match self {
            Self::Cioq(core) => Some((core.anycast, core.flowlet_gap)),
            Self::OutputQueued(core) => Some((core.anycast, core.flowlet_gap)),
            Self::Burst(_) | Self::Packet(_) | Self::Hybrid(_) => None,
        }
    }

    /// Whether its switches act on the first bit of a packet.
    pub fn acts_on_first_bit(&self) -> bool {
        match self {
            Self::Hybrid(_) => true,
            Self::OutputQueued(core) => core.switching == Switching::CutThrough,
            Self::Burst(_) | Self::Packet(_) | Self::Cioq(_) => false,
        }
    }
}

/// What happens to a burst, or to a header, for which no channel is free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhenBusy {
    /// The burst is lost.
    #[default]
    Drop,
    /// It waits until a channel is free.
    Wait,
}
