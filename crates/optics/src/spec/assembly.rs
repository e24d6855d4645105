//! How packets become bursts at an edge.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

use super::WhenBusy;

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
    /// The largest burst: a burst of exactly this size leaves at once, and of a packet that would
    /// overflow it `overflow` says what becomes. No limit where left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 GB"))]
    pub max_size: Option<Bytes>,
    /// What becomes of a packet that would overflow a burst; only with `max-size`.
    #[serde(default)]
    pub overflow: Overflow,
    /// How long a burst collects, counted as `timer` says. A packet that comes at the very end is
    /// in; the burst leaves a picosecond later. Not with `policy = "none"`, and needed otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 ps", "x-max" = "1 h"))]
    pub timeout: Option<Span>,
    /// From when `timeout` is counted, with `policy = "mixed-flow"` and `"per-flow"`.
    #[serde(default)]
    pub timer: Timer,
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

impl AssemblySpec {
    /// The offset where none is given.
    pub const DEFAULT_OFFSET: Span = Span::from_us(10);

    /// Each packet is a burst by itself; the rest is as it is where nothing is said.
    pub const PER_PACKET: Self = Self {
        policy: AssemblyPolicy::None,
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
    /// Those of one flow: a queue a flow. PF in the paper.
    PerFlow,
    /// Each packet is a burst by itself.
    None,
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

impl AssemblyPolicy {
    /// Whether it divides the flows of a class among a number of queues.
    pub fn has_queues(self) -> bool {
        match self {
            Self::StaticQueues | Self::DynamicQueues | Self::WindowAware => true,
            Self::MixedFlow | Self::PerFlow | Self::None => false,
        }
    }

    /// Whether it assigns flows anew in each assembly cycle.
    pub fn has_cycles(self) -> bool {
        match self {
            Self::DynamicQueues | Self::WindowAware => true,
            Self::MixedFlow | Self::PerFlow | Self::None | Self::StaticQueues => false,
        }
    }

    /// Whether it draws the queue of a flow, by an [`AllocationRule`].
    pub fn allocates(self) -> bool {
        match self {
            Self::DynamicQueues => true,
            Self::MixedFlow
            | Self::PerFlow
            | Self::None
            | Self::StaticQueues
            | Self::WindowAware => false,
        }
    }

    /// Whether a queue's timer may run on by itself ([`Timer::Interval`]).
    pub fn has_interval_timers(self) -> bool {
        match self {
            Self::MixedFlow | Self::PerFlow => true,
            Self::None | Self::StaticQueues | Self::DynamicQueues | Self::WindowAware => false,
        }
    }

    /// Whether packets wait for others at all.
    pub fn aggregates(self) -> bool {
        match self {
            Self::None => false,
            Self::MixedFlow
            | Self::PerFlow
            | Self::StaticQueues
            | Self::DynamicQueues
            | Self::WindowAware => true,
        }
    }

    /// Whether it reads the congestion windows of flows, which no edge router sees.
    pub fn reads_windows(self) -> bool {
        match self {
            Self::WindowAware => true,
            Self::MixedFlow
            | Self::PerFlow
            | Self::None
            | Self::StaticQueues
            | Self::DynamicQueues => false,
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

/// What becomes of a packet that would overflow a burst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overflow {
    /// It goes into the next burst, and the present one leaves first: no burst is larger than
    /// `max-size`, which is at least a packet.
    #[default]
    NextBurst,
    /// It is in, and the burst leaves at once: a burst exceeds `max-size` by less than a packet. The
    /// paper `ops` has it so.
    ThisBurst,
}

/// From when the timeout is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// From the first packet of each burst: the timer rests while a queue is empty.
    #[default]
    FirstPacket,
    /// The timer runs on: intervals of the timeout's length follow each other, from the first packet
    /// of the queue (of its flow, where each has its own) and anew from each burst that leaves by
    /// its size. An interval without packets sends nothing. The paper `ops` has it so. A flow of
    /// which nothing is seen for more than two minutes may be taken for a new one.
    Interval,
}
