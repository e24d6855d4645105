//! What a scenario says about assembly, cores and control channels: plain values, as they are
//! written in the file.
//!
//! These types *are* the scenario's schema: their doc comments are the reference that users read.
//! What depends on two fields at once is checked by the crate `scenario`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

/// How packets become bursts at an edge, and how a burst gets onto its first link.
///
/// Packets that share an ingress and an egress edge, data and acknowledgments, are a forwarding
/// equivalence class (FEC). Each class has assembly queues of its own, one unless the policy says
/// otherwise, and a burst is what one of them has collected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AssemblySpec {
    /// Which packets of a class share a burst.
    #[serde(default)]
    pub policy: AssemblyPolicy,
    /// Assembly queues a class, with `policy = "static-queues"`, `"dynamic-queues"` and
    /// `"window-aware"`, and only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_536))]
    pub queues: Option<u32>,
    /// Which flows are assigned anew, with `policy = "dynamic-queues"` and only then; `"proactive"`
    /// where left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<AllocationRule>,
    /// When an assembly cycle ends, with `policy = "dynamic-queues"` and `"window-aware"`, and only
    /// then; `"queue"` where left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Cycle>,
    /// How an edge knows that a flow has lost data in a burst, with `allocation = "a-posteriori"`
    /// and only then; `"at-once"` where left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_known: Option<LossKnown>,
    /// The largest burst: a burst of exactly this size leaves at once, and a packet that would
    /// overflow it goes into the next burst (the present one leaves first). No limit where left
    /// out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 GB"))]
    pub max_size: Option<Bytes>,
    /// How long a burst collects, from its first packet on. A packet that comes at the very end is
    /// in; the burst leaves a picosecond later.
    #[schemars(extend("x-min" = "1 ps", "x-max" = "1 h"))]
    pub timeout: Span,
    /// The probability that a burst is lost when it is released, whatever it holds.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub loss: f64,
    /// How far the header goes ahead of its burst where both leave the ingress edge.
    #[serde(default = "offset")]
    #[schemars(extend("x-max" = "1 s"))]
    pub offset: Span,
    /// What becomes of a burst that finds no free data channel, or no idle control channel, at its
    /// ingress edge. An edge is electronic, so it waits unless said otherwise.
    #[serde(default = "wait")]
    pub when_busy: WhenBusy,
}

fn offset() -> Span {
    Span::from_us(10)
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
    /// Those of one flow: a queue a flow. PF in the paper.
    PerFlow,
    /// Those of the flows of one of `queues` queues, to which flows are assigned for good,
    /// alternately in the order in which they first appear. SMQ in the paper. A flow of which
    /// nothing is seen for more than two minutes may be taken for a new one.
    StaticQueues,
    /// Those of the flows of one of `queues` queues, to which flows are assigned by a fair draw,
    /// anew in each assembly cycle, by `allocation`. DMQ in the paper, whose equations (2) and (3)
    /// for the draw contradict each other; with p₁ = 1/2 the first is the fair draw.
    DynamicQueues,
    /// Those of the flows of one of `queues` queues: in each assembly cycle a flow goes to the queue
    /// whose flows' congestion windows sum to the least, the lowest number among equals. No edge
    /// sees these windows: the hosts tell it.
    WindowAware,
}

/// Which flows are assigned to another queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AllocationRule {
    /// Every flow, with its first packet in each cycle.
    #[default]
    Proactive,
    /// A flow that has lost data in a burst, with its first packet after the loss of which none
    /// before it waits any more. The others keep the queue that they drew with their first packet.
    APosteriori,
}

/// When an assembly cycle ends and the flows in it are free to go to another queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cycle {
    /// Each queue has cycles of its own, which end when its burst leaves.
    #[default]
    Queue,
    /// All queues of a class have one, from the first packet in any of them to the timeout, when
    /// all are released together. A burst that leaves earlier by its size does not end it, unless
    /// all queues are empty then.
    Common,
}

/// How an edge knows that a flow has lost data in a burst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossKnown {
    /// It is told at the instant of the loss, wherever it happens.
    #[default]
    AtOnce,
    /// It sees a resent segment, and takes each for the sign of a loss.
    Resent,
}

