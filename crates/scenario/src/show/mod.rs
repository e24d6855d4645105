//! An overview of a scenario: sizes, rates, round-trip times, bandwidth–delay products.

mod bundles;

use std::collections::BTreeSet;

use cores::circuit::{CircuitNodes, SlotRow};
use cores::lightpath::{LightpathNodes, RouteRow};
use optics::{CircuitCoreSpec, CircuitSchedule, LightpathCoreSpec};
use plan::partition::{Obstacle, Partition};
use plan::partners::Others;
use plan::routing::Routing;
use plan::shapes::FileNetwork;
use plan::spec::NodeKind;
use plan::topology::Graph;
use plan::{Between, Plan, TrafficPlan, TransportPlan};
use random::Seed;
use serde_json::{Value as Json, json};
use units::{LinkId, NodeId, Span, Time};

use crate::assemble;
use crate::given_load;
use crate::load::Checked;
use crate::offered::{Offered, pairs, unit_rate};
use crate::report;
use crate::schema::{Scenario, Threads};

/// Links whose load is shown.
const LINKS_SHOWN: usize = 100;

/// Slots of circuit switches that are shown, and circuits of each.
const SLOTS_SHOWN: usize = 100;
const CIRCUITS_SHOWN: usize = 4;

/// Pairs whose path is shown for an entry of traffic.
const PATHS_SHOWN: usize = 10;

impl Checked {
    /// An overview: nodes, links, and for each entry of traffic its paths with round-trip time,
    /// narrowest link and bandwidth–delay product. Of equal-cost paths one is shown; which of them
    /// a flow takes is drawn in each run. Some round-trip times are also drawn; of these the mean
    /// is shown.
    pub fn show(&self) -> Json {
        let seed = Seed(self.scenario.run.seed);
        let mut plan = assemble::plan(&self.scenario, seed);
        plan.graph.mean_rtts();
        let graph = &plan.graph;
        let hosts = graph.nodes.iter().filter(|node| node.kind == NodeKind::Host).count();
        let mut shown = json!({
            "title": self.scenario.title,
            "scenario-digest": format!("{:016x}", self.digest()),
            "duration": plan.duration.to_string(),
            "warmup": plan.warmup.to_string(),
            "hosts": hosts,
            "routers": graph.nodes.len() - hosts,
            "edge-routers": graph.edges().count(),
            "one-way-links": graph.links.len(),
            "traffic": traffic(&plan),
        });
        let facts = plan.facts();
        if let Some((_, key)) = facts.switches {
            // Light passes racks with lightpaths, too.
            let by_light = facts.lightpath.is_some();
            let is_one = |kind| kind == NodeKind::Core || (by_light && kind == NodeKind::Rack);
            shown[key] = json!(graph.nodes.iter().filter(|node| is_one(node.kind)).count());
        }
        // Circuits on demand have no schedule before the run.
        if let Some(core) = facts.circuit.filter(|core| core.schedule != CircuitSchedule::Demand) {
            shown["schedule"] = schedule(core, graph);
        }
        if let Some(core) = facts.lightpath {
            shown["routes"] = routes(core, &plan, seed);
        }
        shown["links"] = links(&plan, &self.scenario);
        bundles::add(&mut shown, &self.scenario.topology, &plan);
        if let Some(file) = self.scenario.topology.facts().file {
            let network = FileNetwork::new(file, NodeKind::Router).expect("checked");
            shown["notes"] = json!(network.notes);
        }
        let threads = self.scenario.run.threads;
        if threads != Threads::default() {
            let partition = Partition::for_run(&plan, threads.number());
            if let Ok(partition) = &partition {
                shown["largest-share"] = json!(partition.largest());
            }
            shown["threads"] = json!(threads_of(threads.number(), partition));
        }
        shown["parameters"] = json!(self.parameters);
        shown["warnings"] = report::warnings(self);
        shown
    }
}

/// The slots of a round of circuits, the first of each switch.
fn schedule(core: &CircuitCoreSpec, graph: &Graph) -> Json {
    let name = |(from, to): &(NodeId, NodeId)| {
        format!("{} -> {}", graph.node_name(*from), graph.node_name(*to))
    };
    let row = |row: &SlotRow| {
        let mut joins: Vec<String> = row.joins.iter().take(CIRCUITS_SHOWN).map(name).collect();
        if row.joins.len() > CIRCUITS_SHOWN {
            joins.push("…".to_owned());
        }
        json!({
            "switch": row.switch.name(graph),
            "opens": (row.opens - Time::ZERO).to_string(),
            "closes": (row.closes - Time::ZERO).to_string(),
            "joins": joins.join(", "),
        })
    };
    CircuitNodes::round(core, graph).iter().take(SLOTS_SHOWN).map(row).collect()
}

/// The routes of lightpaths, of the first pairs of racks.
fn routes(core: &LightpathCoreSpec, plan: &Plan, seed: Seed) -> Json {
    let graph = &plan.graph;
    let mut nodes = LightpathNodes::new(core, (graph, plan.metric), seed);
    let racks: Vec<(u32, NodeId)> = (0..).zip(nodes.racks()).collect();
    let pairs = racks.iter().flat_map(|from| racks.iter().map(move |to| (from, to)));
    let pairs = pairs.filter(|(from, to)| from.0 != to.0).take(PATHS_SHOWN);
    let mut rows = Vec::new();
    for (&(from, source), &(to, sink)) in pairs {
        let row = |row: RouteRow| {
            let ends = row.links.iter().map(|link| graph.links[link.index()].to);
            let ends = ends.filter(|&end| end != sink).map(|end| graph.node_name(end));
            json!({
                "from": graph.node_name(source),
                "to": graph.node_name(sink),
                "by": ends.collect::<Vec<_>>().join(", "),
                "hops": row.links.len(),
                "propagation": row.delay.to_string(),
                "set-up": row.set_up.to_string(),
            })
        };
        rows.extend(nodes.routes(from, to).into_iter().map(row));
    }
    Json::from(rows)
}

