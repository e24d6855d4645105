//! Brings the flows of a plan to life: those that are there from the start, and the transfers that
//! come and go.

use std::collections::VecDeque;

use random::{Seed, Stream};
use traffic::{Generator, Source};
use transport::stop_and_wait;
use transport::tcp::{Receiver, Sender};
use units::{Bytes, FlowId, NodeId, Rate, Time};

use crate::device::ends::{Ends, Tcp};
use crate::device::host::{Application, Flow, Route, Stage};
use crate::event::{Event, Life};
use crate::fabric::Fabric;
use crate::partners::Partners;
use crate::plan::{Between, Plan, TrafficPlan, TransportPlan};
use crate::record::FlowCounts;
use crate::routing::mix;

/// All flows, and the processes that make new ones.
#[derive(Debug)]
pub struct Workload {
    seed: Seed,
    /// The flows by id; an id is used again when its flow is over.
    pub flows: Vec<Flow>,
    /// Ids that stand empty.
    empty: Vec<FlowId>,
    /// Flows that are over but may still have packets on the way.
    lingering: VecDeque<FlowId>,
    processes: Vec<Process>,
    /// By entry of traffic: who is idle, where a transfer goes from anyone to anyone.
    partners: Vec<Option<Partners>>,
    created: u64,
    /// Whether flows keep the instants of first transmissions.
    first_transmission: bool,
}

/// Opens a connection for each file.
#[derive(Debug)]
struct Process {
    traffic: u32,
    /// From one host to another; `None` for new partners each time.
    pair: Option<(NodeId, NodeId)>,
    application: Application,
}

impl Workload {
    /// The flows of a plan, their first offers entered in the agenda.
    pub fn new(plan: &Plan, fabric: &mut Fabric, seed: Seed) -> Self {
        let mut workload = Self {
            seed,
            flows: Vec::new(),
            empty: Vec::new(),
            lingering: VecDeque::new(),
            processes: Vec::new(),
            partners: Vec::new(),
            created: 0,
            first_transmission: plan.first_transmission,
        };
        for (entry, traffic) in (0u32..).zip(&plan.traffic) {
            workload.enter(fabric, traffic, entry);
        }
        workload
    }

    /// The flows, or the processes, of an entry.
    fn enter(&mut self, fabric: &mut Fabric, traffic: &TrafficPlan, entry: u32) {
        match &traffic.between {
            Between::Pairs(pairs) => {
                self.partners.push(None);
                let each = pairs.iter().flat_map(|&pair| (0..traffic.count).map(move |_| pair));
                for (index, pair) in (0u64..).zip(each) {
                    self.begin(fabric, traffic, Some(pair), (entry, index));
                }
            }
            Between::Random { from, to } => {
                let stream = self.seed.stream(&format!("traffic/{entry}/ends"));
                self.partners.push(Some(Partners::new(from, to, stream)));
                self.begin(fabric, traffic, None, (entry, 0));
            }
        }
    }

    /// Sets up flow (or process) `index` of an entry.
    fn begin(
        &mut self,
        fabric: &mut Fabric,
        traffic: &TrafficPlan,
        pair: Option<(NodeId, NodeId)>,
        of: (u32, u64),
    ) {
        self.under_way(fabric, traffic, pair, of);
        let start = Time::ZERO + traffic.start.draw(&mut self.stream(of, "start"));
        let generator = Generator::new(&traffic.source, default_write(traffic));
        let Some((application, after)) = Application::new(generator, self.stream(of, "arrivals"))
        else {
            return;
        };
        let at = start.saturating_add(after);
        if matches!(traffic.source, Source::Transfers { .. }) {
            let id = u32::try_from(self.processes.len()).expect("limited by the schema");
            fabric.wake(at, Event::Transfer(id));
            self.processes.push(Process { traffic: of.0, pair, application });
        } else {
            let pair = pair.expect("only transfers have random partners");
            let id = self.create(fabric, traffic, of.0, pair);
            self.flows[id.index()].run(fabric, id, at, application);
        }
    }

    /// The stream for one purpose of flow (or process) `index` of an entry.
    fn stream(&self, (entry, index): (u32, u64), what: &str) -> Stream {
        self.seed.stream(&format!("traffic/{entry}/flow/{index}/{what}"))
    }

    /// The transfers of a process that are in progress when it starts: each has its own start, and
    /// sends what was left of it. They have streams of their own, so that they shift no others.
    fn under_way(
        &mut self,
        fabric: &mut Fabric,
        traffic: &TrafficPlan,
        pair: Option<(NodeId, NodeId)>,
        of: (u32, u64),
    ) {
        let Source::Transfers { size, .. } = traffic.source else { return };
        let mut starts = self.stream(of, "under-way/start");
        let mut sizes = self.stream(of, "under-way/size");
        for _ in 0..traffic.source.under_way() {
            let at = Time::ZERO + traffic.start.draw(&mut starts);
            let left = Source::Bulk { size: Some(Bytes(size.residual(&mut sizes))) };
            let generator = Generator::new(&left, default_write(traffic));
            // A file takes no draws.
            let Some((application, _)) = Application::new(generator, sizes.clone()) else { return };
            let id = self.transfer(fabric, traffic, of.0, pair);
            self.flows[id.index()].run(fabric, id, at, application);
        }
    }

