//! The `core` section of a scenario: one kind for all core nodes of a network.

use optics::{
    AnycastRule, BurstCoreSpec, CioqCoreSpec, CircuitCoreSpec, Deflection, HybridCoreSpec,
    LightpathCoreSpec, OutputQueuedCoreSpec, PacketCoreSpec, Switching,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

use super::NodeKind;

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
    /// Optical circuit switches that join racks on a schedule. In a network of leaves and spines the
    /// spines are the circuit switches and the leaves the racks.
    Circuit(CircuitCoreSpec),
    /// Lightpaths on demand between racks, over a mesh of fibres with several channels. The switches of a
    /// generator are racks, except for the spines between leaves, and light passes them all.
    Lightpath(LightpathCoreSpec),
}

impl Default for CoreSpec {
    fn default() -> Self {
        Self::Burst(BurstCoreSpec::default())
    }
}

impl CoreSpec {
    /// Whether optical packets pass its nodes, and edges on their path, without a header sent ahead.
    pub fn is_packet(&self) -> bool {
        match self {
            Self::Packet(_) => true,
            Self::Burst(_)
            | Self::Hybrid(_)
            | Self::Cioq(_)
            | Self::OutputQueued(_)
            | Self::Circuit(_)
            | Self::Lightpath(_) => false,
        }
    }

    /// Whether it has edges, which gather packets into bursts; without them packets are sent
    /// individually.
    pub fn has_edges(&self) -> bool {
        match self {
            Self::Burst(_) | Self::Packet(_) => true,
            Self::Hybrid(_)
            | Self::Cioq(_)
            | Self::OutputQueued(_)
            | Self::Circuit(_)
            | Self::Lightpath(_) => false,
        }
    }

