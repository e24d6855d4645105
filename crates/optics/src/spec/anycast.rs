//! Anycast switching: a scenario's words for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

use super::AnycastProgram;
use crate::program::{Hooks, Lightpaths};

/// How a switch spreads packets over the lightpaths of a bundle: parallel links to one neighbour,
/// which routing sees as a single link. Each input line card decides independently, packet by
/// packet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnycastPolicy {
    /// The lightpath that the hash of the flow picks (RFC 2992): packets of a flow stay in order.
    #[default]
    Ecmp,
    /// The lightpath assigned to the destination, so that each carries traffic from all sources: of
    /// the routers with hosts beyond the bundle, number d uses lightpath d modulo the number of
    /// lightpaths. Izquierdo-Zaragoza and Pavón-Mariño (2013) call this Not LB+AS.
    Destination,
    /// A random lightpath, each with the same probability.
    Random,
    /// One lightpath after the other, for each input and bundle.
    RoundRobin,
    /// The lightpath with the shortest virtual output queue at this input, in bytes; ties at random.
    Jsvoq,
    /// The lightpath on which this input has sent the fewest bytes since the run began, each packet
    /// counted when it is assigned, without the cells' overhead; ties at random. The packets of an
    /// input for a bundle wait in one queue, so that they leave the input in order.
    EJsq,
    /// Flowlets, as in LetFlow (Vanini et al. 2017): a flow keeps its lightpath until it has paused
    /// for longer than `flowlet-gap`, and then takes any, each with the same probability.
    Flowlet,
    /// The lightpath whose output port would be free first, known at every input at once; ties to the
    /// first. Join the shortest queue, for output-queued switches.
    IdealJsq,
    /// What the program in `program` says.
    Program,
}

/// How the switches of a core choose, as its section says.
#[derive(Debug, Clone, Copy)]
pub struct AnycastRule<'a> {
    /// The policy.
    pub policy: AnycastPolicy,
    /// The silence between two flowlets, needed for them only.
    pub flowlet_gap: Option<Span>,
    /// The program, needed for that policy only.
    pub program: Option<&'a AnycastProgram>,
}

impl<'a> AnycastRule<'a> {
    /// The compiled program; none without one, or if it has errors.
    pub fn compiled(&self) -> Option<&'a Hooks<Lightpaths>> {
        self.program?.source.compiled().map(AsRef::as_ref)
    }
}
