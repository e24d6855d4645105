//! The work that nodes are expected to cause.

use units::NodeId;

use crate::plan::{Between, Plan};
use crate::routing::Routing;

/// What the ends of a flow cost, in hops of a packet.
const END: f64 = 3.0;
/// What a node costs without traffic.
const IDLE: f64 = 0.01;

/// By node: the hops of all flows that it sends on, and the ends that it has. All flows count the same.
pub(super) fn of(plan: &Plan, routing: &Routing) -> Vec<f64> {
    let mut load = vec![IDLE; plan.graph.nodes.len()];
    for traffic in &plan.traffic {
        match &traffic.between {
            Between::Pairs(pairs) => {
                for &pair in pairs {
                    add(&mut load, plan, routing, pair, f64::from(traffic.count));
                }
            }
            Between::Random { from, to } => {
                from.iter().chain(to).for_each(|member| load[member.host.index()] += END);
            }
            Between::Any { from, to } => {
                from.iter().chain(to).for_each(|host| load[host.index()] += END);
            }
        }
    }
    load
}

/// Adds the flows of a pair: there and back over one of the paths of equal cost.
fn add(load: &mut [f64], plan: &Plan, routing: &Routing, (from, to): (NodeId, NodeId), flows: f64) {
    load[from.index()] += END * flows;
    load[to.index()] += END * flows;
    let hash = u64::from(from.0) << 20 ^ u64::from(to.0);
    let path = routing.path(&plan.graph, from, to, hash);
    for link in path.iter().flatten() {
        load[plan.graph.links[link.index()].to.index()] += flows;
    }
}
