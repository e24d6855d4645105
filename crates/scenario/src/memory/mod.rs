//! The memory of a run, estimated before it starts.
//!
//! The bytes of each kind of object are measured: how the peak of a process that has run before grows with it, its report
//! in Python included. A test compares the estimate with such peaks.

mod entry;
mod events;
mod fluid;
mod links;
mod run_length;

use cores::circuit::CircuitNodes;
use entry::Keeps;
use fluid::Flows;
use links::is_fibre;
use optics::AnycastPolicy;
use optics::anycast::FLOWLETS_BYTES;
use plan::partition::Partition;
use plan::spec::{NodeKind, SeriesKind};
use plan::topology::Node;
use plan::{Between, Plan, SplittingPlan, TrafficPlan, TransportPlan};
use random::Seed;
use run_length::Course;
use traffic::Form;
use transport::tcp::congestion;
use units::{Bytes, Span};
use wire::record::HISTORY;

use crate::assemble;
use crate::load::Checked;

/// The memory of any run, in bytes.
const ANY: f64 = 5e5;
/// A node, a link of one direction, a pair of routers in the routing table.
const NODE: f64 = 200.0;
const LINK: f64 = 1_250.0;
/// A channel of a link, with its row.
const CHANNEL: f64 = 390.0;
/// What of a link is in vectors that grow: the allocator keeps the room of the copy before the last doubling, unless the
/// vectors have so many places that the system moves them.
const GROWN: f64 = 300.0;
const MOVED: usize = 1 << 18;
/// The additional memory of a link between routers, in their sets of equal-cost paths.
const ROUTER_LINK: f64 = 450.0;
const TWO_ROUTERS: f64 = 4.0;
/// A pair of racks with their two queues, and with lightpaths their one; a circuit of a round, as it is listed, as it is
/// kept and as its rack has it; a pair that has asked for lightpaths, and each of its routes.
const TWO_RACKS: f64 = 66.0;
const TWO_RACKS_OF_LIGHTPATHS: f64 = 39.0;
const ASKING: f64 = 700.0;
const ROUTE: f64 = 160.0;
const CIRCUIT: f64 = 13.0;
/// A queue of FQ-CoDel.
const FLOW_QUEUE: f64 = 88.0;
/// A queue of a CIOQ switch, at an input for an output.
const TWO_PORTS: f64 = 26.0;
/// A parameter with its origin, in the report and in Python.
const PARAMETER: f64 = 800.0;
/// A flow with its row: of UDP, of TCP, of stop-and-wait, of messages.
const UDP_FLOW: f64 = 1_700.0;
const TCP_FLOW: f64 = 2_470.0;
const STOP_AND_WAIT_FLOW: f64 = 1_740.0;
const MESSAGE_FLOW: f64 = 2_800.0;
/// How much more a flow of TCP takes with RACK, with a window rule of more state than Reno's, with one that is a model of
/// the path, and with a program.
const RACK: f64 = 480.0;
const RULE: f64 = 140.0;
const MODEL: f64 = 750.0;
const PROGRAM: f64 = 540.0;
/// How much more a flow takes of which more is observed than a row has otherwise, and if that is reordering.
const OBSERVED: f64 = 360.0;
const REORDERING: f64 = 280.0;
/// A packet that has been sent and has not arrived, where reordering is observed: 24 bytes in a queue that doubles.
const MISSING: f64 = 36.0;
/// Of a flow whose ends are in two parts of the network, how much more it takes.
const TWIN: f64 = 0.7;
/// A flow in a part of the network where none of its ends is.
const ELSEWHERE: f64 = 530.0;
/// The row of a flow that has ended.
const ENDED: f64 = 1_090.0;
/// What starts files one by one, with its next event, and a pair of hosts between which it does.
const STARTS: f64 = 162.0;
const PAIR: f64 = 18.0;
/// An operation of a graph with its row, what a group that does it keeps of it, and a repetition with its row.
const OPERATION: f64 = 270.0;
const RUNNING: f64 = 130.0;
const REPETITION: f64 = 90.0;
/// A packet in the network.
const PACKET: f64 = 80.0;
/// What a sender with RACK, or of messages, keeps of a packet under way: 48 bytes in queues that double.
const KEPT: f64 = 70.0;
/// Copies of the world by which rare losses are estimated, if the number of levels is not known, and the load from which on
/// losses are not rare.
const COPIES: f64 = 20.0;
const FULL: f64 = 0.999;
/// A value of a series, a recorded burst with its reservations, a sample of a class.
const SAMPLE: f64 = 160.0;
const BURST: f64 = 1_000.0;
const CLASS: f64 = 200.0;

