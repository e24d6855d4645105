//! Traffic matrices: which hosts send to which, and how much, by the places that they are at.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plan::shapes::{GraphPart, Topology};
use plan::spec::NodeKind;
use plan::topology::Graph;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::NodeId;

use crate::mistake::{Flaw, nearest};

/// The maximum number of pairs of hosts of a matrix.
const MOST_PAIRS: usize = 10_000_000;

/// The names that a wrong one is compared with.
const MOST_COMPARED: usize = 200;

/// A traffic matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatrixSpec {
    /// A table in CSV or Parquet, a network of SNDlib with its demands, or demands of REPETITA
    /// (`.demands`, in kb/s); instead of `demands`. A table
    /// has the columns `from`, `to` and `demand`, or it is square: the places that receive in the
    /// header, from the second column on, and those that send in the first column. A relative path
    /// starts at the folder of the file that names it, on the command line and in Python at the current
    /// directory.
    #[serde(default, skip_serializing)]
    #[schemars(
        length(min = 1, max = 4_096),
        extend("x-file" = { "content": "demands", "key": "demands" })
    )]
    pub file: Option<Box<str>>,
    /// The demands, each pair of places once.
    #[serde(default)]
    #[schemars(length(max = 1_000_000))]
    pub demands: Arc<[Demand]>,
}

/// The demand from one place to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Demand {
    /// The place that sends: a router, by its name, by that in the file of the topology or by its place
    /// there (`#0` is the first one), or a host.
    #[schemars(length(min = 1, max = 1_000))]
    pub from: Box<str>,
    /// The place that receives.
    #[schemars(length(min = 1, max = 1_000))]
    pub to: Box<str>,
    /// How much it sends, in a unit whose rate the source says; 0 is nothing.
    #[schemars(range(min = 0.0, max = 1e18))]
    pub demand: f64,
}

/// The pairs of hosts of an entry of traffic with a matrix.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// Sender and receiver, by the demands in their order.
    pub(crate) hosts: Vec<(NodeId, NodeId)>,
    /// How much each sends: a demand is divided equally among the pairs of hosts at its places.
    pub(crate) weights: Vec<f64>,
    /// Demands above 0 from a place to itself, which are left out.
    pub(crate) own: Vec<usize>,
}

impl MatrixSpec {
    /// The pairs among the hosts of an entry, or what is wrong, each with its key below the matrix.
    pub(crate) fn pairs(
        &self,
        (topology, graph): (&Topology, &Graph),
        [from, to]: [&[NodeId]; 2],
    ) -> Result<Pairs, Vec<Flaw>> {
        let places = Places::new(topology, graph);
        let (senders, receivers) = (places.hosts(from), places.hosts(to));
        let (mut pairs, mut flaws, mut seen) = (Pairs::default(), Vec::new(), BTreeSet::new());
        for (at, demand) in self.demands.iter().enumerate() {
            let mut end = |key: &str, name: &str, hosts: &BTreeMap<&str, Vec<NodeId>>| {
                let found = hosts.get(places.name(name)).cloned();
                if found.is_none() && demand.demand > 0.0 {
                    let problem = if places.known.contains(places.name(name)) {
                        format!("no host of the entry's {key} is at this place")
                    } else {
                        let known = places.known.iter().chain(places.labels.keys());
                        match nearest(name, known.copied().take(MOST_COMPARED)) {
                            Some(meant) => {
                                format!("no place has this name (did you mean \"{meant}\"?)")
                            }
                            None => "no place has this name".to_owned(),
                        }
                    };
                    let flaw = Flaw::new(format!("demands.{at}.{key}"), problem);
                    flaws.push(flaw.found(format!("\"{name}\"")));
                }
                found.unwrap_or_default()
            };
            let ends = [end("from", &demand.from, &senders), end("to", &demand.to, &receivers)];
            let names = (places.name(&demand.from), places.name(&demand.to));
            let key = format!("demands.{at}");
            if !seen.insert(names) {
                flaws.push(Flaw::new(key, "a second demand between these places"));
            } else if demand.demand > 0.0 && names.0 == names.1 {
                pairs.own.push(at);
            } else if pairs.hosts.len() + ends[0].len() * ends[1].len() > MOST_PAIRS {
                let flaw = Flaw::new(key, "too many pairs of hosts");
                return Err(vec![flaw.accepted(format!("at most {MOST_PAIRS} in all"))]);
            } else if demand.demand > 0.0 {
                let each = demand.demand / (ends[0].len() * ends[1].len()) as f64;
                for &sender in &ends[0] {
                    pairs.hosts.extend(ends[1].iter().map(|&receiver| (sender, receiver)));
                }
                pairs.weights.resize(pairs.hosts.len(), each);
            }
        }
        if self.demands.is_empty() && self.file.is_none() {
            flaws.push(Flaw::missing("file", "the name of a file with demands"));
        } else if pairs.hosts.is_empty() && flaws.is_empty() {
            flaws.push(Flaw::new("demands", "no demand above 0"));
        }
        if flaws.is_empty() { Ok(pairs) } else { Err(flaws) }
    }
}

/// The places of a network.
struct Places<'a> {
    graph: &'a Graph,
    homes: Vec<NodeId>,
    /// By the number of an edge router: the core router that it is attached to, if there is just one.
    cores: BTreeMap<NodeId, Option<NodeId>>,
    known: BTreeSet<&'a str>,
    /// By a name in the file of the topology: that in the network.
    labels: BTreeMap<&'a str, &'a str>,
    /// The names in the network of the places of the file, in its order.
    order: Vec<&'a str>,
}

impl<'a> Places<'a> {
    fn new(topology: &'a Topology, graph: &'a Graph) -> Self {
        let is = |id: NodeId, kind| graph.nodes[id.index()].kind == kind;
        let mut cores = BTreeMap::new();
        for link in &graph.links {
            if is(link.from, NodeKind::Edge) && is(link.to, NodeKind::Core) {
                let only = cores.entry(link.from).or_insert(Some(link.to));
                if *only != Some(link.to) {
                    *only = None;
                }
            }
        }
        let parts = topology.facts().file.map_or(&[][..], |file| &*file.graph);
        let labels = parts.iter().rev().filter_map(|part| match part {
            GraphPart::Place { name, label: Some(label), .. } => Some((&**label, &**name)),
            _ => None,
        });
        let known = graph.nodes.iter().map(|node| node.name.as_str()).collect();
        let names = parts.iter().filter_map(|part| match part {
            GraphPart::Place { name, .. } => Some(&**name),
            _ => None,
        });
        let (labels, order) = (labels.collect(), names.collect());
        Self { graph, homes: graph.homes(), cores, known, labels, order }
    }

    /// The name in the network of a place.
    fn name<'b>(&self, name: &'b str) -> &'b str
    where
        'a: 'b,
    {
        if self.known.contains(name) {
            name
        } else {
            let numbered = || self.order.get(name.strip_prefix('#')?.parse::<usize>().ok()?);
            self.labels.get(name).or_else(numbered).copied().unwrap_or(name)
        }
    }

    /// Some hosts by the names of what they are at: themselves, their router, and the core router of that.
    fn hosts(&self, hosts: &[NodeId]) -> BTreeMap<&'a str, Vec<NodeId>> {
        let mut found: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
        for &host in hosts {
            let home = self.homes[host.index()];
            let core = self.cores.get(&home).copied().flatten();
            let mut at = vec![host, home];
            at.extend(core);
            at.dedup();
            for place in at {
                let name = self.graph.nodes[place.index()].name.as_str();
                found.entry(name).or_default().push(host);
            }
        }
        found
    }
}
