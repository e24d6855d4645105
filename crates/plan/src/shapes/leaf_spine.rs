//! Two levels of switches, leaves and spines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::NodeId;

use super::regular::{Regular, RegularShape, hosts_of};
use crate::spec::{LinkSpec, NodeKind};
use crate::topology::Builder;

/// Two levels of switches (a folded Clos network): each of the leaves `leaf-0`, `leaf-1`, … is joined to
/// each of the spines `spine-0`, …, so that between hosts at two leaves there are as many equal paths as
/// spines. Hosts are `h0-0`, `h0-1`, … at `leaf-0`, and so on. The rate of a leaf's hosts over that of
/// its links to spines is the oversubscription. With a core of circuit switches leaves are racks, and spines
/// circuit switches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LeafSpine {
    /// Leaves.
    #[schemars(range(min = 2, max = 2_000))]
    pub leaves: u32,
    /// Spines.
    #[schemars(range(min = 1, max = 1_000))]
    pub spines: u32,
    /// Hosts at each leaf.
    #[schemars(range(min = 1, max = 50_000))]
    pub hosts: u32,
    /// Every link between routers; forward is upwards.
    pub link: LinkSpec,
    /// Every link of a host; forward is from the host.
    pub access: LinkSpec,
    /// Electronic switches beside circuit switches, to which each leaf is joined, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet_spines: Option<PacketSpinesSpec>,
}

/// Electronic switches `packet-spine-0`, `packet-spine-1`, … to which each leaf is joined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PacketSpinesSpec {
    /// How many there are.
    #[schemars(range(min = 1, max = 1_000))]
    pub count: u32,
    /// Each link of a leaf to one of them; forward is upwards.
    pub link: LinkSpec,
}

impl RegularShape for LeafSpine {
    fn regular(&self) -> Regular<'_> {
        let Self { leaves, spines, hosts, link, access, packet_spines } = self;
        let packet_spines = packet_spines.as_ref();
        let leaves = u64::from(*leaves);
        let spines = u64::from(*spines) + packet_spines.map_or(0, |spines| u64::from(spines.count));
        let (routers, hosts) = (leaves + spines, leaves * u64::from(*hosts));
        Regular { link, access, packet_spines, routers, hosts, links: leaves * spines }
    }

    fn add(&self, to: &mut Builder<'_>) {
        let spines: Vec<NodeId> =
            (0..self.spines).map(|at| to.spine(format!("spine-{at}"))).collect();
        let leaf = |at: u32| (at.to_string(), to.switch(format!("leaf-{at}")));
        let leaves: Vec<(String, NodeId)> = (0..self.leaves).map(leaf).collect();
        for (_, leaf) in &leaves {
            for spine in &spines {
                to.two_way(*leaf, *spine, &self.link);
            }
        }
        if let Some(PacketSpinesSpec { count, link }) = &self.packet_spines {
            for at in 0..*count {
                let spine = to.node(format!("packet-spine-{at}"), NodeKind::Router);
                for (_, leaf) in &leaves {
                    to.two_way(*leaf, spine, link);
                }
            }
        }
        hosts_of(&leaves, self.hosts, &self.access, to);
    }
}
