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
///
/// Where links have several channels, each of them is a port of the switch: light stays on its channel, and a
/// switch is as many switches as its links have channels, which share links and nothing else (a
/// wavelength-selective cross-connect: a multiplexer for each link, and a switch for each wavelength; J.-P.
/// Laude, *DWDM Fundamentals, Components, and Applications*, 2002, section 6.8). All that is said of
/// switches is said of these: the matchings of a round, their phases, and what is decided on demand are
/// those of all channels of the first switch, then of the second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CircuitCoreSpec {
    /// From the beginning of one reconfiguration of a switch to that of the next.
    #[schemars(extend("x-min" = "1 ns", "x-max" = "1 h"))]
    pub slot: Span,
    /// How long a switch is dark at the beginning of each slot.
    #[schemars(extend("x-max" = "1 h"))]
    pub reconfiguration: Span,
    /// Channels (wavelengths) of each link between a rack and a circuit switch in each direction, each with the rate
    /// of the link; one by default. In an explicit topology a link may have its own number, `channels`. A circuit
    /// takes one, so that a rack has as many at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_024))]
    pub channels: Option<u32>,
    /// Which matchings follow each other.
    #[serde(default)]
    pub schedule: CircuitSchedule,
    /// A text file with `matchings`, instead of them: a line for each slot, with the numbers of racks between
    /// spaces or commas, and an empty line before the slots of the next switch, or of the next channel of one.
    /// A relative path starts at the folder of the file that names it, on the command line and in Python at
    /// the current directory.
    #[serde(default, skip_serializing)]
    #[schemars(
        length(min = 1, max = 4_096),
        extend("x-file" = { "content": "matchings", "key": "matchings" })
    )]
    pub file: Option<Box<str>>,
    /// The matchings of each circuit switch, in the order of the nodes, with `schedule = "explicit"`,
    /// and only there: for each of its slots the rack, by its number from 0, to which each rack's
    /// light goes. A rack that is its own has no circuit in that slot. `[[[1, 2, 0], [2, 0, 1]]]` is one
    /// switch with two slots. Each channel of a switch whose links have several has its own, one after the
    /// other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 1_024),
        inner(length(min = 1, max = 100_000), inner(length(min = 2, max = 100_000)))
    )]
    pub matchings: Option<Vec<Vec<Vec<u32>>>>,
    /// When the slots of the switches begin; `staggered` by default with `schedule = "opera"`, and else
    /// `together`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
    /// What `schedule = "demand"` decides on, and only that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<DemandSpec>,
    /// With `schedule = "opera"`, which of the random sets of matchings is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<u32>,
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
    /// What a rack does with packets of its hosts while no circuit leads to the rack of their destination.
    #[serde(default)]
    pub without_circuit: WithoutCircuit,
    /// The capacity of each queue of a rack, one for each other rack, and of each of those for packets
    /// of other racks; a packet that does not fit is lost.
    #[serde(default = "rack_queue")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub rack_queue: Bytes,
    /// A packet with ECN that finds more bytes than this in its queue is marked; none is by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 TB"))]
    pub mark_above: Option<Bytes>,
    /// Flows whose packets do not wait for a circuit to the rack of their destination; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_flows: Option<ShortFlowsSpec>,
    /// Racks enlarge the queue for another rack before a circuit to it opens; they do not by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prebuffer: Option<PrebufferSpec>,
    /// Racks tell their hosts when a circuit to another rack opens and closes; by default they do not. `circuits` of a
    /// TCP or a message transport says what a sender does then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tell_hosts: Option<TellHostsSpec>,
}

impl CircuitCoreSpec {
    /// The channels of a link that has no number of its own.
    pub fn channels(&self) -> u32 {
        self.channels.unwrap_or(1)
    }

    /// When the slots of the switches begin.
    pub fn phases(&self) -> Phases {
        let unless_given = match self.schedule {
            CircuitSchedule::Rotor | CircuitSchedule::Explicit | CircuitSchedule::Demand => {
                Phases::Together
            }
            CircuitSchedule::Opera => Phases::Staggered,
        };
        self.phases.unwrap_or(unless_given)
    }

    /// Which of the random sets of matchings is taken.
    pub fn draw(&self) -> u32 {
        self.draw.unwrap_or(1)
    }
}

/// Queues that are larger while a circuit is there or near, so that packets for it are at the rack when it opens (dynamic
/// buffer resizing, Mukerjee et al., *Adapting TCP for reconfigurable datacenter networks*, NSDI 2020, section 4). What a
/// queue holds beyond its capacity when the circuit closes stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PrebufferSpec {
    /// The capacity of a queue then, instead of `rack-queue`.
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub queue: Bytes,
    /// How long before a circuit opens it is that; not before it is decided, if circuits are on demand.
    #[schemars(extend("x-max" = "1 h"))]
    pub ahead: Span,
}