/// What becomes of a burst, or of a header, for which no channel is free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhenBusy {
    /// The burst is lost.
    #[default]
    Drop,
    /// It waits until a channel is free.
    Wait,
}

/// What the core nodes do with bursts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CoreSpec {
    /// Which of the free data channels a burst gets; edges choose by the same rule.
    pub scheduling: Scheduling,
    /// Onto which channels a core node can put a burst.
    pub conversion: Conversion,
    /// Wavelength converters a core node, with `conversion = "partial"` and only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub converters: Option<u32>,
    /// The delay of each data burst where it enters a core node or its egress edge. A header has
    /// none, so its burst falls back behind it at each node.
    #[schemars(extend("x-max" = "1 s"))]
    pub input_delay: Span,
    /// Fibre delay lines, ascending: what a burst is tried with when no channel is free at its
    /// time. A set for each input channel, passed at most once, so lines are never contended for.
    /// None by default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1_000))]
    pub fibre_delays: Vec<Span>,
    /// A pool of looped delay lines a node, instead of `fibre-delays`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fibre_loop: Option<FibreLoopSpec>,
    /// The least time between two bursts of a channel.
    #[schemars(extend("x-max" = "1 s"))]
    pub guard: Span,
    /// Whether a core node forwards a burst while it arrives.
    pub forwarding: Forwarding,
}

impl Default for CoreSpec {
    fn default() -> Self {
        Self {
            scheduling: Scheduling::default(),
            conversion: Conversion::default(),
            converters: None,
            input_delay: Span::from_us(1),
            fibre_delays: Vec::new(),
            fibre_loop: None,
            guard: Span::ZERO,
            forwarding: Forwarding::default(),
        }
    }
}

/// Which of the free data channels a burst gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduling {
    /// Latest available unused channel with void filling (Xiong, Vandenhoude and Cankaya 2000):
    /// among the channels that are free for the whole burst, the one whose previous reservation
    /// ends latest, voids between reservations included; among equal ones the lowest number.
    #[default]
    LaucVf,
    /// The same, but a channel remembers only the latest of its voids, as the ns-2 extension of
    /// the paper's authors does.
    LaucVfOneVoid,
    /// Latest available unused channel without void filling, also called Horizon: a burst goes
    /// behind the last reservation of a channel, the one that ends latest.
    Lauc,
    /// The channel with the lowest number that is free for the whole burst, voids included.
    FirstFit,
}

/// Onto which channels a core node can put a burst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Conversion {
    /// Onto every channel of the next link.
    #[default]
    Full,
    /// Onto every channel while one of the node's converters is free, else only onto the channel
    /// with the number on which the burst arrives. Its own channel goes first and needs none.
    Partial,
    /// Only onto the channel with the number on which the burst arrives.
    None,
}

/// A pool of looped fibre delay lines a node: turn k shifts a burst by k times the sum of the delay
/// and the burst's duration, as in the ns-2 extension of the paper's authors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FibreLoopSpec {
    /// The delay of a line.
    #[schemars(extend("x-min" = "1 ps", "x-max" = "1 s"))]
    pub delay: Span,
    /// Lines a node.
    #[schemars(range(min = 1, max = 100_000))]
    pub lines: u32,
    /// How often a burst may pass its line.
    #[schemars(range(min = 1, max = 1_000))]
    pub turns: u32,
}

/// Whether a core node forwards a burst while it arrives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Forwarding {
    /// The first bit leaves when it has passed the node, as in an all-optical switch.
    #[default]
    CutThrough,
    /// The burst leaves when its last bit has come: each core node charges its transmission time
    /// again.
    StoreAndForward,
}

/// How burst headers travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ControlSpec {
    /// The size of a burst header packet (BHP) on its control channel.
    #[schemars(extend("x-min" = "1 B", "x-max" = "65535 B"))]
    pub header: Bytes,
    /// The time that a core node takes to process a header.
    #[schemars(extend("x-max" = "1 s"))]
    pub processing: Span,
    /// What happens when no control channel is idle at a core node: the burst is lost with its
    /// header, or the header waits.
    pub when_busy: WhenBusy,
}

impl Default for ControlSpec {
    fn default() -> Self {
        Self { header: Bytes(64), processing: Span::from_us(1), when_busy: WhenBusy::default() }
    }
}
