//! What the regular shapes have in common: routers, their hosts, two kinds of links.

use super::{LinkSpec, PacketSpinesSpec, Topology};

/// A regular shape: one kind of link between routers, another one to hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regular<'a> {
    /// Every link between routers.
    pub link: &'a LinkSpec,
    /// Every link of a host.
    pub access: &'a LinkSpec,
    /// Electronic switches beside, if there are any.
    pub beside: Option<&'a PacketSpinesSpec>,
    /// The number of routers.
    pub routers: u64,
    /// The number of hosts.
    pub hosts: u64,
    /// The number of two-way links between routers, each with all of its lightpaths.
    pub links: u64,
}

impl Topology {
    /// This topology as a regular shape, if it is one.
    pub fn regular(&self) -> Option<Regular<'_>> {
        let wide = |number: &u32| u64::from(*number);
        let product = |numbers: &mut dyn Iterator<Item = u64>| {
            numbers.fold(1, |all: u64, one| all.saturating_mul(one))
        };
        let (link, access, routers, hosts, links) = match self {
            Self::Ring { routers, hosts, link, access } => {
                let routers = wide(routers);
                (link, access, routers, routers * wide(hosts), routers)
            }
            Self::Torus { dimensions, hosts, link, access } => {
                let routers = product(&mut dimensions.iter().map(wide));
                let links = routers.saturating_mul(dimensions.len() as u64);
                (link, access, routers, routers.saturating_mul(wide(hosts)), links)
            }
            Self::Mesh { dimensions, hosts, link, access } => {
                let routers = product(&mut dimensions.iter().map(wide));
                let ends = |length: u64| routers / length.max(1) * (length - 1);
                let links = dimensions.iter().map(wide).map(ends);
                let links = links.fold(0, u64::saturating_add);
                (link, access, routers, routers.saturating_mul(wide(hosts)), links)
            }
            Self::FullMesh { routers, hosts, link, access } => {
                let routers = wide(routers);
                (link, access, routers, routers * wide(hosts), routers * (routers - 1) / 2)
            }
            Self::LeafSpine { leaves, spines, hosts, link, access, packet_spines } => {
                let beside = packet_spines.as_ref().map_or(0, |beside| beside.count);
                let (leaves, spines) = (wide(leaves), wide(spines) + wide(&beside));
                (link, access, leaves + spines, leaves * wide(hosts), leaves * spines)
            }
            Self::ParkingLot { bottlenecks, link, access } => {
                let links = wide(bottlenecks);
                (link, access, links + 1, 2 * links + 2, links)
            }
            Self::Dumbbell { .. }
            | Self::Line { .. }
            | Self::Star { .. }
            | Self::FatTree { .. }
            | Self::Nsfnet { .. }
            | Self::LightpathBundle { .. }
            | Self::File(_)
            | Self::Explicit { .. } => return None,
        };
        let links = links.saturating_mul(u64::from(link.lightpaths.unwrap_or(1)));
        let beside = self.packet_spines();
        Some(Regular { link, access, beside, routers, hosts, links })
    }

    /// The electronic switches beside circuit switches, if there are any.
    pub fn packet_spines(&self) -> Option<&PacketSpinesSpec> {
        match self {
            Self::LeafSpine { packet_spines, .. } => packet_spines.as_ref(),
            Self::Dumbbell { .. }
            | Self::Line { .. }
            | Self::Star { .. }
            | Self::FatTree { .. }
            | Self::Ring { .. }
            | Self::Torus { .. }
            | Self::Mesh { .. }
            | Self::FullMesh { .. }
            | Self::ParkingLot { .. }
            | Self::Nsfnet { .. }
            | Self::LightpathBundle { .. }
            | Self::File(_)
            | Self::Explicit { .. } => None,
        }
    }
}
