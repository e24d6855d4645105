//! How packets become bursts at an edge.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

use super::{AssemblyProgram, WhenBusy};

/// How packets become bursts at an edge, and how a burst gets onto its first link.
///
/// Packets that share an ingress and an egress edge, data and acknowledgments, are a forwarding
/// equivalence class (FEC). Each class has its own assembly queues, one unless the policy uses
/// more, and a burst consists of the packets that one of them has collected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AssemblySpec {
    /// Which packets of a class share a burst.
    #[serde(default)]
    pub policy: AssemblyPolicy,
    /// The program, only with `policy = "program"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<Box<AssemblyProgram>>,
    /// Assembly queues per class, only with `policy = "static-queues"`, `"dynamic-queues"`,
    /// `"window-aware"` and `"program"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_536))]
    pub queues: Option<u32>,
    /// Which flows are assigned anew, only with `policy = "dynamic-queues"`; `"proactive"` by
    /// default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<AllocationRule>,
    /// When an assembly cycle ends, only with `policy = "dynamic-queues"`, `"window-aware"` and
    /// `"program"`; `"queue"` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Cycle>,
    /// How an edge learns that a flow has lost data in a burst, only with `allocation =
    /// "a-posteriori"` and with `policy = "program"`; `"at-once"` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_known: Option<LossKnown>,
    /// The maximum size of a burst: a burst of exactly this size leaves at once, and `overflow`
    /// says what happens to a packet that would exceed it. Unlimited by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 GB"))]
    pub max_size: Option<Bytes>,
    /// What happens to a packet that would exceed the maximum size of a burst; only with
    /// `max-size`.
    #[serde(default)]
    pub overflow: Overflow,
    /// How long a burst collects packets, measured as `timer` says. A packet that arrives exactly
    /// at the end is included; the burst leaves one picosecond later. Not with `policy = "none"`,
    /// and required otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 ps", "x-max" = "1 h"))]
    pub timeout: Option<Span>,
    /// From when `timeout` is counted.
    #[serde(default)]
    pub timer: Timer,
    /// The probability that a burst is lost when it is released, regardless of its size.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub loss: f64,
    /// The time by which the header precedes its burst when they leave the ingress edge.
    #[serde(default = "offset")]
    #[schemars(extend("x-max" = "1 s"))]
    pub offset: Span,
    /// What happens to a burst that finds no free data channel, or no idle control channel, at its
    /// ingress edge. An edge is electronic, so by default the burst waits.
    #[serde(default = "wait")]
    pub when_busy: WhenBusy,
}

impl AssemblySpec {
    /// The offset where none is given.
    pub const DEFAULT_OFFSET: Span = Span::from_us(10);

    /// Each packet is a burst by itself; the rest is as it is where nothing is said.
    pub const PER_PACKET: Self = Self {
        policy: AssemblyPolicy::None,
        program: None,
        queues: None,
        allocation: None,
        cycle: None,
        loss_known: None,
        max_size: None,
        overflow: Overflow::NextBurst,
        timeout: None,
        timer: Timer::FirstPacket,
        loss: 0.0,
        offset: Self::DEFAULT_OFFSET,
        when_busy: WhenBusy::Wait,
    };

    /// How long a burst collects; no time at all where each packet is one.
    pub fn timeout(&self) -> Span {
        self.timeout.unwrap_or_default()
    }
}

fn offset() -> Span {
    AssemblySpec::DEFAULT_OFFSET
}

fn wait() -> WhenBusy {
    WhenBusy::Wait
}

/// Which packets of a class share a burst. The packets of a flow wait in one queue at a time, so no
/// policy reorders a flow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AssemblyPolicy {
    /// All packets from one ingress to one egress edge: data and acknowledgments, every flow. MF in
    /// the paper `sync`.
    #[default]
    MixedFlow,
    /// Packets of one flow: one queue per flow. PF in the paper.
    PerFlow,
    /// Each packet is a separate burst.
    None,
    /// Packets of the flows in one of `queues` queues, to which flows are assigned permanently,
    /// round-robin in the order in which they first appear. SMQ in the paper. A flow that is silent
    /// for more than two minutes may be treated as a new one.
    StaticQueues,
    /// Packets of the flows in one of `queues` queues, to which flows are assigned at random with
    /// equal probability, anew in each assembly cycle, by `allocation`. DMQ in the paper, whose
    /// equations (2) and (3) for the draw contradict each other; with p₁ = 1/2 the first gives
    /// equal probabilities.
    DynamicQueues,
    /// Packets of the flows in one of `queues` queues: in each assembly cycle a flow joins the
    /// queue whose flows' congestion windows have the smallest sum, ties to the lowest number. A
    /// real edge does not see these windows: the hosts report them.
    WindowAware,
    /// Packets of the flows in one of `queues` queues: in each assembly cycle a flow joins the
    /// queue that a `program` of one's own says.
    Program,
}

