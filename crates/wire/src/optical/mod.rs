//! What edges and cores of an optical network share: fibres of many channels, bursts in flight, and
//! the forwarding equivalence classes that these belong to.
//!
//! A burst is modelled twice: its header (BHP) as events from node to node, its data as instants
//! that the reservations determine. On the fibre between nodes nothing happens.
//!
//! Instants are those of the **first** bit of a burst, unless said otherwise: its data pass a core
//! router without being stored (cut-through). A header is electronic and takes effect when its
//! **last** bit has arrived and it has been processed. All data channels have the same rate, so a
//! burst has the same duration everywhere.

mod burst;
pub mod check;
mod counters;
mod fec;
mod fibre;
mod log;

pub use burst::{Burst, BurstId, Lost};
pub use counters::{ChannelCounters, FecCounters, SwitchedCounters};
pub use fec::{Classes, Fec};
pub use fibre::Fibre;
use kernel::Arena;
use kinds::Counters;
pub use log::{BurstLog, BurstRow, ReservationRow};
use plan::Plan;
use plan::spec::{Change, NodeKind};
use plan::topology::Graph;
use units::{FlowId, LinkId, NodeId, Span, Time};

/// No run lasts that long: a burst that would have to wait until then is lost.
pub const FAR: Time = Time(1 << 62);

/// None.
pub const NONE: u32 = u32::MAX;

/// What edges and cores of an optical network share; empty where there are none.
#[derive(Debug, Clone)]
pub struct Optical {
    /// The links, by their number here.
    pub fibres: Vec<Fibre>,
    /// For each link of the graph: its number in `fibres`, or [`NONE`].
    fibre_of: Vec<u32>,
    /// Optical packets that have left the network for an abstract deflection path.
    pub beside: Beside,
    /// For each node of the graph: its number among the edge routers, or [`NONE`].
    edge_of: Vec<u32>,
    /// The forwarding equivalence classes, in the order of their first packets.
    pub fecs: Classes,
    /// All bursts in flight.
    pub bursts: Arena<Burst>,
    /// Bursts in flight in other parts of the network, once this one answers for all.
    elsewhere: u64,
    /// Bursts released so far.
    pub released: u64,
    /// Bursts recorded one by one.
    pub log: BurstLog,
    /// Whether losses are reported to an assembly policy (an oracle).
    pub tells_losses: bool,
    /// The losses to be reported: classes and the flows that lost a data packet, in the order of
    /// losses.
    pub losses: Vec<(u32, FlowId)>,
    /// The counters when measuring began.
    baseline: Option<Box<Baseline>>,
}

/// Bursts that are on no fibre.
#[derive(Debug, Clone, Default)]
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

/// The counters when measuring began.
#[derive(Debug, Clone)]
struct Baseline {
    channels: Vec<Vec<ChannelCounters>>,
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than there are links or nodes")
}

impl Optical {
    /// No optical part.
    pub fn none(graph: &Graph) -> Self {
        Self {
            fibres: Vec::new(),
            fibre_of: vec![NONE; graph.links.len()],
            beside: Beside::default(),
            edge_of: vec![NONE; graph.nodes.len()],
            fecs: Classes::default(),
            bursts: Arena::default(),
            elsewhere: 0,
            released: 0,
            log: BurstLog::default(),
            tells_losses: false,
            losses: Vec::new(),
            baseline: None,
        }
    }

