//! What the sources of an entry of traffic offer to each link, headers not counted and nothing lost.
//!
//! Data are divided equally among the links of equal cost at every node, as hashes divide many flows.

use std::collections::{BTreeMap, BTreeSet};

use network::partners::Others;
use network::plan::{Between, Member, Plan, TrafficPlan};
use network::routing::Routing;
use network::topology::Graph;
use traffic::Source;
use units::{LinkId, NodeId};

use crate::schema::Pattern;

/// What an entry of traffic offers if all of its sources together offer 1.
pub(crate) struct Offered {
    /// To each link.
    pub(crate) links: Vec<f64>,
    /// From the first half of the hosts to the second, in the order of the topology, and back.
    pub(crate) across: [f64; 2],
}

/// The mean rate of the data that a source offers at a weight of 1, in b/s; of a list of flows and of a graph, that of
/// one byte over the run. None if a source has none.
pub(crate) fn unit_rate(plan: &Plan, traffic: &TrafficPlan) -> Option<f64> {
    match traffic.source {
        ref source if source.has_pairs() => Some(8.0 / plan.duration.as_secs_f64()),
        ref source => source.mean_rate(),
    }
}

/// The number of pairs of hosts that may have flows, and the number of flows, or of processes of
/// transfers.
pub(crate) fn pairs(traffic: &TrafficPlan) -> (u64, u64) {
    match &traffic.between {
        Between::Pairs(flows) if traffic.source.is_list() => {
            let pairs: BTreeSet<&(NodeId, NodeId)> = flows.iter().collect();
            (pairs.len() as u64, flows.len() as u64)
        }
        Between::Pairs(pairs) => {
            let each = u64::from(traffic.count);
            let flows = traffic.graph.as_ref().map_or(pairs.len() as u64 * each, |graph| {
                graph.graph.sends().count() as u64 * graph.groups() as u64 * u64::from(graph.repeat)
            });
            (pairs.len() as u64, flows)
        }
        Between::Random { from, to } => {
            let mut behind: BTreeMap<NodeId, u64> = BTreeMap::new();
            for member in to {
                *behind.entry(member.home).or_default() += 1;
            }
            let others =
                |member: &Member| to.len() as u64 - behind.get(&member.home).copied().unwrap_or(0);
            (from.iter().map(others).sum(), 1)
        }
        Between::Any { from, to } => {
            let hosts = Others::new(from, to);
            let pairs = (0..hosts.count()).map(|host| hosts.partners(host) as u64).sum();
            let flows = match traffic.source {
                Source::Shuffle { .. } => pairs,
                Source::Incast { rounds, senders: None, .. } => pairs * u64::from(rounds),
                Source::Incast { rounds, senders: Some(senders), .. } => {
                    let hosts = Others::new(to, from);
                    let receivers = (0..hosts.count()).filter(|&host| hosts.partners(host) > 0);
                    receivers.count() as u64 * u64::from(rounds) * u64::from(senders)
                }
                _ => 1,
            };
            (pairs, flows)
        }
    }
}

/// The nodes that end flows, in the order of the topology, and the first one of their second half.
pub(crate) fn halves(graph: &Graph) -> (Vec<NodeId>, NodeId) {
    let mut ends: Vec<NodeId> = graph.hosts().collect();
    if ends.is_empty() {
        ends.extend(graph.edges());
    }
    let half = ends.get(ends.len().div_ceil(2)).copied().unwrap_or(NodeId(u32::MAX));
    (ends, half)
}

/// The hosts of members.
pub(crate) fn hosts(members: &[Member]) -> Vec<NodeId> {
    members.iter().map(|member| member.host).collect()
}

/// Who sends how much to whom.
struct Demand<'a> {
    plan: &'a Plan,
    routing: &'a Routing,
    /// The router that each node is attached to.
    homes: Vec<NodeId>,
    /// The first host of the second half.
    second_half: NodeId,
    /// What is known so far.
    offered: Offered,
    /// From router to router, by the one to which data go.
    between: BTreeMap<NodeId, BTreeMap<NodeId, f64>>,
}

impl Offered {
    /// What some pairs of hosts offer, each its share.
    pub(crate) fn of_pairs(
        plan: &Plan,
        routing: &Routing,
        pairs: &[(NodeId, NodeId, f64)],
    ) -> Self {
        let mut demand = Demand::new(plan, routing);
        for &(from, to, share) in pairs {
            demand.add(from, to, share);
        }
        demand.carry();
        demand.offered
    }

