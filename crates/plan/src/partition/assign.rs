//! The assignment of nodes to parts: what must stay together, and how the rest is divided.
//!
//! Groups of nodes are bisected recursively: grown from one end of the network, then refined by moves that let fewer
//! flows cross (C. M. Fiduccia and R. M. Mattheyses, Design Automation Conference 1982).

use std::collections::VecDeque;

use petgraph::unionfind::UnionFind;

use super::load::Load;
use crate::topology::Graph;

/// Passes of a refinement, at most.
const PASSES: usize = 8;
/// The number of groups up to which bisections are refined: a pass takes the square of it.
const REFINED: usize = 1_000;
/// How far the two halves of a bisection may be from their shares, of the load of both.
const UNEVEN: f64 = 0.01;

/// Groups of nodes that stay together.
#[derive(Debug)]
pub(super) struct Assignment {
    /// The group of each node.
    groups: Vec<usize>,
    /// The load of each group.
    load: Vec<f64>,
    /// By group: its neighbours, with the flows between the two.
    near: Vec<Vec<(usize, f64)>>,
    /// The group with the cores, if there are any.
    cores: Option<usize>,
}

impl Assignment {
    /// Groups that are connected by links of which `whole` says that they stay in one part.
    pub(super) fn new(graph: &Graph, load: &Load, whole: impl Fn(usize) -> bool) -> Self {
        let count = graph.nodes.len();
        let mut sets = UnionFind::new(count);
        for (at, link) in graph.links.iter().enumerate() {
            if whole(at) {
                sets.union(link.from.index(), link.to.index());
            }
        }
        // Cores with tables and counters of their own stay together; those of a network with edges have none.
        let is_whole = graph.edges().next().is_none();
        let is_core = |node: &usize| is_whole && graph.nodes[*node].kind.is_optical();
        let cores: Vec<usize> = (0..count).filter(is_core).collect();
        for pair in cores.windows(2) {
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
            sums[groups[node]] += load.nodes[node];
        }
        let mut near = vec![Vec::new(); sums.len()];
        for (link, &flows) in graph.links.iter().zip(&load.links) {
            let (one, other) = (groups[link.from.index()], groups[link.to.index()]);
            if one != other {
                near[one].push((other, flows));
                near[other].push((one, flows));
            }
        }
        let cores = cores.first().map(|&node| groups[node]);
        Self { groups, load: sums, near, cores }
    }

    /// The part of each node, if there are at least two groups.
    pub(super) fn divide(&self, parts: usize) -> Option<Vec<u32>> {
        if self.load.len() < 2 {
            return None;
        }
        let parts = parts.min(self.load.len());
        let mut bisected = vec![0; self.load.len()];
        self.bisect((0..self.load.len()).collect(), (0, parts), &mut bisected);
        let packed = self.packed(parts);
        // Neighbours in one part exchange less.
        let is_even = self.largest(&bisected) <= self.largest(&packed) * 1.05;
        let best = if is_even { bisected } else { packed };
        let first = self.cores.map_or(0, |group| best[group]);
        let swapped = |part: u32| match part {
            0 => first,
            part if part == first => 0,
            part => part,
        };
        let used = numbered(best.into_iter().map(swapped));
        let parts: Vec<u32> = self.groups.iter().map(|&group| used[group]).collect();
        parts.iter().any(|&part| part > 0).then_some(parts)
    }

    /// The load of the part with the most.
    fn largest(&self, parts: &[u32]) -> f64 {
        let mut sums = vec![0.0; self.load.len()];
        for (&part, load) in parts.iter().zip(&self.load) {
            sums[part as usize] += load;
        }
        sums.into_iter().fold(0.0, f64::max)
    }

