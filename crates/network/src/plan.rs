//! A plan: everything that a world needs, resolved from a scenario.

use std::sync::Arc;

use optics::{AssemblySpec, ControlSpec};
use traffic::{Source, Start};
use units::{LinkId, NodeId, Span};

use crate::spec::{Change, CoreSpec, Metric, SpreadSpec, Until};
use crate::topology::Graph;

/// Everything that a world needs.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Nodes and links.
    pub graph: Graph,
    /// What a shortest path minimises.
    pub metric: Metric,
    /// What is spread over equal paths.
    pub spread: SpreadSpec,
    /// The silence between two flowlets.
    pub flowlet_gap: Span,
    /// Who sends what to whom.
    pub traffic: Vec<TrafficPlan>,
    /// Changes of links: when, which, what.
    pub changes: Vec<(Span, LinkId, Change)>,
    /// Measured counters start here.
    pub warmup: Span,
    /// The run ends here.
    pub duration: Span,
    /// What may end it earlier.
    pub until: Until,
    /// The event budget.
    pub max_events: u64,
    /// How the optical part works, where there is one.
    pub optical: Option<OpticalPlan>,
    /// What its core switches are, where they need no edges.
    pub core: Option<CoreSpec>,
    /// Bursts to be recorded one by one.
    pub bursts_recorded: u32,
    /// Whether delays are measured from the first transmission too.
    pub first_transmission: bool,
    /// How often what flows share is sampled, if it is recorded.
    pub synchronization: Option<Span>,
    /// The spans of time in which the bytes of each class are counted, if they are.
    pub throughput_span: Option<Span>,
    /// The shortcuts that the run does without: none, but in tests that hold them to changing nothing.
    pub without: Vec<Shortcut>,
}

/// What lets a run do with fewer events. Results are the same with and without, to the last bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortcut {
    /// `world/train.rs`: the offer of a source and the arrival of the packet before it are one event where
    /// they fall together.
    Trains,
    /// `world/quiet/hosts.rs`: the links to hosts at which nothing acts on what arrives are emptied late.
    QuietHosts,
    /// `world/quiet/routers.rs`: so are the links to routers of quiet hosts, which it needs.
    QuietRouters,
    /// `device/cioq/arrears.rs`: packets that are through a CIOQ switch join a busy output late.
    Arrears,
}

/// How an optical network with edges works, the same at all of its nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct OpticalPlan {
    /// Edge routers.
    pub assembly: AssemblySpec,
    /// Core routers.
    pub core: CoreSpec,
    /// Headers of a burst-switched network.
    pub control: ControlSpec,
}

impl Plan {
    /// Whether the run takes a shortcut.
    pub fn takes(&self, shortcut: Shortcut) -> bool {
        !self.without.contains(&shortcut)
    }

    /// What its core nodes are, if it has any.
    pub fn core(&self) -> Option<&CoreSpec> {
        self.optical.as_ref().map(|optical| &optical.core).or(self.core.as_ref())
    }
}

/// One entry of the scenario's traffic.
#[derive(Debug, Clone)]
pub struct TrafficPlan {
    /// Who sends to whom.
    pub between: Between,
    /// Flows a pair.
    pub count: u32,
    /// When each starts.
    pub start: Start,
    /// When all stop, if they do.
    pub stop: Option<Span>,
    /// How data is carried.
    pub transport: TransportPlan,
    /// When data is offered, and how much.
    pub source: Source,
    /// Whether the reordering of its packets is studied.
    pub reordering: bool,
}

impl TrafficPlan {
    /// Files of flows that are there from the start.
    pub fn files(&self) -> u64 {
        match (&self.between, &self.source) {
            (Between::Pairs(pairs), Source::Bulk { size: Some(_) }) => {
                pairs.len() as u64 * u64::from(self.count)
            }
            _ => 0,
        }
    }
}

/// Who sends to whom.
#[derive(Debug, Clone)]
pub enum Between {
    /// These: source and sink host of each pair.
    Pairs(Vec<(NodeId, NodeId)>),
    /// Each transfer from a random host to a random one behind another router; there is one
    /// process for all.
    Random {
        /// The hosts that send.
        from: Vec<Member>,
        /// The hosts that receive.
        to: Vec<Member>,
    },
    /// From any host to any other: of transfers, each from a random host to a random one, whatever
    /// they do, and there is one process for all; a closed loop goes through them in its own order.
    /// Each host stands once in a list; each sender of transfers has a receiver but itself, each
    /// receiver of an incast none or as many others as a round has senders.
    Any {
        /// The hosts that send.
        from: Vec<NodeId>,
        /// The hosts that receive.
        to: Vec<NodeId>,
    },
}

/// A host and the router that it hangs on (itself, where it is one).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The host.
    pub host: NodeId,
    /// The router.
    pub home: NodeId,
}

/// How data is carried.
#[derive(Debug, Clone)]
pub enum TransportPlan {
    /// TCP.
    Tcp(Arc<transport::Config>),
    /// Stop-and-wait.
    StopAndWait(Arc<transport::StopAndWaitOptions>),
    /// UDP with so many bytes of headers a datagram.
    Udp {
        /// Bytes of headers on the wire.
        header: u32,
    },
}
