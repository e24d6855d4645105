//! The world: the state of a running simulation, on one thread.
//!
//! It advances in slices, so that the caller can check for signals and report progress between
//! them. Observation (the start of measuring, samples of series) happens between events, never as
//! one, so it cannot change a run. Intervals are half-open: events at the instant of the warm-up's
//! end are measured, events at the end of the run do not happen.

mod audit;
mod parts;
mod quiet;
mod splitting;
mod traced;
mod train;
mod view;

use std::sync::Arc;

use cores::{Device, Place, router};
use kernel::{Limits, Stop, Watch};
use parts::Parts;
use plan::{Plan, Shortcut};
use random::Seed;
use splitting::Splitting;
use transport::tcp::SackBlocks;
use units::{FlowId, LinkId, NodeId, Span, Time};

use crate::host::{Baseline, Flow, Stage};
use crate::network::Network;
use crate::observe::{Course, Ended, FlowRow, IdleNetwork, Sampler};
use crate::workload::Workload;
pub use splitting::{Estimate, Rare, Region, Tally};
use wire::context::{Hop, Part};
use wire::event::{Event, Life};
use wire::link::LinkCounters;
use wire::optical::BurstId;
use wire::packet::{Marks, NO_PACKET, Packet, PacketId};
use wire::record::{FlowCounts, Quantiles, Synchronization};

/// Events at one instant after which a run counts as stalled.
const STALL: u64 = 10_000_000;

/// Flows whose state does not fit into a core's cache: the next one is prefetched.
const MANY: usize = 2_000;

/// How often flows that have ended are removed during a run of a network that may be divided.
const REAPED: u64 = 1_000;

/// Flows that have ended of which some are removed then.
const SOME: usize = 16;

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Why the run is over, if it is.
    pub stop: Option<Stop>,
    /// The clock.
    pub now: Time,
    /// When the run ends.
    pub end: Time,
    /// Events so far.
    pub events: u64,
}

/// The state of a running simulation.
#[derive(Debug)]
pub struct World {
    plan: Arc<Plan>,
    network: Network,
    workload: Workload,
    /// Delays of data packets by entry of traffic, since measuring began.
    delays: Vec<Quantiles>,
    /// What completion times are compared with.
    idle: Arc<IdleNetwork>,
    /// What is stored of removed flows.
    ended: Ended,
    course: Course,
    baseline: Option<Vec<LinkCounters>>,
    sampler: Sampler,
    /// Links without entries in the agenda; first those whose packets continue to others.
    quiet: Vec<LinkId>,
    /// What has happened without its own event.
    beside_events: u64,
    /// Looks at cores so far, which are not counted as events.
    looks: u64,
    limits: Limits,
    watch: Watch,
    stop: Option<Stop>,
    /// When flows that have ended are removed next, if that is so at certain instants: in a network that may be divided.
    next_reap: Time,
    /// The other parts of the network, if they are simulated side by side.
    parts: Option<Box<Parts>>,
    /// The retrials by which rare losses are estimated, if they are.
    splitting: Option<Box<Splitting>>,
}

impl World {
    /// Sets a world up: the same plan and seed give the same run.
    pub fn new(mut plan: Plan, seed: Seed, sampler: Sampler) -> Self {
        if plan.splitting.is_some() {
            // A copy of the world has to find all that has come before it, and may change when the next offer is.
            plan.without.extend([
                Shortcut::QuietHosts,
                Shortcut::Trains,
                Shortcut::Passages,
                Shortcut::PromptRacks,
            ]);
        }
        Self::of(Arc::new(plan), seed, sampler, None)
    }

    /// The world of a plan at the end of its run, after the check of conservation.
    ///
    /// # Panics
    /// If conservation is violated.
    pub fn run(plan: Plan, seed: u64) -> Self {
        let mut world = Self::new(plan, Seed(seed), Sampler::default());
        while world.advance(u64::MAX).stop.is_none() {}
        if let Err(problem) = world.check_conservation() {
            panic!("conservation: {problem}");
        }
        world
    }

