//! A checked scenario becomes a plan.

use std::sync::Arc;

use plan::spec::{ChangeSpec, CoreSpec, NodeKind, QueueSpec};
use plan::topology::{Graph, LinksByName};
use plan::{Between, OpticalPlan, Plan, SplittingPlan, TrafficPlan, TransportPlan};
use random::Seed;
use traffic::ListedFlow;
use transport::{ProfileSpec, Transport};
use units::Span;

use crate::endpoints::{self, Hosts};
use crate::graphs;
use crate::matrix::Pairs;
use crate::schema::{Pattern, Scenario, TrafficSpec};

/// The default queue of links.
pub(crate) fn interface_queue(profile: &ProfileSpec) -> QueueSpec {
    QueueSpec::packets(profile.as_ref().interface_queue_packets())
}

/// The kind of the switches of a generator; with circuits, of those that have hosts.
pub(crate) fn switch_kind(core: Option<&CoreSpec>) -> NodeKind {
    match core {
        None => NodeKind::Router,
        Some(core) => core.facts().kind_of_switches(),
    }
}

/// The plan of a scenario; random patterns of traffic and drawn round-trip times depend on the seed.
pub(crate) fn plan(scenario: &Scenario, seed: Seed) -> Plan {
    let interface = interface_queue(&scenario.profile);
    let mut graph =
        Graph::new(scenario.topology.shape(), interface, switch_kind(scenario.core.as_ref()));
    graph.add_channels(scenario.core.as_ref());
    graph.draw_rtts(seed);
    let traffic = scenario
        .traffic
        .iter()
        .enumerate()
        .map(|(entry, spec)| traffic(scenario, spec, &graph, seed, entry))
        .collect();
    let mut changes = Vec::new();
    if !scenario.changes.is_empty() {
        let links = LinksByName::new(&graph);
        let of = |spec: &ChangeSpec| {
            let (at, set) = (spec.at, spec.set);
            links.named(&spec.link).into_iter().map(move |link| (at, link, set))
        };
        changes.extend(scenario.changes.iter().flat_map(of));
        changes.sort_by_key(|&(at, _, _)| at);
    }
    let splitting = scenario.splitting.as_ref().map(|spec| SplittingPlan {
        link: LinksByName::new(&graph).named(&spec.link)[0],
        factor: spec.factor,
        levels: spec.levels.clone(),
    });
    Plan {
        graph,
        metric: scenario.routing.metric,
        spread: scenario.routing.spread,
        flowlet_gap: scenario.routing.flowlet_gap.unwrap_or_default(),
        traffic,
        changes,
        warmup: scenario.run.warmup,
        duration: scenario.run.duration,
        until: scenario.run.until,
        max_events: scenario.run.max_events.unwrap_or(u64::MAX),
        optical: scenario.assembly.clone().map(|assembly| OpticalPlan {
            assembly,
            core: scenario.core.clone().unwrap_or_default(),
            control: scenario.control.unwrap_or_default(),
        }),
        core: scenario.core.clone().filter(|core| !core.facts().has_edges),
        bursts_recorded: scenario.record.bursts,
        first_transmission: scenario.record.first_transmission,
        acknowledgments: scenario.record.acknowledgments,
        synchronization: scenario.record.synchronization,
        throughput_span: scenario.record.throughput_span,
        splitting,
        without: Vec::new(),
    }
}

fn traffic(
    scenario: &Scenario,
    spec: &TrafficSpec,
    graph: &Graph,
    seed: Seed,
    entry: usize,
) -> TrafficPlan {
    let profile = &scenario.profile;
    let hosts = Hosts::new(graph);
    let from = hosts.select(&spec.from).expect("checked");
    let to = hosts.select(&spec.to).expect("checked");
    let operations = graphs::plan(&spec.source, &from, &hosts);
    let given = match (spec.source.list(), &operations) {
        (Some(flows), _) => {
            Some(listed(flows, &hosts, scenario.run.duration.saturating_sub(spec.start.earliest())))
        }
        (None, Some(graph)) => Some(graphs::pairs(graph)),
        (None, None) => spec.matrix.as_ref().map(|matrix| {
            matrix.pairs((&scenario.topology, graph), [&from, &to]).expect("checked")
        }),
    };
    let is_given = given.is_some();
    let Pairs { hosts: pairs, weights, .. } = given.unwrap_or_default();
    let between = match spec.pattern {
        _ if is_given => Between::Pairs(pairs),
        Pattern::Random => Between::Random { from: hosts.members(&from), to: hosts.members(&to) },
        Pattern::Uniform => Between::Any { from, to },
        Pattern::All if spec.source.closed_loop().is_some() => Between::Any { from, to },
        Pattern::Pairs | Pattern::All | Pattern::Permutation => {
            let mut stream = seed.stream(&format!("traffic/{entry}/pattern"));
            Between::Pairs(endpoints::draw(spec.pattern, &from, &to, &mut stream))
        }
    };
    let transport = match &spec.transport {
        Transport::Tcp(options) => {
            TransportPlan::Tcp(Arc::new(transport::resolve(profile, options).expect("checked")))
        }
        Transport::StopAndWait(options) => TransportPlan::StopAndWait(Arc::new(options.clone())),
        Transport::Message(options) => TransportPlan::Message(Arc::new(options.clone())),
        Transport::Udp(options) => {
            let header = options.resolve(profile).header.0;
            TransportPlan::Udp { header: u32::try_from(header).expect("limited by the schema") }
        }
    };
    TrafficPlan {
        between,
        weights,
        count: spec.count,
        start: spec.start,
        stop: spec.stop,
        transport,
        source: spec.source.clone(),
        graph: operations.map(Arc::new),
        reordering: spec.reordering,
    }
}

/// The hosts of listed flows in the order of their starts, and the bytes of those that start in the time that is left for them.
fn listed(flows: &[ListedFlow], hosts: &Hosts<'_>, left: Span) -> Pairs {
    let named = |name: &str| hosts.named(name).expect("checked");
    let bytes = |flow: &ListedFlow| if flow.start < left { flow.size.as_f64() } else { 0.0 };
    let flows = ListedFlow::in_order(flows);
    Pairs {
        hosts: flows.iter().map(|flow| (named(&flow.from), named(&flow.to))).collect(),
        weights: flows.iter().copied().map(bytes).collect(),
        own: Vec::new(),
    }
}
