//! Networks whose graph is in a file.

use plan::spec::{Direction, FileTopology, GraphPart, LossSpec, Topology};
use plan::topology::FileNetwork;

use super::links::{MOST_LINKS, MOST_SEARCH, all_nodes};
use super::{Check, Parts};
use crate::file_network::network;
use crate::mistake::Flaw;

impl Check<'_> {
    /// Whether nodes and links can be made of a graph, and how many there may be.
    pub(super) fn file_network(&mut self, file: &FileTopology) {
        let FileNetwork { nodes, links, parallel, lengthless, .. } = match network(file) {
            Ok(network) => network,
            Err(flaws) => {
                for flaw in flaws {
                    let key = flaw.key.clone();
                    self.say(flaw, &key);
                }
                return;
            }
        };
        if parallel > 0 && file.parallel.is_none() {
            let are = if parallel == 1 { "link is" } else { "links are" };
            let problem = format!(
                "{parallel} {are} parallel to others and left out: the shortest of each is kept"
            );
            let flaw = Flaw::new("topology.parallel", problem);
            let accepted = "\"first\" to say so, \"sum\" for their rates, or \"bundle\"";
            self.warn(flaw.accepted(accepted), "topology");
        }
        if parallel == 0 {
            self.silent("topology.parallel", "no link is parallel to another");
        }
        if lengthless == 0 {
            let why = "every link has a length or a delay, or its ends coordinates";
            self.silent("topology.missing-length", why);
        }
        if file.largest_part && FileNetwork::parts(file).len() < 2 {
            self.silent("topology.largest-part", "the graph has one part");
        }
        let routers = nodes.iter().filter(|node| node.kind.forwards()).count();
        let lightpaths = file.link.lightpaths.unwrap_or(1) as usize;
        let all = links.len().saturating_mul(lightpaths);
        if all > MOST_LINKS {
            self.too_many_links("topology.graph", all);
        } else if routers.saturating_mul(all) > MOST_SEARCH {
            self.too_much_search("topology.graph", routers, all);
        }
        self.most_routers(routers as u64, "topology.graph");
        self.most_nodes(all_nodes(&nodes), "topology.hosts");
        self.counted(&nodes, &|_, _| "topology.graph".to_owned());
    }

    /// No path leads from a host to another; where the graph has parts, how to do without the small ones.
    pub(super) fn no_path(&mut self, parts: &Parts, (from, to): (&str, &str), key: &str) {
        let flaw = Flaw::new(key, format!("no path leads from \"{from}\" to \"{to}\""));
        let sizes = match &parts.topology {
            Some(Topology::File(file)) => FileNetwork::parts(file),
            _ => Vec::new(),
        };
        let flaw = match &sizes[..] {
            [largest, others @ ..] if !others.is_empty() => flaw
                .found(format!(
                    "a graph of {} parts, the largest with {largest} of {} places",
                    others.len() + 1,
                    largest + others.iter().sum::<usize>()
                ))
                .accepted("largest-part = true in the topology, or edges of one part"),
            _ => flaw,
        };
        self.say(flaw, key);
    }

    /// Keys of such a network without effect.
    pub(super) fn file_effects(&mut self, file: &FileTopology) {
        let links = file.graph.iter().filter_map(|part| match part {
            GraphPart::Link { capacity, one_way, .. } => Some((capacity.is_some(), *one_way)),
            GraphPart::Place { .. } | GraphPart::Unused { .. } => None,
        });
        if file.capacity_unit.is_some() {
            if links.clone().all(|(capacity, _)| capacity) {
                self.silent("topology.link.rate", "every link of the file has a capacity");
            } else if links.clone().all(|(capacity, _)| !capacity) {
                self.silent("topology.capacity-unit", "no link of the file has a capacity");
            }
        }
        let has_delay = |part: &GraphPart| match part {
            GraphPart::Link { delay, .. } => delay.is_some(),
            GraphPart::Place { .. } | GraphPart::Unused { .. } => true,
        };
        if file.graph.iter().all(has_delay) {
            self.silent("topology.link.delay-per-km", "every link of the file has a delay");
        }
        let backward =
            file.link.loss.as_ref().map(LossSpec::direction) == Some(Direction::Backward);
        if backward && links.clone().all(|(_, one_way)| one_way) {
            self.silent("topology.link.loss", "all links are one-way");
        }
    }
}
