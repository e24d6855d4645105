//! The work that nodes are expected to cause, and what crosses links.

use random::mix;
use units::{LinkId, NodeId};

use crate::routing::Routing;
use crate::spec::NodeKind;
use crate::{Between, Member, Plan, TrafficPlan};

/// What the ends of a flow cost, in hops of a packet.
const END: f64 = 3.0;
/// What a hop to a core costs where packets travel in bursts: few of them are events of their own.
const IN_BURST: f64 = 0.1;
/// What a node costs without traffic.
const IDLE: f64 = 0.01;

/// Pairs of hosts whose paths stand for those of all pairs.
const SAMPLE: u64 = 4_096;

/// The work of a run, in hops of flows, each of which counts the same.
#[derive(Debug)]
pub(super) struct Load {
    /// By node: the hops over links that end there, and the ends of flows.
    pub nodes: Vec<f64>,
    /// By link: the flows over it, in either direction.
    pub links: Vec<f64>,
    /// The bits that cross links in a second, in bursts few of them, if each flow has its share of the links on its way.
    pub bits: f64,
}

impl Load {
    /// The load of a plan.
    pub(super) fn of(plan: &Plan, routing: &Routing) -> Self {
        let graph = &plan.graph;
        let (nodes, links) = (vec![IDLE; graph.nodes.len()], vec![0.0; graph.links.len()]);
        let mut load = Self { nodes, links, bits: 0.0 };
        for traffic in &plan.traffic {
            load.add_ends(traffic);
            for_paths(plan, routing, traffic, |path, flows, _| load.add_path(plan, path, flows));
        }
        let mut bits = 0.0;
        for traffic in &plan.traffic {
            for_paths(plan, routing, traffic, |path, flows, offered| {
                bits += flows * load.share(plan, path).min(offered) * hops(plan, path);
            });
        }
        Self { bits, ..load }
    }

    /// Adds the ends of flows.
    fn add_ends(&mut self, traffic: &TrafficPlan) {
        let mut add = |host: NodeId, flows: f64| self.nodes[host.index()] += END * flows;
        match &traffic.between {
            Between::Pairs(pairs) => {
                let flows = f64::from(traffic.count);
                pairs.iter().flat_map(|&(from, to)| [from, to]).for_each(|host| add(host, flows));
            }
            Between::Random { from, to } => {
                from.iter().chain(to).for_each(|member| add(member.host, 1.0));
            }
            Between::Any { from, to } => from.iter().chain(to).for_each(|&host| add(host, 1.0)),
        }
    }

    /// Adds the hops of flows over a path.
    fn add_path(&mut self, plan: &Plan, path: &[LinkId], flows: f64) {
        for link in path {
            self.links[link.index()] += flows;
            let to = plan.graph.links[link.index()].to;
            self.nodes[to.index()] += flows * hop(plan, to);
        }
    }

    /// The rate of a flow over a path, in bits per second, if all flows over its busiest link have the same.
    fn share(&self, plan: &Plan, path: &[LinkId]) -> f64 {
        let share = |link: &LinkId| {
            let flows = self.links[link.index()].max(1.0);
            plan.graph.links[link.index()].bits_per_second() / flows
        };
        path.iter().map(share).fold(f64::INFINITY, f64::min)
    }
}

/// Calls `visit` for the paths of flows: one of those of equal cost, how many flows take it, and the bits per second that
/// each of them offers. The paths of some pairs stand for those of all where any host may send to any.
fn for_paths(
    plan: &Plan,
    routing: &Routing,
    traffic: &TrafficPlan,
    mut visit: impl FnMut(&[LinkId], f64, f64),
) {
    // Files that are under way from the start may take all there is.
    let rate = traffic.source.mean_rate().filter(|_| traffic.source.under_way() == 0);
    let offered = |weight: f64| rate.map_or(f64::INFINITY, |rate| rate * weight);
    let mut visit_pair = |(from, to): (NodeId, NodeId), flows: f64, offered: f64| {
        let hash = u64::from(from.0) << 20 ^ u64::from(to.0);
        if let Some(path) = routing.path(&plan.graph, from, to, hash) {
            visit(&path, flows, offered);
        }
    };
    let hosts = |members: &[Member]| members.iter().map(|end| end.host).collect::<Vec<_>>();
    let (from, to) = match &traffic.between {
        Between::Pairs(pairs) => {
            for (at, &pair) in pairs.iter().enumerate() {
                visit_pair(pair, f64::from(traffic.count), offered(traffic.weight(at)));
            }
            return;
        }
        Between::Random { from, to } => (hosts(from), hosts(to)),
        Between::Any { from, to } => (from.clone(), to.clone()),
    };
    if from.is_empty() || to.is_empty() {
        return;
    }
    let any = |hosts: &[NodeId], draw: u64| {
        let count = u64::try_from(hosts.len()).expect("a number of hosts");
        usize::try_from(mix(draw) % count).map(|at| hosts[at]).expect("one of the hosts")
    };
    let flows = from.len() as f64 / SAMPLE as f64;
    for draw in 0..SAMPLE {
        let pair = (any(&from, 2 * draw), any(&to, 2 * draw + 1));
        if pair.0 != pair.1 {
            visit_pair(pair, flows, offered(1.0 / from.len() as f64));
        }
    }
}

/// The hops of a packet over a path.
fn hops(plan: &Plan, path: &[LinkId]) -> f64 {
    path.iter().map(|link| hop(plan, plan.graph.links[link.index()].to)).sum()
}

/// What a hop of a packet to a node costs.
fn hop(plan: &Plan, to: NodeId) -> f64 {
    let gathers =
        plan.optical.as_ref().is_some_and(|rules| rules.assembly.policy.facts().aggregates);
    if gathers && plan.graph.nodes[to.index()].kind == NodeKind::Core { IN_BURST } else { 1.0 }
}
