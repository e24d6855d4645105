//! The hosts of a `[[traffic]]` entry, and the pairs of them that send to each other.

use std::collections::{BTreeMap, BTreeSet};

use plan::Member;
use plan::topology::Graph;
use random::Stream;
use units::NodeId;

use crate::schema::{Ends, Pattern};

/// The possible endpoints of flows in a network, by name: its hosts and its edge routers.
#[derive(Debug)]
pub struct Hosts<'a> {
    /// For each node the router that it is attached to.
    homes: Vec<NodeId>,
    /// The nodes that a pattern can match, in the order of the topology: the hosts, or, in a
    /// network without any, the edge routers.
    list: Vec<(&'a str, NodeId)>,
    by_name: BTreeMap<&'a str, NodeId>,
}

/// Names that match no host: their number in the list (`None` for a single one) and the text.
pub type Unmatched = Vec<(Option<usize>, String)>;

impl<'a> Hosts<'a> {
    /// The ends of a graph.
    pub fn new(graph: &'a Graph) -> Self {
        let named = |id: NodeId| (graph.nodes[id.index()].name.as_str(), id);
        let hosts: Vec<_> = graph.hosts().map(named).collect();
        let edges: Vec<_> = graph.edges().map(named).collect();
        let by_name = hosts.iter().chain(&edges).copied().collect();
        let list = if hosts.is_empty() { edges } else { hosts };
        Self { homes: graph.homes(), list, by_name }
    }

    /// The router that a node is attached to.
    pub fn home(&self, node: NodeId) -> NodeId {
        self.homes[node.index()]
    }

    /// The hosts with their routers.
    pub fn members(&self, hosts: &[NodeId]) -> Vec<Member> {
        hosts.iter().map(|&host| Member { host, home: self.home(host) }).collect()
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Their names in the order of the topology.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.list.iter().map(|(name, _)| *name)
    }

