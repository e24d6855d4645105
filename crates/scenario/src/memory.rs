//! The memory of a run, estimated before it starts.
//!
//! The numbers are measured: how the peak of a process grows with each kind of object, its report
//! in Python included. A test compares the estimate with such peaks.

use network::device::circuit::CircuitNodes;
use network::partition::Partition;
use network::plan::{Between, Plan, TrafficPlan, TransportPlan};
use network::spec::{CoreSpec, NodeKind, SeriesKind};
use network::topology::{Node, OneWayLink};
use random::Seed;
use traffic::Source;
use units::NodeId;

use crate::assemble;
use crate::load::Checked;

/// The memory of any run, in bytes.
const ANY: f64 = 8e6;
/// A node, a link of one direction, a pair of routers in the routing table.
const NODE: f64 = 150.0;
const LINK: f64 = 1_050.0;
/// The additional memory of a link between routers, in their sets of equal-cost paths.
const ROUTER_LINK: f64 = 400.0;
const TWO_ROUTERS: f64 = 4.0;
/// A pair of racks with their two queues, or with lightpaths their one; a circuit of a round, as it is listed, as it is
/// kept and as its rack has it; a pair that has asked for lightpaths, and each of its routes.
const TWO_RACKS: f64 = 66.0;
const ASKING: f64 = 700.0;
const ROUTE: f64 = 160.0;
const CIRCUIT: f64 = 13.0;
/// A parameter with its origin, in the report and in Python.
const PARAMETER: f64 = 800.0;
/// A flow with its row: of UDP, of TCP, of stop-and-wait, of messages.
const UDP_FLOW: f64 = 1_700.0;
const TCP_FLOW: f64 = 2_900.0;
const STOP_AND_WAIT_FLOW: f64 = 1_620.0;
const MESSAGE_FLOW: f64 = 3_600.0;
/// Of a flow whose ends are in two parts of the network, how much more it takes.
const TWIN: f64 = 0.7;
/// A flow in a part of the network where none of its ends is.
const ELSEWHERE: f64 = 530.0;
/// The row of a flow that has ended.
const ENDED: f64 = 1_090.0;
/// A component of an on-off source that is ON.
const COMPONENT: f64 = 40.0;
/// An operation of a graph with its row, what a group that does it keeps of it, and a repetition with its row.
const OPERATION: f64 = 270.0;
const RUNNING: f64 = 130.0;
const REPETITION: f64 = 90.0;
/// A packet in the network.
const PACKET: f64 = 80.0;
/// Copies of the world by which rare losses are estimated, if the number of levels is not known.
const COPIES: f64 = 20.0;
/// A value of a series, a recorded burst with its reservations, a sample of a class.
const SAMPLE: f64 = 160.0;
const BURST: f64 = 1_000.0;
const CLASS: f64 = 200.0;

impl Checked {
    /// An estimate of the peak memory of a run, in bytes. It is too high if queues are far from
    /// full, and too low if transfers are delivered much later than they are offered.
    pub fn memory(&self) -> u64 {
        let plan = assemble::plan(&self.scenario, Seed(self.scenario.run.seed));
        let forwards = |at: NodeId| plan.graph.nodes[at.index()].kind.forwards();
        let routers = plan.graph.nodes.iter().filter(|node| node.kind.forwards()).count() as f64;
        let core = plan.core().and_then(CoreSpec::circuit);
        let circuits = core.map_or(0, |core| CircuitNodes::circuits(core, &plan.graph));
        let ways = core.map_or(0, |core| CircuitNodes::bytes_of_ways(core, &plan.graph));
        let is_rack = |node: &&Node| node.kind == NodeKind::Rack;
        let racks = plan.graph.nodes.iter().filter(is_rack).count() as f64;
        let inner = plan.graph.links.iter().filter(|link| forwards(link.from) && forwards(link.to));
        let network = plan.graph.nodes.len() as f64 * NODE
            + plan.graph.links.len() as f64 * LINK
            + inner.count() as f64 * ROUTER_LINK
            + routers * routers * TWO_ROUTERS
            + racks * racks * TWO_RACKS
            + lightpaths(&plan, racks)
            + circuits as f64 * CIRCUIT
            + ways as f64;
        let partition = Partition::for_run(&plan, self.scenario.run.threads.number());
        let parts = partition.map_or(1, |partition| partition.count()) as f64;
        let mut bytes = ANY + parts * network + self.parameters.len() as f64 * PARAMETER;
        let (mut flows, mut copied) = (0.0, network + packets(&plan) * PACKET);
        for entry in &plan.traffic {
            let (at_once, ended, heap) = flows_of(&plan, entry);
            flows += at_once;
            let twins = flow(&entry.transport) * TWIN * (1.0 - 1.0 / parts);
            let elsewhere = ELSEWHERE * (parts - 1.0);
            bytes += at_once * (flow(&entry.transport) + heap + twins + elsewhere) + ended * ENDED;
            copied += at_once * (flow(&entry.transport) + heap);
        }
        if let Some(splitting) = &plan.splitting {
            bytes += copied
                * if splitting.levels.is_empty() {
                    COPIES
                } else {
                    splitting.levels.len() as f64 + 3.0
                };
        }
        bytes += packets(&plan) * PACKET + self.recorded(&plan, flows);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates"
        )]
        let bytes = bytes as u64;
        bytes
    }

    /// What is recorded one by one.
    fn recorded(&self, plan: &Plan, flows: f64) -> f64 {
        let record = &self.scenario.record;
        let times = |interval: units::Span| {
            if interval.0 == 0 { 0.0 } else { plan.duration.0 as f64 / interval.0 as f64 }
        };
        let links = plan.graph.links.len() as f64;
        let subjects = |kind: &SeriesKind| match kind {
            SeriesKind::Queue | SeriesKind::Channels => links,
            _ => flows,
        };
        let series: f64 = record.series.iter().map(subjects).sum();
        let edges = plan.graph.edges().count() as f64;
        let classes = edges * (edges - 1.0).max(0.0);
        let looks: f64 = [record.synchronization.map(|every| times(every) * CLASS)]
            .into_iter()
            .chain([record.throughput_span.map(|every| times(every) * 16.0)])
            .flatten()
            .sum();
        series * times(record.interval) * SAMPLE
            + f64::from(record.bursts) * BURST
            + classes * looks
    }
}