impl Checked {
    /// An estimate of the peak memory of a run, in bytes. It is too high if queues are far from
    /// full, or rare losses are estimated without known levels.
    pub fn memory(&self) -> u64 {
        let plan = assemble::plan(&self.scenario, Seed(self.scenario.run.seed));
        let routers = plan.graph.nodes.iter().filter(|node| node.kind.forwards()).count() as f64;
        let core = plan.facts().circuit;
        let circuits = core.map_or(0, |core| CircuitNodes::circuits(core, &plan.graph));
        let ways = core.map_or(0, |core| CircuitNodes::bytes_of_ways(core, &plan.graph));
        let is_rack = |node: &&Node| node.kind == NodeKind::Rack;
        let racks = plan.graph.nodes.iter().filter(is_rack).count() as f64;
        let inner = plan.graph.links.iter().filter(|link| plan.graph.is_inner(link));
        let network = plan.graph.nodes.len() as f64 * NODE
            + plan.graph.links.len() as f64 * LINK
            + channels(&plan) * CHANNEL
            + before_growth(plan.graph.links.len()) * GROWN
            + inner.count() as f64 * ROUTER_LINK
            + routers * routers * TWO_ROUTERS
            + racks * racks * if core.is_some() { TWO_RACKS } else { TWO_RACKS_OF_LIGHTPATHS }
            + queues_of_flows(&plan)
            + queues_of_switches(&plan)
            + tables_of_switches(&plan)
            + circuits as f64 * CIRCUIT
            + ways as f64;
        let partition = Partition::for_run(&plan, self.scenario.run.threads.number());
        let parts = partition.map_or(1, |partition| partition.count()) as f64;
        let mut bytes = ANY + parts * network + self.parameters.len() as f64 * PARAMETER;
        let course = Course::of(&plan);
        let asked = lightpaths(&plan, &course, racks);
        bytes += parts * asked;
        let (mut lived, mut copied) = ([0.0; 2], network + asked + course.packets * PACKET);
        for (entry, flows) in plan.traffic.iter().zip(&course.flows) {
            let Flows { at_once, ended, missing, .. } = flows;
            if matches!(entry.transport, TransportPlan::Tcp(_) | TransportPlan::Message(_)) {
                lived = [lived[0] + flows.lived[0], lived[1] + flows.lived[1]];
            }
            let source = of_source(entry, *at_once);
            let missing = if entry.reordering {
                missing.min(at_once * HISTORY as f64) * MISSING
            } else {
                0.0
            };
            let flow = flow(&plan, entry);
            let twins = flow * TWIN * (1.0 - 1.0 / parts);
            let elsewhere = ELSEWHERE * (parts - 1.0);
            bytes += at_once * (flow + twins + elsewhere) + source + missing + ended * ENDED;
            copied += at_once * flow + source + missing;
        }
        if let Some(splitting) = &plan.splitting {
            bytes += copied * copies(&plan, splitting, &course);
        }
        bytes +=
            course.packets * PACKET + course.kept * KEPT + self.recorded(&plan, &course, lived);
        debug_assert!(bytes >= ANY, "{bytes} bytes");
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates"
        )]
        let bytes = bytes as u64;
        bytes
    }

    /// What is recorded one by one. `lived` and `answered` are the seconds for which flows with windows exist, and have
    /// had an answer, all together.
    fn recorded(&self, plan: &Plan, course: &Course, [lived, answered]: [f64; 2]) -> f64 {
        let record = &self.scenario.record;
        let times = |seconds: f64, interval: Span| {
            if interval.0 == 0 { 0.0 } else { seconds / interval.as_secs_f64() }
        };
        let links = plan.graph.links.len() as f64;
        let fibres = plan.graph.links.iter().filter(|link| is_fibre(plan, link)).count() as f64;
        let there = |kind: &SeriesKind| match kind {
            SeriesKind::Queue => links * course.seconds,
            SeriesKind::Channels => fibres * course.seconds,
            // There is none before the first answer.
            SeriesKind::Rtt => answered,
            _ => lived,
        };
        let series = times(record.series.iter().map(there).sum(), record.interval);
        let edges = plan.graph.edges().count() as f64;
        let classes = edges * (edges - 1.0).max(0.0);
        let looks = |every: Option<Span>, bytes: f64| {
            every.map_or(0.0, |every| times(course.seconds, every) * bytes)
        };
        let looks = looks(record.synchronization, CLASS) + looks(record.throughput_span, 16.0);
        series * SAMPLE
            + f64::from(record.bursts).min(bursts(plan, course)) * BURST
            + classes * looks
    }
}

/// Copies of the world by which rare losses are estimated.
fn copies(plan: &Plan, splitting: &SplittingPlan, course: &Course) -> f64 {
    let at = splitting.link.index();
    if !splitting.levels.is_empty() {
        splitting.levels.len() as f64 + 3.0
    } else if course.loads[at] >= FULL {
        // Its losses are not rare.
        0.0
    } else {
        let channels = plan.graph.links[at].channels.map_or(f64::INFINITY, |it| it.data.into());
        COPIES.min(channels - 1.0)
    }
}

/// The channels of all links.
fn channels(plan: &Plan) -> f64 {
    let channels = plan.graph.links.iter().filter_map(|link| link.channels);
    channels.map(|all| f64::from(all.data + all.control)).sum()
}

/// The bytes of the queues that routers have for each flow.
fn queues_of_flows(plan: &Plan) -> f64 {
    let links = plan.graph.links.iter().filter(|link| plan.graph.forwards(link.from));
    links.map(|link| f64::from(link.queue.facts().flow_queues)).sum::<f64>() * FLOW_QUEUE
}

