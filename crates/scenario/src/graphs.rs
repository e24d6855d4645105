//! Graphs of operations: those that a scenario lists, and those of collective operations.

use std::collections::BTreeMap;

use plan::GraphPlan;
use traffic::{
    Act, Algorithm, Collective, Graph, ListedOperation, Milestone, OfGraph, Operation,
    OperationGraph, Source, Wait,
};
use units::{Bytes, NodeId, Span};

use crate::endpoints::Hosts;
use crate::matrix::Pairs;

/// A send of a collective operation: both hosts by their numbers, the bytes, and the sends for which it waits.
pub type CollectiveSend = (u32, u32, u64, Vec<u32>);

/// The sends of a collective operation, by the name of its algorithm; `None` if so many hosts do not have it, or none
/// has this name.
pub fn collective(algorithm: &str, size: u64, hosts: u32) -> Option<Vec<CollectiveSend>> {
    let algorithm: Algorithm = serde_json::from_value(algorithm.into()).ok()?;
    if algorithm.problem(hosts as usize).is_some() {
        return None;
    }
    let graph = algorithm.graph(Bytes(size), hosts, 1);
    let sends = graph.sends().map(|(from, to, bytes)| (from, to, bytes, Vec::new()));
    let mut sends: Vec<CollectiveSend> = sends.collect();
    for earlier in (0u32..).take(sends.len()) {
        for milestone in [Milestone::Known, Milestone::End] {
            for &later in graph.waiting(earlier, milestone) {
                sends[later as usize].3.push(earlier);
            }
        }
    }
    Some(sends)
}

/// The plan of a source without mistakes, if it is a graph; `from` are the hosts of a collective operation.
pub(crate) fn plan(source: &Source, from: &[NodeId], hosts: &Hosts<'_>) -> Option<GraphPlan> {
    Some(match source.graph()? {
        OfGraph::Listed(&Graph { ref operations, repeat, .. }) => {
            let (graph, hosts) = listed(operations, hosts);
            GraphPlan { graph, group: hosts.len(), hosts, repeat, pause: Span::ZERO }
        }
        OfGraph::Collective(&Collective { algorithm, size, group, chunks, repeat, compute }) => {
            let group = group.map_or(from.len(), |group| group as usize);
            let members = u32::try_from(group).expect("fewer than 2^32 hosts");
            let graph = algorithm.graph(size, members, chunks);
            GraphPlan { graph, hosts: from.to_vec(), group, repeat, pause: compute }
        }
    })
}

/// The graph of listed operations whose hosts exist, and these hosts by their numbers in it.
pub(crate) fn listed(
    operations: &[ListedOperation],
    hosts: &Hosts<'_>,
) -> (OperationGraph, Vec<NodeId>) {
    let (mut numbers, mut list) = (BTreeMap::new(), Vec::new());
    let mut number = |name: &str| {
        let id = hosts.named(name).expect("checked");
        *numbers.entry(id).or_insert_with(|| {
            list.push(id);
            u32::try_from(list.len() - 1).expect("fewer than 2^32 hosts")
        })
    };
    let mut waits = Vec::new();
    let mut acts = Vec::with_capacity(operations.len());
    for (later, operation) in (0u32..).zip(operations) {
        let host = number(&operation.host);
        let act = match (&operation.to, operation.size) {
            (Some(to), Some(size)) => Act::Send { to: number(to), bytes: size.0 },
            _ => Act::Compute { cpu: operation.cpu, span: operation.compute.expect("checked") },
        };
        acts.push(Operation { host, act });
        for (earlier, start) in [(&operation.after, false), (&operation.after_start, true)] {
            waits.extend(earlier.iter().map(|&earlier| Wait { later, earlier, start }));
        }
    }
    (OperationGraph::new(acts, &waits), list)
}

/// The pairs of hosts that have sends, in the order of their first ones, and the data of each in all repetitions.
pub(crate) fn pairs(plan: &GraphPlan) -> Pairs {
    let mut places: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    let (mut ends, mut bytes): (Vec<(u32, u32)>, Vec<f64>) = (Vec::new(), Vec::new());
    for (from, to, size) in plan.graph.sends() {
        let place = *places.entry((from, to)).or_insert(ends.len());
        if place == ends.len() {
            ends.push((from, to));
            bytes.push(0.0);
        }
        bytes[place] += size as f64 * f64::from(plan.repeat);
    }
    let mut all = Pairs::default();
    for group in 0..plan.groups() {
        let host = |host| plan.host(group, host);
        all.hosts.extend(ends.iter().map(|&(from, to)| (host(from), host(to))));
        all.weights.extend_from_slice(&bytes);
    }
    all
}
