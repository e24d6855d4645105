//! The world: a plan alive, on one thread.
//!
//! It advances in slices, so that whoever drives it can look at signals and report progress between
//! them. Observation (the start of measuring, samples of series) happens between events, never as
//! one, so it cannot change a run. Intervals are half-open: what happens at the instant of the
//! warm-up's end is measured, what would happen at the end of the run does not happen.

mod audit;
mod look;
mod quiet;
mod traced;

use kernel::{Limits, Stop, Watch};
use optics::CoreSpec;
use random::Seed;
use units::{FlowId, LinkId, NodeId, Span, Time};

use crate::anycast::AnycastSwitches;
use crate::device::host::{Baseline, Flow, Stage};
use crate::device::{Device, burst_core, cioq, edge, hybrid, output_queued, packet_core, router};
use crate::event::{Event, Life};
use crate::fabric::Fabric;
use crate::hybrid::Hybrids;
use crate::link::{Link, LinkCounters};
use crate::optical::{BurstId, Optical};
use crate::packet::{Marks, NO_PACKET, PacketId};
use crate::plan::Plan;
use crate::record::{Ended, FlowRow, Quantiles, Sampler, Synchronization};
use crate::routing::Routing;
use crate::spec::NodeKind;
use crate::spread::Spread;
use crate::topology::{Graph, Node};
use crate::workload::Workload;

/// Events at one instant after which a run counts as stalled.
const STALL: u64 = 10_000_000;

/// How far a run has come.
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

/// A plan alive.
#[derive(Debug)]
pub struct World {
    plan: Plan,
    fabric: Fabric,
    workload: Workload,
    devices: Vec<Device>,
    /// Delays of data packets by entry of traffic, since measuring began.
    delays: Vec<Quantiles>,
    /// What is kept of flows that are gone.
    ended: Ended,
    baseline: Option<Vec<LinkCounters>>,
    sampler: Sampler,
    /// Links that the agenda knows nothing of, those of which packets go on to others first.
    quiet: Vec<LinkId>,
    /// What has happened without an event of its own.
    beside_events: u64,
    limits: Limits,
    watch: Watch,
    stop: Option<Stop>,
}

/// What stands at each node.
fn devices(graph: &Graph, optical: &Optical, core: Option<&CoreSpec>) -> Vec<Device> {
    let mut cores = 0..;
    let device = |(at, node): (usize, &Node)| match node.kind {
        NodeKind::Host => Device::Host,
        NodeKind::Router => Device::Router,
        NodeKind::Edge => Device::Edge(optical.edge_of(NodeId::at(at)).expect("an edge")),
        NodeKind::Core => match (core, cores.next().expect("endless")) {
            (Some(CoreSpec::Hybrid(_)), number) => Device::Hybrid(number),
            (Some(CoreSpec::Cioq(_)), number) => Device::Cioq(number),
            (Some(CoreSpec::OutputQueued(_)), number) => Device::OutputQueued(number),
            _ => Device::Core,
        },
    };
    graph.nodes.iter().enumerate().map(device).collect()
}

impl World {
    /// Sets a world up: the same plan and seed give the same run.
    pub fn new(plan: Plan, seed: Seed, sampler: Sampler) -> Self {
        let graph = &plan.graph;
        let ids = (0..graph.links.len()).map(LinkId::at);
        let core = plan.core.as_ref();
        let hybrids = Hybrids::new(graph, core.and_then(CoreSpec::hybrid));
        let anycast = AnycastSwitches::new(graph, core, seed, plan.changes.is_empty());
        let first_bit = core.is_some_and(CoreSpec::acts_on_first_bit);
        let links = ids.zip(&graph.links).map(|(id, spec)| {
            let link = Link::new(spec, &graph.link_name(id), seed);
            let to_core = graph.nodes[spec.to.index()].kind == NodeKind::Core;
            if first_bit && to_core { link.with_first_bit() } else { link }
        });
        let links = links.collect();
        let salt = seed.stream("routing/salt").next_u64();
        let optical = Optical::new(&plan, seed);
        let devices = devices(graph, &optical, core);
        let routing = Routing::new(graph, plan.metric, salt);
        let mut fabric = Fabric::new(links, routing, optical, hybrids);
        fabric.measured_from = Time::ZERO + plan.warmup;
        let salt = seed.stream("routing/spread").next_u64();
        fabric.anycast = anycast;
        fabric.spread = Spread::new(plan.spread, plan.flowlet_gap, salt);
        fabric.synchronization = plan.synchronization.map(Synchronization::new).map(Box::new);
        for (at, &(when, _, _)) in (0u32..).zip(&plan.changes) {
            fabric.wake(Time::ZERO + when, Event::Change(at));
        }
        let workload = Workload::new(&plan, &mut fabric, seed);
        let quiet = quiet::links(&plan);
        for link in &quiet {
            fabric.links[link.index()].be_quiet();
        }
        let end = Time::ZERO + plan.duration;
        let limits = Limits { end, events: plan.max_events, events_at_one_instant: STALL };
        let delays = vec![Quantiles::default(); plan.traffic.len()];
        let ended = Ended::new(plan.traffic.len());
        Self {
            plan,
            fabric,
            workload,
            devices,
            delays,
            ended,
            baseline: None,
            sampler,
            quiet,
            beside_events: 0,
            limits,
            watch: Watch::default(),
            stop: None,
        }
    }

