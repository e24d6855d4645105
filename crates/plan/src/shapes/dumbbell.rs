//! Pairs of hosts and one bottleneck.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Span;

use super::links::delay;
use super::{Joins, LinkTable, Shape, ShapeFacts};
use crate::check::{Findings, Flaw};
use crate::spec::{AccessSpec, LinkSpec};
use crate::topology::Builder;

/// Pairs of hosts that share one bottleneck between two routers: hosts `left-0`, `left-1`, …
/// on router `left`, hosts `right-0`, `right-1`, … on router `right`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Dumbbell {
    /// Pairs of hosts.
    #[schemars(range(min = 1, max = 50_000))]
    pub pairs: u32,
    /// The links between hosts and routers, alike on both sides.
    pub access: AccessSpec,
    /// One delay per pair, in the order of the pairs, for its access links on both sides;
    /// instead of `access.delay`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 50_000))]
    pub access_delays: Option<Vec<Span>>,
    /// The link between the two routers; forward is from left to right.
    pub bottleneck: LinkSpec,
}

impl Shape for Dumbbell {
    fn build(&self, to: &mut Builder<'_>) {
        let left = to.switch("left".into());
        let right = to.switch("right".into());
        to.two_way(left, right, &self.bottleneck);
        for pair in 0..self.pairs {
            let own = self.access_delays.as_ref().map(|delays| delays[pair as usize]);
            let link = self.access.link(own);
            let source = to.host(format!("left-{pair}"));
            let sink = to.host(format!("right-{pair}"));
            to.two_way(source, left, &link);
            to.two_way(right, sink, &link);
        }
    }

    fn links(&self) -> Vec<LinkTable> {
        vec![
            LinkTable::plain("access", ("access.queue", self.access.queue), Joins::Others),
            LinkTable::new("bottleneck", &self.bottleneck, Joins::Switches),
        ]
    }

    /// The delays of access links are given in one of two forms.
    fn check(&self, _: bool, to: &mut dyn Findings) {
        let key = "topology.access-delays";
        let pairs = self.pairs as usize;
        let plain = self.access.propagation();
        let given = plain.delay.is_some() || plain.length.is_some();
        match &self.access_delays {
            None if given => delay(plain, "topology.access", to),
            None => {
                let flaw = Flaw::missing(
                    "topology.access.delay",
                    "a time or a length here, or a list access-delays",
                );
                to.mistake(flaw, "topology.access");
            }
            Some(_) if given => {
                to.note(key, "access.delay is also given: only one of them is allowed");
            }
            Some(delays) => {
                if plain.per_km.is_some() {
                    to.note("topology.access.delay-per-km", "does not apply without length");
                }
                if delays.len() != pairs {
                    let found = delays.len().to_string();
                    let flaw = Flaw::new(key, "not one delay per pair").found(found);
                    to.mistake(flaw.accepted(format!("{pairs} delays")), key);
                }
            }
        }
    }

    fn limits(&self, _: &mut dyn Findings) {}

    fn effects(&self, _: &mut dyn Findings) {}

    fn facts(&self) -> ShapeFacts<'_> {
        ShapeFacts { rates: "topology.access.rate", ..ShapeFacts::PLAIN }
    }
}
