//! The optical part of a world: links of many channels, forwarding equivalence classes, bursts.
//!
//! A burst travels twice: its header (BHP) as events from node to node, its data as instants that
//! the reservations fix. What is between is fibre, where nothing happens.
//!
//! Instants are those of the **first** bit of a burst, unless said otherwise: its data pass a core
//! router without a stop (cut-through). A header is electronic and counts when its **last** bit is
//! in and the processing is over. All optical links have one rate a data channel, so a burst is of
//! the same length everywhere.

mod burst;
mod counters;
mod fec;
mod fibre;
mod log;
mod ports;
mod switching;
mod trails;

pub use burst::{Burst, BurstId, Lost};
pub use counters::{ChannelCounters, FecCounters, SwitchedCounters};
pub use fec::{Fec, Opened, Queue};
pub use fibre::Fibre;
use kernel::Arena;
pub use log::{BurstLog, BurstRow, ReservationRow};
use optics::{AssemblySpec, BurstCoreSpec, ControlSpec, CoreSpec, PacketCoreSpec, Switch};
use random::Seed;
pub use switching::{PacketNode, Switching};
use units::{LinkId, NodeId, Span, Time};

use crate::plan::Plan;
use crate::spec::{Change, NodeKind};
use crate::topology::Graph;

/// No run comes so far: a burst that would have to wait until then is lost.
pub const FAR: Time = Time(1 << 62);

/// None.
pub const NONE: u32 = u32::MAX;

/// An edge router: which class a packet belongs to.
#[derive(Debug)]
pub struct Edge {
    /// Where it stands.
    pub node: NodeId,
    /// Its name.
    pub name: String,
    /// For each router as a destination's home: the class, [`LOCAL`] or [`UNKNOWN`].
    pub fec_of: Vec<u32>,
    /// For each edge as an egress: the class, or [`UNKNOWN`].
    pub fec_to: Vec<u32>,
}

/// The way to this destination is electronic from here on.
pub const LOCAL: u32 = NONE;
/// No packet went there yet.
pub const UNKNOWN: u32 = NONE - 1;

/// How an optical network works, the same at all of its nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Edge routers.
    pub assembly: AssemblySpec,
    /// Core routers.
    pub core: CoreSpec,
    /// Headers of a burst-switched network.
    pub control: ControlSpec,
}

impl Rules {
    /// The core of a burst-switched network. Only what reads headers asks.
    pub fn burst_core(&self) -> &BurstCoreSpec {
        match &self.core {
            CoreSpec::Burst(core) => core,
            _ => unreachable!("a network without headers"),
        }
    }

    /// The core of a packet-switched network. Only what switches optical packets asks.
    pub fn packet_core(&self) -> &PacketCoreSpec {
        match &self.core {
            CoreSpec::Packet(core) => core,
            _ => unreachable!("a network of other switches"),
        }
    }
}

/// The optical part of a world.
#[derive(Debug)]
pub struct Optical {
    /// The links, by their number here.
    pub fibres: Vec<Fibre>,
    /// For each link of the graph: its number in `fibres`, or [`NONE`].
    fibre_of: Vec<u32>,
    /// The edge routers.
    pub edges: Vec<Edge>,
    /// The core routers of a burst-switched network.
    pub cores: Vec<Switch>,
    /// The nodes of a packet-switched network, where it is one.
    pub switching: Switching,
    /// Optical packets on abstract deflection paths.
    pub beside: Beside,
    /// For each node of the graph: its number among the edges, or [`NONE`].
    edge_of: Vec<u32>,
    /// For each node of the graph: its number among the cores, or [`NONE`].
    core_of: Vec<u32>,
    /// The forwarding equivalence classes, in the order in which packets first asked for them.
    pub fecs: Vec<Fec>,
    /// All bursts on their way.
    pub bursts: Arena<Burst>,
    /// How the network works.
    pub rules: Option<Rules>,
    /// Bursts released so far.
    pub released: u64,
    /// Bursts recorded one by one.
    pub log: BurstLog,
    /// The spans in which the bytes of each class are counted, if they are.
    pub span: Option<Span>,
    /// The counters when measuring began.
    baseline: Option<Box<Baseline>>,
    /// Names the random streams of the classes.
    pub seed: Seed,
}

