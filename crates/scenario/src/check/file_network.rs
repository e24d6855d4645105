//! Networks whose graph is in a file.

use network::spec::{Direction, FileTopology, GraphPart, LossSpec};
use network::topology::FileNetwork;

use super::Check;
use super::links::{MOST_LINKS, MOST_SEARCH, all_nodes};
use crate::file_network::network;

impl Check<'_> {
    /// Whether nodes and links can be made of a graph, and how many there may be.
    pub(super) fn file_network(&mut self, file: &FileTopology) {
        let FileNetwork { nodes, links, .. } = match network(file) {
            Ok(network) => network,
            Err(flaws) => {
                for flaw in flaws {
                    let key = flaw.key.clone();
                    self.say(flaw, &key);
                }
                return;
            }
        };
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
        let backward =
            file.link.loss.as_ref().map(LossSpec::direction) == Some(Direction::Backward);
        if backward && links.clone().all(|(_, one_way)| one_way) {
            self.silent("topology.link.loss", "all links are one-way");
        }
    }
}
