//! The racks of a world, the fibres between them, and their lightpaths.

use optics::LightpathCoreSpec;
use optics::rwa::{Fibre as Way, Grid, Mesh};
use plan::spec::{Metric, NodeKind};
use plan::topology::Graph;
use random::Seed;
use units::{LinkId, NodeId, Span, Time};
use wire::chain::Chain;
use wire::optical::NONE;

use super::counters::{FibreCounters, PairCounters, RackCounters};
use crate::racks::QueueLimits;

/// What all racks know.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    /// How many routes between two racks are tried.
    pub routes: usize,
    /// How long a node processes a request.
    signalling: Span,
    /// How long it takes to set a cross-connect.
    reconfiguration: Span,
    /// How long a lightpath stays without packets.
    pub hold: Span,
    /// The most lightpaths on which a rack sends, and on which it receives.
    pub transceivers: u32,
    /// When a request that was blocked is repeated, if it is.
    pub retry: Option<Span>,
    /// What has room in a queue.
    pub limits: QueueLimits,
}

impl Rules {
    /// How long all nodes of a route process a request.
    pub(super) fn processing(&self, route: &Route) -> Span {
        Span(self.signalling.0 * (route.fibres.len() as u64 + 1))
    }

    /// How long it takes until a request is answered.
    pub(super) fn set_up(&self, route: &Route) -> Span {
        Span(2 * route.delay.0) + self.processing(route) + self.reconfiguration
    }
}

/// What a pair of racks is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing waits.
    Idle,
    /// A lightpath is being set up.
    Asking(u32),
    /// There is a lightpath.
    Open(u32),
    /// A request was blocked, and will be repeated.
    Blocked,
}

/// A rack, and another one for which it has a queue.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    /// What waits.
    pub queue: Chain,
    /// When the agenda wakes it.
    pub due: Time,
    pub stage: Stage,
    /// Its place among those that have asked for a lightpath.
    pub known: u32,
}

/// The memory of a pair in bytes.
const _: () = assert!(size_of::<Pair>() <= 48);

/// A pair that has asked for a lightpath.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// Its number.
    pub pair: u32,
    /// Its routes, in the order in which they are tried.
    pub routes: Box<[Route]>,
    pub counters: PairCounters,
    /// The counters when measuring began.
    pub before: PairCounters,
}

impl Known {
    pub(super) fn new(pair: u32, routes: Box<[Route]>) -> Self {
        let (counters, before) = Default::default();
        Self { pair, routes, counters, before }
    }
}

/// A route between two racks.
#[derive(Debug, Clone)]
pub(super) struct Route {
    /// Its fibres, by their number.
    pub fibres: Box<[u32]>,
    /// The same as links.
    pub links: Box<[LinkId]>,
    /// How long light takes from end to end.
    pub delay: Span,
}

/// A route, as an overview has it.
#[derive(Debug, Clone)]
pub struct RouteRow {
    /// Its links.
    pub links: Box<[LinkId]>,
    /// How long light takes from end to end.
    pub delay: Span,
    /// How long it takes until a request is answered.
    pub set_up: Span,
}

/// One direction of a fibre.
#[derive(Debug, Clone)]
pub(super) struct Fibre {
    pub link: LinkId,
    pub delay: Span,
    pub channels: u32,
    pub counters: FibreCounters,
    /// The counters when measuring began.
    pub before: FibreCounters,
}

/// A lightpath; what was one, until its place is used again.
#[derive(Debug, Clone)]
pub(super) struct Lightpath {
    /// Whether it holds channels.
    pub is_held: bool,
    /// The pair of racks.
    pub pair: u32,
    /// The pair's place among those that have asked, and which of its routes it takes.
    pub route: (u32, u32),
    /// The channel of each fibre.
    pub channels: Vec<u16>,
    /// When the rack has sent its last packet.
    pub free_at: Time,
    /// From when on it is not counted for how long the channels were busy.
    pub busy_from: Time,
    /// From when on it is not counted for how long it was held.
    pub counted: Time,
    /// What is on its way, each packet with the instant of its arrival.
    pub on_way: Chain,
    /// When its channels are free again, once it is closed.
    pub ends: Time,
}

impl Lightpath {
    /// None yet.
    pub(super) const NONE: Self = Self {
        is_held: false,
        pair: NONE,
        route: (NONE, NONE),
        channels: Vec::new(),
        free_at: Time::ZERO,
        busy_from: Time::ZERO,
        counted: Time::ZERO,
        on_way: Chain::EMPTY,
        ends: Time::NEVER,
    };

    /// It may be used from now on.
    pub(super) fn begin(&mut self, now: Time) {
        (self.free_at, self.busy_from) = (now, now);
    }
}

/// A rack.
#[derive(Debug, Clone)]
pub(super) struct Rack {
    /// Its node.
    pub node: NodeId,
    /// A fibre that begins here, by which the loss of packets that have no other is known.
    pub fibre: LinkId,
    /// Bytes in all queues.
    pub bytes: u64,
    /// Lightpaths on which it sends.
    pub sends: u32,
    /// Lightpaths on which it receives.
    pub receives: u32,
    pub counters: RackCounters,
    /// The counters when measuring began.
    pub before: RackCounters,
}

