//! Links over which packets may be delivered late, since nothing hangs on when that is looked at.
//!
//! The agenda knows nothing of them. What arrives is looked at when the next packet is sent, or once in a
//! while, and at its own instant.

use units::{LinkId, NodeId};

use super::World;
use crate::device::Device;
use crate::packet::Transit;
use crate::plan::{Between, Plan, TransportPlan};
use crate::spec::NodeKind;

/// Quiet links are looked at after so many events: few packets wait, and those of one link stand in the
/// cache when they are looked at.
pub(super) const AFTER: u64 = 256;

/// The links that are quiet, those of which packets go on to others first.
///
/// A link from a router to a host is, at which only datagrams of flows that stay arrive: nothing but
/// counts comes of them. So is the only link to a router of which all packets go on to such links. Not in
/// a network whose links change, and not where the wire loses some.
pub(super) fn links(plan: &Plan) -> Vec<LinkId> {
    let graph = &plan.graph;
    let counts_only = counts_only(plan);
    let to_host = |id: &LinkId| {
        let link = &graph.links[id.index()];
        graph.nodes[link.from.index()].kind == NodeKind::Router
            && counts_only[link.to.index()]
            && link.loss.is_none()
    };
    let mut links = to_routers(plan, &counts_only);
    links.extend((0..graph.links.len()).map(LinkId::at).filter(to_host));
    links
}

/// The hosts at which nothing acts on what arrives.
fn counts_only(plan: &Plan) -> Vec<bool> {
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

/// The links to routers of hosts that count, none of which sends to another one there. Each router has no
/// other link from elsewhere, and none to elsewhere but back: what comes by it is for its hosts.
fn to_routers(plan: &Plan, counts_only: &[bool]) -> Vec<LinkId> {
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
            all_count[link.from.index()] &= counts_only[link.to.index()] && link.loss.is_none();
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
    let chooses = plan.core.as_ref().is_some_and(|core| core.anycast().is_some());
    let is_quiet = |id: &LinkId| {
        let link = &graph.links[id.index()];
        let sender = match kind(link.from) {
            NodeKind::Router => true,
            NodeKind::Core => chooses,
            NodeKind::Host | NodeKind::Edge => false,
        };
        let ends = from_elsewhere[link.to.index()] == 1
            && to_elsewhere[link.to.index()].iter().all(|&back| back == link.from);
        sender
            && ends
            && link.loss.is_none()
            && kind(link.to) == NodeKind::Router
            && all_count[link.to.index()]
    };
    (0..graph.links.len()).map(LinkId::at).filter(is_quiet).collect()
}

impl World {
    /// No link is quiet of which packets go on to others: a trace is to be told of their offers in time, or
    /// the rows that it has room for are others. To be called before the run advances.
    pub(super) fn hear_routers(&mut self) {
        for link in std::mem::take(&mut self.quiet) {
            let link_there = &mut self.fabric.links[link.index()];
            match self.devices[link_there.to.index()] {
                Device::Router => link_there.be_heard(),
                _ => self.quiet.push(link),
            }
        }
    }

    /// Looks at what has arrived over quiet links.
    pub(super) fn empty_quiet_links(&mut self) {
        for at in 0..self.quiet.len() {
            self.empty(self.quiet[at]);
        }
    }

    /// Takes what has arrived over a link on which nobody waits for it, each packet at its instant.
    pub(super) fn empty(&mut self, link: LinkId) {
        let (now, node) = (self.fabric.now, self.fabric.links[link.index()].to);
        while let Some(packet) = self.fabric.links[link.index()].first() {
            let Transit { arrives, next, .. } = *self.fabric.packets.transit(packet);
            if arrives >= now {
                break;
            }
            // In a long queue neither is in the cache.
            self.fabric.packets.prefetch_transit(next);
            self.fabric.packets.prefetch_body(next);
            self.fabric.now = arrives;
            self.fabric.links[link.index()].arrive(arrives, &self.fabric.packets);
            self.beside_events += 1;
            match self.devices[node.index()] {
                Device::Router => self.at_router(node, packet),
                _ => self.on_delivery(node, packet),
            }
        }
        self.fabric.now = now;
    }
}
