//! Hosts around one router.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::links::{OF_A_HOST, single};
use super::{Joins, LinkTable, Shape, ShapeFacts};
use crate::check::Findings;
use crate::spec::LinkSpec;
use crate::topology::Builder;

/// Hosts `h0`, `h1`, … around one router `hub`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Star {
    /// Hosts.
    #[schemars(range(min = 2, max = 100_000))]
    pub hosts: u32,
    /// Every link; forward is from the host to the hub.
    pub link: LinkSpec,
}

impl Shape for Star {
    fn build(&self, to: &mut Builder<'_>) {
        let hub = to.switch("hub".into());
        for at in 0..self.hosts {
            let host = to.host(format!("h{at}"));
            to.two_way(host, hub, &self.link);
        }
    }

    fn links(&self) -> Vec<LinkTable> {
        vec![LinkTable::new("link", &self.link, Joins::All)]
    }

    fn check(&self, _: bool, _: &mut dyn Findings) {}

    fn limits(&self, to: &mut dyn Findings) {
        single("topology.link.lightpaths", self.link.lightpaths, OF_A_HOST, to);
    }

    fn effects(&self, _: &mut dyn Findings) {}

    fn facts(&self) -> ShapeFacts<'_> {
        ShapeFacts::PLAIN
    }
}
