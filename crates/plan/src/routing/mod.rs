//! Static shortest paths: for a router and a destination the set of links that lead there.
//!
//! Sets of equal cost are kept, a hash that the packet carries chooses among them (see
//! `wire::spread`). A table has a column per *router*, not per host: hosts share the column of
//! the router that they are attached to, which keeps the table of a fat tree in the first-level cache.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hint::select_unpredictable;

use random::mix;
use units::{LinkId, NodeId};

use crate::spec::{Metric, NodeKind};
use crate::topology::{Bundles, Graph, OneWayLink};

/// What a link of a circuit switch adds to the cost of a path: racks know when they may use it, so what is sent by
/// a table goes another way if there is one.
const CIRCUIT: u64 = 1 << 56;

/// There is no path.
const NOWHERE: u32 = u32::MAX;

/// Where each router sends a packet.
#[derive(Debug, Clone)]
pub struct Routing {
    /// `table[router · routers + home of the destination]`: the position of the set in `sets`.
    table: Vec<u32>,
    /// The sets of links: first their length, then their links. The first is empty.
    sets: Vec<u32>,
    /// Where each node is.
    places: Vec<Place>,
    /// For each node: the first link from it, of a host the only one.
    first_link: Vec<u32>,
    /// As `table`: the rank of the home among those on the same bundle. Empty if no two links are
    /// parallel.
    ranks: Vec<u32>,
    routers: u32,
    /// Whether a set has more than one link.
    has_choices: bool,
    salt: u64,
}

/// The fields that a router needs of a packet's destination, stored together.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Its number among the routers; for a host that of the router it is attached to.
    home: u32,
    /// Of a host: the link from its router to it. Without such a link it has no home.
    last_link: u32,
}

impl Routing {
    /// Computes all shortest paths. `salt` is an input of the hash that chooses among equal-cost
    /// paths.
    pub fn new(graph: &Graph, metric: Metric, salt: u64) -> Self {
        let count = graph.nodes.len();
        let mut home = vec![NOWHERE; count];
        let mut routers = 0;
        for (at, node) in graph.nodes.iter().enumerate() {
            if node.kind.forwards() {
                home[at] = routers;
                routers += 1;
            }
        }
        let mut last_link = vec![NOWHERE; count];
        let mut first_link = vec![NOWHERE; count];
        for (at, link) in (0u32..).zip(&graph.links) {
            let is_host = |id: NodeId| !graph.forwards(id);
            let first = &mut first_link[link.from.index()];
            *first = (*first).min(at);
            if is_host(link.to) {
                last_link[link.to.index()] = at;
                if !is_host(link.from) {
                    home[link.to.index()] = home[link.from.index()];
                }
            }
        }
        let mut routing = Self {
            table: Vec::new(),
            sets: Vec::new(),
            places: home
                .into_iter()
                .zip(last_link)
                .map(|(home, last_link)| Place { home, last_link })
                .collect(),
            first_link,
            ranks: Vec::new(),
            routers,
            has_choices: false,
            salt,
        };
        routing.fill(graph, metric);
        if graph.links.iter().any(|link| link.lightpath.is_some()) {
            routing.rank_homes(graph);
        }
        routing
    }

    /// The first link from a node, of a host that on which it sends.
    pub fn first_link(&self, node: NodeId) -> LinkId {
        LinkId(self.first_link[node.index()])
    }

    /// The link that leads to a node from the router it is attached to; none if it is a router.
    pub fn last_link(&self, node: NodeId) -> Option<LinkId> {
        let last = self.places[node.index()].last_link;
        (last != NOWHERE).then_some(LinkId(last))
    }

    /// By router: the least delay in picoseconds to that with a number, on whatever path; none where there is none.
    pub fn least_delays(&self, graph: &Graph, there: usize) -> Vec<Option<u64>> {
        let into = self.links_by_end(graph, |link| link.delay.0);
        distances(&into, u32::try_from(there).expect("one of the routers"))
    }