    /// How a packet's lightpath of a bundle is chosen, where the core's switches choose.
    pub fn anycast_rule(&self) -> Option<AnycastRule<'_>> {
        match self {
            Self::Cioq(core) => Some(core.anycast_rule()),
            Self::OutputQueued(core) => Some(core.anycast_rule()),
            Self::Burst(_)
            | Self::Packet(_)
            | Self::Hybrid(_)
            | Self::Circuit(_)
            | Self::Lightpath(_) => None,
        }
    }

    /// Its schedule of circuits, where its switches follow one.
    pub fn circuit(&self) -> Option<&CircuitCoreSpec> {
        match self {
            Self::Circuit(core) => Some(core),
            Self::Burst(_)
            | Self::Packet(_)
            | Self::Hybrid(_)
            | Self::Cioq(_)
            | Self::OutputQueued(_)
            | Self::Lightpath(_) => None,
        }
    }

    /// Its lightpaths, where it has a mesh of fibres for them.
    pub fn lightpath(&self) -> Option<&LightpathCoreSpec> {
        match self {
            Self::Lightpath(core) => Some(core),
            Self::Burst(_)
            | Self::Packet(_)
            | Self::Hybrid(_)
            | Self::Cioq(_)
            | Self::OutputQueued(_)
            | Self::Circuit(_) => None,
        }
    }

    /// Its kind, as written in a scenario.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Burst(_) => "burst",
            Self::Packet(_) => "packet",
            Self::Hybrid(_) => "hybrid",
            Self::Cioq(_) => "cioq",
            Self::OutputQueued(_) => "output-queued",
            Self::Circuit(_) => "circuit",
            Self::Lightpath(_) => "lightpath",
        }
    }

    /// What messages call its switches, where hosts send into them without edges.
    pub fn switch_name(&self) -> Option<&'static str> {
        match self {
            Self::Burst(_) | Self::Packet(_) => None,
            Self::Hybrid(_) => Some("hybrid"),
            Self::Cioq(_) => Some("CIOQ"),
            Self::Circuit(_) => Some("circuit"),
            Self::Lightpath(_) => Some("lightpath"),
            Self::OutputQueued(core) => Some(match core.switching {
                Switching::CutThrough => "cut-through",
                Switching::StoreAndForward => "output-queued",
            }),
        }
    }

    /// What an overview calls the number of its switches, where hosts send into them without edges.
    pub fn switches(&self) -> Option<&'static str> {
        match self {
            Self::Burst(_) | Self::Packet(_) => None,
            Self::Hybrid(_) => Some("hybrid-switches"),
            Self::Cioq(_) => Some("cioq-switches"),
            Self::OutputQueued(_) => Some("output-queued-switches"),
            Self::Circuit(_) => Some("circuit-switches"),
            Self::Lightpath(_) => Some("cross-connects"),
        }
    }

    /// What the switches of a generator are that have hosts.
    pub fn kind_of_switches(&self) -> NodeKind {
        match self {
            Self::Burst(_) | Self::Packet(_) => NodeKind::Router,
            Self::Hybrid(_) | Self::Cioq(_) | Self::OutputQueued(_) => NodeKind::Core,
            Self::Circuit(_) | Self::Lightpath(_) => NodeKind::Rack,
        }
    }

    /// Whether its energy is counted by default, with the default costs.
    pub fn counts_energy(&self) -> bool {
        match self {
            Self::Hybrid(_) => true,
            Self::Burst(_)
            | Self::Packet(_)
            | Self::Cioq(_)
            | Self::OutputQueued(_)
            | Self::Circuit(_)
            | Self::Lightpath(_) => false,
        }
    }

    /// Whether a packet that finds its link busy is lost because it cannot wait anywhere.
    pub fn loses_at_busy_links(&self) -> bool {
        match self {
            Self::Hybrid(_) => true,
            Self::Burst(_)
            | Self::Packet(_)
            | Self::Cioq(_)
            | Self::OutputQueued(_)
            | Self::Circuit(_)
            | Self::Lightpath(_) => false,
        }
    }

    /// Whether what becomes of a packet depends on how much its flow has to send.
    pub fn reads_sizes(&self) -> bool {
        match self {
            Self::Circuit(core) => core.short_flows.as_ref().is_some_and(|it| it.below.is_some()),
            Self::Burst(_)
            | Self::Packet(_)
            | Self::Hybrid(_)
            | Self::Cioq(_)
            | Self::OutputQueued(_)
            | Self::Lightpath(_) => false,
        }
    }

    /// Whether packets are marked in queues of its own, for their transports to send less.
    pub fn marks(&self) -> bool {
        match self {
            Self::Circuit(core) => {
                let short = core.short_flows.as_ref().and_then(|short| short.mark_above);
                core.mark_above.or(short).is_some()
            }
            Self::Lightpath(core) => core.mark_above.is_some(),
            Self::Burst(_)
            | Self::Packet(_)
            | Self::Hybrid(_)
            | Self::Cioq(_)
            | Self::OutputQueued(_) => false,
        }
    }

    /// Whether its switches have buffers of their own in front of their links.
    pub fn buffers_before_links(&self) -> bool {
        match self {
            Self::Hybrid(_) | Self::Cioq(_) | Self::Circuit(_) | Self::Lightpath(_) => true,
            Self::Burst(_) | Self::Packet(_) | Self::OutputQueued(_) => false,
        }
    }

    /// Whether its switches have a queue at each input for each output.
    pub fn has_virtual_output_queues(&self) -> bool {
        match self {
            Self::Cioq(_) => true,
            Self::Burst(_)
            | Self::Packet(_)
            | Self::Hybrid(_)
            | Self::OutputQueued(_)
            | Self::Circuit(_)
            | Self::Lightpath(_) => false,
        }
    }

    /// Whether its switches act on the first bit of a packet.
    pub fn acts_on_first_bit(&self) -> bool {
        match self {
            Self::Hybrid(_) | Self::Circuit(_) => true,
            Self::OutputQueued(core) => core.switching == Switching::CutThrough,
            Self::Burst(_) | Self::Packet(_) | Self::Cioq(_) | Self::Lightpath(_) => false,
        }
    }

    /// Where its nodes deflect optical packets to, if they do.
    pub fn deflection(&self) -> Option<Deflection> {
        match self {
            Self::Packet(core) => core.deflection,
            Self::Burst(_)
            | Self::Hybrid(_)
            | Self::Cioq(_)
            | Self::OutputQueued(_)
            | Self::Circuit(_)
            | Self::Lightpath(_) => None,
        }
    }

    /// How long light waits at the input of its nodes for the switch to be set.
    pub fn input_delay(&self) -> Span {
        match self {
            Self::Burst(core) => core.input_delay,
            Self::Packet(core) => core.input_delay,
            Self::Hybrid(_)
            | Self::Cioq(_)
            | Self::OutputQueued(_)
            | Self::Circuit(_)
            | Self::Lightpath(_) => Span::ZERO,
        }
    }
}
