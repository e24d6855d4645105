//! The ports of each node of a packet-switched network by the way that leads on over them.

use units::NodeId;

use super::Fibre;
use crate::routing::distances;
use crate::spec::Metric;

/// Where a deflected optical packet may go, for each egress edge.
#[derive(Debug)]
pub struct Ports {
    metric: Metric,
    nodes: usize,
    /// By the number of the egress edge; found when a packet for it is deflected for the first time.
    towards: Vec<Option<Towards>>,
}

/// The ports of all nodes in the direction of one egress edge.
#[derive(Debug)]
struct Towards {
    /// For each node: where its ports begin. One more than there are nodes.
    first: Vec<usize>,
    /// Fibres by their numbers, for each node from the shortest way on to the longest.
    ports: Vec<u32>,
}

impl Ports {
    /// Nothing is known yet.
    pub fn new(metric: Metric, nodes: usize, edges: usize) -> Self {
        Self { metric, nodes, towards: (0..edges).map(|_| None).collect() }
    }

    /// The fibres from a node over which an egress edge can be reached, the shortest way first and
    /// the first link of the topology first among equal ones. Left out are dead ends: fibres to a
    /// node that is not the egress and has no way on but back.
    pub fn of(&mut self, fibres: &[Fibre], node: NodeId, egress: (u32, NodeId)) -> &[u32] {
        let Self { metric, nodes, towards } = self;
        let towards = towards[egress.0 as usize]
            .get_or_insert_with(|| Towards::new(fibres, (*metric, *nodes), egress.1));
        let at = node.index();
        &towards.ports[towards.first[at]..towards.first[at + 1]]
    }
}

impl Towards {
    #[cold]
    fn new(fibres: &[Fibre], (metric, nodes): (Metric, usize), egress: NodeId) -> Self {
        let cost = |fibre: &Fibre| match metric {
            Metric::Hops => 1,
            Metric::Delay => fibre.delay.0.max(1),
        };
        let mut into = vec![Vec::new(); nodes];
        for (number, fibre) in (0u32..).zip(fibres) {
            into[fibre.to.index()].push((fibre.from.0, number, cost(fibre)));
        }
        let distance = distances(&into, egress.0);
        let mut behind = vec![Vec::new(); nodes];
        for fibre in fibres {
            behind[fibre.from.index()].push(fibre.to);
        }
        let leads_on = |fibre: &Fibre| {
            fibre.to == egress || behind[fibre.to.index()].iter().any(|&on| on != fibre.from)
        };
        let mut of_node: Vec<Vec<(u64, u32)>> = vec![Vec::new(); nodes];
        for (number, fibre) in (0u32..).zip(fibres).filter(|(_, fibre)| leads_on(fibre)) {
            if let Some(rest) = distance[fibre.to.index()] {
                of_node[fibre.from.index()].push((rest.saturating_add(cost(fibre)), number));
            }
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