    /// Divides some groups into `count` parts from the number `first` on.
    fn bisect(&self, groups: Vec<usize>, (first, count): (usize, usize), found: &mut [u32]) {
        if count < 2 || groups.len() < 2 {
            for group in groups {
                found[group] = u32::try_from(first).expect("few parts");
            }
            return;
        }
        let left = count / 2;
        let (mut half, mut both) = (vec![None; self.load.len()], 0.0);
        for &group in &groups {
            half[group] = Some(true);
            both += self.load[group];
        }
        let target = both * left as f64 / count as f64;
        self.grow(&groups, target, &mut half);
        if groups.len() <= REFINED {
            self.refine(&groups, (target, both * UNEVEN), &mut half);
        }
        let (one, other) = groups.into_iter().partition(|&group| half[group] == Some(false));
        self.bisect(one, (first, left), found);
        self.bisect(other, (first + left, count - left), found);
    }

    /// Moves groups from the one half of some to the other, neighbours first, until that has about so much.
    fn grow(&self, groups: &[usize], target: f64, half: &mut [Option<bool>]) {
        // The last group that is met from any is at an end.
        let end = self.order(groups, groups[0], half).pop().expect("not empty");
        let mut sum = 0.0;
        for group in self.order(groups, end, half) {
            let more = self.load[group];
            if sum + more / 2.0 > target {
                break;
            }
            sum += more;
            half[group] = Some(false);
        }
    }

    /// Some groups in the order in which they are met from one of them.
    fn order(&self, groups: &[usize], start: usize, among: &[Option<bool>]) -> Vec<usize> {
        let (mut met, mut order) = (vec![false; self.load.len()], Vec::with_capacity(groups.len()));
        for &start in std::iter::once(&start).chain(groups) {
            let mut queue = VecDeque::from([start]);
            while let Some(group) = queue.pop_front() {
                if std::mem::replace(&mut met[group], true) {
                    continue;
                }
                order.push(group);
                let around = self.near[group].iter().map(|&(other, _)| other);
                queue.extend(around.filter(|&other| among[other].is_some() && !met[other]));
            }
        }
        order
    }

    /// Moves groups between two halves while fewer flows cross; the first keeps its target, or comes closer to it.
    fn refine(&self, groups: &[usize], (target, bound): (f64, f64), half: &mut [Option<bool>]) {
        let first = groups.iter().filter(|&&group| half[group] == Some(false));
        let mut sum: f64 = first.map(|&group| self.load[group]).sum();
        let bound = bound.max((sum - target).abs());
        // On the way to two that change places one is moved first.
        let largest = groups.iter().map(|&group| self.load[group]).fold(bound, f64::max);
        for _ in 0..PASSES {
            let mut free: Vec<usize> = groups.to_vec();
            let (mut moved, mut gained, mut best) = (Vec::new(), 0.0, (0.0, 0, sum));
            loop {
                let after = |group: usize| match half[group] {
                    Some(false) => sum - self.load[group],
                    _ => sum + self.load[group],
                };
                let fits = |group: usize| (after(group) - target).abs() <= largest;
                let candidates = free.iter().enumerate().filter(|&(_, &group)| fits(group));
                let next = candidates
                    .map(|(at, &group)| (self.gain(group, half), at))
                    .max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
                let Some((gain, at)) = next else { break };
                let group = free.swap_remove(at);
                sum = after(group);
                half[group] = half[group].map(|side| !side);
                gained += gain;
                moved.push(group);
                if gained > best.0 + 1e-9 && (sum - target).abs() <= bound {
                    best = (gained, moved.len(), sum);
                }
            }
            // What came after the best is undone.
            for &group in &moved[best.1..] {
                half[group] = half[group].map(|side| !side);
            }
            sum = best.2;
            if best.1 == 0 {
                break;
            }
        }
    }

    /// By how much fewer flows cross if a group is moved to the other half.
    fn gain(&self, group: usize, half: &[Option<bool>]) -> f64 {
        let sides = self.near[group].iter().filter(|(other, _)| half[*other].is_some());
        sides.map(|&(other, flows)| if half[other] == half[group] { -flows } else { flows }).sum()
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