/// The bytes of the pairs of racks that ask for lightpaths, with their routes and rows.
fn lightpaths(plan: &Plan, racks: f64) -> f64 {
    let Some(core) = plan.core().and_then(CoreSpec::lightpath) else { return 0.0 };
    let pairs = |entry: &TrafficPlan| match &entry.between {
        // Acknowledgments go back.
        Between::Pairs(pairs) => 2.0 * pairs.len() as f64,
        Between::Random { .. } | Between::Any { .. } => f64::INFINITY,
    };
    let asking = plan.traffic.iter().map(pairs).sum::<f64>().min(racks * racks);
    asking * (ASKING + f64::from(core.routes) * ROUTE)
}

/// The bytes of a flow and its row.
fn flow(transport: &TransportPlan) -> f64 {
    match transport {
        TransportPlan::Tcp(_) => TCP_FLOW,
        TransportPlan::StopAndWait(_) => STOP_AND_WAIT_FLOW,
        TransportPlan::Message(_) => MESSAGE_FLOW,
        TransportPlan::Udp { .. } => UDP_FLOW,
    }
}

/// The maximum number of simultaneous flows of an entry, the flows that end, and the bytes of a
/// source itself.
fn flows_of(plan: &Plan, entry: &TrafficPlan) -> (f64, f64, f64) {
    let seconds = plan.duration.as_secs_f64();
    let count = f64::from(entry.count);
    let (pairs, hosts) = match &entry.between {
        Between::Pairs(pairs) => (pairs.len() as f64, 0.0),
        Between::Random { from, .. } => (1.0, from.len() as f64),
        Between::Any { from, to } => (1.0, from.len().min(to.len()) as f64),
    };
    let processes = pairs * count;
    match &entry.source {
        Source::Transfers { per_second, limit, .. } => {
            let most = limit.map_or(f64::INFINITY, |limit| limit as f64);
            let all = if entry.weights.is_empty() {
                processes
            } else {
                entry.weights.iter().sum::<f64>() * count
            };
            let ended = (all * per_second * seconds).min(processes * most);
            let under_way = f64::from(entry.source.under_way());
            (processes * under_way, ended, 0.0)
        }
        Source::OnOff { rate, peak, components, .. } => {
            let duty = (rate.0 / (peak.as_f64() * f64::from(*components))).min(1.0);
            let on = duty * f64::from(*components);
            (processes, 0.0, heap(on + 2.0 * on.sqrt() + 1.0))
        }
        Source::Flows { flows, .. } => (0.0, flows.len() as f64, 0.0),
        source if source.is_graph() => graph(entry),
        Source::Shuffle { parallel, .. } => (hosts * f64::from(*parallel), hosts * hosts, 0.0),
        Source::Incast { senders, rounds, .. } => {
            let senders = senders.map_or(hosts, f64::from);
            (hosts * senders, hosts * senders * f64::from(*rounds), 0.0)
        }
        _ => (processes, 0.0, 0.0),
    }
}