    /// The optical part of a plan, empty if there is none.
    pub fn new(plan: &Plan) -> Self {
        let graph = &plan.graph;
        let log = BurstLog::new(plan.bursts_recorded);
        let mut optical = Self { log, ..Self::none(graph) };
        let Some(rules) = &plan.optical else { return optical };
        for (number, edge) in (0..).zip(graph.edges()) {
            optical.edge_of[edge.index()] = number;
        }
        for (at, link) in graph.links.iter().enumerate() {
            if let Some(channels) = link.channels {
                optical.fibre_of[at] = number(optical.fibres.len());
                // An edge sends the headers of its own bursts, a core those of others.
                let when_busy = match graph.nodes[link.from.index()].kind {
                    NodeKind::Edge => rules.assembly.when_busy,
                    NodeKind::Core | NodeKind::Router | NodeKind::Rack | NodeKind::Host => {
                        rules.control.when_busy
                    }
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

    /// The egress edge of a burst: its number and its node.
    pub fn egress_of(&self, id: BurstId) -> (u32, NodeId) {
        let egress = self.fecs[self.bursts.get(id.0).fec].egress;
        (self.edge_of[egress.index()], egress)
    }

    /// Marks the fibres whose links are marked.
    #[must_use]
    pub fn with_distances(mut self, far: &[bool]) -> Self {
        for fibre in &mut self.fibres {
            fibre.far = far[fibre.link.index()];
        }
        self
    }

    /// Takes what another part of the network has counted on its fibres, those from nodes that `is_there` knows.
    pub fn absorb(&mut self, other: &mut Self, is_there: impl Fn(NodeId) -> bool) {
        for at in 0..self.fibres.len() {
            if is_there(self.fibres[at].from) {
                std::mem::swap(&mut self.fibres[at], &mut other.fibres[at]);
                if let (Some(baseline), Some(there)) = (&mut self.baseline, &mut other.baseline) {
                    std::mem::swap(&mut baseline.channels[at], &mut there.channels[at]);
                }
            }
        }
        self.released += other.released;
        self.elsewhere += other.bursts.len() as u64;
        self.fecs.append(&mut other.fecs);
    }

    /// All parts of the network have been taken: classes have what all have counted of them, and so many bursts are
    /// there twice.
    pub fn settle(&mut self, twice: u64) {
        self.fecs.settle();
        self.elsewhere -= twice;
    }

    /// The delay of some fibres that follow each other, with the input delays of the nodes between them.
    pub fn delay(&self, path: &[u32], input_delay: Span) -> Span {
        let between = path.len().saturating_sub(1) as u64;
        let fibres = path.iter().map(|&fibre| self.fibres[fibre as usize].delay.0);
        Span(input_delay.0 * between + fibres.sum::<u64>())
    }

    /// The most data channels of a fibre that are in use at once from `now` on, as far as it is known: by what is
    /// reserved, and by bursts on their way there as if each got a channel when it comes.
    pub fn most_in_use(&self, number: u32, now: Time, input_delay: Span) -> u64 {
        let on_their_way = self.bursts.iter().filter_map(|burst| {
            let path = self.fecs[burst.fec].path.get(usize::from(burst.hop)..)?;
            let hops = path.iter().skip(1).position(|&fibre| fibre == number)? + 1;
            let start = burst.start + self.delay(&path[..hops], input_delay) + input_delay;
            Some((start, start + burst.length))
        });
        let reserved = self.fibres[number as usize].reserved_after(now);
        let mut instants = Vec::new();
        for (start, end) in reserved.chain(on_their_way) {
            // At one instant, ends come first.
            instants.extend([(start, 1), (end, -1)]);
        }
        instants.sort_unstable();
        let mut in_use = 0_i64;
        let counts = instants.iter().map(|&(_, change)| {
            in_use += change;
            in_use
        });
        u64::try_from(counts.max().unwrap_or(0)).unwrap_or(0)
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
                    // The place of a burst that has ended may have been reused.
                    let there = self.bursts.get_mut(id.0);
                    there.doomed |= there.number == burst;
                }
            }
            // Refused by the check: a burst has the same duration everywhere.
            Change::Rate { .. } => {}
        }
    }

    /// The measured counters start here.
    pub fn begin_measuring(&mut self, now: Time) {
        self.baseline = Some(Box::new(Baseline {
            channels: self.fibres.iter().map(|fibre| fibre.channels(now)).collect(),
        }));
        self.fecs.all_mut().for_each(Fec::begin_measuring);
        self.bursts.iter_mut().for_each(|burst| burst.early = true);
        self.log.begin();
    }

    /// The counters of the bursts of each class that were released since measuring began.
    pub fn fec_counters(&self) -> Vec<FecCounters> {
        self.fecs.iter().map(|fec| fec.counters).collect()
    }

    /// The counters of each channel of a fibre since measuring began, data channels first.
    pub fn channel_counters(&self, fibre: usize, now: Time) -> Vec<ChannelCounters> {
        let mut counters = self.fibres[fibre].channels(now);
        if let Some(baseline) = &self.baseline {
            for (counters, earlier) in counters.iter_mut().zip(&baseline.channels[fibre]) {
                *counters = counters.since(earlier);
            }
        }
        counters
    }

    /// Packets that travel in bursts.
    pub fn inside(&self) -> u64 {
        self.fecs.iter().map(|fec| fec.counters_of_all().packets_inside()).sum()
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
        let inside = self.bursts.len() as u64 + self.elsewhere;
        if inside != on_fibres || inside != of_fecs {
            return Err(format!("{inside} bursts, {on_fibres} on fibres, {of_fecs} of classes"));
        }
        Ok(())
    }
}