/// The bytes of the queues that a CIOQ switch has at each input for each output.
fn queues_of_switches(plan: &Plan) -> f64 {
    if !plan.facts().has_virtual_output_queues {
        return 0.0;
    }
    let mut ports = vec![0.0; plan.graph.nodes.len()];
    plan.graph.links.iter().for_each(|link| ports[link.to.index()] += 1.0);
    let switches = plan.graph.nodes.iter().zip(ports).filter(|(node, _)| node.kind.forwards());
    switches.map(|(_, ports)| ports * ports * TWO_PORTS).sum()
}

/// The bytes of the tables by which switches choose among lightpaths.
fn tables_of_switches(plan: &Plan) -> f64 {
    let policy = plan.facts().anycast.map(|rule| rule.policy);
    if policy != Some(AnycastPolicy::Flowlet) {
        return 0.0;
    }
    let switches = plan.graph.nodes.iter().filter(|node| node.kind == NodeKind::Core);
    (switches.count() * FLOWLETS_BYTES) as f64
}

/// The most bursts of which a row is recorded: of each pair of edges one ends by its size or by time, whatever is first.
fn bursts(plan: &Plan, course: &Course) -> f64 {
    let Some(optical) = &plan.optical else { return 0.0 };
    let pairs = |entry: &TrafficPlan| match &entry.between {
        Between::Pairs(pairs) => pairs.len() as f64,
        Between::Random { from, to } => from.len() as f64 * to.len() as f64,
        Between::Any { from, to } => from.len() as f64 * to.len() as f64,
    };
    let classes: f64 = plan.traffic.iter().map(pairs).sum();
    let in_time = course.sent * optical.assembly.timeout().as_secs_f64() / course.seconds / classes;
    let most = optical.assembly.max_size.map_or(f64::INFINITY, Bytes::as_f64);
    let packets = (1.0 + in_time).min(most * course.sent / course.sent_bytes).max(1.0);
    course.sent / packets
}

/// The bytes of the pairs of racks that ask for lightpaths, with their routes and rows.
fn lightpaths(plan: &Plan, course: &Course, racks: f64) -> f64 {
    let Some(core) = plan.facts().lightpath else { return 0.0 };
    let pairs = |entry: &TrafficPlan| match &entry.between {
        // Acknowledgments go back.
        Between::Pairs(pairs) => 2.0 * pairs.len() as f64,
        Between::Random { .. } | Between::Any { .. } => f64::INFINITY,
    };
    let flows = course.flows.iter().map(|flows| 2.0 * (flows.at_once + flows.ended));
    let pairs = plan.traffic.iter().map(pairs).zip(flows).map(|(pairs, flows)| pairs.min(flows));
    let asking = pairs.sum::<f64>().min(racks * racks);
    asking * (ASKING + f64::from(core.routes) * ROUTE)
}

/// How many of some links were there before the vectors that hold them were doubled for the last time.
fn before_growth(links: usize) -> f64 {
    let room = links.next_power_of_two();
    if room < MOVED { room as f64 / 2.0 } else { 0.0 }
}

/// The bytes of a flow of an entry and its row.
fn flow(plan: &Plan, entry: &TrafficPlan) -> f64 {
    let ends = match &entry.transport {
        TransportPlan::Tcp(config) => {
            let rule = match config.congestion {
                congestion::Options::Program(_) => PROGRAM,
                congestion::Options::Reno(_) => 0.0,
                _ if entry::follows_path(config) => MODEL,
                _ => RULE,
            };
            let has_rack = matches!(entry::keeps(entry), Keeps::Segments);
            TCP_FLOW + rule + if has_rack { RACK } else { 0.0 }
        }
        TransportPlan::StopAndWait(_) => STOP_AND_WAIT_FLOW,
        TransportPlan::Message(_) => MESSAGE_FLOW,
        TransportPlan::Udp { .. } => UDP_FLOW,
    };
    let is_observed = entry.reordering || plan.first_transmission || plan.acknowledgments;
    ends + if is_observed { OBSERVED } else { 0.0 }
        + if entry.reordering { REORDERING } else { 0.0 }
}

/// The bytes that the sources of an entry take themselves.
fn of_source(entry: &TrafficPlan, at_once: f64) -> f64 {
    match entry.source.form() {
        Form::Transfers(_) => {
            let count = f64::from(entry.count);
            match &entry.between {
                Between::Pairs(pairs) => pairs.len() as f64 * (count * STARTS + PAIR),
                Between::Random { .. } | Between::Any { .. } => count * STARTS,
            }
        }
        Form::Graph(_) => entry.graph.as_ref().map_or(0.0, |plan| {
            let groups = plan.groups() as f64;
            plan.graph.operations().len() as f64 * (OPERATION + groups * RUNNING)
                + groups * f64::from(plan.repeat) * REPETITION
        }),
        Form::File(_) | Form::Stream | Form::List(_) | Form::ClosedLoop(_) => {
            at_once * entry.source.facts().bytes
        }
    }
}
