//! Creates the flows of a plan: those that exist from the start, and transfers, which start and end
//! during the run.

mod graph;
mod incast;
mod poisson;
mod shuffle;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use plan::partners::{IdleFirst, Others, Partners};
use plan::spec::Until;
use plan::{Between, Plan, TrafficPlan, TransportPlan};
use random::mix;
use random::{Seed, Stream};
use traffic::ClosedLoop;
use transport::tcp::{Receiver, Sender};
use transport::{MessageOptions, message, stop_and_wait};
use units::{Bytes, FlowId, NodeId, Rate, Span, Time};
use wire::context::NewFlow;
use wire::event::{Event, Life};
use wire::packet::Marks;
use wire::record::{Delays, FirstSent, Observed, Study};

use crate::host::{Awaited, Ends, Flow, Message, Route, Stage, StopAndWait, Tcp};
use crate::network::Network;
use crate::workload::graph::Running;
use crate::workload::incast::Incast;
use crate::workload::poisson::{Poisson, Share};
use crate::workload::shuffle::Shuffle;

pub use crate::workload::graph::GraphRow;

/// All flows, and the processes that create new ones.
#[derive(Debug, Clone)]
pub struct Workload {
    /// The seed of the run.
    pub seed: Seed,
    /// The flows by id; an id is reused when its flow has ended.
    pub flows: Vec<Flow>,
    /// The ids of the flows with an end here, if there are other parts of the network.
    here: Option<Vec<FlowId>>,
    /// Free ids.
    empty: Vec<FlowId>,
    /// Flows that have ended but may still have packets in flight: when, their numbers, and their ids.
    lingering: VecDeque<(Time, u64, FlowId)>,
    processes: Vec<Process>,
    /// By flow id: who depends on the end of the flow.
    owners: Vec<Option<Owner>>,
    /// By entry of traffic: the hosts of a closed loop, first those that each have a process.
    loops: Vec<Option<Others>>,
    /// By entry of traffic: the ends of its transfers, if they are drawn for each.
    partners: Vec<Option<Partners>>,
    /// By entry of traffic: processes that will create more flows.
    open: Vec<u32>,
    /// The number of flows created so far.
    pub created: u64,
    /// Whether flows store the instants of first transmissions.
    first_transmission: bool,
    acknowledgments: bool,
}

/// Who depends on the end of a flow.
#[derive(Debug, Clone, Copy)]
struct Owner {
    process: u32,
    /// Of a graph: which of its operations the flow is, and whether its data are there.
    operation: u32,
    delivered: bool,
}

/// Creates one flow after the other.
#[derive(Debug, Clone)]
enum Process {
    /// At the instants of a Poisson process.
    Poisson(Poisson),
    /// The blocks of a sender of a shuffle.
    Shuffle(Shuffle),
    /// The rounds of a receiver of an incast.
    Incast(Incast),
    /// The operations of a group of hosts.
    Graph(Box<Running>),
}

impl Workload {
    /// The flows of a plan, their first offers entered in the agenda.
    pub fn new(plan: &Plan, network: &mut Network, seed: Seed) -> Self {
        let mut workload = Self {
            seed,
            flows: Vec::new(),
            here: network.part().map(|_| Vec::new()),
            empty: Vec::new(),
            lingering: VecDeque::new(),
            processes: Vec::new(),
            owners: Vec::new(),
            loops: Vec::new(),
            partners: Vec::new(),
            open: vec![0; plan.traffic.len()],
            created: 0,
            first_transmission: plan.first_transmission,
            acknowledgments: plan.acknowledgments,
        };
        for (entry, traffic) in (0u32..).zip(&plan.traffic) {
            workload.enter(network, traffic, entry);
        }
        network.await_files(match plan.until {
            Until::Duration => 0,
            Until::FirstFile => 1,
            Until::AllFiles => plan.traffic.iter().map(TrafficPlan::files).sum(),
        });
        workload
    }

