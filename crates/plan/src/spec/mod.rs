//! The network part of a scenario: plain values, as they are written in the file.
//!
//! These types *are* the scenario's schema: their doc comments are the reference that users read.
//! What depends on two fields at once is checked by their kind, or by the crate `scenario`.

mod cores;
mod length;
mod link;
mod loss;
pub mod queue;
mod splitting;

pub use cores::*;
pub use length::Propagation;
pub use link::{AccessSpec, ChannelsSpec, ExplicitLink, LinkSpec};
pub use loss::{Direction, LossSpec};
pub use queue::{MarkAbove, QueueSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use splitting::SplittingSpec;
use units::{Rate, Span};

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// Sends and receives; it has one link and forwards nothing.
    Host,
    /// Forwards packets to its output queues.
    Router,
    /// Edge router of an optical network: gathers packets into bursts (optical packets) and takes
    /// them apart. It may be the endpoint of flows itself, as if over an access link of unlimited
    /// rate. In a packet-switched network it also switches transit traffic.
    Edge,
    /// Core router of an optical network: switches bursts or optical packets, sets circuits, or lets
    /// lightpaths pass, as `core.kind` says.
    Core,
    /// Joins hosts to circuit switches (`core.kind = "circuit"`) or to a mesh of fibres (`"lightpath"`): stores
    /// packets in a queue for each other rack until a circuit, or a lightpath, leads on.
    Rack,
}

impl NodeKind {
    /// Its word in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Router => "router",
            Self::Edge => "edge",
            Self::Core => "core",
            Self::Rack => "rack",
        }
    }

    /// Whether it forwards packets that are not addressed to it.
    pub fn forwards(self) -> bool {
        match self {
            Self::Router | Self::Edge | Self::Core | Self::Rack => true,
            Self::Host => false,
        }
    }

    /// Whether flows may end there.
    pub fn ends_flows(self) -> bool {
        match self {
            Self::Host | Self::Edge => true,
            Self::Router | Self::Core | Self::Rack => false,
        }
    }

    /// Whether it is a router of an optical network.
    pub fn is_optical(self) -> bool {
        match self {
            Self::Edge | Self::Core => true,
            Self::Host | Self::Router | Self::Rack => false,
        }
    }
}

/// How paths are chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RoutingSpec {
    /// What a shortest path minimises; `spread` determines which of several equal-cost paths a
    /// packet takes.
    #[serde(default)]
    pub metric: Metric,
    /// What is spread over equal-cost paths. The path is chosen when a packet is sent, regardless
    /// of which link is free, and the same packet of the same flow always gets the same hash. Not
    /// for optical networks, in which the bursts of a class have one path.
    #[serde(default)]
    pub spread: SpreadSpec,
    /// The silence after which the next packet of a flow's direction takes a new path; required
    /// with `spread = "flowlet"`, and only then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 h"))]
    pub flowlet_gap: Option<Span>,
}

/// What is spread over equal-cost paths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpreadSpec {
    /// Flows: a hash of the flow chooses, so that all of its packets take one path in each
    /// direction (ECMP).
    #[default]
    Flow,
    /// Packets: the path of each is drawn at random (spraying).
    Packet,
    /// Flowlets: a new path is drawn for a direction of a flow after each silence longer than
    /// `flowlet-gap`; the first path is that of `flow`.
    Flowlet,
}

/// What a shortest path minimises.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The number of links.
    #[default]
    Hops,
    /// The sum of the propagation delays.
    Delay,
}

/// When a run ends. A file is the data that a source of kind `bulk` with a `size` sends, or a flow of a
/// list (`flows`); it is delivered when its sink's application has received all of it, in order. For a
/// flow of a list the run waits until that is acknowledged, so that all of them are complete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// The duration.
    #[default]
    Duration,
    /// The first file is delivered, or the duration is over.
    FirstFile,
    /// All files are delivered, or the duration is over.
    AllFiles,
}

impl Until {
    /// Whether only the duration counts.
    pub fn is_duration(&self) -> bool {
        *self == Self::Duration
    }
}

/// Something that happens to a link during the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChangeSpec {
    /// The time of the change, from the start of the run.
    pub at: Span,
    /// The link: `"A -> B"` is one direction, `"A - B"` both. For a bundle these mean all lightpaths, for a link of
    /// a circuit switch all channels; `"A -> B:2"` and `"A - B:2"` mean one of them, counted from 0.
    #[schemars(length(min = 1, max = 140))]
    pub link: String,
    /// What happens.
    pub set: Change,
}

/// What happens to a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum Change {
    /// It fails: packets on the wire and new ones are lost, waiting packets stay.
    Down,
    /// It works again.
    Up,
    /// Its rate changes, for packets whose transmission starts after the change.
    Rate {
        /// The new rate.
        #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
        rate: Rate,
    },
}

/// What can be recorded over time.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesKind {
    /// The congestion window of every TCP flow, in bytes.
    Cwnd,
    /// The slow-start threshold of every TCP flow, in bytes.
    Ssthresh,
    /// The smoothed round-trip time of every TCP flow, in seconds.
    Rtt,
    /// The number of packets waiting in front of every link.
    Queue,
    /// The number of busy data channels of every optical link.
    Channels,
}
