//! Nodes and links that a scenario lists.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::NodeId;

use super::links::{OF_A_HOST, single};
use super::{Joins, LinkTable, Shape, ShapeFacts, limits};
use crate::check::{Findings, Flaw};
use crate::spec::{Direction, ExplicitLink, NodeKind};
use crate::topology::Builder;

/// The names that a wrong one is compared with.
const MOST_COMPARED: usize = 200;

/// Nodes and links one by one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Explicit {
    /// Hosts, routers, edge and core routers of an optical network.
    #[schemars(length(min = 2, max = 100_000))]
    pub nodes: Vec<NodeSpec>,
    /// Links, bidirectional by default; between two nodes at most one in each direction, which
    /// may be a bundle of parallel `lightpaths`.
    #[schemars(length(min = 1, max = 200_000))]
    pub links: Vec<ExplicitLink>,
}

/// A node of an explicit topology, or identical hosts attached to one router.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NodeSpec {
    /// Its name: letters, digits, `-`, `_` and `.`.
    #[schemars(length(min = 1, max = 64))]
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// This number of hosts instead of one: `NAME-0`, `NAME-1`, …; a link that names `NAME` joins
    /// each of them to its other end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub count: Option<u32>,
}

/// The kinds of nodes by their names.
type Kinds<'a> = BTreeMap<&'a str, NodeKind>;

impl Explicit {
    fn kinds(&self) -> Kinds<'_> {
        self.nodes.iter().map(|node| (node.name.as_str(), node.kind)).collect()
    }

    /// The number of links, each with all of its lightpaths.
    fn all_links(&self) -> usize {
        self.links.iter().map(|link| link.lightpaths.unwrap_or(1) as usize).sum()
    }
}

impl Shape for Explicit {
    fn build(&self, to: &mut Builder<'_>) {
        add(&self.nodes, &self.links, to);
    }

    fn links(&self) -> Vec<LinkTable> {
        let kinds = self.kinds();
        let table = |(at, link): (usize, &ExplicitLink)| {
            let ends = [&link.from, &link.to].map(|end| kinds.get(end.as_str()).copied());
            let joins = Joins::Nodes { ends, one_way: link.one_way };
            LinkTable::new(&format!("links.{at}"), &link.link(), joins)
        };
        self.links.iter().enumerate().map(table).collect()
    }

    fn check(&self, switched: bool, to: &mut dyn Findings) {
        let Self { nodes, links } = self;
        names(nodes, to);
        counted(nodes, &|at, below| format!("topology.nodes.{at}.{below}"), to);
        limits::nodes(all_nodes(nodes), limits::MOST_NODES, "topology.nodes", to);
        let kinds = self.kinds();
        let routers = kinds.values().filter(|kind| kind.forwards()).count();
        limits::too_many_routers(routers as u64, "topology.nodes", to);
        limits::too_much_search((routers, self.all_links()), "topology.links", to);
        let counted = nodes.iter().filter(|node| node.count.is_some());
        let counted = counted.map(|node| node.name.as_str()).collect();
        each_link(links, (&kinds, switched), &counted, to);
        one_rate(links, to);
    }

    fn limits(&self, to: &mut dyn Findings) {
        limits::too_many_links(self.all_links(), "topology.links", to);
    }

    /// Loss in the opposite direction of a one-way link.
    fn effects(&self, to: &mut dyn Findings) {
        for (at, link) in self.links.iter().enumerate().filter(|(_, link)| link.one_way) {
            if link.loss.is_some_and(|loss| loss.direction() == Direction::Backward) {
                to.no_effect(&format!("topology.links.{at}.loss"), "the link is one-way");
            }
        }
    }

    fn facts(&self) -> ShapeFacts<'_> {
        let has_edges = self.nodes.iter().any(|node| node.kind == NodeKind::Edge);
        ShapeFacts { has_edges, is_connected: false, listed: Some(self), ..ShapeFacts::PLAIN }
    }
}

/// Adds nodes and links one by one.
pub(super) fn add(nodes: &[NodeSpec], links: &[ExplicitLink], to: &mut Builder<'_>) {
    let mut ids: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
    for node in nodes {
        let of_name = match node.count {
            Some(count) => (0..count).map(|at| to.host(format!("{}-{at}", node.name))).collect(),
            None => vec![to.node(node.name.clone(), node.kind)],
        };
        ids.insert(&node.name, of_name);
    }
    for link in links {
        for &from in &ids[link.from.as_str()] {
            for &end in &ids[link.to.as_str()] {
                let first = to.graph.links.len();
                to.bundle(from, end, &link.link(), !link.one_way);
                for way in &mut to.graph.links[first..] {
                    way.channels = link.channels();
                }
            }
        }
    }
}

/// The number of nodes, counted hosts one by one.
pub(super) fn all_nodes(nodes: &[NodeSpec]) -> u64 {
    nodes.iter().map(|node| u64::from(node.count.unwrap_or(1))).sum()
}

/// Names of the right letters, each once.
fn names(nodes: &[NodeSpec], to: &mut dyn Findings) {
    let mut seen = BTreeSet::new();
    for (at, node) in nodes.iter().enumerate() {
        let key = format!("topology.nodes.{at}.name");
        if !node.name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) {
            let flaw = Flaw::new(&key, "not a name").found(format!("\"{}\"", node.name));
            to.mistake(flaw.accepted("letters, digits, \"-\", \"_\" and \".\""), &key);
        }
        if !seen.insert(&node.name) {
            to.note(&key, format!("another node is also called \"{}\"", node.name));
        }
    }
}