/// Bursts that are on no fibre.
#[derive(Debug, Default)]
pub struct Beside {
    bursts: u64,
    packets: u64,
}

impl Beside {
    /// A burst leaves the network.
    pub fn enter(&mut self, burst: &Burst) {
        self.bursts += 1;
        self.packets += u64::from(burst.packets);
    }

    /// It is back, or lost.
    pub fn leave(&mut self, burst: &Burst) {
        self.bursts -= 1;
        self.packets -= u64::from(burst.packets);
    }
}

/// What had happened when measuring began.
#[derive(Debug)]
struct Baseline {
    channels: Vec<Vec<ChannelCounters>>,
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than there are links or nodes")
}

impl Optical {
    /// No optical part.
    pub fn none(graph: &Graph, seed: Seed) -> Self {
        Self {
            fibres: Vec::new(),
            fibre_of: vec![NONE; graph.links.len()],
            edges: Vec::new(),
            cores: Vec::new(),
            switching: Switching::default(),
            beside: Beside::default(),
            edge_of: vec![NONE; graph.nodes.len()],
            core_of: vec![NONE; graph.nodes.len()],
            fecs: Vec::new(),
            bursts: Arena::default(),
            rules: None,
            released: 0,
            log: BurstLog::default(),
            span: None,
            baseline: None,
            seed,
        }
    }

    /// The optical part of a plan, empty where there is none.
    pub fn new(plan: &Plan, seed: Seed) -> Self {
        let graph = &plan.graph;
        let rules = plan.optical.clone();
        let log = BurstLog::new(plan.bursts_recorded);
        let span = plan.throughput_span;
        let mut optical = Self { rules, log, span, ..Self::none(graph, seed) };
        let Some(rules) = &plan.optical else { return optical };
        let routers = graph.nodes.iter().filter(|node| node.kind.forwards()).count();
        for (at, node) in graph.nodes.iter().enumerate() {
            match node.kind {
                NodeKind::Edge => {
                    optical.edge_of[at] = number(optical.edges.len());
                    let (node, name) = (NodeId::at(at), node.name.clone());
                    let fec_of = vec![UNKNOWN; routers];
                    optical.edges.push(Edge { node, name, fec_of, fec_to: Vec::new() });
                }
                NodeKind::Core => {
                    if let CoreSpec::Burst(core) = &rules.core {
                        optical.core_of[at] = number(optical.cores.len());
                        optical.cores.push(Switch::new(core));
                    }
                }
                NodeKind::Host | NodeKind::Router => {}
            }
        }
        if let CoreSpec::Packet(core) = &rules.core {
            optical.switching = Switching::new(core, plan, optical.edges.len(), seed);
        }
        let edges = optical.edges.len();
        optical.edges.iter_mut().for_each(|edge| edge.fec_to = vec![UNKNOWN; edges]);
        for (at, link) in graph.links.iter().enumerate() {
            if let Some(channels) = link.channels {
                optical.fibre_of[at] = number(optical.fibres.len());
                // An edge sends the headers of its own bursts, a core those of others.
                let when_busy = match graph.nodes[link.from.index()].kind {
                    NodeKind::Edge => rules.assembly.when_busy,
                    _ => rules.control.when_busy,
                };
                optical.fibres.push(Fibre::new(LinkId::at(at), link, channels, rules, when_busy));
            }
        }
        optical
    }

    /// The number of a link among the fibres, if it is one.
    pub fn fibre_of(&self, link: LinkId) -> Option<u32> {
        Some(self.fibre_of[link.index()]).filter(|&number| number != NONE)
    }

    /// The number of a node among the edges, if it is one.
    pub fn edge_of(&self, node: NodeId) -> Option<u32> {
        Some(self.edge_of[node.index()]).filter(|&number| number != NONE)
    }