    /// Per router the links to it from others: the other, the link and its cost.
    fn links_by_end(
        &self,
        graph: &Graph,
        cost: impl Fn(&OneWayLink) -> u64,
    ) -> Vec<Vec<(u32, u32, u64)>> {
        let mut into = vec![Vec::new(); self.routers as usize];
        for (at, link) in (0u32..).zip(&graph.links) {
            if graph.is_inner(link) {
                let [from, to] = [link.from, link.to].map(|end| self.places[end.index()].home);
                into[to as usize].push((from, at, cost(link)));
            }
        }
        into
    }

    /// The link on which `router` sends a packet to `destination`; `flow` chooses among equal-cost
    /// paths.
    #[inline(always)]
    pub fn next_link(
        &self,
        router: NodeId,
        destination: NodeId,
        flow: impl FnOnce() -> u64,
    ) -> LinkId {
        let here = self.places[router.index()].home;
        let Place { home: there, last_link: last } = self.places[destination.index()];
        let set = self.table[(here * self.routers + there) as usize] as usize;
        // Also computed for sets of one where others have more: a branch by the set would be unpredictable.
        let pick = if self.has_choices { self.pick(here, flow(), self.sets[set]) } else { 0 };
        let on = self.sets[set + 1 + pick];
        LinkId(select_unpredictable(here == there, last, on))
    }

    /// One of the links of equal cost on which `router` may send to `destination` that fulfil a condition,
    /// each with the same probability; none if none does, or if there is only one link.
    pub fn next_link_if(
        &self,
        router: NodeId,
        destination: NodeId,
        flow: u64,
        condition: impl Fn(LinkId) -> bool,
    ) -> Option<LinkId> {
        let fulfil = || self.links(router, destination).filter(|&link| condition(link));
        let count = u32::try_from(fulfil().count()).expect("fewer links than there are");
        // Other bits than those of the choice among all: the two are independent.
        let here = self.places[router.index()].home;
        fulfil().nth(self.pick(here, mix(flow), count))
    }

    /// A number below `count` from the hash of a flow: the high half of the hash times the length is a
    /// fair choice without a division.
    #[inline(always)]
    fn pick(&self, here: u32, flow: u64, count: u32) -> usize {
        let hash = mix(flow ^ self.salt.wrapping_add(u64::from(here)));
        (((hash >> 32) * u64::from(count)) >> 32) as usize
    }

    /// The path of a flow as the links from `from` to `to`; `None` when there is none.
    pub fn path(&self, graph: &Graph, from: NodeId, to: NodeId, flow: u64) -> Option<Vec<LinkId>> {
        let (mut path, mut at) = (Vec::new(), from);
        if !graph.forwards(from) {
            let first = *self.first_link.get(from.index()).filter(|&&link| link != NOWHERE)?;
            path.push(LinkId(first));
            at = graph.links[first as usize].to;
        }
        while at != to {
            if !graph.forwards(at) || path.len() > graph.nodes.len() || !self.reaches(at, to) {
                return None;
            }
            path.push(self.next_link(at, to, || flow));
            at = graph.links[path.last()?.index()].to;
        }
        Some(path)
    }

    /// The links of equal cost on which `router` sends to another router.
    pub fn links(&self, router: NodeId, destination: NodeId) -> impl Iterator<Item = LinkId> {
        let (here, there) =
            (self.places[router.index()].home, self.places[destination.index()].home);
        let set = self.table[(here * self.routers + there) as usize] as usize;
        let len = self.sets[set] as usize;
        self.sets[set + 1..][..len].iter().map(|&link| LinkId(link))
    }

    /// The number of a destination's router among the routers that end flows or have hosts and that
    /// `router` reaches over the same bundle, in the order of the nodes. If a set of equal-cost
    /// paths has several bundles, it counts for the one with the set's first link.
    #[inline]
    pub fn rank(&self, router: NodeId, destination: NodeId) -> u32 {
        let here = self.places[router.index()].home;
        let there = self.places[destination.index()].home;
        self.ranks.get((here * self.routers + there) as usize).copied().unwrap_or(0)
    }

    /// The number of the router that a destination is, or that it is attached to.
    #[inline]
    pub fn home(&self, node: NodeId) -> usize {
        self.places[node.index()].home as usize
    }

    /// The number of routers.
    pub fn routers(&self) -> usize {
        self.routers as usize
    }

