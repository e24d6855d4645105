//! The ports of each node of a packet-switched network by the length of the path over them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use plan::spec::Metric;
use units::NodeId;
use wire::optical::Fibre;

/// Where a deflected optical packet may go, for each egress edge.
#[derive(Debug, Clone, Default)]
pub(super) struct Ports {
    metric: Metric,
    /// Whether a path may go back over the link on which it arrived.
    returns: bool,
    nodes: usize,
    /// By the number of the egress edge; found when a packet for it is deflected for the first time.
    towards: Vec<Option<Towards>>,
}

/// The ports of all nodes in the direction of one egress edge.
#[derive(Debug, Clone)]
struct Towards {
    /// For each node: where its ports begin. One more than there are nodes.
    first: Vec<usize>,
    /// Fibres by their numbers, for each node from the shortest path to the longest.
    ports: Vec<u32>,
}

impl Ports {
    /// Nothing is known yet.
    pub(super) fn new(metric: Metric, returns: bool, nodes: usize, edges: usize) -> Self {
        Self { metric, returns, nodes, towards: (0..edges).map(|_| None).collect() }
    }

    /// The fibres from a node over which an egress edge can be reached, the shortest path first and
    /// the first link of the topology first among equal ones. Dead ends are excluded: fibres to a node
    /// that is not the egress and from which the only path leads back. Those in the direction of an
    /// egress edge, by its number, must be [known](Self::know).
    pub(super) fn of(&self, node: NodeId, egress: u32) -> &[u32] {
        let towards = self.towards[egress as usize].as_ref().expect("looked for before");
        let at = node.index();
        &towards.ports[towards.first[at]..towards.first[at + 1]]
    }

    /// Finds the ports in the direction of an egress edge, unless they are known.
    #[inline]
    pub(super) fn know(&mut self, fibres: &[Fibre], (number, egress): (u32, NodeId)) {
        let Self { metric, returns, nodes, towards } = self;
        towards[number as usize]
            .get_or_insert_with(|| Towards::new(fibres, (*metric, *returns, *nodes), egress));
    }
}

impl Towards {
    #[cold]
    fn new(
        fibres: &[Fibre],
        (metric, returns, nodes): (Metric, bool, usize),
        egress: NodeId,
    ) -> Self {
        let cost = |fibre: &Fibre| match metric {
            Metric::Hops => 1,
            Metric::Delay => fibre.delay.0.max(1),
        };
        let lengths = lengths(fibres, (nodes, egress), returns, cost);
        let mut behind = vec![Vec::new(); nodes];
        for fibre in fibres {
            behind[fibre.from.index()].push(fibre.to);
        }
        let leads_on = |fibre: &Fibre| {
            fibre.to == egress || behind[fibre.to.index()].iter().any(|&on| on != fibre.from)
        };
        let mut of_node: Vec<Vec<(u64, u32)>> = vec![Vec::new(); nodes];
        let numbered = (0u32..).zip(fibres).zip(lengths);
        for ((number, fibre), length) in numbered.filter(|((_, fibre), _)| leads_on(fibre)) {
            of_node[fibre.from.index()].extend(length.map(|length| (length, number)));
        }
        let (mut first, mut ports) = (vec![0], Vec::new());
        for mut found in of_node {
            found.sort_unstable();
            ports.extend(found.into_iter().map(|(_, number)| number));
            first.push(ports.len());
        }
        Self { first, ports }
    }
}

/// For each fibre the length of the shortest path over it to the egress, which never goes back over
/// the link on which it arrived unless permitted; none if there is no such path. Dijkstra's search
/// over fibres instead of nodes.
fn lengths(
    fibres: &[Fibre],
    (nodes, egress): (usize, NodeId),
    returns: bool,
    cost: impl Fn(&Fibre) -> u64,
) -> Vec<Option<u64>> {
    let mut into: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for (number, fibre) in (0u32..).zip(fibres) {
        into[fibre.to.index()].push(number);
    }
    let last = into[egress.index()].iter();
    let mut open: BinaryHeap<_> =
        last.map(|&number| Reverse((cost(&fibres[number as usize]), number))).collect();
    let mut lengths = vec![None; fibres.len()];
    while let Some(Reverse((length, number))) = open.pop() {
        if lengths[number as usize].is_some() {
            continue;
        }
        lengths[number as usize] = Some(length);
        let here = &fibres[number as usize];
        for &before in &into[here.from.index()] {
            let fibre = &fibres[before as usize];
            // Packets for the egress end there, and none continues from it.
            let may = fibre.from != egress && (returns || fibre.from != here.to);
            if may && lengths[before as usize].is_none() {
                open.push(Reverse((length.saturating_add(cost(fibre)), before)));
            }
        }
    }
    lengths
}
