//! Routers in a row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::links::single;
use super::{Joins, LinkTable, Shape, ShapeFacts, limits};
use crate::check::Findings;
use crate::spec::LinkSpec;
use crate::topology::Builder;

/// Two hosts with routers in a row between them: `a`, `r0`, `r1`, …, `b`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Line {
    /// Routers between the hosts; with 0 the hosts are joined by a single link.
    #[schemars(range(min = 0, max = 1_000))]
    pub routers: u32,
    /// Every link of the row; forward is from `a` to `b`.
    pub link: LinkSpec,
    /// The first and the last link (those of the hosts) if they differ from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<LinkSpec>,
}

impl Shape for Line {
    fn build(&self, to: &mut Builder<'_>) {
        let Self { routers, link, access } = self;
        let access = access.as_ref().unwrap_or(link);
        let a = to.host("a".into());
        let mut last = a;
        for at in 0..*routers {
            let router = to.switch(format!("r{at}"));
            to.two_way(last, router, if at == 0 { access } else { link });
            last = router;
        }
        let b = to.host("b".into());
        to.two_way(last, b, if *routers == 0 { link } else { access });
    }

    fn links(&self) -> Vec<LinkTable> {
        let inner = if self.access.is_some() { Joins::Switches } else { Joins::All };
        let access = self.access.iter().map(|link| LinkTable::new("access", link, Joins::Others));
        [LinkTable::new("link", &self.link, inner)].into_iter().chain(access).collect()
    }

    fn check(&self, _: bool, _: &mut dyn Findings) {}

    /// Few enough lightpaths, and a link for them.
    fn limits(&self, to: &mut dyn Findings) {
        let key = "topology.link.lightpaths";
        let Some(lightpaths) = self.link.lightpaths else { return };
        if self.routers < 2 {
            let problem = "does not apply: no link joins two routers";
            single(key, self.link.lightpaths, problem, to);
        }
        let routers = self.routers as usize;
        let links = routers.saturating_sub(1) * lightpaths as usize + 2;
        limits::size((routers, links), key, to);
    }

    fn effects(&self, to: &mut dyn Findings) {
        match (self.routers, &self.access) {
            (0, Some(_)) => {
                to.no_effect("topology.access", "without routers there is only one link");
            }
            (1, Some(_)) => {
                to.no_effect("topology.link", "both links of the only router are access links");
            }
            (0 | 1, None) | (2.., _) => {}
        }
    }

    fn facts(&self) -> ShapeFacts<'_> {
        ShapeFacts { rates: "topology.access.rate", ..ShapeFacts::PLAIN }
    }
}
