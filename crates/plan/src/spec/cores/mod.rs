//! The `core` section of a scenario: one kind for all core nodes of a network.

mod ideal;

pub use ideal::IdealCoreSpec;
use optics::{
    AnycastRule, BurstCoreSpec, CioqCoreSpec, CircuitCoreSpec, Deflection, HybridCoreSpec,
    LightpathCoreSpec, OutputQueuedCoreSpec, PacketCoreSpec, Scheduling, Switching,
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
    /// Electronic switches without contention and without queues: a packet leaves as soon as it is there, however
    /// many others leave on the same link, whose utilization may exceed 1. They bound what other switches can do,
    /// and they, too, replace the switches of a generator.
    Ideal(IdealCoreSpec),
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

/// How racks are joined, where a core has racks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Racks {
    /// It has none.
    None,
    /// By circuit switches behind them.
    Switched,
    /// By lightpaths over fibres between them.
    Meshed,
}

/// Where packets wait that a switch forwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// In the queues of its links.
    AtLinks,
    /// In buffers of its own, in front of its links.
    BeforeLinks,
    /// Nowhere: any number of packets is on a link of it at once.
    Nowhere,
}

/// What the rest of the house asks of a kind of core.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct CoreFacts<'a> {
    /// Its kind, as written in a scenario.
    pub kind: &'static str,
    /// What messages call its switches, and an overview their number, where hosts send into them without edges.
    pub switches: Option<(&'static str, &'static str)>,
    /// Whether it has edges, which gather packets into bursts; without them packets are sent individually.
    pub has_edges: bool,
    /// Whether optical packets pass its nodes, and edges on their path, without a header sent ahead.
    pub is_packet: bool,
    /// Its schedule of circuits between racks, where its switches follow one.
    pub circuit: Option<&'a CircuitCoreSpec>,
    /// Its lightpaths between racks, where it has a mesh of fibres for them.
    pub lightpath: Option<&'a LightpathCoreSpec>,
    /// How a packet's lightpath of a bundle is chosen, where the core's switches choose.
    pub anycast: Option<AnycastRule<'a>>,
    /// Where its nodes deflect optical packets to, if they do.
    pub deflection: Option<Deflection>,
    /// How headers that are sent ahead of bursts reserve data channels, where they do.
    pub reservation: Option<Scheduling>,
    /// How long light waits at the input of its nodes for the switch to be set.
    pub input_delay: Span,
    /// Whether its switches act on the first bit of a packet.
    pub acts_on_first_bit: bool,
    /// Where packets wait that its switches forward.
    pub waiting: Waiting,
    /// Whether its switches have a queue at each input for each output.
    pub has_virtual_output_queues: bool,
    /// Whether packets are marked in queues of its own, for their transports to send less.
    pub marks: bool,
    /// Whether forwarding depends on how much a flow has to send.
    pub reads_sizes: bool,
    /// Whether a packet that finds its link busy is lost because it cannot wait anywhere.
    pub loses_at_busy_links: bool,
    /// Whether its energy is counted by default, with the default costs.
    pub counts_energy: bool,
}

impl CoreFacts<'_> {
    /// Switches of which nothing special is known, or none at all.
    pub(crate) const PLAIN: Self = Self {
        kind: "",
        switches: None,
        has_edges: false,
        is_packet: false,
        circuit: None,
        lightpath: None,
        anycast: None,
        deflection: None,
        reservation: None,
        input_delay: Span::ZERO,
        acts_on_first_bit: false,
        waiting: Waiting::AtLinks,
        has_virtual_output_queues: false,
        marks: false,
        reads_sizes: false,
        loses_at_busy_links: false,
        counts_energy: false,
    };

    /// How its racks are joined.
    pub fn racks(&self) -> Racks {
        match (self.circuit, self.lightpath) {
            (Some(_), _) => Racks::Switched,
            (None, Some(_)) => Racks::Meshed,
            (None, None) => Racks::None,
        }
    }

    /// What the switches of a generator are that have hosts.
    pub fn kind_of_switches(&self) -> NodeKind {
        match self.racks() {
            Racks::Switched | Racks::Meshed => NodeKind::Rack,
            Racks::None if self.has_edges => NodeKind::Router,
            Racks::None => NodeKind::Core,
        }
    }

    /// Whether packets wait at racks for a circuit or a lightpath, which is not always there.
    pub fn has_racks(&self) -> bool {
        self.racks() != Racks::None
    }
}

impl CoreSpec {
    /// What others ask of its kind, with these options.
    pub fn facts(&self) -> CoreFacts<'_> {
        let plain = CoreFacts::PLAIN;
        match self {
            Self::Burst(core) => CoreFacts {
                kind: "burst",
                has_edges: true,
                reservation: Some(core.scheduling),
                input_delay: core.input_delay,
                ..plain
            },
            Self::Packet(core) => CoreFacts {
                kind: "packet",
                has_edges: true,
                is_packet: true,
                deflection: core.deflection,
                input_delay: core.input_delay,
                ..plain
            },
            Self::Hybrid(_) => CoreFacts {
                kind: "hybrid",
                switches: Some(("hybrid", "hybrid-switches")),
                acts_on_first_bit: true,
                waiting: Waiting::BeforeLinks,
                loses_at_busy_links: true,
                counts_energy: true,
                ..plain
            },
            Self::Cioq(core) => CoreFacts {
                kind: "cioq",
                switches: Some(("CIOQ", "cioq-switches")),
                anycast: Some(core.anycast_rule()),
                waiting: Waiting::BeforeLinks,
                has_virtual_output_queues: true,
                ..plain
            },
            Self::OutputQueued(core) => CoreFacts {
                kind: "output-queued",
                switches: Some(match core.switching {
                    Switching::CutThrough => ("cut-through", "output-queued-switches"),
                    Switching::StoreAndForward => ("output-queued", "output-queued-switches"),
                }),
                anycast: Some(core.anycast_rule()),
                acts_on_first_bit: core.switching == Switching::CutThrough,
                ..plain
            },
            Self::Ideal(core) => core.facts(),
            Self::Circuit(core) => {
                let short = core.short_flows.as_ref();
                CoreFacts {
                    kind: "circuit",
                    switches: Some(("circuit", "circuit-switches")),
                    circuit: Some(core),
                    acts_on_first_bit: true,
                    waiting: Waiting::BeforeLinks,
                    marks: core.mark_above.or(short.and_then(|short| short.mark_above)).is_some(),
                    reads_sizes: short.is_some_and(|short| short.below.is_some()),
                    ..plain
                }
            }
            Self::Lightpath(core) => CoreFacts {
                kind: "lightpath",
                switches: Some(("lightpath", "cross-connects")),
                lightpath: Some(core),
                waiting: Waiting::BeforeLinks,
                marks: core.mark_above.is_some(),
                ..plain
            },
        }
    }
}
