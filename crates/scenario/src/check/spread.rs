//! How packets are spread over equal paths.

use network::spec::{SpreadSpec, Topology};

use super::{Check, Parts};
use crate::mistake::Flaw;

impl Check<'_> {
    /// A gap is needed with flowlets, and only there; bursts have one path a class.
    pub(super) fn spread(&mut self, parts: &Parts) {
        let Some(routing) = &parts.routing else { return };
        let key = "routing.flowlet-gap";
        match (routing.spread, routing.flowlet_gap) {
            (SpreadSpec::Flowlet, None) => {
                let flaw = Flaw::missing(key, "the silence after which a flow takes a new path");
                self.say(flaw, "routing.spread");
            }
            (SpreadSpec::Flow | SpreadSpec::Packet, Some(_)) => {
                self.note(key, "has no use unless spread = \"flowlet\"");
            }
            _ => {}
        }
        let optical = parts.topology.as_ref().is_some_and(Topology::has_edges);
        if optical && routing.spread != SpreadSpec::Flow {
            self.note("routing.spread", "has no use: the bursts of a class have one path");
        }
    }
}
