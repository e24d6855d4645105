//! What is wrong with a scenario, as it is said by the part that knows: a kind of core, in its folder.
//!
//! Where in the file it stands is up to whoever reads the file.

use optics::{AssemblySpec, ControlSpec};
use units::{Bytes, Span};

use crate::spec::{Metric, QueueSpec, Topology};

/// What is wrong, apart from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The dotted key.
    pub key: String,
    /// What is wrong.
    pub problem: String,
    /// What stands there; empty where that says nothing.
    pub found: String,
    /// What may stand there; empty where that is not to be said.
    pub accepted: String,
    /// Whether it is a key that is not there.
    pub missing: bool,
}

impl Flaw {
    /// What is wrong with a key.
    pub fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        let (key, problem) = (key.into(), problem.into());
        Self { key, problem, found: String::new(), accepted: String::new(), missing: false }
    }

    /// A key that is not there.
    pub fn missing(key: impl Into<String>, accepted: impl Into<String>) -> Self {
        Self { missing: true, ..Self::new(key, "missing key").accepted(accepted) }
    }

    /// The same below another key.
    #[must_use]
    pub fn below(self, key: &str) -> Self {
        Self { key: format!("{key}.{}", self.key), ..self }
    }

    /// With what stands there.
    #[must_use]
    pub fn found(self, found: impl Into<String>) -> Self {
        Self { found: found.into(), ..self }
    }

    /// With what may stand there.
    #[must_use]
    pub fn accepted(self, accepted: impl Into<String>) -> Self {
        Self { accepted: accepted.into(), ..self }
    }
}

/// Who takes flaws down, and knows what the file says.
pub trait Findings {
    /// A mistake, on the line where this key, or what is next above it, is written.
    fn mistake(&mut self, flaw: Flaw, at: &str);

    /// Something that does nothing; the scenario can be run with it.
    fn warning(&mut self, flaw: Flaw, at: &str);

    /// Whether a key is written.
    fn is_written(&self, key: &str) -> bool;

    /// How its value is written; empty where it is not.
    fn written(&self, key: &str) -> String;
}

impl dyn Findings + '_ {
    /// A mistake at a key, without what was found.
    pub fn note(&mut self, key: &str, problem: impl Into<String>) {
        self.mistake(Flaw::new(key, problem), key);
    }

    /// A gap is needed where the `chooser` of a table says `"flowlet"`, and only there.
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
                self.note(&key, format!("has no use unless {chooser} = \"flowlet\""));
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Warns of a key that is written, and read by nobody.
    pub fn no_effect(&mut self, key: &str, why: &str) {
        if self.is_written(key) {
            let flaw = Flaw::new(key, format!("has no effect: {why}")).found(self.written(key));
            self.warning(flaw, key);
        }
    }
}

/// The rest of a scenario, as far as a kind of core looks at it; each part is there when nothing is wrong
/// with it.
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
    /// The queues of links that are written, each with its key.
    pub queues: &'a [(String, QueueSpec)],
}