    /// The world, or the part of it in a part of the network.
    fn of(plan: Arc<Plan>, seed: Seed, sampler: Sampler, part: Option<Part>) -> Self {
        let mut network = Network::new(&plan, seed, part);
        for (at, &(when, link, _)) in (0u32..).zip(&plan.changes) {
            if network.has(link) {
                network.wake(Time::ZERO + when, Event::Change(at));
            }
        }
        let workload = Workload::new(&plan, &mut network, seed);
        if plan.takes(Shortcut::Express) {
            network.take_shortest_way();
        }
        let mut quiet = quiet::links(&plan);
        quiet.retain(|&link| network.has(link));
        for &link in &quiet {
            network.link_mut(link).be_quiet();
        }
        let end = Time::ZERO + plan.duration;
        let limits = Limits { end, events: plan.max_events, events_at_one_instant: STALL };
        let delays = vec![Quantiles::default(); plan.traffic.len()];
        let course = Course::new(plan.traffic.len(), plan.period());
        let ended = Ended::new(plan.traffic.len(), plan.period());
        let idle = Arc::new(IdleNetwork::new(&plan));
        let has_transfers = plan.traffic.iter().any(|traffic| traffic.source.starts_flows());
        let divides = has_transfers && network.has_far_links();
        let next_reap = if divides { Time::ZERO + reaping(&plan) } else { Time::NEVER };
        Self {
            plan,
            network,
            workload,
            delays,
            idle,
            ended,
            course,
            baseline: None,
            sampler,
            quiet,
            beside_events: 0,
            looks: 0,
            limits,
            watch: Watch::default(),
            stop: None,
            next_reap,
            parts: None,
            splitting: None,
        }
    }

    /// Removes a few of the flows that have ended, before a process creates its next ones.
    fn reap_some(&mut self, process: u32) {
        let (ended, network) = (&mut self.ended, &self.network);
        let idle = (&*self.idle, &*self.plan);
        self.workload.reap(network, process, |flow, id| {
            write_row(ended, flow, network.count(id), (idle, network));
        });
    }

    /// Removes all flows that have ended and of which nothing is left.
    fn reap(&mut self) {
        let (network, idle) = (&self.network, (&*self.idle, &*self.plan));
        let over = self
            .workload
            .take_over(|flow, id| network.count(id).inside() == 0 && !flow.ends.is_needed());
        for id in over {
            let flow = &self.workload.flows[id.index()];
            write_row(&mut self.ended, flow, network.count(id), (idle, network));
            self.workload.free(id);
        }
    }

    /// Continues for about this number of events, or to the end of the run.
    pub fn advance(&mut self, events: u64) -> Progress {
        if self.parts.is_some() {
            return self.advance_parts(events);
        }
        let mut left = events;
        while self.stop.is_none() && left > 0 {
            let retried = self.advance_retrials(left);
            if retried > 0 {
                left = left.saturating_sub(retried);
                if self.rare().is_some_and(|rare| rare.events >= self.limits.events) {
                    self.stop = Some(Stop::Budget);
                }
                continue;
            }
            let until = self.next_pause();
            let budget = left.min(self.limits.events - self.watch.events);
            self.network.set_unseen_until(until);
            let done = self.run_base_before(until, budget);
            left -= done;
            let samples = self.sampler.samples.len();
            let spent = self.watch.after_slice(done, self.network.now(), &self.limits);
            self.stop = self.stop.or(spent);
            if self.stop.is_none() && done < budget && !self.has_retrials() {
                self.network.set_now(until);
                self.pause(until);
            }
            // Samples take time too, and a slice must be short.
            left = left.saturating_sub((self.sampler.samples.len() - samples) as u64);
        }
        if self.stop.is_some() {
            self.end();
        }
        self.progress()
    }

    /// Does what is left to do when a run has stopped.
    fn end(&mut self) {
        self.catch_up();
        if self.baseline.is_none() {
            // Stopped within the warm-up: nothing has been measured.
            self.begin_measuring();
        }
    }

    fn progress(&self) -> Progress {
        let Limits { end, .. } = self.limits;
        Progress { stop: self.stop, now: self.network.now(), end, events: self.events() }
    }

    /// The next instant at which something happens between events.
    fn next_pause(&self) -> Time {
        let warmup = Time::ZERO + self.plan.warmup;
        let warmup = if self.baseline.is_none() { warmup } else { Time::NEVER };
        let synchronization = self.network.synchronization();
        let synchronization = synchronization.map_or(Time::NEVER, Synchronization::next);
        let observed = self.sampler.next().min(self.course.next()).min(self.next_reap);
        warmup.min(observed).min(synchronization).min(self.limits.end)
    }

