//! Loads in place of rates: `load = 0.6` says what `rate`, `per-second` or `probability` would.

use std::collections::BTreeSet;

use petgraph::algo::ford_fulkerson;
use petgraph::graph::{DiGraph, NodeIndex};
use plan::routing::Routing;
use plan::spec::NodeKind;
use plan::topology::{Graph, OneWayLink};
use plan::{Between, Plan};
use random::Seed;
use traffic::{RateKey, Source};
use units::{LinkId, MeanRate, NodeId};

use crate::assemble;
use crate::mistake::{Flaw, Mistakes, Place};
use crate::offered::{Offered, halves};
use crate::overrides;
use crate::schema::{LoadReference, LoadSpec, Scenario};
use crate::tree::{Node, Value};

/// How much a rate that is written beside a load may differ from the one that follows from it.
const ROUNDED: f64 = 1e-6;

/// What a scenario has for a value of the key of a rate.
fn text_of(rate: &RateKey<'_>, value: f64) -> Value {
    match rate.each {
        None => Value::Text(MeanRate::computed(value).to_string()),
        Some(_) => Value::Float(value),
    }
}

/// Gives sources with a load a rate for the time being.
pub(crate) fn prepare(root: &mut Node) {
    for at in 0..root.get("traffic").map_or(0, |traffic| traffic.items().len()) {
        let Some(place) = root.at(&format!("traffic.{at}.load")).map(|load| load.place) else {
            continue;
        };
        let kind = root.at(&format!("traffic.{at}.source.kind")).map(|kind| &kind.value);
        let Some(Value::Text(word)) = kind else { continue };
        let Some(source) = Source::blank(word) else { continue };
        let Some(rate) = source.facts().rate else { continue };
        let key = format!("traffic.{at}.source.{}", rate.key);
        if root.at(&key).is_none() {
            let value = text_of(&rate, rate.least);
            overrides::put(root, &key, Node { place, value }).expect("a key of a table");
        }
    }
}

/// The rates that follow from loads.
pub(crate) struct Filled {
    /// The keys of those that are not written, each with the key of the load.
    pub(crate) keys: Vec<(String, String)>,
    /// A warning if all of them together offer a link more than it carries.
    pub(crate) warning: Option<(Place, Flaw)>,
}

/// Gives sources with a load the rate that follows from it; `scenario` is what the prepared tree says.
pub(crate) fn fill(
    root: &mut Node,
    written: &Node,
    scenario: &Scenario,
    mistakes: &mut Mistakes,
) -> Filled {
    let mut keys = Vec::new();
    let mut plan = assemble::plan(scenario, Seed(0));
    plan.graph.mean_rtts();
    let routing = Routing::new(&plan.graph, plan.metric, 0);
    let (mut carried, mut last) = (vec![0.0; plan.graph.links.len()], None);
    for (at, entry) in scenario.traffic.iter().enumerate() {
        let Some(load) = entry.load else { continue };
        let key = format!("traffic.{at}.load");
        let place = root.place_of(&key);
        let offered = Offered::of(&plan, &routing, at, entry.pattern);
        let found = match entry.source.facts().rate {
            Some(rate) => capacity(&plan.graph, &offered, load)
                .and_then(|capacity| {
                    let total = load.parts().0 * capacity;
                    for (sum, share) in carried.iter_mut().zip(&offered.links) {
                        *sum += total * share;
                    }
                    let value = rate.value_at(total / sources(&plan, at));
                    value.ok_or_else(|| "the mean size is infinite".to_owned())
                })
                .map(|value| (format!("traffic.{at}.source.{}", rate.key), text_of(&rate, value))),
            None if entry.source.list().is_some() => {
                Err("does not apply: a list of flows has the load that it says".to_owned())
            }
            None if entry.source.graph().is_some() => {
                Err("does not apply: a graph has the load that it says".to_owned())
            }
            None => Err("a source without a mean rate has no load".to_owned()),
        };
        let (rate, value) = match found {
            Ok(found) => found,
            Err(problem) => {
                mistakes.add(place, Flaw::new(&key, problem));
                continue;
            }
        };
        let node = Node { place, value };
        match written.at(&rate) {
            Some(given) if !is_near(given, &node) => {
                let flaw = Flaw::new(&rate, format!("the load of {key} gives another"));
                mistakes.add(given.place, flaw.found(given.text()).accepted(node.text()));
                continue;
            }
            Some(_) => {}
            None => keys.push((rate.clone(), key.clone())),
        }
        overrides::put(root, &rate, node).expect("a key of a table");
        last = Some((key, place));
    }
    let warning =
        last.and_then(|(key, place)| overload(&plan, &carried, &key).map(|flaw| (place, flaw)));
    Filled { keys, warning }
}

