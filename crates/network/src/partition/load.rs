//! The work that nodes are expected to cause, and what crosses links.

use units::NodeId;

use crate::plan::{Between, Plan};
use crate::routing::Routing;
use crate::spec::NodeKind;

/// What the ends of a flow cost, in hops of a packet.
const END: f64 = 3.0;
/// What a hop to a core costs where packets travel in bursts: few of them are events of their own.
const IN_BURST: f64 = 0.1;
/// What a node costs without traffic.
const IDLE: f64 = 0.01;

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
                    from.iter().chain(to).for_each(|end| load.nodes[end.host.index()] += END);
                }
                Between::Any { from, to } => {
                    from.iter().chain(to).for_each(|host| load.nodes[host.index()] += END);
                }
            }
        }
        load
    }

    /// Adds the flows of a pair, over one of the paths of equal cost.
    fn add(&mut self, plan: &Plan, routing: &Routing, pair: (NodeId, NodeId), flows: f64) {
        let (from, to) = pair;
        self.nodes[from.index()] += END * flows;
        self.nodes[to.index()] += END * flows;
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
