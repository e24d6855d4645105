//! Quiet routers: all packets on the only link to one continue to quiet hosts.

use plan::spec::NodeKind;
use plan::{Between, Plan};
use units::{LinkId, NodeId};

/// The links to routers of hosts that only count, none of which sends to another one there. Each router
/// has no other link from elsewhere, and none to elsewhere except back: packets on it are for its hosts.
pub(super) fn links(plan: &Plan, counts_only: &[bool]) -> Vec<LinkId> {
    let graph = &plan.graph;
    let kind = |node: NodeId| graph.nodes[node.index()].kind;
    let mut from_elsewhere = vec![0; graph.nodes.len()];
    let mut to_elsewhere = vec![Vec::new(); graph.nodes.len()];
    let mut all_count = vec![plan.changes.is_empty(); graph.nodes.len()];
    let mut home = vec![None; graph.nodes.len()];
    for link in &graph.links {
        if kind(link.from) != NodeKind::Host {
            from_elsewhere[link.to.index()] += 1;
        }
        if kind(link.to) == NodeKind::Host {
            home[link.to.index()] = Some(link.from);
            let is_plain = link.loss.is_none() && !link.queue.is_managed();
            all_count[link.from.index()] &= counts_only[link.to.index()] && is_plain;
        } else {
            to_elsewhere[link.from.index()].push(link.to);
        }
    }
    for traffic in &plan.traffic {
        let Between::Pairs(pairs) = &traffic.between else { continue };
        for &(from, to) in pairs {
            if let (Some(one), Some(other)) = (home[from.index()], home[to.index()])
                && one == other
            {
                all_count[one.index()] = false;
            }
        }
    }
    let chooses = plan.facts().anycast.is_some();
    let is_quiet = |id: &LinkId| {
        let link = &graph.links[id.index()];
        let sender = match kind(link.from) {
            NodeKind::Router => true,
            NodeKind::Core => chooses,
            NodeKind::Host | NodeKind::Edge | NodeKind::Rack => false,
        };
        let ends = from_elsewhere[link.to.index()] == 1
            && to_elsewhere[link.to.index()].iter().all(|&back| back == link.from);
        sender
            && ends
            && link.loss.is_none()
            && !link.queue.is_managed()
            && kind(link.to) == NodeKind::Router
            && all_count[link.to.index()]
    };
    (0..graph.links.len()).map(LinkId::at).filter(is_quiet).collect()
}
