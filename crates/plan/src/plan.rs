//! A plan: everything that a world needs, resolved from a scenario.

use std::borrow::Cow;
use std::sync::Arc;

use optics::{AssemblySpec, ControlSpec};
use traffic::{Form, OperationGraph, Source, Start};
use units::{LinkId, NodeId, Rate, Span, Time};

use crate::spec::{Change, CoreFacts, CoreSpec, Metric, NodeKind, SpreadSpec, Until, Waiting};
use crate::topology::{Graph, OneWayLink};

/// Everything that a world needs.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Nodes and links.
    pub graph: Graph,
    /// What a shortest path minimises.
    pub metric: Metric,
    /// What is spread over equal-cost paths.
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
    /// The optical part, if there is one.
    pub optical: Option<OpticalPlan>,
    /// The kind of its core switches, if they need no edges.
    pub core: Option<CoreSpec>,
    /// Bursts to be recorded one by one.
    pub bursts_recorded: u32,
    /// Whether delays are also measured from the first transmission.
    pub first_transmission: bool,
    /// Whether the delays of acknowledgments are measured.
    pub acknowledgments: bool,
    /// How often what flows share is sampled, if it is recorded.
    pub synchronization: Option<Span>,
    /// The time spans in which the bytes of each class are counted, if they are.
    pub throughput_span: Option<Span>,
    /// Whose rare losses are estimated, if any link's are.
    pub splitting: Option<SplittingPlan>,
    /// The shortcuts that the run must not use: none, except in a world that is divided or copied, and in tests that
    /// check that they change no result.
    pub without: Vec<Shortcut>,
}

/// How rare losses are estimated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplittingPlan {
    /// The link whose losses are.
    pub link: LinkId,
    /// The trials of each that reaches a level.
    pub factor: u32,
    /// The levels, rising; found by a pilot if there are none.
    pub levels: Vec<u64>,
}

/// Shortcuts that save events, or time. Results are bit for bit the same with and without them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortcut {
    /// `context/express.rs`: a packet passes a router and plain links in one function. It saves no event.
    Express,
    /// `world/train.rs`: the offer of a source and the arrival of the packet before it are one event if
    /// they coincide.
    Trains,
    /// `world/quiet/hosts.rs`: links to hosts at which nothing reacts to arrivals are processed late.
    QuietHosts,
    /// `world/quiet/routers.rs`: the same for links to routers of quiet hosts; requires the
    /// shortcut above.
    QuietRouters,
    /// `cores/cioq/arrears.rs`: packets that have crossed a CIOQ switch join a busy output late.
    Arrears,
    /// `cores/circuit/transit_shortcut.rs`: a rack's packet passes a circuit switch when it is sent, without an arrival there.
    Passages,
    /// `cores/circuit/mod.rs`: a rack sends on a circuit right away where its alarm would be the next event.
    PromptRacks,
}

/// The measured period of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Period {
    /// When measuring begins.
    pub begin: Time,
    /// Half of the time from there to the planned end.
    pub middle: Time,
    /// When the run ends, or ended.
    pub end: Time,
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
    #[inline]
    pub fn takes(&self, shortcut: Shortcut) -> bool {
        !self.without.contains(&shortcut)
    }

    /// By link, the highest rate of a channel that it has in the run.
    pub fn highest_rates(&self) -> Vec<Rate> {
        let mut rates: Vec<Rate> = self.graph.links.iter().map(|link| link.rate).collect();
        for &(_, link, change) in &self.changes {
            if let Change::Rate { rate } = change {
                rates[link.index()] = rate.max(rates[link.index()]);
            }
        }
        rates
    }

    /// The measured period.
    pub fn period(&self) -> Period {
        let half = Span(self.duration.saturating_sub(self.warmup).0 / 2);
        let (begin, end) = (Time::ZERO + self.warmup, Time::ZERO + self.duration);
        Period { begin, middle: begin + half, end }
    }

    /// Whether no packet ever waits for a link, since any number is on it at once.
    pub fn never_waits(&self, link: &OneWayLink) -> bool {
        self.graph.nodes[link.from.index()].kind == NodeKind::Core
            && self.facts().waiting == Waiting::Nowhere
    }

    /// The kind of its core nodes, if it has any.
    pub fn core(&self) -> Option<&CoreSpec> {
        self.optical.as_ref().map(|optical| &optical.core).or(self.core.as_ref())
    }

    /// What is known of that kind; without core nodes nothing special.
    pub fn facts(&self) -> CoreFacts<'_> {
        self.core().map_or(CoreFacts::PLAIN, CoreSpec::facts)
    }
}

