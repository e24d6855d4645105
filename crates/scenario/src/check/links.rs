//! Topologies: possible links, queues that can hold a packet.

use std::collections::{BTreeMap, BTreeSet};

use plan::spec::{
    ExplicitLink, NodeKind, NodeSpec, Place, Propagation, QueueSpec, Regular, Topology,
};
use units::Bytes;

use super::Check;
use crate::mistake::{Flaw, nearest};

/// The maximum number of nodes of a network with counted hosts, and of a regular one.
const MOST_NODES: u64 = 100_000;
const MOST_REGULAR_NODES: u64 = 2_000_000;

/// The maximum number of routers of an explicit network: its routing table has an entry for each
/// pair.
const MOST_ROUTERS: u64 = 3_000;

/// The maximum product of routers and links, which limits the time of a check and of the search for
/// all shortest paths.
pub(super) const MOST_SEARCH: usize = 50_000_000;

/// The maximum number of two-way links, lightpaths included.
pub(super) const MOST_LINKS: usize = 200_000;

impl Check<'_> {
    /// Collects the errors of a topology and returns whether it can be built. `packet` is the
    /// largest that its queues must hold.
    pub(super) fn topology(&mut self, topology: &Topology, packet: Bytes, hybrid: bool) -> bool {
        let before = self.mistakes.count();
        match topology {
            Topology::Dumbbell { pairs, access, access_delays, bottleneck } => {
                let delays = access_delays.as_ref().map(Vec::len);
                self.access_delays(*pairs as usize, delays, access.propagation());
                self.propagation("topology.bottleneck", bottleneck.propagation());
                self.queue("topology.access.queue", access.queue, packet);
                self.queue("topology.bottleneck.queue", bottleneck.queue, packet);
            }
            Topology::Line { link, access, .. } => {
                self.propagation("topology.link", link.propagation());
                if let Some(access) = access {
                    self.propagation("topology.access", access.propagation());
                }
                self.queue("topology.link.queue", link.queue, packet);
                self.queue("topology.access.queue", access.and_then(|a| a.queue), packet);
            }
            Topology::Star { link, .. } => {
                self.propagation("topology.link", link.propagation());
                self.queue("topology.link.queue", link.queue, packet);
            }
            Topology::LightpathBundle { link, tcp_queue, .. } => {
                self.propagation("topology.link", link.propagation());
                self.queue("topology.link.queue", link.queue, packet);
                self.queue("topology.tcp-queue", *tcp_queue, packet);
            }
            Topology::FatTree { k, link } => {
                self.propagation("topology.link", link.propagation());
                if k % 2 == 1 {
                    let flaw = Flaw::new("topology.k", "odd").found(k.to_string());
                    self.say(flaw.accepted("an even number from 2 to 32"), "topology.k");
                }
                self.queue("topology.link.queue", link.queue, packet);
            }
            Topology::Ring { .. }
            | Topology::Torus { .. }
            | Topology::Mesh { .. }
            | Topology::FullMesh { .. }
            | Topology::LeafSpine { .. }
            | Topology::ParkingLot { .. } => {
                if let Some(regular) = topology.regular() {
                    self.regular(regular, packet);
                }
            }
            Topology::Nsfnet { edges, hosts, access, access_spread, .. } => {
                self.nsfnet(edges, *hosts, (access.is_some(), access_spread.is_some()));
                if let Some(access) = access {
                    self.propagation("topology.access", access.propagation());
                }
                self.queue("topology.access.queue", access.and_then(|a| a.queue), packet);
            }
            Topology::File(file) => {
                self.queue("topology.link.queue", file.link.queue, packet);
                if let Some(access) = &file.access {
                    self.propagation("topology.access", access.propagation());
                    self.queue("topology.access.queue", access.queue, packet);
                }
                self.file_network(file);
            }
            Topology::Explicit { nodes, links } => {
                self.explicit(nodes, links, hybrid);
                for (at, link) in links.iter().enumerate() {
                    self.propagation(&format!("topology.links.{at}"), link.propagation());
                    self.queue(&format!("topology.links.{at}.queue"), link.queue, packet);
                }
            }
        }
        self.lightpaths(topology);
        self.mistakes.count() == before
    }

    fn access_delays(&mut self, pairs: usize, delays: Option<usize>, plain: Propagation) {
        let key = "topology.access-delays";
        let given = plain.delay.is_some() || plain.length.is_some();
        if delays.is_none() && given {
            self.propagation("topology.access", plain);
        }
        if delays.is_some() && !given && plain.per_km.is_some() {
            self.note("topology.access.delay-per-km", "does not apply without length");
        }
        match delays {
            None if !given => {
                let flaw = Flaw::missing(
                    "topology.access.delay",
                    "a time or a length here, or a list access-delays",
                );
                self.say(flaw, "topology.access");
            }
            Some(_) if given => {
                self.note(key, "access.delay is also given: only one of them is allowed");
            }
            Some(count) if count != pairs => {
                let flaw = Flaw::new(key, "not one delay per pair").found(count.to_string());
                self.say(flaw.accepted(format!("{pairs} delays")), key);
            }
            _ => {}
        }
    }

    /// The links of a regular shape, and how many there may be.
    fn regular(
        &mut self,
        Regular { link, access, beside, routers, hosts, links }: Regular<'_>,
        packet: Bytes,
    ) {
        let beside = beside.map(|beside| ("topology.packet-spines.link", &beside.link));
        let both = [("topology.link", link), ("topology.access", access)];
        for (key, link) in both.into_iter().chain(beside) {
            self.propagation(key, link.propagation());
            self.queue(&format!("{key}.queue"), link.queue, packet);
        }
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let (nodes, most) = (number(routers), number(links));
        if self.most_routers(routers, "topology") {
            // That is enough.
        } else if links > MOST_LINKS as u64 {
            self.too_many_links("topology", most);
        } else if nodes.saturating_mul(most) > MOST_SEARCH {
            self.too_much_search("topology", nodes, most);
        }
        self.nodes_up_to(MOST_REGULAR_NODES, routers.saturating_add(hosts), "topology.hosts");
    }

    fn nsfnet(&mut self, edges: &[Place], hosts: u32, (access, spread): (bool, bool)) {
        let mut seen = BTreeSet::new();
        for (at, place) in edges.iter().enumerate() {
            if !seen.insert(place) {
                let key = format!("topology.edges.{at}");
                self.note(&key, format!("\"{}\" already has an edge router", place.name()));
            }
        }
        match (hosts, access) {
            (0, true) => self.note("topology.access", "does not apply: there are no hosts"),
            (1.., false) => {
                let accepted = "a table with rate and delay, the link of a host";
                self.say(Flaw::missing("topology.access", accepted), "topology.hosts");
            }
            _ => {}
        }
        if hosts == 0 && spread {
            self.note("topology.access-spread", "does not apply: there are no hosts");
        }
        let all = (Place::ALL.len() + edges.len()) as u64;
        let nodes = all + edges.len() as u64 * u64::from(hosts);
        self.most_nodes(nodes, "topology.hosts");
    }

    /// Whether there are too many routers, which it reports.
    pub(super) fn most_routers(&mut self, routers: u64, key: &str) -> bool {
        let many = routers > MOST_ROUTERS;
        if many {
            let flaw = Flaw::new(key, "too many routers").found(routers.to_string());
            self.say(flaw.accepted(format!("at most {MOST_ROUTERS}")), key);
        }
        many
    }

    pub(super) fn most_nodes(&mut self, nodes: u64, key: &str) {
        self.nodes_up_to(MOST_NODES, nodes, key);
    }

    fn nodes_up_to(&mut self, most: u64, nodes: u64, key: &str) {
        if nodes > most {
            let flaw = Flaw::new(key, "too many nodes").found(format!("{nodes} in all"));
            self.say(flaw.accepted(format!("at most {most} in all")), key);
        }
    }

    fn queue(&mut self, key: &str, queue: Option<QueueSpec>, packet: Bytes) {
        let Some(queue) = queue else { return };
        match queue.limits() {
            (None, None) => self.note(key, "has no limit: packets or bytes is missing"),
            (Some(_), Some(_)) => self.note(key, "has two limits: packets or bytes, not both"),
            (None, Some(bytes)) if bytes < packet => {
                let key = format!("{key}.bytes");
                let flaw = Flaw::new(&key, "less than a packet").found(bytes.to_string());
                self.say(flaw.accepted(format!("at least {packet}")), &key);
            }
            _ => {}
        }
        if let Some(flaw) = queue.flaw() {
            let flaw = flaw.below(key);
            let key = flaw.key.clone();
            self.say(flaw, &key);
        }
    }

    fn explicit(&mut self, nodes: &[NodeSpec], links: &[ExplicitLink], hybrid: bool) {
        let mut kinds: BTreeMap<&str, NodeKind> = BTreeMap::new();
        for (at, node) in nodes.iter().enumerate() {
            let key = format!("topology.nodes.{at}.name");
            if !node.name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) {
                let flaw = Flaw::new(&key, "not a name").found(format!("\"{}\"", node.name));
                self.say(flaw.accepted("letters, digits, \"-\", \"_\" and \".\""), &key);
            }
            if kinds.insert(&node.name, node.kind).is_some() {
                self.note(&key, format!("another node is also called \"{}\"", node.name));
            }
        }
        self.counted(nodes, &|at, below| format!("topology.nodes.{at}.{below}"));
        self.most_nodes(all_nodes(nodes), "topology.nodes");
        let routers = kinds.values().filter(|kind| kind.forwards()).count();
        self.most_routers(routers as u64, "topology.nodes");
        let all = links.iter().map(|link| link.lightpaths.unwrap_or(1) as usize).sum();
        if routers.saturating_mul(all) > MOST_SEARCH {
            self.too_much_search("topology.links", routers, all);
        }
        let counted = nodes.iter().filter(|node| node.count.is_some());
        let counted = counted.map(|node| node.name.as_str()).collect();
        self.explicit_links(links, (&kinds, hybrid), &counted);
        self.optical_rates(links);
    }

    /// Nodes with a count: they must be hosts, and the names of these must be new. `key` is that of a key of a node.
    pub(super) fn counted(&mut self, nodes: &[NodeSpec], key: &dyn Fn(usize, &str) -> String) {
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for (at, node) in nodes.iter().enumerate() {
            let Some(count) = node.count else { continue };
            counts.insert(&node.name, count);
            if node.kind != NodeKind::Host {
                self.note(&key(at, "count"), "only hosts can have a count");
            }
        }
        for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.count.is_none()) {
            let Some((base, digits)) = node.name.rsplit_once('-') else { continue };
            let number = digits.parse::<u32>().ok().filter(|n| n.to_string() == digits);
            if number.is_some_and(|n| counts.get(base).is_some_and(|&count| n < count)) {
                let problem =
                    format!("one of the hosts \"{base}\" is also called \"{}\"", node.name);
                self.note(&key(at, "name"), problem);
            }
        }
    }

    fn explicit_links<'a>(
        &mut self,
        links: &'a [ExplicitLink],
        (kinds, hybrid): (&BTreeMap<&'a str, NodeKind>, bool),
        counted: &BTreeSet<&str>,
    ) {
        let mut ways: BTreeSet<(&str, &str)> = BTreeSet::new();
        let mut used: BTreeSet<(&str, bool)> = BTreeSet::new();
        for (at, link) in links.iter().enumerate() {
            let key = format!("topology.links.{at}");
            if !self.ends(link, kinds, &key) {
                continue;
            }
            let (from, to) = (link.from.as_str(), link.to.as_str());
            self.optical_link(link, ([kinds[from], kinds[to]], hybrid), &key);
            let of_host = !(kinds[from].forwards() && kinds[to].forwards());
            self.explicit_bundle(link, of_host, &key);
            for (hosts, end) in [(from, to), (to, from)] {
                if counted.contains(hosts) && kinds[end] == NodeKind::Host {
                    let problem = format!("the hosts \"{hosts}\" need a router at the other end");
                    self.note(&key, problem);
                    break;
                }
            }
            let mut way = |from: &'a str, to: &'a str| {
                if !ways.insert((from, to)) {
                    let problem = format!("a second link leads from \"{from}\" to \"{to}\"");
                    return Err(problem);
                }
                // A host has one link: one out of it, one into it.
                for (end, out) in [(from, true), (to, false)] {
                    if !used.insert((end, out)) && kinds[end] == NodeKind::Host {
                        return Err(format!(
                            "a second link of the host \"{end}\": a host has one link"
                        ));
                    }
                }
                Ok(())
            };
            let result = way(from, to);
            let back = if link.one_way { Ok(()) } else { way(to, from) };
            if let Err(problem) = result.and(back) {
                self.note(&key, problem);
            }
        }
    }

    /// Whether a link joins two different nodes that exist.
    fn ends(&mut self, link: &ExplicitLink, kinds: &BTreeMap<&str, NodeKind>, key: &str) -> bool {
        let before = self.mistakes.count();
        for (end, name) in [("from", &link.from), ("to", &link.to)] {
            if !kinds.contains_key(name.as_str()) && !self.mistakes.is_full() {
                let key = format!("{key}.{end}");
                let hint = match nearest(name, kinds.keys().copied().take(200)) {
                    Some(name) => format!(" (did you mean \"{name}\"?)"),
                    None => String::new(),
                };
                let flaw = Flaw::new(&key, format!("no node has this name{hint}"));
                self.say(flaw.found(format!("\"{name}\"")), &key);
            }
        }
        if link.from == link.to {
            self.note(key, format!("a loop: the link leads from \"{}\" to itself", link.from));
        }
        self.mistakes.count() == before && !self.mistakes.is_full()
    }
}

/// The nodes of a network, counted hosts one by one.
pub(super) fn all_nodes(nodes: &[NodeSpec]) -> u64 {
    nodes.iter().map(|node| u64::from(node.count.unwrap_or(1))).sum()
}
