//! Core nodes of a packet-switched network.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

use super::FibreLoopSpec;

/// The core nodes of a packet-switched network (OPS): what they do with an optical packet whose
/// output is busy. A packet occupies its output for its length from its first bit on (cut-through).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PacketCoreSpec {
    /// The remedies for an optical packet that finds its output busy (or down), each at most once;
    /// it is lost when none helps. With several, all their combinations are tried, those of the
    /// earlier remedies first: `["convert", "deflect"]` tries every wavelength of an output before
    /// the next output, `["deflect", "convert"]` every output on the packet's own wavelength before
    /// another wavelength. None by default: the packet is lost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 3))]
    pub remedies: Vec<Remedy>,
    /// Wavelength converters per node, only with the remedy `"convert"`; by default one for each
    /// channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub converters: Option<u32>,
    /// Fibre delay lines, ascending, only with the remedy `"delay"`. One set per input channel,
    /// passed at most once, so there is no contention for lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1_000))]
    pub fibre_delays: Vec<Span>,
    /// A pool of looped delay lines per node, instead of `fibre-delays`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fibre_loop: Option<FibreLoopSpec>,
    /// Where a packet is deflected to, only with the remedy `"deflect"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deflection: Option<Deflection>,
    /// The delay of each optical packet where it enters a node that switches it (a core node, or an
    /// edge that it passes through), while its header is read.
    #[schemars(extend("x-max" = "1 s"))]
    pub input_delay: Span,
    /// The minimum time between two optical packets on a channel.
    #[schemars(extend("x-max" = "1 s"))]
    pub guard: Span,
}

/// A remedy for an optical packet that finds its output busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
    /// Another wavelength of the output: the free one that has been idle for the shortest time.
    Convert,
    /// A fibre delay line, the shortest that helps.
    Delay,
    /// Another path.
    Deflect,
}

/// Where a packet is deflected to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum Deflection {
    /// By another port of the node, onto a link that is free: its cost and losses result from the
    /// simulation. From there on the packet tries the shortest path first, among those that `loops`
    /// permits.
    Ports {
        /// Which of the other ports are tried first.
        #[serde(default)]
        order: PortOrder,
        /// Which ports are excluded, so that a packet does not come back.
        #[serde(default)]
        loops: Loops,
        /// The maximum number of links that a packet may pass; a packet that would need another one
        /// is lost.
        #[serde(default = "hop_limit")]
        #[schemars(range(min = 1, max = 1_000))]
        hop_limit: u32,
        /// Wavelength reservation, which protects packets on their shortest path from deflected ones:
        /// a packet that is deflected, there or before, takes a channel of a fibre only if as many
        /// others stay free while it passes. A fibre with no more channels than that takes none. Not
        /// by default. From Zalesky et al., "Stabilizing deflection routing in optical burst switched
        /// networks", IEEE JSAC 25(6), 2007.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 1_023))]
        reserve: Option<u32>,
    },
    /// Onto a path outside the network with unlimited capacity, as in He and Chan (2003): the
    /// packet reaches its egress edge after the delay of the rest of its path (propagation and
    /// input delays) and a deflection cost tc = max(0, N(µ, σ)), or is lost with probability p. The
    /// cost is the same for all packets of a class (a pair of edge routers) and drawn anew after
    /// each time tv.
    Abstract {
        /// The mean µ of the deflection cost, before negative values are set to 0.
        #[schemars(extend("x-max" = "1 h"))]
        mean: Span,
        /// Its standard deviation σ, before negative values are set to 0.
        #[schemars(extend("x-max" = "1 h"))]
        deviation: Span,
        /// How long a cost holds (tv), uniform.
        #[serde(default)]
        hold: Hold,
        /// The congestion factor p: the probability that a deflected packet is lost.
        #[serde(default)]
        #[schemars(range(min = 0, max = 1))]
        congestion: f64,
    },
}

fn hop_limit() -> u32 {
    32
}

/// How long the cost of an abstract path holds: uniform between two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hold {
    /// The shortest.
    #[schemars(extend("x-min" = "1 us", "x-max" = "1 h"))]
    pub from: Span,
    /// The longest.
    #[schemars(extend("x-min" = "1 us", "x-max" = "1 h"))]
    pub to: Span,
}

impl Default for Hold {
    /// 1 to 100 ms, the example of He and Chan.
    fn default() -> Self {
        Self { from: Span::from_ms(1), to: Span::from_ms(100) }
    }
}

/// The order in which the other ports of a node are tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PortOrder {
    /// By the length of the shortest path to the egress edge over each of them (by
    /// `routing.metric`), ties by the order of links in the topology.
    #[default]
    Shortest,
    /// In an order drawn for each packet.
    Random,
}

/// Which ports a deflected packet does not take, neither when it is deflected nor on its shortest
/// path. A packet that has no other port is lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Loops {
    /// No port is excluded, not even the one back to the previous node.
    Allowed,
    /// Not back over the link on which it arrived.
    #[default]
    NoReturn,
    /// Never to a node that it has visited.
    Loopless,
}