    /// From now on other offers and transfers are drawn, those that are due next included unless their time depends on the
    /// past.
    pub fn branch(&mut self, network: &mut Network, key: u64) {
        let now = network.now();
        let at = |after: Option<Span>| after.map(|after| now.saturating_add(after));
        let flows = self.flows.iter_mut().zip(key..);
        let offers: Vec<_> = flows.map(|(flow, number)| at(flow.branch(number))).collect();
        let transfers: Vec<_> = self
            .processes
            .iter_mut()
            .zip(key..)
            .map(|(process, number)| match process {
                Process::Poisson(process) => at(process.branch(number)),
                Process::Incast(process) => {
                    process.branch(number);
                    None
                }
                // What a shuffle or a graph sends is fixed when it is set up.
                Process::Shuffle(_) | Process::Graph(_) => None,
            })
            .collect();
        network.reschedule(|event| {
            if let Event::Offer(id, life) = event {
                return offers[id.index()].filter(|_| self.flows[id.index()].life == life);
            }
            let Event::Transfer(process) = event else { return None };
            transfers[process as usize]
        });
        for (partners, number) in self.partners.iter_mut().zip(key..) {
            if let Some(partners) = partners {
                partners.branch(number);
            }
        }
    }

    /// The flows, or the processes, of an entry.
    fn enter(&mut self, network: &mut Network, traffic: &TrafficPlan, entry: u32) {
        self.partners.push(None);
        self.loops.push(None);
        if let Some(plan) = &traffic.graph {
            return self.enter_graph(network, traffic, plan, entry);
        }
        match &traffic.between {
            Between::Pairs(pairs) if traffic.source.list().is_some() => {
                self.partners[entry as usize] = Some(Partners::Listed(pairs.clone(), 0));
                self.begin(network, traffic, (None, None), (entry, 0));
            }
            Between::Pairs(pairs) => {
                let each = pairs.iter().flat_map(|&pair| (0..traffic.count).map(move |_| pair));
                let mut shares = Shares::new(traffic, pairs);
                for (index, pair) in (0u64..).zip(each) {
                    kernel::checkpoint();
                    let share = shares.next(pair.0);
                    self.begin(network, traffic, (Some(pair), share), (entry, index));
                }
            }
            Between::Random { from, to } => {
                let stream = self.seed.stream(&format!("traffic/{entry}/ends"));
                let partners = Partners::Idle(IdleFirst::new(from, to, stream));
                self.partners[entry as usize] = Some(partners);
                self.begin(network, traffic, (None, None), (entry, 0));
            }
            Between::Any { from, to } => match traffic.source.closed_loop() {
                Some(ClosedLoop::Shuffle(shuffle)) => {
                    let hosts = Others::new(from, to);
                    self.enter_shuffle(network, (traffic, shuffle), entry, hosts);
                }
                Some(ClosedLoop::Incast(incast)) => {
                    let hosts = Others::new(to, from);
                    self.enter_incast(network, (traffic, incast), entry, hosts);
                }
                None => {
                    let stream = self.seed.stream(&format!("traffic/{entry}/ends"));
                    let partners = Partners::Any(stream, Others::new(from, to));
                    self.partners[entry as usize] = Some(partners);
                    self.begin(network, traffic, (None, None), (entry, 0));
                }
            },
        }
    }

    /// Enters a process that starts at an instant.
    fn process(&mut self, network: &mut Network, at: Time, entry: u32, process: Process) {
        let id = u32::try_from(self.processes.len()).expect("limited by the schema");
        network.wake(at, Event::Transfer(id));
        self.open[entry as usize] += 1;
        self.processes.push(process);
    }

    /// A process creates its next flows.
    pub fn on_transfer(&mut self, plan: &Plan, network: &mut Network, process: u32) {
        match self.processes[process as usize] {
            Process::Poisson(_) => self.on_arrival(plan, network, process),
            Process::Shuffle(_) => self.on_blocks(plan, network, process),
            Process::Incast(_) => self.on_round(plan, network, process),
            Process::Graph(_) => self.on_ready(plan, network, process),
        }
    }