/// One entry of the scenario's traffic.
#[derive(Debug, Clone)]
pub struct TrafficPlan {
    /// Who sends to whom.
    pub between: Between,
    /// How much each of the fixed pairs offers, as a multiple of what the source says; empty if all offer
    /// just that. Of a list of flows, the bytes of each that can start within the run, 0 for the others; of a graph,
    /// the bytes of each pair.
    pub weights: Vec<f64>,
    /// Flows per pair.
    pub count: u32,
    /// Their start times.
    pub start: Start,
    /// The time at which all stop, if any.
    pub stop: Option<Span>,
    /// How data is carried.
    pub transport: TransportPlan,
    /// When data is offered, and how much.
    pub source: Source,
    /// The operations of a source that is a graph of them.
    pub graph: Option<Arc<GraphPlan>>,
    /// Whether the reordering of its packets is measured.
    pub reordering: bool,
}

impl TrafficPlan {
    /// How much the pair with this number offers, as a multiple of what the source says.
    pub fn weight(&self, pair: usize) -> f64 {
        self.weights.get(pair).copied().unwrap_or(1.0)
    }

    /// The source of the pair with this number.
    pub fn source_of(&self, pair: usize) -> Cow<'_, Source> {
        match self.weights.get(pair) {
            Some(&weight) => Cow::Owned(self.source.scaled(weight)),
            None => Cow::Borrowed(&self.source),
        }
    }

    /// Files of flows that exist from the start, or are listed, and operations of a graph.
    pub fn files(&self) -> u64 {
        match (self.source.form(), &self.between) {
            (Form::List(flows), _) => flows.len() as u64,
            (Form::Graph(_), _) => self.graph.as_ref().map_or(0, |graph| graph.operations()),
            (Form::File(Some(_)), Between::Pairs(pairs)) => {
                pairs.len() as u64 * u64::from(self.count)
            }
            (Form::File(_) | Form::Stream | Form::Transfers(_) | Form::ClosedLoop(_), _) => 0,
        }
    }
}

/// Operations that wait for each other, done by one or more groups of hosts.
#[derive(Debug)]
pub struct GraphPlan {
    /// The operations of a group.
    pub graph: OperationGraph,
    /// The hosts of all groups, one group behind the other.
    pub hosts: Vec<NodeId>,
    /// The hosts of a group.
    pub group: usize,
    /// How often each group does all operations.
    pub repeat: u32,
    /// The time between one repetition and the next.
    pub pause: Span,
}

impl GraphPlan {
    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.hosts.len() / self.group
    }

    /// The operations of all groups and repetitions.
    pub fn operations(&self) -> u64 {
        (self.graph.operations().len() * self.groups()) as u64 * u64::from(self.repeat)
    }

    /// A host of a group.
    pub fn host(&self, group: usize, host: u32) -> NodeId {
        self.hosts[group * self.group + host as usize]
    }
}

/// Who sends to whom.
#[derive(Debug, Clone)]
pub enum Between {
    /// Fixed pairs: source and sink host of each. With a list of flows, the pair of each flow; with a graph, each pair that
    /// has a send.
    Pairs(Vec<(NodeId, NodeId)>),
    /// Each transfer from a random host to a random one behind another router; there is one
    /// process for all.
    Random {
        /// The hosts that send.
        from: Vec<Member>,
        /// The hosts that receive.
        to: Vec<Member>,
    },
    /// From any host to any other: transfers each go from a random host to a random one, regardless
    /// of their other transfers, with one process for all; a closed loop goes through them in its
    /// own order. Each host occurs once in a list; each sender of transfers has a receiver other
    /// than itself, each receiver of an incast none or at least as many others as a round has
    /// senders.
    Any {
        /// The hosts that send.
        from: Vec<NodeId>,
        /// The hosts that receive.
        to: Vec<NodeId>,
    },
}

/// A host and the router that it is attached to (itself, if it is a router).
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
    /// A message transport.
    Message(Arc<transport::MessageOptions>),
    /// UDP with this number of header bytes per datagram.
    Udp {
        /// Bytes of headers on the wire.
        header: u32,
    },
}