    /// A process starts the next of its transfers.
    pub fn on_transfer(&mut self, plan: &Plan, fabric: &mut Fabric, process: u32) {
        let Process { traffic: entry, pair, application } = &mut self.processes[process as usize];
        let (entry, pair) = (*entry, *pair);
        let (bytes, more) = application.offer();
        if let Some(after) = more {
            fabric.wake(fabric.now.saturating_add(after), Event::Transfer(process));
        }
        let id = self.transfer(fabric, &plan.traffic[entry as usize], entry, pair);
        self.flows[id.index()].offer(fabric, id, bytes, true);
    }

    /// Makes a flow that goes when it is over.
    fn transfer(
        &mut self,
        fabric: &mut Fabric,
        traffic: &TrafficPlan,
        entry: u32,
        pair: Option<(NodeId, NodeId)>,
    ) -> FlowId {
        let partners = &mut self.partners[entry as usize];
        let pair = pair.or_else(|| partners.as_mut().map(Partners::draw));
        let id = self.create(fabric, traffic, entry, pair.expect("a pair, or random partners"));
        self.flows[id.index()].passing = true;
        id
    }

    /// Makes a flow, in an empty place if there is one.
    fn create(
        &mut self,
        fabric: &mut Fabric,
        traffic: &TrafficPlan,
        entry: u32,
        (from, to): (NodeId, NodeId),
    ) -> FlowId {
        let ends = ends(&traffic.transport, || fabric.rate(from));
        let (up, back) = (fabric.port(from), fabric.port(to));
        let route = Route { traffic: entry, from, to, up, back };
        let number = self.created;
        self.created += 1;
        #[expect(clippy::cast_possible_truncation, reason = "any 16 bits of a hash are a hash")]
        let hash = mix(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) as u16;
        let id = self.empty.pop().unwrap_or(FlowId::at(self.flows.len()));
        if let Some(synchronization) = &mut fabric.synchronization {
            synchronization.begin(id);
        }
        if id.index() < self.flows.len() {
            let life = Life(self.flows[id.index()].life.0 + 1);
            fabric.lives[id.index()] = life;
            self.flows[id.index()] = self.flow(number, life, route, ends);
            fabric.hashes[id.index()] = hash;
            fabric.counts[id.index()] = FlowCounts::default();
        } else {
            let flow = self.flow(number, Life::default(), route, ends);
            self.flows.push(flow);
            fabric.hashes.push(hash);
            fabric.lives.push(Life::default());
            fabric.windows.push(0);
            fabric.counts.push(FlowCounts::default());
        }
        id
    }

    fn flow(&self, number: u64, life: Life, route: Route, ends: Ends) -> Flow {
        let mut flow = Flow::new(number, life, route, ends);
        flow.first_sent = self.first_transmission.then(Box::default);
        flow
    }

    /// Notes that a passing flow has nothing more to do: its hosts are free for others.
    pub fn linger(&mut self, id: FlowId) {
        let Flow { traffic, from, to, .. } = self.flows[id.index()];
        if let Some(partners) = &mut self.partners[traffic as usize] {
            partners.part(from, to);
        }
        self.lingering.push_back(id);
    }

    /// Frees a few of the flows that are over, have no packet left on the way and a receiver that
    /// waits for none; gives each to `row` before it goes.
    pub fn reap(&mut self, fabric: &Fabric, mut row: impl FnMut(&Flow, FlowId)) {
        for _ in 0..self.lingering.len().min(4) {
            let Some(id) = self.lingering.pop_front() else { return };
            if fabric.count(id).inside() == 0 && !self.flows[id.index()].ends.is_needed() {
                row(&self.flows[id.index()], id);
                self.flows[id.index()].stage = Stage::Gone;
                self.empty.push(id);
            } else {
                self.lingering.push_back(id);
            }
        }
    }
}

/// Both ends of a new flow from a host that sends at `rate`.
fn ends(transport: &TransportPlan, rate: impl FnOnce() -> Rate) -> Ends {
    match transport {
        TransportPlan::Tcp(config) => Ends::Tcp(Box::new(Tcp {
            sender: Sender::new(config.clone()).with_packet_time(config.packet_time(rate())),
            receiver: Receiver::new(config.clone()),
            header: u32::try_from(config.header.0).expect("limited by the schema"),
            ecn: config.ecn,
        })),
        TransportPlan::StopAndWait(options) => Ends::StopAndWait {
            sender: stop_and_wait::Sender::new(options.clone(), options.packet_time(rate())),
            receiver: stop_and_wait::Receiver::new(options.clone()),
        },
        TransportPlan::Udp { header } => Ends::Udp { header: *header, sent: 0, delivered: 0 },
    }
}

/// The size of a write that the scenario leaves open: one segment.
fn default_write(traffic: &TrafficPlan) -> Bytes {
    match &traffic.transport {
        TransportPlan::Tcp(config) => config.segment,
        TransportPlan::StopAndWait(options) => options.packet,
        TransportPlan::Udp { .. } => Bytes(1_000),
    }
}
