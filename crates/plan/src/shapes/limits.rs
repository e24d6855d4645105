//! How large a network may be.

use crate::check::{Findings, Flaw};
use crate::spec::CoreSpec;
use crate::topology::Graph;

/// The maximum number of nodes of a network with counted hosts.
pub(super) const MOST_NODES: u64 = 100_000;

/// The maximum number of nodes of a regular network.
pub(super) const MOST_REGULAR_NODES: u64 = 2_000_000;

/// The maximum number of routers of an explicit network: its routing table has an entry for each
/// pair.
const MOST_ROUTERS: u64 = 3_000;

/// The maximum product of routers and links, which limits the time of a check and of the search for
/// all shortest paths.
const MOST_SEARCH: usize = 50_000_000;

/// The maximum number of two-way links, lightpaths included.
const MOST_LINKS: usize = 200_000;

/// Whether there are too many routers, which it reports.
pub(super) fn too_many_routers(routers: u64, key: &str, to: &mut dyn Findings) -> bool {
    let many = routers > MOST_ROUTERS;
    if many {
        let flaw = Flaw::new(key, "too many routers").found(routers.to_string());
        to.mistake(flaw.accepted(format!("at most {MOST_ROUTERS}")), key);
    }
    many
}

/// Reports more nodes than `most`.
pub(super) fn nodes(nodes: u64, most: u64, key: &str, to: &mut dyn Findings) {
    if nodes > most {
        let flaw = Flaw::new(key, "too many nodes").found(format!("{nodes} in all"));
        to.mistake(flaw.accepted(format!("at most {most} in all")), key);
    }
}

/// Whether there are too many two-way links, lightpaths counted, which it reports.
pub(super) fn too_many_links(links: usize, key: &str, to: &mut dyn Findings) -> bool {
    let many = links > MOST_LINKS;
    if many {
        let flaw = Flaw::new(key, "too many links").found(format!("{links} with all lightpaths"));
        to.mistake(flaw.accepted(format!("at most {MOST_LINKS} in all")), key);
    }
    many
}

/// Whether the search for all shortest paths takes too long, which it reports.
pub(super) fn too_much_search(
    (routers, links): (usize, usize),
    key: &str,
    to: &mut dyn Findings,
) -> bool {
    let much = routers.saturating_mul(links) > MOST_SEARCH;
    if much {
        let flaw = Flaw::new(key, "too many routers and links")
            .found(format!("{routers} routers and {links} links"))
            .accepted(format!("a product of at most {MOST_SEARCH}"));
        to.mistake(flaw, key);
    }
    much
}

/// Reports too many links, or a search that takes too long.
pub(super) fn size((routers, links): (usize, usize), key: &str, to: &mut dyn Findings) {
    if !too_many_links(links, key, to) {
        too_much_search((routers, links), key, to);
    }
}

/// Whether the links of circuit switches are few enough with all of their channels.
pub fn channels(core: Option<&CoreSpec>, graph: &Graph, to: &mut dyn Findings) -> bool {
    let Some(core) = core.and_then(|core| core.facts().circuit) else { return true };
    // Each direction is counted.
    let links = graph.count_with_channels(core);
    let routers = graph.nodes.iter().filter(|node| node.kind.forwards()).count();
    let key = if core.channels.is_some() { "core.channels" } else { "topology.links" };
    if links > 2 * MOST_LINKS {
        let found = format!("{} with all channels", links / 2);
        let flaw = Flaw::new(key, "too many links").found(found);
        to.mistake(flaw.accepted(format!("at most {MOST_LINKS} in all")), key);
        return false;
    }
    !too_much_search((routers, links / 2), key, to)
}