    /// How many ended flows are examined before a process creates its next ones: a few more than it
    /// creates.
    fn looks(&self, process: u32) -> usize {
        match &self.processes[process as usize] {
            Process::Poisson(_) => 4,
            Process::Shuffle(shuffle) => 4 + 2 * shuffle.due as usize,
            Process::Incast(incast) => 4 + 2 * incast.senders as usize,
            Process::Graph(graph) => 4 + 2 * graph.ready(),
        }
    }

    /// The flows with an end here.
    pub fn flows_here(&self) -> impl Iterator<Item = &Flow> {
        let (all, some) = match &self.here {
            None => (&self.flows[..], &[][..]),
            Some(here) => (&[][..], &here[..]),
        };
        all.iter().chain(some.iter().map(|id| &self.flows[id.index()]))
    }

    /// Whether an entry of traffic will have further flows.
    pub fn is_open(&self, entry: usize) -> bool {
        self.open[entry] > 0
    }

    /// The stream for one purpose of flow (or process) `index` of an entry.
    fn stream(&self, (entry, index): (u32, u64), what: &str) -> Stream {
        self.seed.stream(&format!("traffic/{entry}/flow/{index}/{what}"))
    }

    /// Creates a flow that is removed when it ends.
    fn transfer(
        &mut self,
        network: &mut Network,
        traffic: &TrafficPlan,
        entry: u32,
        pair: Option<(NodeId, NodeId)>,
    ) -> FlowId {
        let partners = &mut self.partners[entry as usize];
        let pair = pair.or_else(|| partners.as_mut().map(Partners::draw));
        let id = self.create(network, traffic, entry, pair.expect("a pair, or random partners"));
        let flow = &mut self.flows[id.index()];
        flow.passing = true;
        flow.awaited = match (traffic.source.list().is_some(), &traffic.graph) {
            (_, Some(_)) => Awaited::ByGraph,
            (true, None) => Awaited::ByRun,
            (false, None) => Awaited::No,
        };
        id
    }

    /// Creates a flow, in a free place if there is one.
    fn create(
        &mut self,
        network: &mut Network,
        traffic: &TrafficPlan,
        entry: u32,
        (from, to): (NodeId, NodeId),
    ) -> FlowId {
        let stream = || self.stream((entry, self.created), "transport");
        let way = Way { network, from, to };
        let ends = if network.is_here(from) || network.is_here(to) {
            ends(&traffic.transport, &way, stream)
        } else {
            Ends::ELSEWHERE
        };
        let (up, back) = (network.port(from), network.port(to));
        let route = Route { traffic: entry, from, to, up, back };
        let number = self.created;
        self.created += 1;
        #[expect(clippy::cast_possible_truncation, reason = "any 16 bits of a hash are a hash")]
        let hash = mix(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) as u16;
        let id = self.empty.pop().unwrap_or(FlowId::at(self.flows.len()));
        let before = self.flows.get(id.index());
        let life = before.map_or(Life::default(), |flow| Life(flow.life.0 + 1));
        network.begin_flow(id, NewFlow { number, life, traffic: entry, from, to, hash });
        let is_here = network.is_here(from) || network.is_here(to);
        if let Some(here) = self.here.as_mut().filter(|_| is_here) {
            here.push(id);
        }
        let flow = self.flow(traffic, number, life, (route, ends));
        match self.flows.get_mut(id.index()) {
            Some(place) => *place = flow,
            None => self.flows.push(flow),
        }
        id
    }

    fn flow(
        &self,
        traffic: &TrafficPlan,
        number: u64,
        life: Life,
        (route, ends): (Route, Ends),
    ) -> Flow {
        let mut flow = Flow::new(number, life, route, ends);
        if self.first_transmission || self.acknowledgments || traffic.reordering {
            flow.observed = Some(Box::new(Observed {
                first_sent: self.first_transmission.then(FirstSent::default),
                acknowledgments: self.acknowledgments.then(Delays::default),
                reordering: traffic.reordering.then(Study::default),
            }));
        }
        flow
    }

