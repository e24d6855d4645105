//! Bundles of lightpaths: where they are possible, how many lightpaths they may have, and the
//! topology that consists of one.

use plan::spec::{CoreSpec, ExplicitLink, LinkSpec, RttSpec, Topology};
use plan::topology::Graph;
use units::Span;

use super::Check;
use super::links::{MOST_LINKS, MOST_SEARCH};
use crate::mistake::Flaw;

/// The maximum number of sub-networks on each side of a bundle: their square is the number of
/// sources there.
const MOST_NETWORKS: u32 = 64;

/// The message for a bundle as the link of a host.
const OF_A_HOST: &str = "does not apply: the link of a host is not a bundle";

impl Check<'_> {
    /// Lightpaths on links that cannot be a bundle, and too many of them.
    pub(super) fn lightpaths(&mut self, topology: &Topology) {
        match topology {
            Topology::Dumbbell { .. } => {}
            Topology::Line { routers, link, access } => {
                if *routers < 2 {
                    let problem = "does not apply: no link joins two routers";
                    self.single("topology.link.lightpaths", link.lightpaths, problem);
                }
                let access = access.and_then(|access| access.lightpaths);
                self.single("topology.access.lightpaths", access, OF_A_HOST);
                let routers = *routers as usize;
                let links = routers.saturating_sub(1) * count(link) + 2;
                self.bundled("topology.link.lightpaths", link.lightpaths, (routers, links));
            }
            Topology::Star { link, .. } => {
                self.single("topology.link.lightpaths", link.lightpaths, OF_A_HOST);
            }
            Topology::FatTree { k, link } => {
                // k²/4 cores and k pods of k; k³/4 hosts and twice as many links between routers.
                let k = *k as usize;
                let (routers, hosts) = (k * k / 4 + k * k, k * k * k / 4);
                let links = hosts + 2 * hosts * count(link);
                self.bundled("topology.link.lightpaths", link.lightpaths, (routers, links));
            }
            Topology::Ring { .. }
            | Topology::Torus { .. }
            | Topology::Mesh { .. }
            | Topology::FullMesh { .. }
            | Topology::LeafSpine { .. }
            | Topology::ParkingLot { .. } => {
                let access = topology.regular().and_then(|regular| regular.access.lightpaths);
                self.single("topology.access.lightpaths", access, OF_A_HOST);
                let beside = topology.packet_spines().and_then(|beside| beside.link.lightpaths);
                let problem = "does not apply: the link of a rack is a single one";
                self.single("topology.packet-spines.link.lightpaths", beside, problem);
            }
            Topology::Nsfnet { access, .. } => {
                let access = access.and_then(|access| access.lightpaths);
                self.single("topology.access.lightpaths", access, OF_A_HOST);
            }
            Topology::File(file) => {
                let access = file.access.and_then(|access| access.lightpaths);
                self.single("topology.access.lightpaths", access, OF_A_HOST);
            }
            Topology::LightpathBundle { lightpaths, k, link, rtt, .. } => {
                self.lightpath_bundle(*lightpaths, *k, link, *rtt);
            }
            Topology::Explicit { links, .. } => {
                let lightpaths = |link: &ExplicitLink| link.lightpaths.unwrap_or(1) as usize;
                let all: usize = links.iter().map(lightpaths).sum();
                if links.len() <= MOST_LINKS && all > MOST_LINKS {
                    self.too_many_links("topology.links", all);
                }
            }
        }
    }

    fn lightpath_bundle(&mut self, lightpaths: u32, k: u32, link: &LinkSpec, rtt: RttSpec) {
        let networks = lightpaths * k;
        if networks > MOST_NETWORKS {
            let flaw = Flaw::new("topology.k", "too many sub-networks")
                .found(format!("{lightpaths} lightpaths times {k}: {networks}"))
                .accepted(format!("at most {MOST_NETWORKS} per side"));
            self.say(flaw, "topology.k");
        }
        if link.lightpaths.is_some() {
            let problem = "does not apply: topology.lightpaths gives their number";
            self.note("topology.link.lightpaths", problem);
        }
        if rtt.min > rtt.max {
            let flaw = Flaw::new("topology.rtt.max", "less than min").found(rtt.max.to_string());
            self.say(flaw.accepted(format!("at least {}", rtt.min)), "topology.rtt.max");
        }
        // In both directions: the bundle and the links next to it.
        let others = Span(link.propagation().delay().0.saturating_mul(6));
        if rtt.min < others {
            let problem = "less than a round trip on the other links";
            let flaw = Flaw::new("topology.rtt.min", problem).found(rtt.min.to_string());
            self.say(flaw.accepted(format!("at least {others}")), "topology.rtt.min");
        }
    }

    /// Reports that a link cannot be a bundle.
    fn single(&mut self, key: &str, lightpaths: Option<u32>, problem: &str) {
        if lightpaths.is_some_and(|count| count > 1) {
            self.note(key, problem);
        }
    }

    /// Whether a generator's routers and two-way links, lightpaths counted, are few enough.
    fn bundled(&mut self, key: &str, lightpaths: Option<u32>, (routers, links): (usize, usize)) {
        if lightpaths.is_none() {
            return;
        }
        if links > MOST_LINKS {
            self.too_many_links(key, links);
        } else if routers.saturating_mul(links) > MOST_SEARCH {
            self.too_much_search(key, routers, links);
        }
    }

    /// Whether the links of circuit switches are few enough with all of their channels.
    pub(super) fn channels(&mut self, core: Option<&CoreSpec>, graph: &Graph) -> bool {
        let Some(core) = core.and_then(|core| core.facts().circuit) else { return true };
        let links = graph.count_with_channels(core);
        let routers = graph.nodes.iter().filter(|node| node.kind.forwards()).count();
        let key = if core.channels.is_some() { "core.channels" } else { "topology.links" };
        // Each direction is counted.
        let has_room = links <= 2 * MOST_LINKS;
        let is_quick = routers.saturating_mul(links / 2) <= MOST_SEARCH;
        if !has_room {
            let flaw =
                Flaw::new(key, "too many links").found(format!("{} with all channels", links / 2));
            self.say(flaw.accepted(format!("at most {MOST_LINKS} in all")), key);
        } else if !is_quick {
            self.too_much_search(key, routers, links / 2);
        }
        has_room && is_quick
    }

    pub(super) fn too_many_links(&mut self, key: &str, links: usize) {
        let flaw = Flaw::new(key, "too many links").found(format!("{links} with all lightpaths"));
        self.say(flaw.accepted(format!("at most {MOST_LINKS} in all")), key);
    }

    /// Reports that the search for all shortest paths would take too long.
    pub(super) fn too_much_search(&mut self, key: &str, routers: usize, links: usize) {
        let flaw = Flaw::new(key, "too many routers and links")
            .found(format!("{routers} routers and {links} links"))
            .accepted(format!("a product of at most {MOST_SEARCH}"));
        self.say(flaw, key);
    }

    /// Why a link of an explicit topology cannot be a bundle.
    pub(super) fn explicit_bundle(&mut self, link: &ExplicitLink, of_host: bool, key: &str) {
        let key = format!("{key}.lightpaths");
        if of_host {
            self.single(&key, link.lightpaths, OF_A_HOST);
        } else if link.channels.is_some() {
            let problem = "does not apply: an optical link has channels instead";
            self.single(&key, link.lightpaths, problem);
        }
    }
}

/// The parallel links of a link.
fn count(link: &LinkSpec) -> usize {
    link.lightpaths.unwrap_or(1) as usize
}