    /// What the entry with this number offers; of a permutation, on average over all of them.
    pub(crate) fn of(plan: &Plan, routing: &Routing, entry: usize, pattern: Pattern) -> Self {
        let mut demand = Demand::new(plan, routing);
        match &plan.traffic[entry].between {
            Between::Pairs(pairs) if pattern == Pattern::Permutation => {
                let (from, to): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
                demand.random(&from, &to, |from, to| from != to);
            }
            Between::Pairs(pairs) => {
                let traffic = &plan.traffic[entry];
                let all: f64 = (0..pairs.len()).map(|at| traffic.weight(at)).sum();
                for (at, &(from, to)) in pairs.iter().enumerate() {
                    demand.add(from, to, traffic.weight(at) / all);
                }
            }
            Between::Any { from, to } => demand.random(from, to, |from, to| from != to),
            Between::Random { from, to } => {
                demand.random(&hosts(from), &hosts(to), |from, to| {
                    routing.home(from) != routing.home(to)
                });
            }
        }
        demand.carry();
        demand.offered
    }
}

impl<'a> Demand<'a> {
    fn new(plan: &'a Plan, routing: &'a Routing) -> Self {
        Self {
            plan,
            routing,
            homes: plan.graph.homes(),
            second_half: halves(&plan.graph).1,
            offered: Offered { links: vec![0.0; plan.graph.links.len()], across: [0.0; 2] },
            between: BTreeMap::new(),
        }
    }

    /// Each sender sends the same, in equal shares to all receivers that may be its partners.
    fn random(&mut self, from: &[NodeId], to: &[NodeId], may: impl Fn(NodeId, NodeId) -> bool) {
        for &sender in from {
            let partners = to.iter().filter(|&&receiver| may(sender, receiver)).count();
            let share = 1.0 / (from.len() as f64 * partners as f64);
            for &receiver in to.iter().filter(|&&receiver| may(sender, receiver)) {
                self.add(sender, receiver, share);
            }
        }
    }

    /// One host sends a share to another.
    fn add(&mut self, from: NodeId, to: NodeId, share: f64) {
        let second = |host: NodeId| host >= self.second_half;
        if second(from) != second(to) {
            self.offered.across[usize::from(second(from))] += share;
        }
        let graph = &self.plan.graph;
        let forwards = |node: NodeId| graph.nodes[node.index()].kind.forwards();
        let (mut at, mut end) = (from, to);
        if !forwards(from) {
            let first = self.routing.first_link(from);
            self.offered.links[first.index()] += share;
            at = graph.links[first.index()].to;
        }
        if at == to {
            return;
        }
        if !forwards(to) {
            end = self.homes[to.index()];
            let last = self.routing.next_link(end, to, 0);
            self.offered.links[last.index()] += share;
        }
        if at != end {
            *self.between.entry(end).or_default().entry(at).or_default() += share;
        }
    }

    /// Lets what goes from router to router flow over all paths of equal cost.
    fn carry(&mut self) {
        for (&to, from) in &self.between {
            let mut at: Vec<f64> = vec![0.0; self.plan.graph.nodes.len()];
            for (node, share) in from {
                at[node.index()] += share;
            }
            for node in self.order(to, from.keys().copied()) {
                let links: Vec<LinkId> = self.routing.links(node, to).collect();
                let share = at[node.index()] / links.len() as f64;
                for link in links {
                    self.offered.links[link.index()] += share;
                    at[self.plan.graph.links[link.index()].to.index()] += share;
                }
            }
        }
    }

    /// The routers on the ways from some to one, without it, each before those that it sends to.
    fn order(&self, to: NodeId, from: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
        let (mut seen, mut order) = (vec![false; self.plan.graph.nodes.len()], Vec::new());
        seen[to.index()] = true;
        // Depth first: a router is done when all that it sends to are.
        let mut stack: Vec<(NodeId, bool)> = from.map(|node| (node, false)).collect();
        while let Some((node, done)) = stack.pop() {
            if done {
                order.push(node);
            } else if !std::mem::replace(&mut seen[node.index()], true) {
                stack.push((node, true));
                let next = self.routing.links(node, to);
                stack.extend(next.map(|link| (self.plan.graph.links[link.index()].to, false)));
            }
        }
        order.reverse();
        order
    }
}