    /// Runs on for about so many events, or to the end of the run.
    pub fn advance(&mut self, events: u64) -> Progress {
        let mut left = events;
        while self.stop.is_none() && left > 0 {
            let until = self.next_pause();
            let budget = left.min(self.limits.events - self.watch.events);
            let done = self.run_before(until, budget);
            left -= done;
            let samples = self.sampler.samples.len();
            let spent = self.watch.after_slice(done, self.fabric.now, &self.limits);
            self.stop = self.stop.or(spent);
            if self.stop.is_none() && done < budget {
                self.fabric.now = until;
                self.pause(until);
            }
            // Samples take time too: a slice is to stay short.
            left = left.saturating_sub((self.sampler.samples.len() - samples) as u64);
        }
        if self.stop.is_some() {
            self.catch_up();
            if self.baseline.is_none() {
                // Stopped within the warm-up: nothing has been measured.
                self.begin_measuring();
            }
        }
        let Limits { end, .. } = self.limits;
        Progress { stop: self.stop, now: self.fabric.now, end, events: self.events() }
    }

    /// The next instant at which something is to be done between events.
    fn next_pause(&self) -> Time {
        let warmup = Time::ZERO + self.plan.warmup;
        let warmup = if self.baseline.is_none() { warmup } else { Time::NEVER };
        let synchronization = self.fabric.synchronization.as_ref();
        let synchronization = synchronization.map_or(Time::NEVER, |shared| shared.next());
        warmup.min(self.sampler.next()).min(synchronization).min(self.limits.end)
    }

    /// Does what devices may have put off and whoever looks must see done: it changes no run.
    fn catch_up(&mut self) {
        for number in (0..).take(self.fabric.anycast.cioq.len()) {
            cioq::catch_up(&mut self.fabric, number);
        }
        self.empty_quiet_links();
    }

    /// Does what is to be done at an instant before its events.
    fn pause(&mut self, at: Time) {
        self.catch_up();
        if self.baseline.is_none() && at >= Time::ZERO + self.plan.warmup {
            self.begin_measuring();
        }
        if at == self.sampler.next() {
            self.sampler.sample(at, &self.fabric, &self.workload.flows);
        }
        if let Some(shared) = self.fabric.synchronization.as_mut().filter(|s| s.next() == at) {
            shared.sample(at, &self.workload.flows);
        }
        if at == self.limits.end {
            self.stop = Some(Stop::End);
        }
    }

    /// The counters of all links as they stand.
    fn counters_now(&self) -> Vec<LinkCounters> {
        let Fabric { now, packets, links, optical, .. } = &self.fabric;
        let mut counters: Vec<_> = links.iter().map(|link| link.counters(*now, packets)).collect();
        for fibre in &optical.fibres {
            counters[fibre.link.index()] = fibre.counters(*now);
        }
        counters
    }

