//! Routers of which each is joined to every other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::regular::{Regular, RegularShape, hosts_of, numbered};
use crate::spec::LinkSpec;
use crate::topology::Builder;

/// Routers `r0`, `r1`, …, each joined to every other, with hosts `h0-0`, `h0-1`, … at `r0`, and so on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FullMesh {
    /// Routers.
    #[schemars(range(min = 2, max = 500))]
    pub routers: u32,
    /// Hosts at each router.
    #[schemars(range(min = 1, max = 50_000))]
    pub hosts: u32,
    /// Every link between routers; forward is to the larger number.
    pub link: LinkSpec,
    /// Every link of a host; forward is from the host.
    pub access: LinkSpec,
}

impl RegularShape for FullMesh {
    fn regular(&self) -> Regular<'_> {
        let Self { routers, hosts, link, access } = self;
        let routers = u64::from(*routers);
        let hosts = routers * u64::from(*hosts);
        let links = routers * (routers - 1) / 2;
        Regular { link, access, packet_spines: None, routers, hosts, links }
    }

    fn add(&self, to: &mut Builder<'_>) {
        let routers = numbered("", self.routers, to);
        for (at, (_, from)) in routers.iter().enumerate() {
            for (_, end) in &routers[at + 1..] {
                to.two_way(*from, *end, &self.link);
            }
        }
        hosts_of(&routers, self.hosts, &self.access, to);
    }
}
