//! Reachability of the hosts of an explicit network.

use std::collections::BTreeMap;

use plan::spec::NodeKind;
use plan::topology::Graph;
use units::NodeId;

/// No node.
const NONE: u32 = u32::MAX;

/// Reachability between hosts, over routers only: hosts forward nothing.
pub(super) struct Reach {
    /// For each node: the node its link leads to (hosts), itself (routers), or none.
    way_out: Vec<u32>,
    /// For each node: the node from which a link leads to it (hosts), itself (routers), or none.
    way_in: Vec<u32>,
    /// For each node: in a network with only two-way links, its component.
    component: Vec<u32>,
    /// With one-way links, for each node from which a host is entered or left: the routers that it
    /// reaches.
    reached: BTreeMap<u32, Vec<u64>>,
    two_way: bool,
}

impl Reach {
    /// Explores a graph whose hosts have at most one link each way.
    pub(super) fn new(graph: &Graph) -> Self {
        let count = graph.nodes.len();
        let host = |at: usize| graph.nodes[at].kind == NodeKind::Host;
        let own = |at: usize| if host(at) { NONE } else { NodeId::at(at).0 };
        let mut way_out: Vec<u32> = (0..count).map(own).collect();
        let mut way_in = way_out.clone();
        let mut next = vec![Vec::new(); count];
        for link in &graph.links {
            let (from, to) = (link.from.index(), link.to.index());
            if host(from) {
                way_out[from] = link.to.0;
            }
            if host(to) {
                way_in[to] = link.from.0;
            }
            if !host(from) && !host(to) {
                next[from].push(link.to.0);
            }
        }
        let two_way = is_two_way(graph);
        let mut reach =
            Self { way_out, way_in, component: Vec::new(), reached: BTreeMap::new(), two_way };
        if two_way {
            reach.component = components(&next);
        } else {
            for at in 0..count {
                let start = reach.way_out[at];
                if graph.nodes[at].kind.ends_flows() && start != NONE && !host(start as usize) {
                    reach.reached.entry(start).or_insert_with(|| search(&next, start));
                }
            }
        }
        reach
    }

    /// Whether a packet of one host can arrive at another.
    pub(super) fn reaches(&self, from: NodeId, to: NodeId) -> bool {
        let (out, last) = (self.way_out[from.index()], self.way_in[to.index()]);
        if out == NONE || last == NONE {
            return false;
        }
        // Two hosts with a link between them.
        if out == to.0 {
            return true;
        }
        // A neighbour that is a host forwards nothing.
        if self.way_out[out as usize] != out || self.way_out[last as usize] != last {
            return false;
        }
        if out == last {
            return true;
        }
        if self.two_way {
            return self.component[out as usize] == self.component[last as usize];
        }
        let bit = |set: &Vec<u64>| set[last as usize / 64] >> (last % 64) & 1 == 1;
        self.reached.get(&out).is_some_and(bit)
    }

    /// Hosts of a list that differ in the hosts that they reach or are reached by, two of each
    /// kind.
    pub(super) fn samples(&self, hosts: &[NodeId]) -> Vec<NodeId> {
        let mut kinds: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let kind = |id: NodeId| {
            let (out, last) = (self.way_out[id.index()], self.way_in[id.index()]);
            let class = |at: u32| match self.component.get(at as usize) {
                Some(component) if self.way_out[at as usize] == at => *component,
                _ => at,
            };
            (class(out), class(last))
        };
        let seldom = |id: &NodeId| {
            let seen = kinds.entry(kind(*id)).or_default();
            *seen += 1;
            *seen <= 2
        };
        hosts.iter().copied().filter(seldom).collect()
    }
}

/// Whether every link has one in the opposite direction.
fn is_two_way(graph: &Graph) -> bool {
    let mut ways: Vec<_> = graph.links.iter().map(|link| (link.from, link.to)).collect();
    let mut back: Vec<_> = ways.iter().map(|&(from, to)| (to, from)).collect();
    ways.sort_unstable();
    back.sort_unstable();
    ways == back
}

/// The number of each node's component.
fn components(next: &[Vec<u32>]) -> Vec<u32> {
    let mut component = vec![NONE; next.len()];
    for start in 0..next.len() {
        if component[start] != NONE {
            continue;
        }
        let number = NodeId::at(start).0;
        component[start] = number;
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            for &to in &next[at] {
                if component[to as usize] == NONE {
                    component[to as usize] = number;
                    open.push(to as usize);
                }
            }
        }
    }
    component
}

/// The set of nodes that are reached from one.
fn search(next: &[Vec<u32>], start: u32) -> Vec<u64> {
    let mut set = vec![0u64; next.len().div_ceil(64)];
    let mut enter = |at: u32| {
        let (word, bit) = (at as usize / 64, 1u64 << (at % 64));
        let new = set[word] & bit == 0;
        set[word] |= bit;
        new
    };
    enter(start);
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        open.extend(next[at as usize].iter().copied().filter(|&to| enter(to)));
    }
    set
}