    /// Does deferred work of devices before an observation: it changes no result.
    fn catch_up(&mut self) {
        self.network.catch_up();
        self.empty_quiet_links();
    }

    /// Does the work at an instant that precedes its events.
    fn pause(&mut self, at: Time) {
        self.catch_up();
        if self.baseline.is_none() && at >= Time::ZERO + self.plan.warmup {
            self.begin_measuring();
        }
        if at == self.sampler.next() {
            self.sampler.sample(at, &self.network, &self.workload.flows);
        }
        if let Some(shared) = self.network.synchronization_mut().filter(|s| s.next() == at) {
            let flows = self.workload.flows.iter();
            shared.sample(at, flows.map(|flow| flow.ends.congestion_window()));
        }
        if at == self.course.next() {
            self.course.observe(self.delivered().into_iter());
        }
        if at == self.limits.end {
            self.stop = Some(Stop::End);
        } else if at == self.next_reap {
            self.next_reap = at + reaping(&self.plan);
            if self.network.part().is_none() && self.workload.lingering() >= SOME {
                self.reap();
            }
        }
    }

    /// The data delivered since measuring began in bytes, by entry of traffic.
    fn delivered(&self) -> Vec<u64> {
        let mut found: Vec<u64> = self.ended.totals().iter().map(|sum| sum.delivered).collect();
        for flow in self.workload.flows_here().filter(|flow| flow.stage != Stage::Gone) {
            found[flow.traffic as usize] += flow.delivered_since_measuring_began();
        }
        found
    }

    /// The current counters of all links.
    fn counters_now(&self) -> Vec<LinkCounters> {
        let now = self.network.now();
        let links = (0..self.network.links().len()).map(LinkId::at);
        let counters = links.map(|id| {
            let network = &self.where_is(id).network;
            network.link(id).counters(now, network.packets())
        });
        let mut counters: Vec<LinkCounters> = counters.collect();
        for fibre in &self.network.optical().fibres {
            counters[fibre.link.index()] = fibre.counters(now);
        }
        counters
    }

    fn begin_measuring(&mut self) {
        self.baseline = Some(self.counters_now());
        self.network.begin_measuring();
        for flow in &mut self.workload.flows {
            // Where the sink alone is here, it is not known whether the flow has started.
            let is_met = flow.started.is_some() || self.network.is_cut_off(flow.from, flow.to);
            if is_met && flow.stage != Stage::Gone {
                let transport = flow.transport_baseline();
                let (delays, wire_delays) = (flow.delays, flow.wire_delays);
                let (first_delays, ack_delays) = (flow.first_delays(), flow.ack_delays());
                let (reordered, spurious) = (flow.reordering.count, flow.spurious.count);
                let offered = flow.offered.unwrap_or(0);
                let baseline = Baseline {
                    delays,
                    wire_delays,
                    first_delays,
                    ack_delays,
                    reordered,
                    spurious,
                    offered,
                    transport,
                };
                flow.baseline = Some(Box::new(baseline));
                if let Some(observed) = &mut flow.observed {
                    observed.begin_measuring();
                }
            }
        }
        self.delays.iter_mut().for_each(Quantiles::clear);
        self.begin_splitting();
    }

    /// Executes events before `until`, at most `budget` of them; returns their number. Looks of switches for
    /// packets that have crossed are not counted: their number depends on other observations.
    fn run_before(&mut self, until: Time, budget: u64) -> u64 {
        let Some(limit) = until.0.checked_sub(1).map(Time) else { return 0 };
        let mut done = 0;
        let within = quiet::after(self.quiet.len()) - 1;
        while done < budget {
            let Some(event) = self.network.take_until(limit) else { break };
            self.network.prefetch_next();
            if self.workload.flows.len() > MANY
                && let Some(id) = self.network.next_delivered()
            {
                self.network.prefetch_count(id);
                self.workload.flows[id.index()].prefetch();
            }
            if event.is_look() {
                self.looks += 1;
            } else {
                done += 1;
                if done & within == 0 {
                    self.empty_quiet_links();
                }
            }
            if let Some((link, out)) = event.both_links() {
                self.on_hop(link, Some(out));
            } else if let Some(link) = event.arrival() {
                self.on_hop(link, None);
            } else {
                self.on_rare(event.event());
                if self.stop.is_some() {
                    break;
                }
            }
        }
        done
    }