    /// The number of a node among the cores, if it is one.
    pub fn core_of(&self, node: NodeId) -> Option<u32> {
        Some(self.core_of[node.index()]).filter(|&number| number != NONE)
    }

    /// How the network works. Only what there is an edge router for asks.
    pub fn rules(&self) -> &Rules {
        self.rules.as_ref().expect("a network with optical nodes has rules")
    }

    /// Applies a change to a fibre. Bursts that are on it, or hold a reservation of it that has not
    /// passed, are lost when it goes down; their next event finds that out.
    pub fn change(&mut self, number: u32, now: Time, change: Change) {
        let fibre = &mut self.fibres[number as usize];
        match change {
            Change::Up => fibre.up = true,
            Change::Down => {
                fibre.up = false;
                for (id, burst) in fibre.bursts_on(now) {
                    // A burst that is over may have left its place to another.
                    let there = self.bursts.get_mut(id.0);
                    there.doomed |= there.number == burst;
                }
            }
            // Refused by the check: a burst is of one length everywhere.
            Change::Rate { .. } => {}
        }
    }

    /// Counters count from here on.
    pub fn begin_measuring(&mut self, now: Time) {
        self.baseline = Some(Box::new(Baseline {
            channels: self.fibres.iter().map(|fibre| fibre.channels(now)).collect(),
        }));
        for fec in &mut self.fecs {
            fec.begin_measuring(self.released);
        }
        self.log.begin();
    }

    /// What happened to the bursts of each class that were released since measuring began.
    pub fn fec_counters(&self) -> Vec<FecCounters> {
        self.fecs.iter().map(|fec| fec.counters).collect()
    }

    /// What was counted of each channel of a fibre since measuring began, data channels first.
    pub fn channel_counters(&self, fibre: usize, now: Time) -> Vec<ChannelCounters> {
        let mut counters = self.fibres[fibre].channels(now);
        if let Some(baseline) = &self.baseline {
            for (counters, earlier) in counters.iter_mut().zip(&baseline.channels[fibre]) {
                *counters = counters.since(earlier);
            }
        }
        counters
    }

    /// Packets that wait in assembly queues or travel in bursts, with their bytes.
    pub fn inside(&self) -> u64 {
        let waiting: u64 = self.fecs.iter().map(Fec::waiting).sum();
        let in_bursts = self.fecs.iter().map(|fec| fec.counters_of_all().packets_inside());
        waiting + in_bursts.sum::<u64>()
    }

    /// Checks conservation: bursts in = out + lost + inside, for every fibre and class.
    pub fn check_conservation(&self) -> Result<(), String> {
        let (mut on_fibres, mut packets_on_fibres) = (self.beside.bursts, self.beside.packets);
        for fibre in &self.fibres {
            let inside = fibre.bursts_in.checked_sub(fibre.bursts_out + fibre.bursts_lost);
            let packets = fibre.packets_in.checked_sub(fibre.packets_out + fibre.packets_lost);
            let bytes = fibre.bytes_in.checked_sub(fibre.bytes_out + fibre.bytes_lost);
            let (Some(inside), Some(packets), Some(_)) = (inside, packets, bytes) else {
                return Err(format!("fibre of link {:?}: more went out than in", fibre.link));
            };
            on_fibres += inside;
            packets_on_fibres += packets;
        }
        let all: Vec<FecCounters> = self.fecs.iter().map(Fec::counters_of_all).collect();
        let packets: u64 = all.iter().map(FecCounters::packets_inside).sum();
        if packets != packets_on_fibres {
            return Err(format!("{packets} packets in bursts, {packets_on_fibres} on fibres"));
        }
        let of_fecs: u64 = all.iter().map(FecCounters::bursts_inside).sum();
        let inside = self.bursts.len() as u64;
        if inside != on_fibres || inside != of_fecs {
            return Err(format!("{inside} bursts, {on_fibres} on fibres, {of_fecs} of classes"));
        }
        Ok(())
    }
}