    /// The host, or edge router, of a name.
    pub fn named(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    /// The matching hosts, in their order, or the names that match none.
    pub fn select(&self, ends: &Ends) -> Result<Vec<NodeId>, Unmatched> {
        match ends {
            Ends::One(pattern) if pattern.contains('*') => {
                let matching = self.list.iter().filter(|(name, _)| matches(pattern, name));
                let found: Vec<NodeId> = matching.map(|(_, id)| *id).collect();
                if found.is_empty() { Err(vec![(None, pattern.clone())]) } else { Ok(found) }
            }
            Ends::One(name) => match self.by_name.get(name.as_str()) {
                Some(id) => Ok(vec![*id]),
                None => Err(vec![(None, name.clone())]),
            },
            Ends::List(names) => {
                let ids = names.iter().map(|name| self.by_name.get(name.as_str()).copied());
                let absent: Unmatched = (0..)
                    .zip(ids.clone())
                    .filter(|(_, id)| id.is_none())
                    .map(|(at, _): (usize, _)| (Some(at), names[at].clone()))
                    .collect();
                if absent.is_empty() { Ok(ids.flatten().collect()) } else { Err(absent) }
            }
        }
    }
}

/// Whether a name matches a pattern in which each `*` stands for any characters.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The number of pairs, each with its own flows or process, or why there are none; `home` gives the
/// router of a host. Errors of pairing are reported at `to`.
pub fn count(
    pattern: Pattern,
    from: &[NodeId],
    to: &[NodeId],
    home: impl Fn(NodeId) -> NodeId,
) -> Result<u64, String> {
    match pattern {
        Pattern::Random => random(from, to, home).map(|()| 1),
        Pattern::Uniform => uniform(from, to).map(|()| 1),
        Pattern::Pairs if from.len() > 1 && to.len() > 1 && from.len() != to.len() => {
            Err(format!("{} senders cannot be paired with {} receivers", from.len(), to.len()))
        }
        Pattern::Pairs if from.len() == to.len() => {
            match from.iter().zip(to).position(|(a, b)| a == b) {
                Some(at) => Err(format!("pair {at} pairs a host with itself")),
                None => Ok(from.len() as u64),
            }
        }
        Pattern::Pairs | Pattern::All => {
            let mut times: BTreeMap<NodeId, u64> = BTreeMap::new();
            for id in from {
                *times.entry(*id).or_default() += 1;
            }
            let same: u64 = to.iter().filter_map(|id| times.get(id)).sum();
            match from.len() as u64 * to.len() as u64 - same {
                0 => Err("a host would send only to itself".to_owned()),
                pairs => Ok(pairs),
            }
        }
        Pattern::Permutation => permutation(from, to),
    }
}

/// Whether each host occurs in a list once.
fn unique(list: &[NodeId]) -> bool {
    list.iter().collect::<BTreeSet<_>>().len() == list.len()
}

/// Every sender needs a receiver other than itself.
fn uniform(from: &[NodeId], to: &[NodeId]) -> Result<(), String> {
    if !unique(from) || !unique(to) {
        return Err("a uniform pattern needs each host once".to_owned());
    }
    match to {
        [only] if from.contains(only) => {
            Err("a sender would have only itself to send to".to_owned())
        }
        _ => Ok(()),
    }
}

/// Every sender needs a receiver behind another router, and every receiver a sender.
fn random(from: &[NodeId], to: &[NodeId], home: impl Fn(NodeId) -> NodeId) -> Result<(), String> {
    if !unique(from) || !unique(to) {
        return Err("a random pattern needs each host once".to_owned());
    }
    let homes = |list: &[NodeId]| list.iter().map(|&id| home(id)).collect::<BTreeSet<_>>();
    let (senders, receivers) = (homes(from), homes(to));
    let alone = |one: &BTreeSet<NodeId>, other: &BTreeSet<NodeId>| {
        one.len() == 1 && !one.is_disjoint(other)
    };
    if alone(&receivers, &senders) {
        return Err("a sender would have no receiver behind another router".to_owned());
    }
    if alone(&senders, &receivers) {
        return Err("a receiver would have no sender behind another router".to_owned());
    }
    Ok(())
}

fn permutation(from: &[NodeId], to: &[NodeId]) -> Result<u64, String> {
    let senders: BTreeSet<NodeId> = from.iter().copied().collect();
    let receivers: BTreeSet<NodeId> = to.iter().copied().collect();
    if senders.len() < from.len() || receivers.len() < to.len() {
        return Err("a permutation needs each host once".to_owned());
    }
    if from.len() != to.len() {
        let (senders, receivers) = (from.len(), to.len());
        return Err(format!("{senders} senders cannot be permuted over {receivers} receivers"));
    }
    if senders != receivers && !senders.is_disjoint(&receivers) {
        return Err("a permutation needs the same hosts on both sides, or all others".to_owned());
    }
    if senders == receivers && from.len() < 2 {
        return Err("a host would send only to itself".to_owned());
    }
    Ok(from.len() as u64)
}

/// The pairs of hosts, sender first, if they are not random (for a permutation and for partners drawn
/// for each transfer this gives all possible pairs, and more).
pub fn pairs<'a>(
    pattern: Pattern,
    from: &'a [NodeId],
    to: &'a [NodeId],
) -> Box<dyn Iterator<Item = (NodeId, NodeId)> + 'a> {
    if pattern == Pattern::Pairs && from.len() == to.len() {
        return Box::new(from.iter().copied().zip(to.iter().copied()));
    }
    let product = from.iter().flat_map(move |a| to.iter().map(move |b| (*a, *b)));
    Box::new(product.filter(|(a, b)| a != b))
}

/// The pairs of hosts of a run, if they are not drawn for each transfer; only a permutation takes
/// draws from the stream.
///
/// The lists are ones that [`count`] accepts.
pub fn draw(
    pattern: Pattern,
    from: &[NodeId],
    to: &[NodeId],
    stream: &mut Stream,
) -> Vec<(NodeId, NodeId)> {
    if pattern != Pattern::Permutation {
        return pairs(pattern, from, to).collect();
    }
    let mut receivers = to.to_vec();
    if to.contains(&from[0]) {
        let count = u32::try_from(from.len()).expect("a network has fewer than 2^32 hosts");
        let partners = stream.derangement(count);
        receivers = partners.iter().map(|&at| from[at as usize]).collect();
    } else {
        stream.shuffle(&mut receivers);
    }
    from.iter().copied().zip(receivers).collect()
}
