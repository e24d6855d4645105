//! The parts of a graph between which no paths lead both ways.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::places::Places;
use super::{File, GraphPart};

/// Which part each place is in.
pub(super) struct Parts {
    /// The number of places of each part, the largest first; of equal ones that with the first place.
    pub(super) sizes: Vec<usize>,
    largest: Vec<bool>,
}

impl Parts {
    pub(super) fn of(places: &Places<'_>, file: &File) -> Self {
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<NodeIndex> = places.list.iter().map(|_| graph.add_node(())).collect();
        for part in &*file.graph {
            let GraphPart::Link { from, to, one_way, .. } = part else { continue };
            let ends = (places.by_name.get(&**from), places.by_name.get(&**to));
            let (Some(&from), Some(&to)) = ends else { continue };
            graph.add_edge(nodes[from], nodes[to], ());
            if !one_way {
                graph.add_edge(nodes[to], nodes[from], ());
            }
        }
        let mut parts: Vec<Vec<usize>> = kosaraju_scc(&graph)
            .into_iter()
            .map(|part| part.into_iter().map(NodeIndex::index).collect())
            .collect();
        parts
            .sort_by_cached_key(|part| (std::cmp::Reverse(part.len()), part.iter().min().copied()));
        let mut largest = vec![false; places.list.len()];
        for &at in parts.first().into_iter().flatten() {
            largest[at] = true;
        }
        Self { sizes: parts.iter().map(Vec::len).collect(), largest }
    }

    /// Whether a place is in the largest part.
    pub(super) fn is_largest(&self, place: usize) -> bool {
        self.largest[place]
    }
}
