//! The fat tree of Al-Fares, Loukissas and Vahdat (SIGCOMM 2008).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::NodeId;

use super::{Joins, LinkTable, Shape, ShapeFacts, limits};
use crate::check::{Findings, Flaw};
use crate::spec::LinkSpec;
use crate::topology::Builder;

/// A three-level fat tree of switches with k ports (Al-Fares, Loukissas and Vahdat 2008):
/// k³/4 hosts `h0`, `h1`, …; routers `edge-P-I`, `agg-P-I` (pod, index in the pod), `core-I`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FatTree {
    /// Ports per switch, an even number.
    #[schemars(range(min = 2, max = 32))]
    pub k: u32,
    /// Every link; forward is upwards. Its `lightpaths` are for those between routers.
    pub link: LinkSpec,
}

impl Shape for FatTree {
    /// Section 3: aggregation switch `i` of each pod is joined to the cores `i·k/2 … (i+1)·k/2 − 1`.
    fn build(&self, to: &mut Builder<'_>) {
        let Self { k, link } = self;
        let half = k / 2;
        let cores: Vec<NodeId> =
            (0..half * half).map(|at| to.switch(format!("core-{at}"))).collect();
        for pod in 0..*k {
            let aggs: Vec<NodeId> =
                (0..half).map(|at| to.switch(format!("agg-{pod}-{at}"))).collect();
            for (at, &agg) in aggs.iter().enumerate() {
                for up in 0..half as usize {
                    to.two_way(agg, cores[at * half as usize + up], link);
                }
            }
            for at in 0..half {
                let edge = to.switch(format!("edge-{pod}-{at}"));
                for &agg in &aggs {
                    to.two_way(edge, agg, link);
                }
                for down in 0..half {
                    let host = to.host(format!("h{}", (pod * half + at) * half + down));
                    to.two_way(host, edge, link);
                }
            }
        }
    }

    fn links(&self) -> Vec<LinkTable> {
        vec![LinkTable::new("link", &self.link, Joins::All)]
    }

    fn check(&self, _: bool, _: &mut dyn Findings) {}

    fn limits(&self, to: &mut dyn Findings) {
        if self.k % 2 == 1 {
            let flaw = Flaw::new("topology.k", "odd").found(self.k.to_string());
            to.mistake(flaw.accepted("an even number from 2 to 32"), "topology.k");
        }
        let Some(lightpaths) = self.link.lightpaths else { return };
        // k²/4 cores and k pods of k; k³/4 hosts and twice as many links between routers.
        let k = self.k as usize;
        let (routers, hosts) = (k * k / 4 + k * k, k * k * k / 4);
        let links = hosts + 2 * hosts * lightpaths as usize;
        limits::size((routers, links), "topology.link.lightpaths", to);
    }

    fn effects(&self, _: &mut dyn Findings) {}

    fn facts(&self) -> ShapeFacts<'_> {
        ShapeFacts::PLAIN
    }
}