/// What racks tell their hosts: that a circuit to another rack opens, and that it closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TellHostsSpec {
    /// How they tell it.
    #[serde(default)]
    pub by: TellBy,
    /// How long it takes until a host knows; by default the delay of its link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 h"))]
    pub delay: Option<Span>,
    /// How long before a circuit opens the rack says so. Of one on demand it does not before it is decided: at most
    /// `report`, the earlier slots of its epoch, and its reconfiguration before it opens.
    #[serde(default)]
    #[schemars(extend("x-max" = "1 h"))]
    pub ahead: Span,
}

/// How racks tell their hosts of circuits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TellBy {
    /// By a message at each change, as in TDTCP (Chen et al. 2022).
    #[default]
    Messages,
    /// By a bit of each acknowledgment that they pass to a host, as in reTCP (Mukerjee et al. 2020): a sender learns of a
    /// circuit with the next one.
    Acknowledgments,
}

/// What a rack does with packets while no circuit leads to the rack of their destination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutCircuit {
    /// They wait.
    #[default]
    Wait,
    /// They leave for electronic switches, whenever a link of the rack to one is free; the queues of a rack
    /// take turns (a network as that of c-Through, Wang et al. 2010, or of reTCP, Mukerjee et al. 2020).
    PacketSwitches,
}

/// By which network short flows go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShortWay {
    /// By the circuits that are there.
    #[default]
    Circuits,
    /// By electronic switches beside the circuits, as in Helios (Farrington et al. 2010).
    PacketSwitches,
}

/// Flows that go at once, by the shortest way over the circuits that are there (Mellette et al., *Expanding
/// across time to deliver bandwidth efficiency and low latency*, NSDI 2020, section 3): racks pass their
/// packets on, from queues of their own before all others. A circuit whose switch is the next to go dark
/// is not on any way. Of several links on shortest ways a packet takes the one on which the fewest bytes
/// wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ShortFlowsSpec {
    /// Files of less than that are short flows, and packets without data, such as acknowledgments, go with
    /// them. Without it all packets do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub below: Option<Bytes>,
    /// By which network they go.
    #[serde(default)]
    pub over: ShortWay,
    /// The capacity of the queue for them at each link from a rack to a circuit switch, 150 kB by default; a
    /// packet that does not fit is lost, or loses its data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub queue: Option<Bytes>,
    /// A packet with ECN that finds more bytes than this in such a queue is marked; none is by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 TB"))]
    pub mark_above: Option<Bytes>,
    /// What is left of a packet of a message transport that does not fit, in bytes: it goes before all that
    /// have data, as acknowledgments do, which have as much room (packet trimming, Handley et al. 2017).
    /// Without it the packet is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "9 kB"))]
    pub trim: Option<Bytes>,
}

impl ShortFlowsSpec {
    /// The capacity of the queue for them: by default that of a hundred packets of 1500 B.
    pub fn queue(&self) -> Bytes {
        self.queue.unwrap_or(Bytes(150_000))
    }
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
    /// Random matchings (Opera, Mellette et al. 2020): of the N racks every two are joined once in N
    /// matchings, in both directions, and those are shared out among the switches. What the switches set at
    /// one moment is an expander: it has short ways between any two racks.
    Opera,
    /// Those of `matchings`.
    Explicit,
    /// Those that suit what waits in the queues of racks, as `demand` has it.
    Demand,
}

/// How circuits follow demand: before each epoch the bytes are read that wait in the queue of each rack for
/// each other one, and the matchings of its slots are decided. A switch that keeps a matching does not go
/// dark. While nothing waits anywhere nothing is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DemandSpec {
    /// By which rule.
    pub rule: DemandRule,
    /// The slots that are decided at once.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000))]
    pub epoch: u32,
    /// How long before an epoch the queues are read: what it takes to tell, to decide and to command. From then on
    /// racks know its matchings.
    #[serde(default)]
    #[schemars(extend("x-max" = "1 h"))]
    pub report: Span,
}

fn one() -> u32 {
    1
}

/// The rule by which matchings follow from what waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DemandRule {
    /// One matching after the other with the most bytes (Helios, c-Through: Edmonds' algorithm there, the
    /// Hungarian method here), less what those before it carry.
    MaximumWeight {},
    /// iSLIP's requests, grants and acceptances (McKeown 1999), one request for each queue that is not
    /// empty.
    Islip {
        /// How many times what is not matched yet requests again.
        #[serde(default = "four")]
        #[schemars(range(min = 1, max = 1_000))]
        iterations: u32,
    },
    /// The decomposition of the demand into matchings and times (Birkhoff and von Neumann), the longest times
    /// first (Solstice, Liu et al. 2015), as many as fit into the epoch.
    Birkhoff {},
}

fn four() -> u32 {
    4
}

/// When the slots of circuit switches begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phases {
    /// Together, with the run.
    #[default]
    Together,
    /// Evenly spread: those of switch s of k begin s/k of a slot later (channels of a switch are counted as
    /// switches), so that one at most is dark where a reconfiguration takes at most a k-th of a slot.
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
