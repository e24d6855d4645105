//! How packets are spread over equal paths.

use network::spec::{SpreadSpec, Topology};
use units::Span;

use super::{Check, Parts};
use crate::mistake::Flaw;

impl Check<'_> {
    /// A gap is needed with flowlets, and only there; bursts have one path a class.
    pub(super) fn spread(&mut self, parts: &Parts) {
        let Some(routing) = &parts.routing else { return };
        let flowlets = routing.spread == SpreadSpec::Flowlet;
        self.flowlet_gap(("routing", "spread", "path"), flowlets, routing.flowlet_gap);
        let optical = parts.topology.as_ref().is_some_and(Topology::has_edges);
        if optical && routing.spread != SpreadSpec::Flow {
            self.note("routing.spread", "has no use: the bursts of a class have one path");
        }
    }

    /// A gap is needed where the `chooser` of a table says `"flowlet"`, and only there.
    pub(super) fn flowlet_gap(
        &mut self,
        (table, chooser, way): (&str, &str, &str),
        flowlets: bool,
        gap: Option<Span>,
    ) {
        let key = format!("{table}.flowlet-gap");
        match (flowlets, gap) {
            (true, None) => {
                let accepted = format!("the silence after which a flow takes a new {way}");
                self.say(Flaw::missing(&key, accepted), &format!("{table}.{chooser}"));
            }
            (false, Some(_)) => {
                self.note(&key, format!("has no use unless {chooser} = \"flowlet\""));
            }
            _ => {}
        }
    }
}
