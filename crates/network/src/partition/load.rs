//! The work that nodes are expected to cause, and what crosses links.

use units::NodeId;

use crate::packet::mix;
use crate::plan::{Between, Member, Plan};
use crate::routing::Routing;
use crate::spec::NodeKind;

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
}

impl Load {
    /// The load of a plan.
    pub(super) fn of(plan: &Plan, routing: &Routing) -> Self {
        let graph = &plan.graph;
        let (nodes, links) = (vec![IDLE; graph.nodes.len()], vec![0.0; graph.links.len()]);
        let mut load = Self { nodes, links };
        for traffic in &plan.traffic {
            match &traffic.between {
                Between::Pairs(pairs) => {
                    for &pair in pairs {
                        load.add(plan, routing, pair, f64::from(traffic.count));
                    }
                }
                Between::Random { from, to } => {
                    let hosts =
                        |list: &[Member]| list.iter().map(|end| end.host).collect::<Vec<_>>();
                    load.add_any(plan, routing, &hosts(from), &hosts(to));
                }
                Between::Any { from, to } => load.add_any(plan, routing, from, to),
            }
        }
        load
    }

    /// Adds the flows of a pair, over one of the paths of equal cost.
    fn add(&mut self, plan: &Plan, routing: &Routing, pair: (NodeId, NodeId), flows: f64) {
        let (from, to) = pair;
        self.nodes[from.index()] += END * flows;
        self.nodes[to.index()] += END * flows;
        self.add_path(plan, routing, pair, flows);
    }

    /// Adds a flow from each of some hosts to any of others: the paths of some pairs stand for those of all.
    fn add_any(&mut self, plan: &Plan, routing: &Routing, from: &[NodeId], to: &[NodeId]) {
        from.iter().chain(to).for_each(|host| self.nodes[host.index()] += END);
        let flows = from.len() as f64 / SAMPLE as f64;
        let any = |hosts: &[NodeId], draw: u64| {
            let count = u64::try_from(hosts.len()).expect("a number of hosts");
            usize::try_from(mix(draw) % count).map(|at| hosts[at]).expect("one of the hosts")
        };
        if from.is_empty() || to.is_empty() {
            return;
        }
        for draw in 0..SAMPLE {
            let pair = (any(from, 2 * draw), any(to, 2 * draw + 1));
            if pair.0 != pair.1 {
                self.add_path(plan, routing, pair, flows);
            }
        }
    }

    /// Adds the hops of flows of a pair.
    fn add_path(&mut self, plan: &Plan, routing: &Routing, pair: (NodeId, NodeId), flows: f64) {
        let (from, to) = pair;
        let hash = u64::from(from.0) << 20 ^ u64::from(to.0);
        for link in routing.path(&plan.graph, from, to, hash).iter().flatten() {
            self.links[link.index()] += flows;
            let to = plan.graph.links[link.index()].to;
            self.nodes[to.index()] += flows * hop(plan, to);
        }
    }
}

/// What a hop of a packet to a node costs.
fn hop(plan: &Plan, to: NodeId) -> f64 {
    let gathers = plan.optical.as_ref().is_some_and(|rules| rules.assembly.policy.aggregates());
    if gathers && plan.graph.nodes[to.index()].kind == NodeKind::Core { IN_BURST } else { 1.0 }
}
