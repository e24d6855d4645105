//! How packets are spread over equal-cost paths.

use plan::spec::SpreadSpec;

use super::{Check, Parts};

impl Check<'_> {
    /// A gap is required with flowlets, and only then; bursts have one path per class.
    pub(super) fn spread(&mut self, parts: &Parts) {
        let Some(routing) = &parts.routing else { return };
        let flowlets = routing.spread == SpreadSpec::Flowlet;
        let gap = routing.flowlet_gap;
        self.findings().flowlet_gap(("routing", "spread", "path"), flowlets, gap);
        let optical = parts.facts().is_some_and(|facts| facts.has_edges);
        if optical && routing.spread != SpreadSpec::Flow {
            self.note("routing.spread", "does not apply: the bursts of a class have one path");
        }
    }
}