/// What is told where loads offer a link more than it carries; the numbers are b/s by link.
fn overload(plan: &Plan, carried: &[f64], key: &str) -> Option<Flaw> {
    let links = plan.graph.links.iter().zip(carried).enumerate();
    let limited = links.filter(|(_, (link, _))| !plan.never_waits(link));
    let loads = limited.map(|(at, (link, sum))| (at, sum / link.bits_per_second()));
    let (at, load) = loads.rev().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    (load > 1.0 + ROUNDED).then(|| {
        let link = plan.graph.link_name(LinkId::at(at));
        let problem =
            format!("{link} is offered {load:.2} times what it carries: there is no steady state");
        Flaw::new(key, problem)
    })
}

/// The rate in b/s of all sources of an entry together at which its load is 1.
fn capacity(graph: &Graph, offered: &Offered, load: LoadSpec) -> Result<f64, String> {
    let (_, of) = load.parts();
    let share = if of == LoadReference::Bisection {
        // In the direction that comes closer to what the cut can carry.
        let [there, back] = offered.across;
        let over = |across: f64, forward| {
            if across > 0.0 { across / bisection(graph, forward) } else { 0.0 }
        };
        if is_symmetric(graph) {
            over(there.max(back), true)
        } else {
            over(there, true).max(over(back, false))
        }
    } else {
        let links =
            graph.links.iter().zip(&offered.links).filter(|(link, _)| is_of(graph, link, of));
        links.map(|(link, share)| share / link.bits_per_second()).fold(0.0, f64::max)
    };
    if share > 0.0 && share.is_finite() {
        Ok(1.0 / share)
    } else {
        let what = match of {
            LoadReference::Bottleneck => "any link",
            LoadReference::Access => "a link of a host",
            LoadReference::Optical => "an optical link",
            LoadReference::Bisection => "the cut between the two halves of the hosts",
        };
        Err(format!("the entry sends nothing over {what}"))
    }
}

/// The sources of an entry of which each has the rate that its key says: flows, units of demand, senders that share their
/// slots, or one process of transfers.
pub(crate) fn sources(plan: &Plan, entry: usize) -> f64 {
    let traffic = &plan.traffic[entry];
    let Between::Pairs(pairs) = &traffic.between else { return 1.0 };
    if traffic.source.is_shared_by_flows() {
        let senders: BTreeSet<NodeId> = pairs.iter().map(|&(from, _)| from).collect();
        return senders.len() as f64;
    }
    let all: f64 = (0..pairs.len()).map(|at| traffic.weight(at)).sum();
    all * f64::from(traffic.count)
}

/// Whether a written rate is the one that follows from the load.
fn is_near(given: &Node, derived: &Node) -> bool {
    let number = |node: &Node| match &node.value {
        Value::Text(text) => text.parse::<MeanRate>().ok().map(|rate| rate.0),
        Value::Float(number) => Some(*number),
        Value::Integer(number) => Some(*number as f64),
        _ => None,
    };
    let near = |(given, derived): (f64, f64)| (given - derived).abs() <= ROUNDED * derived;
    number(given).zip(number(derived)).is_some_and(near)
}

/// Whether a load of this part of the network is a load of a link.
fn is_of(graph: &Graph, link: &OneWayLink, of: LoadReference) -> bool {
    let is = |node: NodeId, kind: NodeKind| graph.nodes[node.index()].kind == kind;
    match of {
        LoadReference::Bottleneck => true,
        LoadReference::Access => is(link.from, NodeKind::Host) || is(link.to, NodeKind::Host),
        LoadReference::Optical => {
            link.channels.is_some()
                || (is(link.from, NodeKind::Core) && is(link.to, NodeKind::Core))
        }
        LoadReference::Bisection => false,
    }
}

/// Whether the links from each node to each other carry what those back do.
fn is_symmetric(graph: &Graph) -> bool {
    let links = |of: fn(&OneWayLink) -> (NodeId, NodeId)| {
        let capacity = |link: &OneWayLink| (of(link), link.bits_per_second().to_bits());
        let mut all: Vec<_> = graph.links.iter().map(capacity).collect();
        all.sort_unstable();
        all
    };
    links(|link| (link.from, link.to)) == links(|link| (link.to, link.from))
}

/// The smallest cut in b/s between the two halves of what ends flows, in one direction.
fn bisection(graph: &Graph, forward: bool) -> f64 {
    let (ends, half) = halves(graph);
    let mut net = DiGraph::<(), f64>::new();
    let nodes: Vec<NodeIndex> = graph.nodes.iter().map(|_| net.add_node(())).collect();
    for link in &graph.links {
        net.add_edge(nodes[link.from.index()], nodes[link.to.index()], link.bits_per_second());
    }
    let (source, sink) = (net.add_node(()), net.add_node(()));
    let all: f64 = graph.links.iter().map(OneWayLink::bits_per_second).sum();
    for end in ends {
        if (end < half) == forward {
            net.add_edge(source, nodes[end.index()], all);
        } else {
            net.add_edge(nodes[end.index()], sink, all);
        }
    }
    ford_fulkerson(&net, source, sink).0
}
