//! Errors of a scenario, as reported by the part that checks them: a kind of core, in its folder.
//!
//! The caller that reads the file adds the line.

use optics::{AssemblySpec, ControlSpec};
use units::{Bytes, Span};

pub use crate::flaw::Flaw;
use crate::spec::{ExplicitLink, Metric, NodeKind, QueueSpec, Topology};

/// Collects flaws, and knows the contents of the file.
pub trait Findings {
    /// An error, on the line of this key or of the nearest key above it that is written.
    fn mistake(&mut self, flaw: Flaw, at: &str);

    /// A key without effect; the scenario can be run with it.
    fn warning(&mut self, flaw: Flaw, at: &str);

    /// Whether a key is written.
    fn is_written(&self, key: &str) -> bool;

    /// How its value is written; empty if it is not written.
    fn written(&self, key: &str) -> String;
}

impl dyn Findings + '_ {
    /// An error at a key, without the value found.
    pub fn note(&mut self, key: &str, problem: impl Into<String>) {
        self.mistake(Flaw::new(key, problem), key);
    }

    /// A gap is required if the `chooser` of a table is `"flowlet"`, and only then.
    pub fn flowlet_gap(
        &mut self,
        (table, chooser, way): (&str, &str, &str),
        flowlets: bool,
        gap: Option<Span>,
    ) {
        let key = format!("{table}.flowlet-gap");
        match (flowlets, gap) {
            (true, None) => {
                let accepted = format!("the silence after which a flow takes a new {way}");
                self.mistake(Flaw::missing(&key, accepted), &format!("{table}.{chooser}"));
            }
            (false, Some(_)) => {
                self.note(&key, format!("applies only with {chooser} = \"flowlet\""));
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Warns of a key that is written but not read.
    pub fn no_effect(&mut self, key: &str, why: &str) {
        if self.is_written(key) {
            let flaw = Flaw::new(key, format!("has no effect: {why}")).found(self.written(key));
            self.warning(flaw, key);
        }
    }
}

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
    /// The link queues given in the file, each with its key.
    pub queues: &'a [(String, QueueSpec)],
}

impl<'a> Around<'a> {
    /// Whether a node of an explicit topology is a core.
    pub fn is_core(&self, name: &str) -> bool {
        let Some(Topology::Explicit { nodes, .. }) = self.topology else { return false };
        nodes.iter().any(|node| node.name == name && node.kind == NodeKind::Core)
    }

    /// Which directions of the link with this queue leave a core switch, where switches are cores: there and back. A
    /// direction that does not exist counts as one that does.
    pub fn ends_at_cores(&self, key: &str) -> [bool; 2] {
        match (self.topology, key) {
            (Some(Topology::Explicit { .. }), _) => match self.link_of(key) {
                Some(link) => [self.is_core(&link.from), link.one_way || self.is_core(&link.to)],
                None => [false, false],
            },
            (Some(Topology::Dumbbell { .. }), "topology.bottleneck.queue")
            | (
                Some(Topology::Line { access: Some(_), .. } | Topology::File(_)),
                "topology.link.queue",
            ) => [true, true],
            (Some(shape), "topology.link.queue") if shape.regular().is_some() => [true, true],
            _ => [true, false],
        }
    }

    /// The link of an explicit topology to which a key such as `topology.links.3.queue` belongs.
    pub fn link_of(&self, key: &str) -> Option<&'a ExplicitLink> {
        let Some(Topology::Explicit { links, .. }) = self.topology else { return None };
        links.get(key.split('.').nth(2)?.parse::<usize>().ok()?)
    }
}
