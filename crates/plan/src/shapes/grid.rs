//! Grids of routers: rings, tori and meshes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::NodeId;

use super::regular::{Regular, RegularShape, hosts_of, numbered};
use crate::spec::LinkSpec;
use crate::topology::Builder;

/// Routers `r0`, `r1`, … in a circle, each joined to the next one, with hosts `h0-0`, `h0-1`, … at
/// `r0`, `h1-0`, … at `r1`, and so on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ring {
    /// Routers.
    #[schemars(range(min = 3, max = 3_000))]
    pub routers: u32,
    /// Hosts at each router.
    #[schemars(range(min = 1, max = 50_000))]
    pub hosts: u32,
    /// Every link between routers; forward is from `r0` to `r1`.
    pub link: LinkSpec,
    /// Every link of a host; forward is from the host.
    pub access: LinkSpec,
}

/// A grid of one or more dimensions whose rows are circles (with k routers in each of n dimensions a
/// k-ary n-cube, Dally and Towles 2004, chapter 5). Routers are named by their coordinates, `r0-0`,
/// `r0-1`, …, and so are their hosts, `h0-0-0`, `h0-0-1`, ….
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Torus {
    /// Routers in each dimension: `[4, 4]` is a grid of 16.
    #[schemars(length(min = 1, max = 6), inner(range(min = 3, max = 3_000)))]
    pub dimensions: Vec<u32>,
    /// Hosts at each router.
    #[schemars(range(min = 1, max = 50_000))]
    pub hosts: u32,
    /// Every link between routers; forward is to the larger coordinate.
    pub link: LinkSpec,
    /// Every link of a host; forward is from the host.
    pub access: LinkSpec,
}

/// A grid of one or more dimensions, with names as in a torus, whose rows have two ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mesh {
    /// Routers in each dimension: `[4, 4]` is a grid of 16.
    #[schemars(length(min = 1, max = 6), inner(range(min = 2, max = 3_000)))]
    pub dimensions: Vec<u32>,
    /// Hosts at each router.
    #[schemars(range(min = 1, max = 50_000))]
    pub hosts: u32,
    /// Every link between routers; forward is to the larger coordinate.
    pub link: LinkSpec,
    /// Every link of a host; forward is from the host.
    pub access: LinkSpec,
}

impl RegularShape for Ring {
    fn regular(&self) -> Regular<'_> {
        let Self { routers, hosts, link, access } = self;
        let routers = u64::from(*routers);
        let hosts = routers * u64::from(*hosts);
        Regular { link, access, packet_spines: None, routers, hosts, links: routers }
    }

    fn add(&self, to: &mut Builder<'_>) {
        let routers = grid(&[self.routers], true, &self.link, to);
        hosts_of(&routers, self.hosts, &self.access, to);
    }
}

impl RegularShape for Torus {
    fn regular(&self) -> Regular<'_> {
        let Self { dimensions, hosts, link, access } = self;
        let routers = product(dimensions);
        let hosts = routers.saturating_mul(u64::from(*hosts));
        let links = routers.saturating_mul(dimensions.len() as u64);
        Regular { link, access, packet_spines: None, routers, hosts, links }
    }

    fn add(&self, to: &mut Builder<'_>) {
        let routers = grid(&self.dimensions, true, &self.link, to);
        hosts_of(&routers, self.hosts, &self.access, to);
    }
}

impl RegularShape for Mesh {
    fn regular(&self) -> Regular<'_> {
        let Self { dimensions, hosts, link, access } = self;
        let routers = product(dimensions);
        let hosts = routers.saturating_mul(u64::from(*hosts));
        let row = |length: &u32| {
            let length = u64::from(*length);
            routers / length.max(1) * (length - 1)
        };
        let links = dimensions.iter().map(row).fold(0, u64::saturating_add);
        Regular { link, access, packet_spines: None, routers, hosts, links }
    }

    fn add(&self, to: &mut Builder<'_>) {
        let routers = grid(&self.dimensions, false, &self.link, to);
        hosts_of(&routers, self.hosts, &self.access, to);
    }
}

fn product(dimensions: &[u32]) -> u64 {
    dimensions.iter().fold(1, |all, &length| all.saturating_mul(length.into()))
}

/// A grid, the last coordinate innermost; `wraps` joins the ends of its rows.
fn grid(
    dimensions: &[u32],
    wraps: bool,
    link: &LinkSpec,
    to: &mut Builder<'_>,
) -> Vec<(String, NodeId)> {
    let mut routers = Vec::new();
    let (inner, outer) = dimensions.split_last().expect("at least one dimension");
    for row in 0..outer.iter().product::<u32>() {
        let mut rest = row;
        let mut before = String::new();
        for length in outer.iter().rev() {
            before.insert_str(0, &format!("{}-", rest % length));
            rest /= length;
        }
        routers.extend(numbered(&before, *inner, to));
    }
    let mut apart = 1;
    for &length in dimensions.iter().rev() {
        let length = length as usize;
        for at in 0..routers.len() {
            let coordinate = at / apart % length;
            if coordinate + 1 < length {
                to.two_way(routers[at].1, routers[at + apart].1, link);
            } else if wraps {
                to.two_way(routers[at].1, routers[at + apart - apart * length].1, link);
            }
        }
        apart *= length;
    }
    routers
}
