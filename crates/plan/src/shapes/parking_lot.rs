//! A chain of bottlenecks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::regular::{Regular, RegularShape, numbered};
use crate::spec::LinkSpec;
use crate::topology::Builder;

/// A chain of bottlenecks (Floyd 1991): routers `r0`, `r1`, … in a row; host `a` at the first and host
/// `b` at the last router are the ends of the long path; for each link between two routers there is a
/// host `source-0`, `source-1`, … before and a host `sink-0`, `sink-1`, … behind it, the ends of its
/// cross traffic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ParkingLot {
    /// Links between routers.
    #[schemars(range(min = 1, max = 1_000))]
    pub bottlenecks: u32,
    /// Every link between routers; forward is from `a` to `b`.
    pub link: LinkSpec,
    /// Every link of a host; forward is from the host.
    pub access: LinkSpec,
}

impl RegularShape for ParkingLot {
    fn regular(&self) -> Regular<'_> {
        let Self { bottlenecks, link, access } = self;
        let links = u64::from(*bottlenecks);
        let (routers, hosts) = (links + 1, 2 * links + 2);
        Regular { link, access, packet_spines: None, routers, hosts, links }
    }

    fn add(&self, to: &mut Builder<'_>) {
        let Self { bottlenecks, link, access } = self;
        let routers = numbered("", bottlenecks + 1, to);
        for pair in routers.windows(2) {
            to.two_way(pair[0].1, pair[1].1, link);
        }
        let a = to.host("a".into());
        to.two_way(a, routers[0].1, access);
        for (at, pair) in routers.windows(2).enumerate() {
            let (source, sink) = (to.host(format!("source-{at}")), to.host(format!("sink-{at}")));
            to.two_way(source, pair[0].1, access);
            to.two_way(pair[1].1, sink, access);
        }
        let b = to.host("b".into());
        to.two_way(routers[routers.len() - 1].1, b, access);
    }
}
