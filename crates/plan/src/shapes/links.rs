//! The tables of a scenario that describe links.

use crate::check::{Findings, Flaw};
use crate::spec::{LinkSpec, NodeKind, Propagation, QueueSpec};

/// A table that describes one or more links.
#[derive(Debug, Clone)]
pub struct LinkTable {
    /// Its key, such as `topology.link`.
    pub key: String,
    /// Its queue, if one is given, with the key of that.
    pub queue: Option<(String, QueueSpec)>,
    /// How it gives the delay, if every such table has to.
    pub propagation: Option<Propagation>,
    /// The parallel links of each of its links, if they are given.
    pub lightpaths: Option<u32>,
    /// What its links join.
    pub joins: Joins,
}

/// What the links of a table join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joins {
    /// Two switches that may be cores.
    Switches,
    /// A switch that may be a core, and another node: a host, or an electronic switch.
    Others,
    /// All nodes: these are all links of the network.
    All,
    /// Two nodes of a list, there and, unless it is `one_way`, back; a node that is not listed has no kind.
    Nodes {
        /// The kinds of both.
        ends: [Option<NodeKind>; 2],
        /// Whether nothing leads back.
        one_way: bool,
    },
}

impl Joins {
    /// Which directions leave a core switch, where switches are cores: there and back. A direction that does not exist
    /// counts as one that does.
    pub fn leaves_cores(self) -> [bool; 2] {
        match self {
            Self::Switches => [true, true],
            Self::Others | Self::All => [true, false],
            Self::Nodes { ends, one_way } => {
                let [from, to] = ends.map(|end| end == Some(NodeKind::Core));
                [from, one_way || to]
            }
        }
    }
}

/// The message for a bundle as the link of a host.
pub(super) const OF_A_HOST: &str = "does not apply: the link of a host is not a bundle";

impl LinkTable {
    /// A table of links below `topology`.
    pub(super) fn new(key: &str, link: &LinkSpec, joins: Joins) -> Self {
        let (propagation, lightpaths) = (Some(link.propagation()), link.lightpaths);
        let queue = (&*format!("{key}.queue"), link.queue);
        Self { propagation, lightpaths, ..Self::plain(key, queue, joins) }
    }

    /// A table of which only the queue, at this key, is like that of others.
    pub(super) fn plain(key: &str, queue: (&str, Option<QueueSpec>), joins: Joins) -> Self {
        let of_queue = |given| (format!("topology.{}", queue.0), given);
        let (key, queue) = (format!("topology.{key}"), queue.1.map(of_queue));
        Self { key, queue, propagation: None, lightpaths: None, joins }
    }

    /// Its links give their delay.
    pub fn delay(&self, to: &mut dyn Findings) {
        if let Some(propagation) = self.propagation {
            delay(propagation, &self.key, to);
        }
    }

    /// Those of hosts are single ones.
    pub fn bundle(&self, to: &mut dyn Findings) {
        if self.joins == Joins::Others {
            single(&format!("{}.lightpaths", self.key), self.lightpaths, OF_A_HOST, to);
        }
    }
}

/// Reports that a link cannot be a bundle.
pub(super) fn single(key: &str, lightpaths: Option<u32>, problem: &str, to: &mut dyn Findings) {
    if lightpaths.is_some_and(|count| count > 1) {
        to.note(key, problem);
    }
}

/// A link gives its delay or its length, and the delay per km only with a length.
pub(super) fn delay(said: Propagation, key: &str, to: &mut dyn Findings) {
    let Propagation { delay, length, per_km } = said;
    match (delay, length) {
        (None, None) => {
            let flaw = Flaw::missing(format!("{key}.delay"), "a time, or a length instead");
            to.mistake(flaw, key);
        }
        (Some(_), Some(_)) => {
            let key = format!("{key}.length");
            to.note(&key, "delay is also given: only one of them is allowed");
        }
        (Some(_), None) | (None, Some(_)) => {}
    }
    if per_km.is_some() && length.is_none() {
        to.note(&format!("{key}.delay-per-km"), "does not apply without length");
    }
}