    /// Creates a flow of a closed loop that offers its block now and is removed when it ends.
    fn block(
        &mut self,
        network: &mut Network,
        traffic: &TrafficPlan,
        (entry, process): (u32, u32),
        pair: (NodeId, NodeId),
    ) {
        let block = traffic.source.closed_loop().expect("a closed loop has blocks").block();
        let id = self.transfer(network, traffic, entry, Some(pair));
        self.own(id, Owner { process, operation: 0, delivered: false });
        self.flows[id.index()].offer(network, id, block.0, true);
    }

    /// From now on a process depends on the end of a flow.
    fn own(&mut self, id: FlowId, owner: Owner) {
        if self.owners.len() < self.flows.len() {
            self.owners.resize(self.flows.len(), None);
        }
        self.owners[id.index()] = Some(owner);
    }

    /// Records that a temporary flow has ended: its hosts are free for others, and a closed loop
    /// or a graph continues.
    pub fn linger(&mut self, plan: &Plan, network: &mut Network, id: FlowId) {
        if let Some(owner) = self.owners.get_mut(id.index()).and_then(Option::take) {
            let process = owner.process;
            let goes_on = match &mut self.processes[process as usize] {
                Process::Poisson(_) => false,
                Process::Shuffle(shuffle) => shuffle.on_end(),
                Process::Incast(incast) => incast.on_end(),
                Process::Graph(_) => {
                    self.on_acknowledged(plan, network, owner);
                    false
                }
            };
            if goes_on {
                let now = network.now();
                network.wake(now, Event::Transfer(process));
            }
        }
        let Flow { number, traffic, from, to, .. } = self.flows[id.index()];
        if let Some(partners) = &mut self.partners[traffic as usize] {
            partners.part(from, to);
        }
        self.lingering.push_back((network.now(), number, id));
    }

    /// The number of flows that have ended and have not been removed.
    pub fn lingering(&self) -> usize {
        self.lingering.len()
    }

    /// Flows that have ended in another part of the network.
    pub fn take_lingering(&mut self, other: &mut Self) {
        self.lingering.append(&mut other.lingering);
    }

    /// Of the flows that have ended, those that are over: they are to be removed, in the order in which they ended.
    pub fn take_over(&mut self, is_over: impl Fn(&Flow, FlowId) -> bool) -> Vec<FlowId> {
        let mut ended = Vec::from(std::mem::take(&mut self.lingering));
        ended.sort_unstable();
        let flow = |id: FlowId| &self.flows[id.index()];
        let (over, rest): (Vec<_>, _) =
            ended.into_iter().partition(|&(_, _, id)| is_over(flow(id), id));
        self.lingering = rest.into();
        over.into_iter().map(|(_, _, id)| id).collect()
    }

    /// A flow is removed: its place is free.
    pub fn free(&mut self, id: FlowId) {
        self.flows[id.index()].stage = Stage::Gone;
        self.empty.push(id);
    }

    /// Forgets those of the flows with an end here that have been removed.
    pub fn forget_removed(&mut self) {
        if let Some(here) = &mut self.here {
            here.retain(|id| self.flows[id.index()].stage != Stage::Gone);
        }
    }

    /// Frees a few of the ended flows without packets in flight and with a receiver that waits for
    /// none, before `process` creates its next ones; passes each to `row` before it is removed.
    pub fn reap(&mut self, network: &Network, process: u32, mut row: impl FnMut(&Flow, FlowId)) {
        for _ in 0..self.lingering.len().min(self.looks(process)) {
            let Some(ended) = self.lingering.pop_front() else { return };
            let (_, _, id) = ended;
            if network.count(id).inside() == 0 && !self.flows[id.index()].ends.is_needed() {
                row(&self.flows[id.index()], id);
                self.free(id);
            } else {
                self.lingering.push_back(ended);
            }
        }
    }
}

/// Counts the flows of each sender of an entry, if they share its slots.
struct Shares(BTreeMap<NodeId, Share>);

