//! Quiet hosts, at which only datagrams of permanent flows arrive, which are only counted.

use plan::spec::NodeKind;
use plan::{Between, Plan, TransportPlan};
use units::{LinkId, NodeId};

/// The links from routers to quiet hosts.
///
/// Not in a network whose links change, and not if the wire loses packets.
pub(super) fn links(plan: &Plan, counts_only: &[bool]) -> Vec<LinkId> {
    let graph = &plan.graph;
    let to_host = |id: &LinkId| {
        let link = &graph.links[id.index()];
        graph.nodes[link.from.index()].kind == NodeKind::Router
            && counts_only[link.to.index()]
            && link.loss.is_none()
            && !link.queue.is_managed()
    };
    (0..graph.links.len()).map(LinkId::at).filter(to_host).collect()
}

/// The hosts at which nothing reacts to arrivals.
pub(super) fn counts_only(plan: &Plan) -> Vec<bool> {
    let is_host = plan.graph.nodes.iter().map(|node| node.kind == NodeKind::Host);
    let mut counts_only: Vec<bool> = is_host.map(|is| is && plan.changes.is_empty()).collect();
    for traffic in &plan.traffic {
        let udp = matches!(traffic.transport, TransportPlan::Udp { .. });
        let mut acts = |host: NodeId| counts_only[host.index()] = false;
        match &traffic.between {
            Between::Pairs(_) if udp => {}
            Between::Pairs(pairs) => pairs.iter().for_each(|&(from, to)| {
                acts(from);
                acts(to);
            }),
            Between::Random { from, to } => from.iter().chain(to).for_each(|m| acts(m.host)),
            Between::Any { from, to } => from.iter().chain(to).for_each(|&host| acts(host)),
        }
    }
    counts_only
}