/// Racks and the mesh of fibres between them.
#[derive(Debug, Clone)]
pub struct LightpathNodes {
    pub(super) rules: Rules,
    /// The number of racks.
    pub(super) count: u32,
    /// For each core, by its number, the number of the rack that it is, or [`NONE`].
    pub(super) rack_of: Box<[u32]>,
    /// For each node the rack to which it is attached, or [`NONE`].
    pub(super) home: Box<[u32]>,
    pub(super) racks: Box<[Rack]>,
    /// Pairs of racks, by source and destination.
    pub(super) pairs: Box<[Pair]>,
    /// Pairs that have asked for a lightpath, in the order of their first request.
    pub(super) known: Vec<Known>,
    pub(super) mesh: Mesh,
    pub(super) fibres: Box<[Fibre]>,
    pub(super) grid: Grid,
    /// Lightpaths, and places for others.
    pub(super) lightpaths: Vec<Lightpath>,
    /// The places in which no lightpath is.
    pub(super) unused: Vec<u32>,
    /// When measuring began.
    pub(super) from: Time,
    /// When times were counted last for all lightpaths.
    pub(super) seen: Time,
}

impl LightpathNodes {
    /// The racks and fibres of a graph, whose links between switches have channels.
    pub fn new(core: &LightpathCoreSpec, (graph, metric): (&Graph, Metric), seed: Seed) -> Self {
        let is_core = |kind: NodeKind| kind == NodeKind::Rack || kind == NodeKind::Core;
        let (mut racks, mut rack_of, mut number_of) = (Vec::new(), Vec::new(), Vec::new());
        for (node, kind) in (0..graph.nodes.len()).map(NodeId::at).zip(kinds(graph)) {
            let number = if kind == NodeKind::Rack { count(racks.len()) } else { NONE };
            number_of.push(number);
            if is_core(kind) {
                rack_of.push(number);
            }
            if kind == NodeKind::Rack {
                racks.push(node);
            }
        }
        let (fibres, ways) = fibres(graph, metric);
        let rack = |&node: &NodeId| {
            let mut of_rack = fibres
                .iter()
                .map(|fibre| fibre.link)
                .filter(|link| graph.links[link.index()].from == node);
            Rack {
                node,
                fibre: of_rack.next().unwrap_or(LinkId(0)),
                bytes: 0,
                sends: 0,
                receives: 0,
                counters: RackCounters::default(),
                before: RackCounters::default(),
            }
        };
        let pair = Pair { queue: Chain::EMPTY, due: Time::NEVER, stage: Stage::Idle, known: NONE };
        let channels: Vec<u32> = fibres.iter().map(|fibre| fibre.channels).collect();
        let drawn = seed.stream("core/channels");
        let mark_above = core.mark_above.map_or(u64::MAX, |bytes| bytes.0);
        Self {
            rules: Rules {
                routes: core.routes as usize,
                signalling: core.signalling,
                reconfiguration: core.reconfiguration,
                hold: core.hold,
                transceivers: core.transceivers.unwrap_or(u32::MAX),
                retry: core.retry,
                limits: QueueLimits { capacity: core.rack_queue.0, mark_above },
            },
            count: count(racks.len()),
            rack_of: rack_of.into(),
            home: graph.homes().into_iter().map(|home| number_of[home.index()]).collect(),
            racks: racks.iter().map(rack).collect(),
            pairs: vec![pair; racks.len() * racks.len()].into(),
            known: Vec::new(),
            mesh: Mesh::new(graph.nodes.len(), ways),
            grid: Grid::new(&channels, (core.assignment, core.conversion), drawn),
            fibres: fibres.into(),
            lightpaths: Vec::new(),
            unused: Vec::new(),
            from: Time::ZERO,
            seen: Time::ZERO,
        }
    }

    /// Packets on lightpaths.
    pub(super) fn on_the_way(&self) -> u64 {
        self.lightpaths.iter().map(|lightpath| u64::from(lightpath.on_way.len())).sum()
    }

    /// How many lightpaths hold a channel of a fibre.
    pub(super) fn held_on(&self, fibre: u32) -> u32 {
        let held = self.lightpaths.iter().filter(|lightpath| lightpath.is_held);
        let on = held.filter(|lightpath| {
            let (known, route) = lightpath.route;
            self.known[known as usize].routes[route as usize].fibres.contains(&fibre)
        });
        count(on.count())
    }

    /// The routes that are tried from a rack to another one, both by their number.
    pub fn routes(&mut self, from: u32, to: u32) -> Vec<RouteRow> {
        let known = self.learn(from * self.count + to) as usize;
        let row = |route: &Route| RouteRow {
            links: route.links.clone(),
            delay: route.delay,
            set_up: self.rules.set_up(route),
        };
        self.known[known].routes.iter().map(row).collect()
    }

    /// The racks, in the order of their numbers.
    pub fn racks(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.racks.iter().map(|rack| rack.node)
    }

    /// Whether a core, by its number, is a rack, which stores what it forwards.
    pub fn is_rack(&self, number: u32) -> bool {
        self.rack_of[number as usize] != NONE
    }
}

fn kinds(graph: &Graph) -> impl Iterator<Item = NodeKind> {
    graph.nodes.iter().map(|node| node.kind)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).expect("fewer than there are nodes or packets")
}

/// The fibres of a graph, and what they are to routes.
fn fibres(graph: &Graph, metric: Metric) -> (Vec<Fibre>, Vec<Way>) {
    let mut found = (Vec::new(), Vec::new());
    for (at, link) in graph.links.iter().enumerate() {
        let Some(channels) = link.channels else { continue };
        found.0.push(Fibre {
            link: LinkId::at(at),
            delay: link.delay,
            channels: channels.data,
            counters: FibreCounters::default(),
            before: FibreCounters::default(),
        });
        let cost = match metric {
            Metric::Hops => 1,
            Metric::Delay => link.delay.0,
        };
        found.1.push(Way { from: link.from.0, to: link.to.0, cost });
    }
    found
}