/// What becomes of a number of threads.
fn threads_of(threads: usize, partition: Result<Partition, Obstacle>) -> String {
    let partition = match partition {
        Err(Obstacle::OneThread) => return "1".to_owned(),
        Err(obstacle) => return format!("1 instead of {threads}: {obstacle}"),
        Ok(partition) => partition,
    };
    let (count, lookahead) = (partition.count(), partition.lookahead());
    let (most, fewer) = (100.0 * partition.largest(), count < threads);
    let instead = if fewer { format!(" instead of {threads}") } else { String::new() };
    format!("{count}{instead}, which exchange every {lookahead}; {most:.0} % of the work on one")
}

/// The most loaded links: what sources with a mean rate offer to them, headers not counted.
fn links(plan: &Plan, scenario: &Scenario) -> Json {
    let routing = Routing::new(&plan.graph, plan.metric, 0);
    let mut offered = vec![0.0; plan.graph.links.len()];
    for (at, entry) in scenario.traffic.iter().enumerate() {
        let Some(rate) = unit_rate(plan, &plan.traffic[at]) else { continue };
        let total = rate * given_load::sources(plan, at);
        if total == 0.0 {
            continue;
        }
        let shares = Offered::of(plan, &routing, at, entry.pattern).links;
        for (sum, share) in offered.iter_mut().zip(shares) {
            *sum += total * share;
        }
    }
    let load = |at: usize| offered[at] / plan.graph.links[at].bits_per_second();
    let mut order: Vec<usize> = (0..offered.len()).filter(|&at| offered[at] > 0.0).collect();
    order.sort_by(|&a, &b| load(b).total_cmp(&load(a)));
    let row = |at: usize| {
        let link = &plan.graph.links[at];
        json!({
            "link": plan.graph.link_name(LinkId::at(at)),
            "rate": link.rate.to_string(),
            "channels": link.channels.as_ref().map(|channels| channels.data),
            "offered": offered[at],
            "load": load(at),
        })
    };
    order.into_iter().take(LINKS_SHOWN).map(row).collect()
}

fn traffic(plan: &Plan) -> Json {
    let routing = Routing::new(&plan.graph, plan.metric, 0);
    let entry = |at: usize| {
        let traffic = &plan.traffic[at];
        let segment = match &traffic.transport {
            TransportPlan::Tcp(config) => Some(config.segment.0),
            TransportPlan::StopAndWait(options) => Some(options.packet.0),
            TransportPlan::Message(options) => Some(options.packet.0),
            TransportPlan::Udp { .. } => None,
        };
        let (pairs, sources) = pairs(traffic);
        let shown: Vec<Json> =
            shown(traffic).into_iter().map(|pair| path(plan, &routing, pair, segment)).collect();
        let rate = unit_rate(plan, traffic);
        let offering =
            if traffic.weights.is_empty() { sources as f64 } else { given_load::sources(plan, at) };
        json!({
            "pairs": pairs,
            "flows": sources * (1 + u64::from(traffic.source.under_way())),
            "offered": rate.map(|rate| rate * offering),
            "paths": shown,
        })
    };
    (0..plan.traffic.len()).map(entry).collect()
}

/// The first pairs.
fn shown(traffic: &TrafficPlan) -> Vec<(NodeId, NodeId)> {
    match &traffic.between {
        Between::Pairs(pairs) if traffic.source.list().is_some() => {
            let mut seen = BTreeSet::new();
            pairs.iter().copied().filter(|&pair| seen.insert(pair)).take(PATHS_SHOWN).collect()
        }
        Between::Pairs(pairs) => pairs.iter().copied().take(PATHS_SHOWN).collect(),
        Between::Random { from, to } => {
            let all = from.iter().flat_map(|from| to.iter().map(move |to| (from, to)));
            let apart = all.filter(|(from, to)| from.home != to.home);
            apart.map(|(from, to)| (from.host, to.host)).take(PATHS_SHOWN).collect()
        }
        Between::Any { from, to } => {
            let hosts = Others::new(from, to);
            let of = |host| (0..hosts.partners(host)).map(move |other| (host, other));
            let all = (0..hosts.count()).flat_map(of);
            all.take(PATHS_SHOWN).map(|(host, other)| hosts.pair(host, other)).collect()
        }
    }
}

fn path(
    plan: &Plan,
    routing: &Routing,
    (from, to): (NodeId, NodeId),
    segment: Option<u64>,
) -> Json {
    let graph = &plan.graph;
    let name = |id: NodeId| &graph.nodes[id.index()].name;
    let there = routing.path(graph, from, to, 0).unwrap_or_default();
    let back = routing.path(graph, to, from, 0).unwrap_or_default();
    let delay = |links: &[LinkId]| {
        links.iter().fold(Span::ZERO, |sum, link| sum + graph.links[link.index()].delay)
    };
    let round_trip = delay(&there) + delay(&back);
    let narrowest = there.iter().map(|link| graph.links[link.index()].rate).min();
    let product = narrowest.map(|rate| rate.as_f64() * round_trip.as_secs_f64() / 8.0);
    json!({
        "from": name(from),
        "to": name(to),
        "links": there.len(),
        "propagation-rtt": round_trip.to_string(),
        "narrowest-link": narrowest.map(|rate| rate.to_string()),
        "bandwidth-delay-product": product,
        "bandwidth-delay-product-segments":
            product.zip(segment).map(|(bytes, segment)| bytes / segment as f64),
    })
}
