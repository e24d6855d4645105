//! The network part of a scenario: plain values, as they are written in the file.
//!
//! These types *are* the scenario's schema: their doc comments are the reference that users read.
//! What depends on two fields at once is checked by their kind, or by the crate `scenario`.

mod cores;
mod file;
mod length;
mod lightpath_bundle;
mod link;
mod loss;
mod missing_length;
mod nsfnet;
pub mod queue;
mod regular;
mod splitting;

pub use cores::*;
pub use file::{FileLinkSpec, FileTopology, GraphPart, Parallel};
pub use length::Propagation;
pub use lightpath_bundle::RttSpec;
pub use link::{AccessSpec, ChannelsSpec, ExplicitLink, LinkSpec, PacketSpinesSpec};
pub use loss::{Direction, LossSpec};
pub use missing_length::MissingLength;
pub use nsfnet::{CoreLinkSpec, Place};
pub use queue::{MarkAbove, QueueSpec};
pub use regular::Regular;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use splitting::SplittingSpec;
use units::{Rate, Span};

/// The shape of the network: a generator, or explicit nodes and links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum Topology {
    /// Pairs of hosts that share one bottleneck between two routers: hosts `left-0`, `left-1`, …
    /// on router `left`, hosts `right-0`, `right-1`, … on router `right`.
    Dumbbell {
        /// Pairs of hosts.
        #[schemars(range(min = 1, max = 50_000))]
        pairs: u32,
        /// The links between hosts and routers, alike on both sides.
        access: AccessSpec,
        /// One delay per pair, in the order of the pairs, for its access links on both sides;
        /// instead of `access.delay`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(min = 1, max = 50_000))]
        access_delays: Option<Vec<Span>>,
        /// The link between the two routers; forward is from left to right.
        bottleneck: LinkSpec,
    },
    /// Two hosts with routers in a row between them: `a`, `r0`, `r1`, …, `b`.
    Line {
        /// Routers between the hosts; with 0 the hosts are joined by a single link.
        #[schemars(range(min = 0, max = 1_000))]
        routers: u32,
        /// Every link of the row; forward is from `a` to `b`.
        link: LinkSpec,
        /// The first and the last link (those of the hosts) if they differ from the others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        access: Option<LinkSpec>,
    },
    /// Hosts `h0`, `h1`, … around one router `hub`.
    Star {
        /// Hosts.
        #[schemars(range(min = 2, max = 100_000))]
        hosts: u32,
        /// Every link; forward is from the host to the hub.
        link: LinkSpec,
    },
    /// A three-level fat tree of switches with k ports (Al-Fares, Loukissas and Vahdat 2008):
    /// k³/4 hosts `h0`, `h1`, …; routers `edge-P-I`, `agg-P-I` (pod, index in the pod), `core-I`.
    FatTree {
        /// Ports per switch, an even number.
        #[schemars(range(min = 2, max = 32))]
        k: u32,
        /// Every link; forward is upwards. Its `lightpaths` are for those between routers.
        link: LinkSpec,
    },
    /// Routers `r0`, `r1`, … in a circle, each joined to the next one, with hosts `h0-0`, `h0-1`, … at
    /// `r0`, `h1-0`, … at `r1`, and so on.
    Ring {
        /// Routers.
        #[schemars(range(min = 3, max = 3_000))]
        routers: u32,
        /// Hosts at each router.
        #[schemars(range(min = 1, max = 50_000))]
        hosts: u32,
        /// Every link between routers; forward is from `r0` to `r1`.
        link: LinkSpec,
        /// Every link of a host; forward is from the host.
        access: LinkSpec,
    },
    /// A grid of one or more dimensions whose rows are circles (with k routers in each of n dimensions a
    /// k-ary n-cube, Dally and Towles 2004, chapter 5). Routers are named by their coordinates, `r0-0`,
    /// `r0-1`, …, and so are their hosts, `h0-0-0`, `h0-0-1`, ….
    Torus {
        /// Routers in each dimension: `[4, 4]` is a grid of 16.
        #[schemars(length(min = 1, max = 6), inner(range(min = 3, max = 3_000)))]
        dimensions: Vec<u32>,
        /// Hosts at each router.
        #[schemars(range(min = 1, max = 50_000))]
        hosts: u32,
        /// Every link between routers; forward is to the larger coordinate.
        link: LinkSpec,
        /// Every link of a host; forward is from the host.
        access: LinkSpec,
    },
    /// A grid of one or more dimensions, with names as in a torus, whose rows have two ends.
    Mesh {
        /// Routers in each dimension: `[4, 4]` is a grid of 16.
        #[schemars(length(min = 1, max = 6), inner(range(min = 2, max = 3_000)))]
        dimensions: Vec<u32>,
        /// Hosts at each router.
        #[schemars(range(min = 1, max = 50_000))]
        hosts: u32,
        /// Every link between routers; forward is to the larger coordinate.
        link: LinkSpec,
        /// Every link of a host; forward is from the host.
        access: LinkSpec,
    },
    /// Routers `r0`, `r1`, …, each joined to every other, with hosts `h0-0`, `h0-1`, … at `r0`, and so on.
    FullMesh {
        /// Routers.
        #[schemars(range(min = 2, max = 500))]
        routers: u32,
        /// Hosts at each router.
        #[schemars(range(min = 1, max = 50_000))]
        hosts: u32,
        /// Every link between routers; forward is to the larger number.
        link: LinkSpec,
        /// Every link of a host; forward is from the host.
        access: LinkSpec,
    },
    /// Two levels of switches (a folded Clos network): each of the leaves `leaf-0`, `leaf-1`, … is joined to
    /// each of the spines `spine-0`, …, so that between hosts at two leaves there are as many equal paths as
    /// spines. Hosts are `h0-0`, `h0-1`, … at `leaf-0`, and so on. The rate of a leaf's hosts over that of
    /// its links to spines is the oversubscription. With a core of circuit switches leaves are racks, and spines
    /// circuit switches.
    LeafSpine {
        /// Leaves.
        #[schemars(range(min = 2, max = 2_000))]
        leaves: u32,
        /// Spines.
        #[schemars(range(min = 1, max = 1_000))]
        spines: u32,
        /// Hosts at each leaf.
        #[schemars(range(min = 1, max = 50_000))]
        hosts: u32,
        /// Every link between routers; forward is upwards.
        link: LinkSpec,
        /// Every link of a host; forward is from the host.
        access: LinkSpec,
        /// Electronic switches beside circuit switches, to which each leaf is joined, too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        packet_spines: Option<PacketSpinesSpec>,
    },
    /// A chain of bottlenecks (Floyd 1991): routers `r0`, `r1`, … in a row; host `a` at the first and host
    /// `b` at the last router are the ends of the long path; for each link between two routers there is a
    /// host `source-0`, `source-1`, … before and a host `sink-0`, `sink-1`, … behind it, the ends of its
    /// cross traffic.
    ParkingLot {
        /// Links between routers.
        #[schemars(range(min = 1, max = 1_000))]
        bottlenecks: u32,
        /// Every link between routers; forward is from `a` to `b`.
        link: LinkSpec,
        /// Every link of a host; forward is from the host.
        access: LinkSpec,
    },
    /// The NSF network as an optical network: the usual graph of 14 places and 21 links. Its
    /// lengths in km are those of one public copy (other copies differ): CA2–CA1 834, NE–CO 870,
    /// NE–IL 864, NJ–DC 312, NJ–MI 942, NY–DC 468, NY–MI 720, PA–GA 1008, PA–IL 846, PA–NJ 540,
    /// PA–NY 438, TX–CA2 2520, TX–CO 1746, TX–DC 2364, TX–GA 1350, UT–CA1 1152, UT–CO 684, UT–MI
    /// 2820, WA–CA1 1338, WA–CA2 2056, WA–IL 3408. Each place is a core router (`WA`); an edge
    /// router (`edge-WA`) is joined to the core router of its place by a fibre of length zero; its
    /// hosts are `host-WA-0`, `host-WA-1`, ….
    Nsfnet {
        /// The places that have an edge router, each once.
        #[serde(default = "nsfnet::all_places")]
        #[schemars(length(min = 2, max = 14))]
        edges: Vec<Place>,
        /// The links between core routers. Those between edge and core routers are like them,
        /// except for `add-channels`.
        link: CoreLinkSpec,
        /// Data channels in each direction between an edge router and its core router; by default
        /// as many as between core routers. Without wavelength conversion a burst on a channel that
        /// the core links do not have is lost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 1_024))]
        add_channels: Option<u32>,
        /// Propagation delay per km; by default that of light in glass (200,000 km per second).
        #[serde(default = "nsfnet::delay_per_km")]
        #[schemars(extend("x-max" = "1 ms"))]
        delay_per_km: Span,
        /// Hosts behind each edge router; with 0 the edge routers are themselves the endpoints of
        /// flows.
        #[serde(default)]
        #[schemars(range(min = 0, max = 50_000))]
        hosts: u32,
        /// The link between a host and its edge router, forward from the host; required with hosts,
        /// and only then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        access: Option<LinkSpec>,
        /// How far apart the delays of the hosts of an edge router are, as a share of that of `access`: of n
        /// hosts, host i has 1 + `access-spread` · (2 i + 1 − n) / n times it. They are evenly spread, and
        /// their mean is the delay of `access`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0, max = 1.0))]
        access_spread: Option<f64>,
    },
    /// Two core nodes, `left-core` and `right-core`, joined by a bundle of parallel lightpaths; on
    /// each side N = `k` · `lightpaths` sub-networks of N sources and N sinks behind an aggregation
    /// router (`left-agg-0`, `left-agg-1`, …). Source j, counted from 0 (`left-source-0`, …), is in
    /// sub-network j / N; the sink with the same number on the other side (`right-sink-0`, …) is in
    /// sub-network j mod N, so that every sub-network sends to every other. The first sub-network of
    /// each side also has one host for each end of a TCP transfer, whose link has its own rate and
    /// delay: `left-tcp-source`, `left-tcp-sink`, and likewise on the right. (Izquierdo-Zaragoza and
    /// Pavón-Mariño, ONDM 2013, figure 4.)
    LightpathBundle {
        /// Lightpaths between the core nodes in each direction, 1 to 64. Together with `k` at most
        /// 64 sub-networks per side.
        #[schemars(range(min = 1, max = 64))]
        lightpaths: u32,
        /// Sub-networks per side for each lightpath.
        #[schemars(range(min = 1, max = 64))]
        k: u32,
        /// The lightpaths, the links between core and aggregation nodes, those of the sources and
        /// sinks, and the queues in front of all of them, and of the links to the TCP hosts. Forward
        /// is from left to right.
        link: LinkSpec,
        /// Bit rate of the links of the TCP hosts, in each direction. Packets that these hosts send
        /// wait in `tcp-queue`.
        #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
        tcp_rate: Rate,
        /// The queue in front of the links on which the TCP hosts send; the profile's interface queue
        /// by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tcp_queue: Option<QueueSpec>,
        /// The round-trip times of the two pairs of TCP hosts: propagation, from the TCP source to
        /// the TCP sink of the other side and back. The links of these hosts have the part that the
        /// other links on the path lack.
        rtt: RttSpec,
    },
    /// The graph of a file. With `link.channels` the network is optical: each place is a core router,
    /// those of `edges` have an edge router (`edge-NAME`), and hosts (`host-NAME-0`, …) are behind it.
    /// Without, each place is a router, and its hosts are attached to it. A link from a place to itself
    /// is left out, and so are all parallel links but the shortest. In names everything but letters,
    /// digits, `-`, `_` and `.` becomes `-`, and a name that is taken gets a number. `tcphoton show` says
    /// where delays and rates come from, and what of the file is not used.
    File(Box<FileTopology>),
    /// Nodes and links one by one.
    Explicit {
        /// Hosts, routers, edge and core routers of an optical network.
        #[schemars(length(min = 2, max = 100_000))]
        nodes: Vec<NodeSpec>,
        /// Links, bidirectional by default; between two nodes at most one in each direction, which
        /// may be a bundle of parallel `lightpaths`.
        #[schemars(length(min = 1, max = 200_000))]
        links: Vec<ExplicitLink>,
    },
}

impl Topology {
    /// Whether it has edge routers of an optical network.
    pub fn has_edges(&self) -> bool {
        match self {
            Self::Nsfnet { .. } => true,
            Self::Explicit { nodes, .. } => nodes.iter().any(|node| node.kind == NodeKind::Edge),
            Self::File(file) => file.link.channels.is_some(),
            Self::Dumbbell { .. }
            | Self::Line { .. }
            | Self::Star { .. }
            | Self::FatTree { .. }
            | Self::Ring { .. }
            | Self::Torus { .. }
            | Self::Mesh { .. }
            | Self::FullMesh { .. }
            | Self::LeafSpine { .. }
            | Self::ParkingLot { .. }
            | Self::LightpathBundle { .. } => false,
        }
    }
}

/// A node of an explicit topology, or identical hosts attached to one router.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NodeSpec {
    /// Its name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 64))]
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// This number of hosts instead of one: `NAME-0`, `NAME-1`, …; a link that names `NAME` joins
    /// each of them to its other end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub count: Option<u32>,
}

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
