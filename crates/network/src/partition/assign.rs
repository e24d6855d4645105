//! The assignment of nodes to parts: what must stay together, and how the rest is divided.

use std::collections::VecDeque;

use petgraph::unionfind::UnionFind;
use units::NodeId;

use crate::spec::NodeKind;
use crate::topology::Graph;

/// Groups of nodes that stay together.
#[derive(Debug)]
pub(super) struct Assignment {
    /// The group of each node.
    groups: Vec<usize>,
    /// The load of each group.
    load: Vec<f64>,
    /// The groups in an order in which neighbours stand close to each other.
    order: Vec<usize>,
    /// The group with the edges and cores of an optical network, if there are any.
    optical: Option<usize>,
}

impl Assignment {
    /// Groups that are connected by links of which `whole` says that they stay in one part.
    pub(super) fn new(graph: &Graph, load: &[f64], whole: impl Fn(usize) -> bool) -> Self {
        let count = graph.nodes.len();
        let mut sets = UnionFind::new(count);
        for (at, link) in graph.links.iter().enumerate() {
            if whole(at) {
                sets.union(link.from.index(), link.to.index());
            }
        }
        let is_optical =
            |node: &usize| matches!(graph.nodes[*node].kind, NodeKind::Edge | NodeKind::Core);
        let optical: Vec<usize> = (0..count).filter(is_optical).collect();
        for pair in optical.windows(2) {
            sets.union(pair[0], pair[1]);
        }
        let (mut numbers, mut groups) = (vec![usize::MAX; count], vec![0; count]);
        let mut sums = Vec::new();
        for node in 0..count {
            let root = sets.find(node);
            if numbers[root] == usize::MAX {
                numbers[root] = sums.len();
                sums.push(0.0);
            }
            groups[node] = numbers[root];
            sums[groups[node]] += load[node];
        }
        let order = breadth_first(graph, &groups, sums.len());
        let optical = optical.first().map(|&node| groups[node]);
        Self { groups, load: sums, order, optical }
    }

    /// The part of each node, if there are at least two groups.
    pub(super) fn divide(&self, parts: usize) -> Option<Vec<u32>> {
        if self.load.len() < 2 {
            return None;
        }
        let parts = parts.min(self.load.len());
        let (runs, packed) = (self.in_runs(parts), self.packed(parts));
        // Neighbours in one part exchange less.
        let best = if self.largest(&runs) <= self.largest(&packed) * 1.05 { runs } else { packed };
        let first = self.optical.map_or(0, |group| best[group]);
        let swapped = |part: u32| match part {
            0 => first,
            part if part == first => 0,
            part => part,
        };
        let used = numbered(best.into_iter().map(swapped));
        Some(self.groups.iter().map(|&group| used[group]).collect())
            .filter(|parts: &Vec<u32>| parts.iter().any(|&part| part > 0))
    }

    /// The load of the part with the most.
    fn largest(&self, parts: &[u32]) -> f64 {
        let mut sums = vec![0.0; self.load.len()];
        for (&part, load) in parts.iter().zip(&self.load) {
            sums[part as usize] += load;
        }
        sums.into_iter().fold(0.0, f64::max)
    }

    /// The part of each group: groups that follow each other in the order, about as much in each.
    fn in_runs(&self, parts: usize) -> Vec<u32> {
        let (whole, mut before) = (self.load.iter().sum::<f64>(), 0.0);
        let mut found = vec![0; self.load.len()];
        for &group in &self.order {
            let middle = before + self.load[group] / 2.0;
            before += self.load[group];
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share")]
            let part = (middle / whole * parts as f64) as u32;
            found[group] = part.min(u32::try_from(parts - 1).expect("few parts"));
        }
        found
    }

    /// The part of each group: the largest first, each to the part with the least (Graham 1969).
    fn packed(&self, parts: usize) -> Vec<u32> {
        let mut groups: Vec<usize> = (0..self.load.len()).collect();
        groups.sort_by(|&one, &other| self.load[other].total_cmp(&self.load[one]));
        let (mut sums, mut found) = (vec![0.0; parts], vec![0; self.load.len()]);
        for group in groups {
            let least = (0..parts).min_by(|&one, &other| f64::total_cmp(&sums[one], &sums[other]));
            let least = least.expect("at least two parts");
            sums[least] += self.load[group];
            found[group] = u32::try_from(least).expect("few parts");
        }
        found
    }
}

/// The same parts, numbered without gaps.
fn numbered(parts: impl Iterator<Item = u32> + Clone) -> Vec<u32> {
    let mut used: Vec<u32> = parts.clone().collect();
    used.sort_unstable();
    used.dedup();
    let number = |part| used.binary_search(&part).expect("one of them");
    parts.map(number).map(|at| u32::try_from(at).expect("few parts")).collect()
}

/// The groups in the order in which they are met from the first node on.
fn breadth_first(graph: &Graph, groups: &[usize], count: usize) -> Vec<usize> {
    let mut next = vec![Vec::new(); graph.nodes.len()];
    for link in &graph.links {
        next[link.from.index()].push(link.to);
    }
    let mut members = vec![Vec::new(); count];
    for (node, &group) in groups.iter().enumerate() {
        members[group].push(NodeId::at(node));
    }
    let (mut met, mut order) = (vec![false; count], Vec::with_capacity(count));
    for start in 0..count {
        let mut queue = VecDeque::from([start]);
        while let Some(group) = queue.pop_front() {
            if std::mem::replace(&mut met[group], true) {
                continue;
            }
            order.push(group);
            let around = members[group].iter().flat_map(|node| &next[node.index()]);
            queue.extend(around.map(|node| groups[node.index()]).filter(|&group| !met[group]));
        }
    }
    order
}
