//! What each kind of core requires of a scenario, with what all kinds do.

use optics::{AssemblySpec, ControlSpec};
use plan::check::{Findings, Flaw};
use plan::shapes::{Joins, LinkTable, Topology};
use plan::spec::{CoreSpec, Metric, NodeKind, QueueSpec};
use plan::topology::{Graph, OneWayLink};
use units::{Bytes, NodeId};

use crate::list::rules;

/// The rest of a scenario that a kind of core checks; each part is present if it has no error.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The largest packet on the wire.
    pub packet: Bytes,
    /// Nodes and links.
    pub topology: Option<&'a Topology>,
    /// Edge routers.
    pub assembly: Option<&'a AssemblySpec>,
    /// Headers of a burst-switched network.
    pub control: Option<&'a ControlSpec>,
    /// What a shortest path minimises.
    pub metric: Metric,
}

impl Around<'_> {
    /// The queues of links that are given, each with its key, and what these links join.
    pub fn queues(&self) -> impl Iterator<Item = (String, QueueSpec, Joins)> {
        let links = self.topology.map(|topology| topology.shape().links());
        let given = |link: LinkTable| link.queue.map(|(key, queue)| (key, queue, link.joins));
        links.into_iter().flatten().filter_map(given)
    }
}

/// The keys of the core's own section, and those of others that do not apply to it.
pub fn section(core: &CoreSpec, around: &Around<'_>, to: &mut dyn Findings) {
    rules(core).section(around, to);
}

/// The nodes and links that it is to switch.
pub fn network(core: &CoreSpec, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
    queues(graph, to);
    rules(core).network(around, graph, to);
}

/// A switch decides when a packet leaves it: the queues of its outputs cannot.
fn queues(graph: &Graph, to: &mut dyn Findings) {
    let kind = |node: NodeId| graph.nodes[node.index()].kind;
    let of_core = |link: &&OneWayLink| {
        let ends = (kind(link.from), kind(link.to));
        ends.0 == NodeKind::Core || ends == (NodeKind::Rack, NodeKind::Core)
    };
    let mut managed = graph.links.iter().filter(of_core).filter(|link| link.queue.is_managed());
    if let Some(link) = managed.next() {
        let name = &graph.nodes[link.from.index()].name;
        let problem =
            format!("a queue that decides when a packet leaves, at the switch \"{name}\"");
        let accepted = "drop-tail, red, ecn-threshold, pie or policer on the links of a switch";
        to.mistake(Flaw::new("topology", problem).accepted(accepted.to_owned()), "topology");
    }
}

/// Keys that have no effect with it.
pub fn effects(core: &CoreSpec, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
    rules(core).effects(around, graph, to);
}