    /// Whether there is a path from `router` to `to`.
    pub fn reaches(&self, router: NodeId, to: NodeId) -> bool {
        let (here, there) = (self.places[router.index()].home, self.places[to.index()].home);
        if there == NOWHERE {
            return false;
        }
        here == there || self.table[(here * self.routers + there) as usize] != 0
    }

    /// A shortest-path search from each router against the direction of its incoming links.
    fn fill(&mut self, graph: &Graph, metric: Metric) {
        let routers = self.routers as usize;
        self.table = vec![0; routers * routers];
        // The empty set, followed by a link that a router reads for its own hosts.
        self.sets = vec![0, NOWHERE];
        let into = self.links_by_end(graph, |link| {
            let cost = match metric {
                Metric::Hops => 1,
                Metric::Delay => link.delay.0.max(1),
            };
            let ends = [link.from, link.to].map(|end| graph.nodes[end.index()].kind);
            let is_circuit = [[NodeKind::Rack, NodeKind::Core], [NodeKind::Core, NodeKind::Rack]]
                .contains(&ends);
            if is_circuit { CIRCUIT.saturating_add(cost) } else { cost }
        });
        let mut interned: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for there in 0..self.routers {
            kernel::checkpoint();
            let distance = distances(&into, there);
            let mut sets: Vec<Vec<u32>> = vec![Vec::new(); routers];
            for (to, links) in into.iter().enumerate() {
                for &(from, link, cost) in links {
                    let via = distance[to].map(|d| d.saturating_add(cost));
                    if from != there && via.is_some() && via == distance[from as usize] {
                        sets[from as usize].push(link);
                    }
                }
            }
            for (here, mut set) in sets.into_iter().enumerate() {
                set.sort_unstable();
                if !set.is_empty() {
                    self.table[here * routers + there as usize] = self.intern(&mut interned, set);
                }
            }
        }
    }

    /// Numbers, at each router and for each bundle that leaves it, the routers with hosts.
    fn rank_homes(&mut self, graph: &Graph) {
        let bundles = Bundles::new(graph);
        let routers = self.routers as usize;
        let mut is_home = vec![false; routers];
        for (node, place) in graph.nodes.iter().zip(&self.places) {
            let ends_flows = node.kind.ends_flows();
            if let Some(home) = is_home.get_mut(place.home as usize).filter(|_| ends_flows) {
                *home = true;
            }
        }
        self.ranks = vec![0; routers * routers];
        let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
        for here in 0..routers {
            seen.clear();
            for there in (0..routers).filter(|&there| is_home[there]) {
                let set = self.table[here * routers + there] as usize;
                if self.sets[set] > 0 {
                    let next = seen.entry(bundles.of(LinkId(self.sets[set + 1]))).or_default();
                    self.ranks[here * routers + there] = *next;
                    *next += 1;
                }
            }
        }
    }

    fn intern(&mut self, interned: &mut BTreeMap<Vec<u32>, u32>, set: Vec<u32>) -> u32 {
        if let Some(&at) = interned.get(&set) {
            return at;
        }
        let at = u32::try_from(self.sets.len()).expect("sets are few");
        self.sets.push(u32::try_from(set.len()).expect("a router has fewer than 2^32 links"));
        self.sets.extend(&set);
        self.has_choices |= set.len() > 1;
        interned.insert(set, at);
        at
    }
}

/// Dijkstra's distances of all routers to `there`.
fn distances(into: &[Vec<(u32, u32, u64)>], there: u32) -> Vec<Option<u64>> {
    let mut distance = vec![None; into.len()];
    distance[there as usize] = Some(0);
    let mut open = BinaryHeap::from([Reverse((0u64, there))]);
    while let Some(Reverse((cost, at))) = open.pop() {
        if distance[at as usize] != Some(cost) {
            continue;
        }
        for &(from, _, step) in &into[at as usize] {
            let (cost, known) = (cost.saturating_add(step), &mut distance[from as usize]);
            // Only routers that are nearer than before are visited again: there are many equal-cost
            // paths.
            if known.is_none_or(|known| cost < known) {
                *known = Some(cost);
                open.push(Reverse((cost, from)));
            }
        }
    }
    distance
}

#[cfg(test)]
mod tests;