/// The same of a graph: a host of a collective operation has one send at a time, other sends may all be at once.
fn graph(entry: &TrafficPlan) -> (f64, f64, f64) {
    let Some(plan) = &entry.graph else { return (0.0, 0.0, 0.0) };
    let groups = plan.groups() as f64;
    let sends = plan.graph.sends().count() as f64 * groups;
    let at_once = match entry.source {
        Source::Collective { .. } => sends.min(2.0 * plan.hosts.len() as f64),
        _ => sends,
    };
    let operations = plan.graph.operations().len() as f64;
    let bytes =
        operations * (OPERATION + groups * RUNNING) + groups * f64::from(plan.repeat) * REPETITION;
    (at_once, sends * f64::from(plan.repeat), bytes / at_once.max(1.0))
}

/// The bytes of a heap of components: its capacity doubles, and large capacities are not touched
/// before they are used.
fn heap(components: f64) -> f64 {
    const LARGE: f64 = 3_000.0;
    let room = if components < LARGE {
        libm::exp2(libm::ceil(libm::log2(components)))
    } else {
        components
    };
    room * COMPONENT
}

/// The maximum number of packets in the network: what hosts offer beyond the rate of their links, limited
/// by their queues; what windows permit, limited by the narrowest link; and no more than all queues and
/// wires hold.
fn packets(plan: &Plan) -> f64 {
    let seconds = plan.duration.as_secs_f64();
    let smallest = plan.traffic.iter().map(packet_bits).fold(f64::INFINITY, f64::min).max(8.0);
    let (first, all) = (first_links(plan, smallest), room(plan, smallest));
    let narrowest = plan.graph.links.iter().map(|link| link.rate.as_f64()).fold(f64::MAX, f64::min);
    let mut load = vec![0.0; plan.graph.nodes.len()];
    let mut gathered = 0.0;
    for entry in &plan.traffic {
        let bits = packet_bits(entry);
        let Between::Pairs(pairs) = &entry.between else { continue };
        match (&entry.transport, entry.source.mean_rate()) {
            (TransportPlan::Udp { .. }, Some(rate)) => {
                for (at, (from, _)) in pairs.iter().enumerate() {
                    load[from.index()] += rate * entry.weight(at) / bits * f64::from(entry.count);
                }
            }
            // Like other transfers.
            _ if entry.source.starts_flows() || entry.source.is_graph() => {}
            (TransportPlan::Tcp(config), None) => {
                let octets = config.max_window.0.min(config.receive_window.0) as f64;
                let flows = pairs.len() as f64 * f64::from(entry.count);
                // A window that leaps is sent at once, others grow with what is delivered.
                let most =
                    if config.recovery.leaps() { f64::INFINITY } else { narrowest * seconds };
                gathered += (flows * octets * 8.0).min(most) / bits;
            }
            _ => {}
        }
    }
    for (load, (rate, room)) in load.into_iter().zip(first) {
        gathered += ((load - rate / smallest).max(0.0) * seconds).min(room);
    }
    gathered.min(all)
}

/// The bits of a packet of an entry, without headers.
fn packet_bits(entry: &TrafficPlan) -> f64 {
    let octets = match (&entry.transport, &entry.source) {
        (TransportPlan::Tcp(config), _) => config.segment.0 as f64,
        (TransportPlan::StopAndWait(options), _) => options.packet.0 as f64,
        (TransportPlan::Message(options), _) => options.packet.0 as f64,
        (
            _,
            Source::Cbr { packet, .. }
            | Source::PoissonPackets { packet, .. }
            | Source::OnOff { packet, .. },
        ) => packet.mean(),
        (_, Source::PoissonWrites { write: Some(write), .. }) => write.as_f64(),
        _ => 512.0,
    };
    octets.clamp(1.0, 65_535.0) * 8.0
}

/// The rate of the link on which each node sends (for a router that of any link), and the packets that
/// its queue holds.
fn first_links(plan: &Plan, smallest: f64) -> Vec<(f64, f64)> {
    let mut first = vec![(0.0, 0.0); plan.graph.nodes.len()];
    for link in &plan.graph.links {
        first[link.from.index()] = (link.rate.as_f64(), queue(link, smallest));
    }
    first
}

/// The packets that all queues and wires have room for.
fn room(plan: &Plan, smallest: f64) -> f64 {
    let wire = |link: &OneWayLink| link.rate.as_f64() * link.delay.as_secs_f64() / smallest;
    plan.graph.links.iter().map(|link| wire(link) + queue(link, smallest)).sum()
}

/// The packets that the queue of a link holds.
fn queue(link: &OneWayLink, smallest: f64) -> f64 {
    match link.queue.limits() {
        (Some(packets), _) => f64::from(packets),
        (None, Some(bytes)) => bytes.as_f64() * 8.0 / smallest,
        (None, None) => 0.0,
    }
}
