//! Names of links.

use std::collections::BTreeMap;

use units::{LinkId, NodeId};

use super::{Graph, OneWayLink};

impl Graph {
    /// The name of a node.
    pub fn node_name(&self, node: NodeId) -> &str {
        &self.nodes[node.index()].name
    }

    /// The node of a name.
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        self.nodes.iter().position(|node| node.name == name).map(NodeId::at)
    }

    /// The name of a one-way link, `"A -> B"`, of one in a bundle `"A -> B:0"`.
    pub fn link_name(&self, link: LinkId) -> String {
        let link = &self.links[link.index()];
        let name = |id: NodeId| &self.nodes[id.index()].name;
        let (from, to) = (name(link.from), name(link.to));
        match link.lightpath {
            Some(lightpath) => format!("{from} -> {to}:{lightpath}"),
            None => format!("{from} -> {to}"),
        }
    }

    /// The links that a name means: [`LinksByName::named`], for a single name.
    pub fn links_named(&self, name: &str) -> Vec<LinkId> {
        LinksByName::new(self).named(name)
    }
}

/// The links of a graph by the names of their ends: built once for many lookups.
#[derive(Debug)]
pub struct LinksByName<'a> {
    graph: &'a Graph,
    nodes: BTreeMap<&'a str, NodeId>,
    /// The links in the order of their ends, and of their ids where these are the same.
    links: Vec<LinkId>,
}

impl<'a> LinksByName<'a> {
    /// Sorts the links of a graph, in which no two nodes have one name.
    pub fn new(graph: &'a Graph) -> Self {
        let names = graph.nodes.iter().map(|node| node.name.as_str());
        let nodes = names.zip((0..).map(NodeId::at)).collect();
        let mut links: Vec<LinkId> = (0..graph.links.len()).map(LinkId::at).collect();
        links.sort_by_key(|link| ends(&graph.links[link.index()]));
        Self { graph, nodes, links }
    }

    /// The links that a name means, in the order of their ids: `"A -> B"` one direction, `"A - B"`
    /// both; all of a bundle, or with a number appended, `"A -> B:2"`, that lightpath.
    pub fn named(&self, name: &str) -> Vec<LinkId> {
        let Some(name) = LinkName::read(name) else { return Vec::new() };
        let id = |name: &str| self.nodes.get(name).copied();
        let Some(way) = id(name.from).zip(id(name.to)) else { return Vec::new() };
        let mut found = self.between(way).to_vec();
        if name.both && way.0 != way.1 {
            found.extend_from_slice(self.between((way.1, way.0)));
            found.sort_unstable();
        }
        let wanted = |link: &LinkId| {
            let lightpath = self.graph.links[link.index()].lightpath;
            name.lightpath.is_none_or(|wanted| lightpath == Some(wanted))
        };
        found.retain(wanted);
        found
    }

    /// The links that lead from one node to another.
    fn between(&self, way: (NodeId, NodeId)) -> &[LinkId] {
        let key = |link: &LinkId| ends(&self.graph.links[link.index()]);
        let first = self.links.partition_point(|link| key(link) < way);
        let last = self.links.partition_point(|link| key(link) <= way);
        &self.links[first..last]
    }
}

/// The two ends of a link.
fn ends(link: &OneWayLink) -> (NodeId, NodeId) {
    (link.from, link.to)
}

/// The parts of the name of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkName<'a> {
    /// The node that it leaves.
    pub from: &'a str,
    /// The node that it leads to.
    pub to: &'a str,
    /// Whether it includes the opposite direction.
    pub both: bool,
    /// Which of parallel links it means, if not all of them.
    pub lightpath: Option<u32>,
}

impl<'a> LinkName<'a> {
    /// Splits a name; `None` for a text of another form.
    pub fn read(text: &'a str) -> Option<Self> {
        let (from, to, both) = match (text.split_once(" -> "), text.split_once(" - ")) {
            (Some((from, to)), _) => (from, to, false),
            (None, Some((from, to))) => (from, to, true),
            (None, None) => return None,
        };
        // A colon is in no name of a node.
        let (to, lightpath) = match to.rsplit_once(':') {
            Some((to, number)) => (to, Some(number.trim().parse().ok()?)),
            None => (to, None),
        };
        Some(Self { from: from.trim(), to: to.trim(), both, lightpath })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_apart() {
        let name = |from, to, both, lightpath| Some(LinkName { from, to, both, lightpath });
        for (text, expected) in [
            ("A -> B", name("A", "B", false, None)),
            ("A - B", name("A", "B", true, None)),
            ("r-1 -> r-2:13", name("r-1", "r-2", false, Some(13))),
            ("A - B:0", name("A", "B", true, Some(0))),
            ("A", None),
            ("A->B", None),
            ("A -> B:", None),
            ("A -> B:-1", None),
            ("A -> B:x", None),
        ] {
            assert_eq!(LinkName::read(text), expected, "{text}");
        }
    }
}
