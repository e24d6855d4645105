//! Regular shapes: rings, grids, full meshes, leaf and spine, parking lots.

use units::NodeId;

use super::Builder;
use crate::spec::{LinkSpec, NodeKind, PacketSpinesSpec, Topology};

impl Builder<'_> {
    /// Builds a regular shape: the routers, then the links between them, then the hosts.
    pub(super) fn regular(&mut self, topology: &Topology) {
        match topology {
            Topology::Ring { routers, hosts, link, access } => {
                let routers = self.grid(&[*routers], true, link);
                self.hosts_of(&routers, *hosts, access);
            }
            Topology::Torus { dimensions, hosts, link, access } => {
                let routers = self.grid(dimensions, true, link);
                self.hosts_of(&routers, *hosts, access);
            }
            Topology::Mesh { dimensions, hosts, link, access } => {
                let routers = self.grid(dimensions, false, link);
                self.hosts_of(&routers, *hosts, access);
            }
            Topology::FullMesh { routers, hosts, link, access } => {
                let routers = self.numbered("", *routers);
                for (at, (_, from)) in routers.iter().enumerate() {
                    for (_, to) in &routers[at + 1..] {
                        self.two_way(*from, *to, link);
                    }
                }
                self.hosts_of(&routers, *hosts, access);
            }
            Topology::LeafSpine { leaves, spines, hosts, link, access, packet_spines } => {
                let spines: Vec<NodeId> =
                    (0..*spines).map(|at| self.spine(format!("spine-{at}"))).collect();
                let leaf = |at: u32| (at.to_string(), self.switch(format!("leaf-{at}")));
                let leaves: Vec<(String, NodeId)> = (0..*leaves).map(leaf).collect();
                for (_, leaf) in &leaves {
                    for spine in &spines {
                        self.two_way(*leaf, *spine, link);
                    }
                }
                if let Some(PacketSpinesSpec { count, link }) = packet_spines {
                    for at in 0..*count {
                        let spine = self.node(format!("packet-spine-{at}"), NodeKind::Router);
                        for (_, leaf) in &leaves {
                            self.two_way(*leaf, spine, link);
                        }
                    }
                }
                self.hosts_of(&leaves, *hosts, access);
            }
            Topology::ParkingLot { bottlenecks, link, access } => {
                self.parking_lot(*bottlenecks, link, access);
            }
            _ => unreachable!("no regular shape"),
        }
    }

    /// Routers with their names after the first letter.
    fn numbered(&mut self, before: &str, count: u32) -> Vec<(String, NodeId)> {
        let name = |at: u32| format!("{before}{at}");
        (0..count).map(|at| (name(at), self.switch(format!("r{}", name(at))))).collect()
    }

    /// A grid, the last coordinate innermost; `wraps` joins the ends of its rows.
    fn grid(&mut self, dimensions: &[u32], wraps: bool, link: &LinkSpec) -> Vec<(String, NodeId)> {
        let mut routers = Vec::new();
        let (inner, outer) = dimensions.split_last().expect("at least one dimension");
        for row in 0..outer.iter().product::<u32>() {
            let mut rest = row;
            let mut before = String::new();
            for length in outer.iter().rev() {
                before.insert_str(0, &format!("{}-", rest % length));
                rest /= length;
            }
            routers.extend(self.numbered(&before, *inner));
        }
        let mut apart = 1;
        for &length in dimensions.iter().rev() {
            let length = length as usize;
            for at in 0..routers.len() {
                let coordinate = at / apart % length;
                if coordinate + 1 < length {
                    self.two_way(routers[at].1, routers[at + apart].1, link);
                } else if wraps {
                    self.two_way(routers[at].1, routers[at + apart - apart * length].1, link);
                }
            }
            apart *= length;
        }
        routers
    }

    /// The hosts of each router, called `h`, the router's name, and their number there.
    fn hosts_of(&mut self, routers: &[(String, NodeId)], hosts: u32, access: &LinkSpec) {
        for (name, router) in routers {
            for at in 0..hosts {
                let host = self.host(format!("h{name}-{at}"));
                self.two_way(host, *router, access);
            }
        }
    }

    fn parking_lot(&mut self, bottlenecks: u32, link: &LinkSpec, access: &LinkSpec) {
        let routers = self.numbered("", bottlenecks + 1);
        for pair in routers.windows(2) {
            self.two_way(pair[0].1, pair[1].1, link);
        }
        let a = self.host("a".into());
        self.two_way(a, routers[0].1, access);
        for (at, pair) in routers.windows(2).enumerate() {
            let (source, sink) =
                (self.host(format!("source-{at}")), self.host(format!("sink-{at}")));
            self.two_way(source, pair[0].1, access);
            self.two_way(pair[1].1, sink, access);
        }
        let b = self.host("b".into());
        self.two_way(routers[routers.len() - 1].1, b, access);
    }
}

#[cfg(test)]
mod tests;
