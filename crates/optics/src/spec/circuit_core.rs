//! Circuit switches that follow a schedule, and the racks behind them: a scenario's words for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

/// Optical circuit switches that set matchings among racks over time. They store nothing and read
/// nothing: whatever enters a port leaves at the port to which the schedule joins it at that moment. A
/// rack has a link to each circuit switch and a queue for each other rack, which it opens when a
/// circuit leads there.
///
/// Time at a switch is divided into slots. Each begins with the reconfiguration, in which the switch
/// is dark, and after that holds one matching. What is on its way through the switch when it goes dark
/// is lost; racks know the schedule and send only what will be through before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CircuitCoreSpec {
    /// From the beginning of one reconfiguration of a switch to that of the next.
    #[schemars(extend("x-min" = "1 ns", "x-max" = "1 h"))]
    pub slot: Span,
    /// How long a switch is dark at the beginning of each slot.
    #[schemars(extend("x-max" = "1 h"))]
    pub reconfiguration: Span,
    /// Which matchings follow each other.
    #[serde(default)]
    pub schedule: CircuitSchedule,
    /// The matchings of each circuit switch, in the order of the nodes, with `schedule = "explicit"`,
    /// and only there: for each of its slots the rack, by its number from 0, to which each rack's
    /// light goes. A rack that is its own has no circuit in that slot. `[[[1, 2, 0], [2, 0, 1]]]` is one
    /// switch with two slots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 1_024),
        inner(length(min = 1, max = 100_000), inner(length(min = 2, max = 100_000)))
    )]
    pub matchings: Option<Vec<Vec<Vec<u32>>>>,
    /// When the slots of the switches begin.
    #[serde(default)]
    pub phases: Phases,
    /// How long after the end of a reconfiguration, and before the beginning of the next one, racks
    /// send nothing.
    #[serde(default)]
    #[schemars(extend("x-max" = "1 h"))]
    pub guard: Span,
    /// The largest error of a rack's clock. Each rack has an error between minus this and this, drawn
    /// once; a guard that is as long makes it harmless.
    #[serde(default)]
    #[schemars(extend("x-max" = "1 h"))]
    pub skew: Span,
    /// How a packet goes from its rack to that of its destination.
    #[serde(default)]
    pub forwarding: RackForwarding,
    /// The capacity of each queue of a rack, one for each other rack, and of each of those for packets
    /// of other racks; a packet that does not fit is lost.
    #[serde(default = "rack_queue")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub rack_queue: Bytes,
    /// A packet with ECN that finds more bytes than this in its queue is marked; none is by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 TB"))]
    pub mark_above: Option<Bytes>,
}

/// Some thousand packets for each other rack.
fn rack_queue() -> Bytes {
    Bytes(1_500_000)
}

/// Which matchings a circuit switch sets one after the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CircuitSchedule {
    /// A round of N − 1 matchings that joins each of the N racks to every other once, shared out among
    /// the switches (RotorNet, Mellette et al. 2017): matching m joins rack i to rack i + m + 1 (modulo
    /// N), and switch s of k sets the matchings s, s + k, s + 2k, … (modulo N − 1).
    #[default]
    Rotor,
    /// Those of `matchings`.
    Explicit,
}

/// When the slots of circuit switches begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phases {
    /// Together, with the run.
    #[default]
    Together,
    /// Evenly spread: those of switch s of k begin s/k of a slot later, so that one switch at most is
    /// dark where a reconfiguration takes at most a k-th of a slot.
    Staggered,
}

/// How a packet goes from its rack to that of its destination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RackForwarding {
    /// By one circuit: it waits until one leads to the rack of its destination.
    #[default]
    Direct,
    /// By two circuits (Valiant and Brebner 1981): on any that is there, and from the rack at its end by a
    /// circuit to that of its destination. A rack takes its own queues in turn.
    Valiant,
    /// By one circuit, and by two where there is room (RotorLB, Mellette et al. 2017): in each slot a
    /// rack sends what it stores for the rack at the other end, first that of other racks. With what is
    /// left of the slot it offers the rest of its queues; the other rack accepts as much for each
    /// destination as it can pass on in its next round.
    RotorLb,
}