/// What others ask of an assembly policy.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct PolicyFacts {
    /// Whether packets wait for others at all.
    pub aggregates: bool,
    /// Whether it divides the flows of a class among a number of queues.
    pub has_queues: bool,
    /// Whether it assigns flows anew in each assembly cycle.
    pub has_cycles: bool,
    /// Whether it draws the queue of a flow, by an [`AllocationRule`].
    pub allocates: bool,
    /// Whether each flow has a queue of its own.
    pub is_per_flow: bool,
    /// Whether it is a program of the scenario, which may ask what other policies do not.
    pub is_program: bool,
    /// Whether it reads the congestion windows of flows, which no edge router sees.
    pub reads_windows: bool,
}

impl PolicyFacts {
    /// A queue for all flows of a class.
    const PLAIN: Self = Self {
        aggregates: true,
        has_queues: false,
        has_cycles: false,
        allocates: false,
        is_per_flow: false,
        is_program: false,
        reads_windows: false,
    };
    /// Several queues, to which flows are assigned in cycles.
    const CYCLES: Self = Self { has_queues: true, has_cycles: true, ..Self::PLAIN };
}

impl AssemblyPolicy {
    /// What others ask of it.
    pub fn facts(self) -> PolicyFacts {
        const PLAIN: PolicyFacts = PolicyFacts::PLAIN;
        const CYCLES: PolicyFacts = PolicyFacts::CYCLES;
        match self {
            Self::MixedFlow => PLAIN,
            Self::PerFlow => PolicyFacts { is_per_flow: true, ..PLAIN },
            Self::None => PolicyFacts { aggregates: false, ..PLAIN },
            Self::StaticQueues => PolicyFacts { has_queues: true, ..PLAIN },
            Self::DynamicQueues => PolicyFacts { allocates: true, ..CYCLES },
            Self::WindowAware => PolicyFacts { reads_windows: true, ..CYCLES },
            Self::Program => PolicyFacts { reads_windows: true, is_program: true, ..CYCLES },
        }
    }
}

/// Which flows are assigned to another queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AllocationRule {
    /// Every flow, with its first packet in each cycle.
    #[default]
    Proactive,
    /// A flow that has lost data in a burst, with its first packet after the loss that arrives when
    /// no earlier one is waiting. The others keep the queue that they drew with their first packet.
    APosteriori,
}

/// When an assembly cycle ends and its flows may move to another queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cycle {
    /// Each queue has its own cycles, which end when its burst leaves.
    #[default]
    Queue,
    /// All queues of a class share one cycle, from the first packet in any of them to the timeout,
    /// when all are released together. A burst that leaves earlier by its size does not end it,
    /// unless all queues are empty then.
    Common,
}

/// How an edge learns that a flow has lost data in a burst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossKnown {
    /// It is notified at the instant of the loss, wherever it happens.
    #[default]
    AtOnce,
    /// It sees retransmitted segments, and takes each as a sign of a loss.
    Resent,
}

/// What happens to a packet that would exceed the maximum size of a burst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overflow {
    /// It goes into the next burst, and the current one leaves first: no burst is larger than
    /// `max-size`, which must hold at least one packet.
    #[default]
    NextBurst,
    /// It is included, and the burst leaves at once: a burst exceeds `max-size` by less than a
    /// packet. The paper `ops` does this.
    ThisBurst,
}

/// From when the timeout is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// From the first packet of each burst: the timer does not run while a queue is empty.
    #[default]
    FirstPacket,
    /// The timer is periodic: intervals of the timeout's length follow each other, from the first
    /// packet of the queue (of its flow, if each flow has a queue) and again from each burst that
    /// leaves by its size. An interval without packets sends nothing. The paper `ops` does this. A
    /// flow that has a queue and is silent for more than two minutes may be treated as a new one. Not with
    /// `cycle = "common"`.
    Interval,
}