    fn begin_measuring(&mut self) {
        self.baseline = Some(self.counters_now());
        self.fabric.optical.begin_measuring(self.fabric.now);
        self.fabric.hybrids.begin_measuring();
        self.fabric.anycast.begin_measuring();
        if let Some(synchronization) = &mut self.fabric.synchronization {
            synchronization.begin_measuring();
        }
        for flow in &mut self.workload.flows {
            if flow.started.is_some() && flow.stage != Stage::Gone {
                let transport = flow.transport_baseline();
                let (delays, wire_delays) = (flow.delays, flow.wire_delays);
                let first_delays = flow.first_delays();
                let (reordered, spurious) = (flow.reordering.count, flow.spurious.count);
                let baseline =
                    Baseline { delays, wire_delays, first_delays, reordered, spurious, transport };
                flow.baseline = Some(Box::new(baseline));
                if let Some(observed) = &mut flow.observed {
                    observed.begin_measuring();
                }
            }
        }
        self.delays.iter_mut().for_each(Quantiles::clear);
    }

    /// Executes events before `until`, at most `budget` of them; says how many. Looks of switches at what is
    /// through count for none: how many there are depends on who else has looked.
    fn run_before(&mut self, until: Time, budget: u64) -> u64 {
        let Some(limit) = until.0.checked_sub(1).map(Time) else { return 0 };
        let mut done = 0;
        while done < budget {
            let Some((time, event)) = self.fabric.agenda.take_until(limit) else { break };
            self.fabric.now = time;
            if !event.is_look() {
                done += 1;
                if done.is_multiple_of(quiet::AFTER) {
                    self.empty_quiet_links();
                }
            }
            if let Some(next) = self.fabric.agenda.peek().and_then(|event| event.arrival()) {
                self.fabric.links[next.index()].prefetch();
            }
            if let Some(link) = event.arrival() {
                self.on_arrival(link);
            } else {
                self.on_rare(event.event());
                if self.stop.is_some() {
                    break;
                }
            }
        }
        done
    }

    #[inline]
    fn on_arrival(&mut self, link: LinkId) {
        let Some(packet) = self.fabric.arrive(link) else { return };
        let node = self.fabric.links[link.index()].to;
        match self.devices[node.index()] {
            Device::Router => self.at_router(node, packet),
            Device::Hybrid(number) => {
                hybrid::on_first_bit(&mut self.fabric, node, number, packet);
            }
            Device::Cioq(number) => {
                cioq::on_last_bit(&mut self.fabric, node, number, link, packet);
            }
            Device::OutputQueued(number) => {
                output_queued::forward(&mut self.fabric, node, number, link, packet);
            }
            Device::Host => self.on_delivery(node, packet),
            Device::Edge(edge) => self.at_edge(edge, node, packet),
            Device::Core => unreachable!("an electronic link to a core router"),
        }
    }

    /// A packet is at a router.
    #[inline]
    fn at_router(&mut self, node: NodeId, packet: PacketId) {
        let link = router::forward(&mut self.fabric, node, packet);
        if self.fabric.links[link.index()].is_quiet() {
            self.empty(link);
        }
    }

    /// A packet is at an edge router: for a flow that ends there, or to be passed on.
    #[inline]
    fn at_edge(&mut self, edge: u32, node: NodeId, packet: PacketId) {
        if self.fabric.packets.transit(packet).to == node {
            self.on_delivery(node, packet);
        } else {
            edge::accept(&mut self.fabric, edge, packet);
        }
    }

    /// The last bit of a burst is in at an edge router: its packets go on in their order.
    fn on_burst(&mut self, burst: BurstId) {
        let Some((node, mut next)) = edge::take_burst(&mut self.fabric, burst) else { return };
        let Device::Edge(edge) = self.devices[node.index()] else { return };
        while next != NO_PACKET {
            let packet = next;
            next = self.fabric.packets.transit(packet).next;
            self.fabric.packets.prefetch_transit(next);
            self.at_edge(edge, node, packet);
        }
    }

    #[inline]
    fn on_delivery(&mut self, host: NodeId, packet: PacketId) {
        let (packet, sack) = self.fabric.deliver(packet);
        debug_assert_eq!(packet.transit.to, host, "a packet at a host that it is not for");
        let flow = &mut self.workload.flows[packet.body.flow.index()];
        if !packet.transit.marks.has(Marks::BACKWARD) && packet.data() > 0 {
            let delay = self.fabric.now - packet.body.sent;
            flow.delays.add(delay);
            flow.wire_delays
                .add(Span(delay.0.saturating_sub(u64::from(packet.body.waited) * 1_000)));
            self.delays[flow.traffic as usize].add(delay);
            let resent = packet.transit.marks.has(Marks::RESENT);
            flow.reordering.arrived(packet.body.sent, packet.body.seq, resent);
        }
        flow.receive(&mut self.fabric, packet.body.flow, &packet, sack);
        self.after(packet.body.flow);
    }

