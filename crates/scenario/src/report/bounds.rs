//! What goodput cannot exceed: the rates of the hosts' links, and those at which sources offer.

use std::collections::BTreeMap;

use engine::world::World;
use plan::{Between, Plan, TrafficPlan};
use traffic::Variation;
use units::{LinkId, NodeId};

use super::tables::used;

/// The flows of hosts, which begin or end there; those of a matrix by their weights.
type Flows = BTreeMap<NodeId, f64>;

/// The greatest goodput of each entry of traffic in b/s: what the links of its sources and those of its
/// sinks carry, and what its constant bit rates offer.
pub(super) fn goodput(plan: &Plan) -> Vec<f64> {
    let (up, down) = rates(plan);
    let of = |traffic: &TrafficPlan| {
        let is_constant = traffic.source.facts().variation == Variation::Constant;
        let offered = traffic.source.mean_rate().filter(|_| is_constant).unwrap_or(f64::INFINITY);
        let carried = |hosts: &Flows, rates: &[f64]| -> f64 {
            let each = hosts.iter();
            each.map(|(host, &flows)| rates[host.index()].min(offered * flows)).sum()
        };
        let (from, to) = ends(traffic);
        carried(&from, &up).min(carried(&to, &down))
    };
    plan.traffic.iter().map(of).collect()
}

/// Whether there is a core, and each of its links, those between routers, was idle for more than half of the measured
/// time.
pub(super) fn core_has_room(world: &World) -> bool {
    if world.plan().core().is_none() {
        return false;
    }
    let graph = &world.plan().graph;
    let links = (0..).map(LinkId).zip(&graph.links).zip(world.link_counters());
    let inner = links.filter(|((_, link), _)| graph.is_inner(link));
    let shares = inner.map(|((id, _), counters)| used(world, id, &counters));
    shares.reduce(f64::max).is_some_and(|most| most < 0.5)
}

/// The bit rates of all links from each node, and to it: the greatest that they have during the run. A link for which
/// no packet waits has no limit.
fn rates(plan: &Plan) -> (Vec<f64>, Vec<f64>) {
    let graph = &plan.graph;
    let (mut up, mut down) = (vec![0.0; graph.nodes.len()], vec![0.0; graph.nodes.len()]);
    for (link, rate) in graph.links.iter().zip(plan.highest_rates()) {
        let rate =
            if plan.never_waits(link) { f64::INFINITY } else { link.bits_per_second_at(rate) };
        up[link.from.index()] += rate;
        down[link.to.index()] += rate;
    }
    (up, down)
}

/// The hosts of each end with their flows; of flows that begin during the run one each.
fn ends(traffic: &TrafficPlan) -> (Flows, Flows) {
    let (mut from, mut to) = (Flows::new(), Flows::new());
    let count = f64::from(traffic.count);
    let add = |hosts: &mut Flows, host: NodeId| *hosts.entry(host).or_default() += count;
    match &traffic.between {
        Between::Pairs(pairs) => {
            for (at, &(source, sink)) in pairs.iter().enumerate() {
                *from.entry(source).or_default() += traffic.weight(at) * count;
                *to.entry(sink).or_default() += traffic.weight(at) * count;
            }
        }
        Between::Random { from: sources, to: sinks } => {
            for member in sources {
                add(&mut from, member.host);
            }
            for member in sinks {
                add(&mut to, member.host);
            }
        }
        Between::Any { from: sources, to: sinks } => {
            for &host in sources {
                add(&mut from, host);
            }
            for &host in sinks {
                add(&mut to, host);
            }
        }
    }
    (from, to)
}