/// Nodes with a count: they must be hosts, and the names of these must be new. `key` is that of a key of a node.
pub(super) fn counted(
    nodes: &[NodeSpec],
    key: &dyn Fn(usize, &str) -> String,
    to: &mut dyn Findings,
) {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        let Some(count) = node.count else { continue };
        counts.insert(&node.name, count);
        if node.kind != NodeKind::Host {
            to.note(&key(at, "count"), "only hosts can have a count");
        }
    }
    for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.count.is_none()) {
        let Some((base, digits)) = node.name.rsplit_once('-') else { continue };
        let number = digits.parse::<u32>().ok().filter(|n| n.to_string() == digits);
        if number.is_some_and(|n| counts.get(base).is_some_and(|&count| n < count)) {
            let problem = format!("one of the hosts \"{base}\" is also called \"{}\"", node.name);
            to.note(&key(at, "name"), problem);
        }
    }
}

fn each_link<'a>(
    links: &'a [ExplicitLink],
    (kinds, switched): (&Kinds<'a>, bool),
    counted: &BTreeSet<&str>,
    to: &mut dyn Findings,
) {
    let mut ways: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut used: BTreeSet<(&str, bool)> = BTreeSet::new();
    for (at, link) in links.iter().enumerate() {
        let key = format!("topology.links.{at}");
        if !ends(link, kinds, &key, to) {
            continue;
        }
        let (from, end) = (link.from.as_str(), link.to.as_str());
        if !switched {
            optical(link, [kinds[from], kinds[end]], &key, to);
        }
        let of_host = !(kinds[from].forwards() && kinds[end].forwards());
        bundle(link, of_host, &format!("{key}.lightpaths"), to);
        for (hosts, end) in [(from, end), (end, from)] {
            if counted.contains(hosts) && kinds[end] == NodeKind::Host {
                let problem = format!("the hosts \"{hosts}\" need a router at the other end");
                to.note(&key, problem);
                break;
            }
        }
        let mut way = |from: &'a str, end: &'a str| {
            if !ways.insert((from, end)) {
                return Err(format!("a second link leads from \"{from}\" to \"{end}\""));
            }
            // A host has one link: one out of it, one into it.
            for (end, out) in [(from, true), (end, false)] {
                if !used.insert((end, out)) && kinds[end] == NodeKind::Host {
                    return Err(format!(
                        "a second link of the host \"{end}\": a host has one link"
                    ));
                }
            }
            Ok(())
        };
        let result = way(from, end);
        let back = if link.one_way { Ok(()) } else { way(end, from) };
        if let Err(problem) = result.and(back) {
            to.note(&key, problem);
        }
    }
}

/// Whether a link joins two different nodes that exist.
fn ends(link: &ExplicitLink, kinds: &Kinds<'_>, key: &str, to: &mut dyn Findings) -> bool {
    let mut exist = true;
    for (end, name) in [("from", &link.from), ("to", &link.to)] {
        if !kinds.contains_key(name.as_str()) && !to.is_full() {
            let key = format!("{key}.{end}");
            let hint = match to.nearest(name, &mut kinds.keys().copied().take(MOST_COMPARED)) {
                Some(name) => format!(" (did you mean \"{name}\"?)"),
                None => String::new(),
            };
            let flaw = Flaw::new(&key, format!("no node has this name{hint}"));
            to.mistake(flaw.found(format!("\"{name}\"")), &key);
            exist = false;
        }
    }
    if link.from == link.to {
        to.note(key, format!("a loop: the link leads from \"{}\" to itself", link.from));
        exist = false;
    }
    exist && !to.is_full()
}

/// A link is optical between optical nodes, and nothing else at a core.
fn optical(link: &ExplicitLink, kinds: [NodeKind; 2], key: &str, to: &mut dyn Findings) {
    let mut note = |below: &str, problem: &str| to.note(&format!("{key}.{below}"), problem);
    if link.channels.is_some() {
        if !kinds.into_iter().all(NodeKind::is_optical) {
            note("channels", "an optical link joins edge and core nodes only");
        }
        if link.queue.is_some() {
            note("queue", "an optical link has no queue");
        }
        if link.loss.is_some() {
            note("loss", "an optical link has no loss of packets; see assembly.loss");
        }
        return;
    }
    let electronic = "does not apply without channels: the link is electronic";
    if kinds.contains(&NodeKind::Core) {
        let key = format!("{key}.channels");
        let accepted = "data channels: a core router has no other links";
        to.mistake(Flaw::missing(&key, accepted), &key);
    }
    for (below, given) in [
        ("control-channels", link.control_channels.is_some()),
        ("control-rate", link.control_rate.is_some()),
    ] {
        if given {
            to.note(&format!("{key}.{below}"), electronic);
        }
    }
}

/// All data channels have the same rate, because a burst has the same duration everywhere.
fn one_rate(links: &[ExplicitLink], to: &mut dyn Findings) {
    let mut optical = links.iter().enumerate().filter(|(_, link)| link.channels.is_some());
    let Some((_, ExplicitLink { rate: first, .. })) = optical.next() else { return };
    for (at, link) in optical {
        if link.rate != *first {
            let key = format!("topology.links.{at}.rate");
            let flaw = Flaw::new(&key, "differs from the rate of the first optical link");
            to.mistake(flaw.found(link.rate.to_string()).accepted(first.to_string()), &key);
        }
    }
}

/// Why a link cannot be a bundle.
fn bundle(link: &ExplicitLink, of_host: bool, key: &str, to: &mut dyn Findings) {
    if of_host {
        single(key, link.lightpaths, OF_A_HOST, to);
    } else if link.channels.is_some() {
        let problem = "does not apply: an optical link has channels instead";
        single(key, link.lightpaths, problem, to);
    }
}
