//! Routes over a mesh of fibres: the k shortest ways without loops.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// One direction of a fibre.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fibre {
    /// The node where it begins.
    pub from: u32,
    /// The node where it ends.
    pub to: u32,
    /// What it adds to the cost of a route.
    pub cost: u64,
}

/// The cost of a route, then its number of fibres, so that no way around is free.
type Cost = (u64, u32);

/// Nodes joined by fibres.
#[derive(Debug, Clone)]
pub struct Mesh {
    fibres: Box<[Fibre]>,
    /// For each node the fibres that end there.
    into: Box<[Vec<u32>]>,
    /// For each node the fibres that begin there.
    out: Box<[Vec<u32>]>,
}

impl Mesh {
    /// So many nodes with these fibres, which are known by their place in the list.
    pub fn new(nodes: usize, fibres: Vec<Fibre>) -> Self {
        let (mut into, mut out) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        for (at, fibre) in (0_u32..).zip(&fibres) {
            into[fibre.to as usize].push(at);
            out[fibre.from as usize].push(at);
        }
        Self { fibres: fibres.into(), into: into.into(), out: out.into() }
    }

    /// The fibres.
    pub fn fibres(&self) -> &[Fibre] {
        &self.fibres
    }

    /// Up to so many routes from a node to another one, the cheapest first: of equal cost the one with fewer fibres,
    /// and of those the one whose fibres come first in the list (J. Y. Yen, *Finding the k shortest loopless paths
    /// in a network*, Management Science 17(11), 1971).
    pub fn routes(&self, from: u32, to: u32, most: usize) -> Vec<Vec<u32>> {
        let mut found: Vec<Vec<u32>> = Vec::new();
        let mut open: BTreeSet<(Cost, Vec<u32>)> = BTreeSet::new();
        let mut closed = vec![false; self.out.len()];
        open.extend(
            self.shortest((from, to), &closed, &[]).map(|route| (self.cost(&route), route)),
        );
        while let Some((_, route)) = open.pop_first() {
            found.push(route);
            if found.len() == most {
                break;
            }
            let route = &found[found.len() - 1];
            // Every route that leaves this one at some node, and does not go on as one that is known.
            closed.fill(false);
            let mut at = from;
            for (hop, &next) in route.iter().enumerate() {
                let ahead = &route[..hop];
                let alike = found.iter().filter(|known| known.starts_with(ahead));
                let taken: Vec<u32> = alike.map(|known| known[hop]).collect();
                if let Some(rest) = self.shortest((at, to), &closed, &taken) {
                    let whole = [ahead, &rest[..]].concat();
                    open.insert((self.cost(&whole), whole));
                }
                closed[at as usize] = true;
                at = self.fibres[next as usize].to;
            }
        }
        found
    }

    fn cost(&self, route: &[u32]) -> Cost {
        let costs = route.iter().map(|&fibre| self.fibres[fibre as usize].cost);
        (costs.sum(), u32::try_from(route.len()).expect("fewer fibres than nodes"))
    }

    /// The cheapest route by nodes that are not closed, and not by one of these fibres first.
    fn shortest(&self, (from, to): (u32, u32), closed: &[bool], not: &[u32]) -> Option<Vec<u32>> {
        let mut cost: Vec<Option<Cost>> = vec![None; self.into.len()];
        cost[to as usize] = Some((0, 0));
        let mut open = BinaryHeap::from([Reverse(((0, 0), to))]);
        while let Some(Reverse((known, node))) = open.pop() {
            // From the start, which no route passes twice, there is no way back.
            if cost[node as usize] != Some(known) || node == from {
                continue;
            }
            for &fibre in &self.into[node as usize] {
                let Fibre { from: before, cost: more, .. } = self.fibres[fibre as usize];
                let is_barred = closed[before as usize] || (before == from && not.contains(&fibre));
                let further = (known.0 + more, known.1 + 1);
                if !is_barred && cost[before as usize].is_none_or(|known| further < known) {
                    cost[before as usize] = Some(further);
                    open.push(Reverse((further, before)));
                }
            }
        }
        cost[from as usize]?;
        let (mut route, mut at) = (Vec::new(), from);
        while at != to {
            let here = cost[at as usize].expect("a node on a route");
            let leads_on = |&&fibre: &&u32| {
                let Fibre { to: next, cost: more, .. } = self.fibres[fibre as usize];
                let is_barred = at == from && not.contains(&fibre);
                let rest = cost[next as usize].filter(|_| next != from);
                !is_barred && rest.is_some_and(|(cost, hops)| (cost + more, hops + 1) == here)
            };
            let next = self.out[at as usize].iter().find(leads_on);
            let next = *next.expect("a node with a cost has a way on");
            route.push(next);
            at = self.fibres[next as usize].to;
        }
        Some(route)
    }
}