    fn on_rare(&mut self, event: Event) {
        match event {
            Event::Arrival(link) => self.on_arrival(link),
            Event::SenderAlarm(id, life) => self.at(id, life, Flow::on_sender_alarm),
            Event::ReceiverAlarm(id, life) => self.at(id, life, Flow::on_receiver_alarm),
            Event::Offer(id, life) => self.on_offer(id, life, false),
            Event::Train(id, life) => self.on_offer(id, life, true),
            Event::Transfer(process) => {
                let (ended, fabric) = (&mut self.ended, &self.fabric);
                let warmup = Time::ZERO + self.plan.warmup;
                self.workload.reap(fabric, process, |flow, id| {
                    if !flow.ended_before(warmup) {
                        ended.add(FlowRow::new(flow, fabric.count(id)));
                    }
                });
                self.workload.on_transfer(&self.plan, &mut self.fabric, process);
            }
            Event::Change(at) => {
                let (_, link, change) = self.plan.changes[at as usize];
                self.fabric.change(link, change);
            }
            Event::Assembly(class, queue) => edge::on_timer(&mut self.fabric, class, queue),
            Event::HeaderDue(burst) => burst_core::send_header(&mut self.fabric, burst),
            Event::Header(burst) => burst_core::on_header(&mut self.fabric, burst),
            Event::FirstBit(burst) => packet_core::on_first_bit(&mut self.fabric, burst),
            Event::Buffer(switch) => hybrid::on_alarm(&mut self.fabric, switch),
            Event::Cells(switch) => cioq::on_alarm(&mut self.fabric, switch),
            Event::Burst(burst) => self.on_burst(burst),
            Event::Stop => self.stop = Some(Stop::End),
        }
    }

    /// An application offers something; with `arrival` the first packet on its host's link arrives right
    /// after it.
    ///
    /// A source whose peak rate is that of its link offers a packet in the very instant at which the last
    /// bit of the one before arrives: one event for both, where nothing can come between them.
    fn on_offer(&mut self, id: FlowId, life: Life, arrival: bool) {
        let flow = &mut self.workload.flows[id.index()];
        if flow.life != life || flow.stage == Stage::Gone {
            return;
        }
        let Some(link) = flow.link_of_datagrams().filter(|_| self.plan.changes.is_empty()) else {
            if let Some((time, order)) = flow.on_offer(&mut self.fabric, id) {
                self.fabric.agenda.enter_as(time, order, Event::Offer(id, life).into());
            }
            return self.after(id);
        };
        let is_shown = !arrival && self.fabric.links[link.index()].first().is_some();
        self.fabric.hold(link);
        let next = flow.on_offer(&mut self.fabric, id);
        if arrival {
            self.beside_events += 1;
            self.on_arrival(link);
        }
        self.fabric.let_go();
        if let (Some((time, order)), false) = (next, is_shown)
            && let Some(first) = self.fabric.links[link.index()].first()
            && let first = self.fabric.packets.transit(first)
            && first.arrives == time
            && first.order.follows(order)
        {
            self.fabric.agenda.enter_as(time, order, Event::Train(id, life).into());
            return;
        }
        if let Some((time, order)) = next {
            self.fabric.agenda.enter_as(time, order, Event::Offer(id, life).into());
        }
        if !is_shown {
            self.fabric.arm(link);
        }
    }

    /// Lets a flow do something, unless it is one of the past.
    fn at(&mut self, id: FlowId, life: Life, act: fn(&mut Flow, &mut Fabric, FlowId)) {
        let flow = &mut self.workload.flows[id.index()];
        if flow.life == life && flow.stage != Stage::Gone {
            act(flow, &mut self.fabric, id);
            self.after(id);
        }
    }

    #[inline]
    fn after(&mut self, id: FlowId) {
        let flow = &mut self.workload.flows[id.index()];
        if flow.finished.is_none() {
            return;
        }
        if let Some(synchronization) = &mut self.fabric.synchronization {
            synchronization.end(id);
        }
        if flow.passing && flow.stage == Stage::Alive {
            flow.stage = Stage::Lingering;
            self.workload.linger(&mut self.fabric, id);
        }
    }
}