impl Shares {
    fn new(traffic: &TrafficPlan, pairs: &[(NodeId, NodeId)]) -> Self {
        let mut shares = BTreeMap::new();
        if traffic.source.is_shared_by_flows() {
            for (from, _) in pairs {
                shares.entry(*from).or_insert((0, 0)).1 += u64::from(traffic.count);
            }
        }
        Self(shares)
    }

    /// The number of the sender's next flow, and the number of its flows.
    fn next(&mut self, from: NodeId) -> Option<Share> {
        let (next, of) = self.0.get_mut(&from)?;
        *next += 1;
        Some((*next - 1, *of))
    }
}

/// Where a new flow goes.
struct Way<'a> {
    network: &'a Network,
    from: NodeId,
    to: NodeId,
}

impl Way<'_> {
    /// The rate at which its host sends.
    fn rate(&self) -> Rate {
        self.network.rate(self.from)
    }

    /// Its path in an idle network; where no path is known before a packet is sent, that of a link alone.
    fn path(&self, options: &MessageOptions) -> message::Path {
        let size = |bytes: Bytes| u32::try_from(bytes.0).expect("limited by the schema");
        let full = size(options.full());
        let (mut base_rtt, mut queues) = (Span::ZERO, 0_u64);
        for (from, to, has_data) in [(self.from, self.to, true), (self.to, self.from, false)] {
            let Some(path) = self.network.first_path(from, to) else {
                base_rtt += options.packet_time(self.rate());
                continue;
            };
            let bytes = if has_data { full } else { size(options.control) };
            for (hop, link) in path.into_iter().enumerate() {
                // Each node stores it.
                base_rtt += link.time_to_send(bytes) + link.delay();
                // It is timed from when it has left the queue of its host.
                let wait = link.full_queue(has_data, full).filter(|_| hop > 0);
                queues = queues.saturating_add(wait.map_or(0, |wait| wait.0));
            }
        }
        message::Path { rate: self.rate(), base_rtt, queues: Span(queues) }
    }
}

/// Both ends of a new flow.
///
/// Only a window rule that models the path and a message transport draw by chance.
fn ends(transport: &TransportPlan, way: &Way<'_>, stream: impl Fn() -> Stream) -> Ends {
    let rate = || way.rate();
    let sender = |config: &Arc<transport::Config>| {
        let sender = Sender::new(Arc::clone(config)).with_packet_time(config.packet_time(rate()));
        if config.congestion.models_path() { sender.with_stream(stream()) } else { sender }
    };
    match transport {
        TransportPlan::Tcp(config) => Ends::Tcp(Box::new(Tcp {
            sender: sender(config),
            receiver: Receiver::new(config.clone()),
            header: u32::try_from(config.header.0).expect("limited by the schema"),
            ecn: match (config.ecn, config.is_l4s()) {
                (false, _) => 0,
                (true, false) => Marks::ECN_CAPABLE,
                (true, true) => Marks::ECN_CAPABLE | Marks::L4S,
            },
        })),
        TransportPlan::StopAndWait(options) => Ends::StopAndWait(Box::new(StopAndWait {
            sender: stop_and_wait::Sender::new(options.clone(), options.packet_time(rate())),
            receiver: stop_and_wait::Receiver::new(options.clone()),
        })),
        TransportPlan::Message(options) => Ends::Message(Box::new(Message {
            sender: message::Sender::new(options.clone(), way.path(options), stream()),
            receiver: message::Receiver::new(options.clone()),
            waits: false,
        })),
        TransportPlan::Udp { header } => Ends::Udp { header: *header, sent: 0, delivered: 0 },
    }
}

/// The default size of a write: one segment.
fn default_write(traffic: &TrafficPlan) -> Bytes {
    match &traffic.transport {
        TransportPlan::Tcp(config) => config.segment,
        TransportPlan::StopAndWait(options) => options.packet,
        TransportPlan::Message(options) => options.packet,
        TransportPlan::Udp { .. } => Bytes(1_000),
    }
}
