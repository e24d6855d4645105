//! What the regular shapes have in common: routers, their hosts, two kinds of links.

use units::NodeId;

use super::links::single;
use super::{Joins, LinkTable, PacketSpinesSpec, Shape, ShapeFacts, limits};
use crate::check::Findings;
use crate::spec::LinkSpec;
use crate::topology::Builder;

/// A regular shape: one kind of link between routers, another one to hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Regular<'a> {
    /// Every link between routers.
    pub link: &'a LinkSpec,
    /// Every link of a host.
    pub access: &'a LinkSpec,
    /// Electronic switches beside circuit switches, if there are any.
    pub packet_spines: Option<&'a PacketSpinesSpec>,
    /// The number of routers.
    pub routers: u64,
    /// The number of hosts.
    pub hosts: u64,
    /// The number of two-way links between routers, without parallel ones.
    pub links: u64,
}

/// What makes a regular shape of some keys.
pub(super) trait RegularShape {
    /// Its links, and how many of each there are.
    fn regular(&self) -> Regular<'_>;

    /// Adds the routers, then the links between them, then the hosts.
    fn add(&self, to: &mut Builder<'_>);
}

impl<T: RegularShape> Shape for T {
    fn build(&self, to: &mut Builder<'_>) {
        self.add(to);
    }

    fn links(&self) -> Vec<LinkTable> {
        let Regular { link, access, packet_spines, .. } = self.regular();
        let mut links = vec![
            LinkTable::new("link", link, Joins::Switches),
            LinkTable::new("access", access, Joins::Others),
        ];
        links.extend(packet_spines.map(|spines| {
            let link = LinkTable::new("packet-spines.link", &spines.link, Joins::Others);
            // For these there is a message of its own.
            LinkTable { lightpaths: None, ..link }
        }));
        links
    }

    fn check(&self, _: bool, _: &mut dyn Findings) {}

    /// Few enough nodes and links; single links to electronic switches.
    fn limits(&self, to: &mut dyn Findings) {
        let Regular { link, packet_spines, routers, hosts, links, .. } = self.regular();
        let links = links.saturating_mul(u64::from(link.lightpaths.unwrap_or(1)));
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let (nodes, most) = (number(routers), number(links));
        if !limits::too_many_routers(routers, "topology", to) {
            limits::size((nodes, most), "topology", to);
        }
        let all = routers.saturating_add(hosts);
        limits::nodes(all, limits::MOST_REGULAR_NODES, "topology.hosts", to);
        let lightpaths = packet_spines.and_then(|spines| spines.link.lightpaths);
        let problem = "does not apply: the link of a rack is a single one";
        single("topology.packet-spines.link.lightpaths", lightpaths, problem, to);
    }

    fn effects(&self, _: &mut dyn Findings) {}

    fn facts(&self) -> ShapeFacts<'_> {
        ShapeFacts { packet_spines: self.regular().packet_spines, ..ShapeFacts::PLAIN }
    }
}

/// Routers with their names after the first letter.
pub(super) fn numbered(before: &str, count: u32, to: &mut Builder<'_>) -> Vec<(String, NodeId)> {
    let name = |at: u32| format!("{before}{at}");
    (0..count).map(|at| (name(at), to.switch(format!("r{}", name(at))))).collect()
}

/// The hosts of each router, called `h`, the router's name, and their number there.
pub(super) fn hosts_of(
    routers: &[(String, NodeId)],
    hosts: u32,
    access: &LinkSpec,
    to: &mut Builder<'_>,
) {
    for (name, router) in routers {
        for at in 0..hosts {
            let host = to.host(format!("h{name}-{at}"));
            to.two_way(host, *router, access);
        }
    }
}

#[cfg(test)]
mod tests;