    /// A packet may have arrived over a link.
    #[inline(always)]
    fn on_hop(&mut self, link: LinkId, out: Option<LinkId>) {
        let hop = self.network.hop(link, out, false);
        self.after_hop(link, hop);
    }

    /// Does what is left when a packet may have arrived over a link.
    #[inline(always)]
    fn after_hop(&mut self, link: LinkId, hop: Hop) {
        match hop {
            Hop::Done => {}
            Hop::All => self.on_arrival(link),
            Hop::At(node, packet) => self.at_node(link, node, packet),
            Hop::Forward(out, packet) => {
                self.network.send(out, packet);
                self.empty_if_quiet(out);
            }
        }
    }

    /// The same on the way of all packets.
    fn on_arrival(&mut self, link: LinkId) {
        self.come(link, None);
    }

    /// A packet may have come over a link, or one has that did not wait for it. One place for both, since the compiler puts
    /// all that happens at nodes into each.
    #[inline(never)]
    fn come(&mut self, link: LinkId, across: Option<PacketId>) {
        let come = match across {
            None => self.network.arrive(link),
            Some(packet) => self.network.come_across(link, packet).then_some(packet),
        };
        if let Some(packet) = come {
            self.at_node(link, self.network.link(link).to, packet);
        }
    }

    /// A packet has come to a node over a link.
    #[inline(always)]
    fn at_node(&mut self, link: LinkId, node: NodeId, packet: PacketId) {
        match self.network.device(node) {
            Some(Device::Router) => self.at_router(node, packet),
            Some(Device::Core(number)) => {
                self.network.at_core(Place { node, number, link }, packet);
            }
            Some(Device::Host) => self.on_delivery(node, packet),
            Some(Device::Edge(edge)) => self.at_edge(edge, node, packet),
            None => self.network.forget(packet),
        }
    }

    /// A packet is at a router.
    #[inline]
    fn at_router(&mut self, node: NodeId, packet: PacketId) {
        let link = router::forward(&mut self.network, node, packet);
        self.empty_if_quiet(link);
    }

    /// What has arrived over a quiet link, if it is one, is delivered before more is sent.
    #[inline]
    fn empty_if_quiet(&mut self, link: LinkId) {
        if self.network.link(link).is_quiet() {
            self.empty(link);
        }
    }

    /// A packet is at an edge router: for a flow that ends there, or to be forwarded.
    #[inline]
    fn at_edge(&mut self, edge: u32, node: NodeId, packet: PacketId) {
        if self.network.transit(packet).to == node {
            self.on_delivery(node, packet);
        } else {
            self.network.accept(edge, packet);
        }
    }

    /// The last bit of a burst has arrived at an edge router: its packets continue in their order.
    fn on_burst(&mut self, burst: BurstId) {
        if self.network.leaves(burst) {
            return self.network.forget_burst(burst);
        }
        let (edge, node) = self.network.optical().egress_of(burst);
        let Some(mut next) = self.network.deliver_burst(burst) else { return };
        while next != NO_PACKET {
            let packet = next;
            next = self.network.transit(packet).next;
            self.network.packets().prefetch_transit(next);
            self.at_edge(edge, node, packet);
        }
    }

    /// A packet has reached its host.
    #[inline]
    fn on_delivery(&mut self, host: NodeId, packet: PacketId) {
        debug_assert_eq!(self.network.transit(packet).to, host, "its destination");
        let id = self.network.packets().body(packet).flow;
        if self.workload.flows[id.index()].is_for_tcp_alone(&self.network, packet) {
            self.deliver(packet, |flow, network, packet, sack| {
                flow.receive_segment(network, id, packet, sack);
            });
        } else {
            self.deliver_any(id, packet);
        }
        self.after(id);
    }

    /// The same, whatever is to be done with it.
    #[inline(never)]
    fn deliver_any(&mut self, id: FlowId, packet: PacketId) {
        self.deliver(packet, |flow, network, packet, sack| flow.receive(network, id, packet, sack));
    }

