//! What the sources of an entry of traffic offer to each link, headers not counted and nothing lost.
//!
//! Data are divided equally among the links of equal cost at every node, as hashes divide many flows.

use std::collections::{BTreeMap, BTreeSet};

use plan::partners::Others;
use plan::routing::Routing;
use plan::topology::Graph;
use plan::{Between, Member, Plan, TrafficPlan};
use traffic::ClosedLoop;
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
    let of_byte = traffic.source.has_pairs().then(|| 8.0 / plan.duration.as_secs_f64());
    of_byte.or_else(|| traffic.source.mean_rate())
}

/// The number of pairs of hosts that may have flows, and the number of flows, or of processes of
/// transfers.
pub(crate) fn pairs(traffic: &TrafficPlan) -> (u64, u64) {
    match &traffic.between {
        Between::Pairs(flows) if traffic.source.list().is_some() => {
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
            let partners =
                |hosts: Others| (0..hosts.count()).map(move |host| hosts.partners(host) as u64);
            let flows = traffic.source.closed_loop().map_or(1, |of| {
                let some = partners(processes(of, (from, to))).filter(|&some| some > 0);
                some.map(|some| of.blocks(some)[1]).sum()
            });
            (partners(Others::new(from, to)).sum(), flows)
        }
    }
}

/// The hosts of the processes of a closed loop, with the partners of each.
pub(crate) fn processes(of: ClosedLoop<'_>, (from, to): (&[NodeId], &[NodeId])) -> Others {
    if of.is_of_receivers() { Others::new(to, from) } else { Others::new(from, to) }
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

/// Hosts that send nothing to each other: a host alone, or all behind a router.
#[derive(Default)]
struct Group {
    senders: usize,
    /// In the two halves of the hosts.
    receivers: [usize; 2],
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
                demand.random(&from, &to, |_, host| host);
            }
            Between::Pairs(pairs) => {
                let traffic = &plan.traffic[entry];
                let all: f64 = (0..pairs.len()).map(|at| traffic.weight(at)).sum();
                for (at, &(from, to)) in pairs.iter().enumerate() {
                    demand.add(from, to, traffic.weight(at) / all);
                }
            }
            Between::Any { from, to } => demand.random(from, to, |_, host| host),
            Between::Random { from, to } => {
                demand.random(&hosts(from), &hosts(to), |homes, host| homes[host.index()]);
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

    /// Each sender sends the same, in equal shares to all receivers that are not of its group. All hosts of a group
    /// receive behind one router.
    ///
    /// There may be too many pairs to look at each, so ends that are alike are counted. Numbers of ends are
    /// subtracted, and never shares: nothing but rounding would be left of those.
    fn random(
        &mut self,
        from: &[NodeId],
        to: &[NodeId],
        group: impl Fn(&[NodeId], NodeId) -> NodeId,
    ) {
        let mut groups: BTreeMap<NodeId, Group> = BTreeMap::new();
        let (mut halves, mut behind) = ([0; 2], BTreeMap::<NodeId, usize>::new());
        for &host in to {
            groups.entry(group(&self.homes, host)).or_default().receivers[self.half(host)] += 1;
            halves[self.half(host)] += 1;
            *behind.entry(self.homes[host.index()]).or_default() += 1;
        }
        // To each partner, of a sender whose group has `own` of the receivers.
        let share = |own: usize| 1.0 / (from.len() as f64 * (to.len() - own) as f64);
        // By that number; and with the router of their group, by the one at which their data come in.
        let (mut senders, mut entering) = (BTreeMap::<usize, usize>::new(), BTreeMap::new());
        for &host in from {
            let all = groups.entry(group(&self.homes, host)).or_default();
            let own = all.receivers.iter().sum();
            if own == to.len() {
                continue;
            }
            all.senders += 1;
            *senders.entry(own).or_default() += 1;
            let (here, there) = (self.half(host), 1 - self.half(host));
            let across = (halves[there] - all.receivers[there]) as f64;
            self.offered.across[here] += share(own) * across;
            let at = self.leave(host, share(own) * (to.len() - own) as f64);
            *entering
                .entry((at, self.homes[group(&self.homes, host).index()], own))
                .or_insert(0) += 1;
        }
        for ((at, home, own), count) in entering {
            for (&end, &receivers) in &behind {
                let partners = receivers - if end == home { own } else { 0 };
                self.pass(at, end, share(own) * (count * partners) as f64);
            }
        }
        for &host in to {
            let all = &groups[&group(&self.homes, host)];
            let its: usize = all.receivers.iter().sum();
            let received = |(&own, &count): (&usize, &usize)| {
                share(own) * (count - if own == its { all.senders } else { 0 }) as f64
            };
            self.arrive(host, senders.iter().map(received).sum());
        }
    }

    /// One host sends a share to another.
    fn add(&mut self, from: NodeId, to: NodeId, share: f64) {
        if self.half(from) != self.half(to) {
            self.offered.across[self.half(from)] += share;
        }
        let at = self.leave(from, share);
        let end = self.arrive(to, share);
        self.pass(at, end, share);
    }

    /// Which half of the hosts one belongs to.
    fn half(&self, host: NodeId) -> usize {
        usize::from(host >= self.second_half)
    }

    /// The node at which a share comes in that a host sends: the other end of its link, or itself if it is a router.
    fn leave(&mut self, from: NodeId, share: f64) -> NodeId {
        let graph = &self.plan.graph;
        if graph.forwards(from) {
            return from;
        }
        let first = self.routing.first_link(from);
        self.offered.links[first.index()] += share;
        graph.links[first.index()].to
    }

    /// The node at which a share goes out that a host receives: its router, or itself if it has none, as one at the
    /// other end of the sender's link.
    fn arrive(&mut self, to: NodeId, share: f64) -> NodeId {
        let end = self.homes[to.index()];
        if let Some(last) = self.routing.last_link(to).filter(|_| end != to) {
            self.offered.links[last.index()] += share;
        }
        end
    }

    /// A share goes from one router to another.
    fn pass(&mut self, at: NodeId, end: NodeId, share: f64) {
        if at != end && share > 0.0 {
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