    /// Takes a packet out of the network, notes its delays and passes it on to its flow.
    #[inline(always)]
    fn deliver(
        &mut self,
        packet: PacketId,
        receive: impl FnOnce(&mut Flow, &mut Network, &Packet, SackBlocks),
    ) {
        let (packet, sack) = self.network.deliver(packet);
        let has_many = self.workload.flows.len() > MANY;
        let flow = &mut self.workload.flows[packet.body.flow.index()];
        if has_many {
            flow.ends.prefetch(packet.transit.marks.has(Marks::BACKWARD));
        }
        if !packet.transit.marks.has(Marks::BACKWARD) && packet.data() > 0 {
            let delay = self.network.now() - packet.body.sent;
            flow.delays.add(delay);
            flow.wire_delays
                .add(Span(delay.0.saturating_sub(u64::from(packet.body.waited) * 1_000)));
            self.delays[flow.traffic as usize].add(delay);
            let resent = packet.transit.marks.has(Marks::RESENT);
            flow.reordering.arrived(packet.body.sent, packet.body.seq, resent);
        }
        receive(flow, &mut self.network, &packet, sack);
    }

    fn on_rare(&mut self, event: Event) {
        match event {
            Event::Arrival(link) => self.on_arrival(link),
            Event::Across(link, packet) => self.come(link, Some(packet)),
            Event::SenderAlarm(id, life) => self.at(id, life, Flow::on_sender_alarm),
            Event::ReceiverAlarm(id, life) => self.at(id, life, Flow::on_receiver_alarm),
            Event::Offer(id, life) => self.on_offer(id, life, false),
            Event::Train(id, life) => self.on_offer(id, life, true),
            Event::Transfer(process) => {
                if self.next_reap == Time::NEVER {
                    self.reap_some(process);
                }
                self.network.note_everywhere();
                self.workload.on_transfer(&self.plan, &mut self.network, process);
            }
            Event::Delivered(id, life) => {
                if self.workload.flows[id.index()].life == life {
                    self.workload.on_delivered(&self.plan, &mut self.network, id);
                }
            }
            Event::Compute(process, operation) => {
                self.workload.on_compute(&self.plan, &mut self.network, (process, operation));
            }
            Event::Change(at) => {
                let (_, link, change) = self.plan.changes[at as usize];
                self.network.change(link, change);
            }
            Event::Assembly(class, queue) => self.network.on_timer(class, queue),
            Event::AtCore(instant, burst) => self.network.on_burst(burst, instant),
            Event::Alarm(number) | Event::Look(number) => self.network.on_alarm(number),
            Event::Serve(link) => self.network.serve(link),
            Event::Credit(host) => self.on_credit(host),
            Event::Signal(id, life) => self.at(id, life, Flow::on_signal),
            Event::Burst(burst) => self.on_burst(burst),
            Event::Stop => {
                let failed = self.network.failure().is_some();
                self.stop = Some(if failed { Stop::Failed } else { Stop::End });
            }
        }
    }

    /// A receiver at a host is granted credit.
    fn on_credit(&mut self, host: NodeId) {
        let Some((id, life)) = self.network.take_turn(host) else { return };
        let flow = &mut self.workload.flows[id.index()];
        let is_there = flow.life == life && flow.stage != Stage::Gone;
        let took = if is_there { flow.grant(&mut self.network, id) } else { Span::ZERO };
        self.network.end_turn(host, took);
    }

    /// Calls a flow, unless it has been removed.
    fn at(&mut self, id: FlowId, life: Life, act: fn(&mut Flow, &mut Network, FlowId)) {
        let flow = &mut self.workload.flows[id.index()];
        if flow.life == life && flow.stage != Stage::Gone {
            act(flow, &mut self.network, id);
            self.after(id);
        }
    }

    #[inline]
    fn after(&mut self, id: FlowId) {
        let flow = &mut self.workload.flows[id.index()];
        if !flow.finished.is_some() {
            return;
        }
        self.network.end_flow(id);
        if flow.passing && flow.stage == Stage::Alive {
            flow.stage = Stage::Lingering;
            self.workload.linger(&self.plan, &mut self.network, id);
        }
    }
}

/// The time after which flows that have ended are removed again.
fn reaping(plan: &Plan) -> Span {
    Span((plan.duration.0 / REAPED).max(1))
}

/// A flow is removed: its row is written unless it ended before measuring began.
fn write_row(
    ended: &mut Ended,
    flow: &Flow,
    counts: &FlowCounts,
    ((idle, plan), network): ((&IdleNetwork, &Plan), &Network),
) {
    if !flow.ended_before(Time::ZERO + plan.warmup) {
        ended.add(FlowRow::new(flow, counts, (idle, plan, network.routing())));
    }
}
