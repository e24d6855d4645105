//! Bundles: the parallel links from one node to another, in the order of their lightpaths.
//!
//! Every link is in one bundle; a single link is a bundle of one. Links to different nodes are
//! never in one bundle, even on equal-cost paths.

use std::collections::BTreeMap;

use units::{LinkId, NodeId};

use super::Graph;

/// The bundles of a network, numbered by their first links.
#[derive(Debug, Clone, Default)]
pub struct Bundles {
    /// For each link its bundle and its place there.
    of: Vec<(u32, u32)>,
    /// The links of all bundles, one bundle after the other.
    links: Vec<LinkId>,
    /// Where each bundle begins among them, and the end of the last.
    starts: Vec<u32>,
}

impl Bundles {
    /// Gathers the links of a network.
    pub fn new(graph: &Graph) -> Self {
        let mut numbers: BTreeMap<(NodeId, NodeId), usize> = BTreeMap::new();
        let mut bundles: Vec<Vec<LinkId>> = Vec::new();
        let mut of = Vec::with_capacity(graph.links.len());
        for (at, link) in graph.links.iter().enumerate() {
            let bundle = *numbers.entry((link.from, link.to)).or_insert(bundles.len());
            if bundle == bundles.len() {
                bundles.push(Vec::new());
            }
            of.push((count(bundle), count(bundles[bundle].len())));
            bundles[bundle].push(LinkId::at(at));
        }
        let mut starts = vec![0];
        let mut links = Vec::with_capacity(graph.links.len());
        for bundle in bundles {
            links.extend(bundle);
            starts.push(count(links.len()));
        }
        Self { of, links, starts }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bundle that a link is in.
    #[inline]
    pub fn of(&self, link: LinkId) -> u32 {
        self.of[link.index()].0
    }

    /// The place of a link within its bundle.
    #[inline]
    pub fn place(&self, link: LinkId) -> u32 {
        self.of[link.index()].1
    }

    /// The links of a bundle in the order of their lightpaths.
    #[inline]
    pub fn links(&self, bundle: u32) -> &[LinkId] {
        let at = bundle as usize;
        &self.links[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// A number of links or bundles.
fn count(n: usize) -> u32 {
    u32::try_from(n).expect("ids of links have 32 bits")
}

#[cfg(test)]
mod tests {
    use units::{Rate, Span};

    use super::*;
    use crate::shapes::{FatTree, Line, Shape};
    use crate::spec::{LinkSpec, NodeKind, QueueSpec};

    fn graph(shape: &dyn Shape) -> Graph {
        let queue = QueueSpec::packets(10);
        Graph::new(shape, queue, NodeKind::Router)
    }

    #[test]
    fn parallel_links_are_one_bundle_each_way_and_others_stand_alone() {
        let access = LinkSpec::plain(Rate(1_000_000), Span::ZERO);
        let link = LinkSpec { lightpaths: Some(3), ..access };
        let graph = graph(&Line { routers: 2, link, access: Some(access) });
        let names: Vec<String> =
            (0..graph.links.len()).map(|at| graph.link_name(LinkId::at(at))).collect();
        assert_eq!(names[..2], ["a -> r0", "r0 -> a"]);
        let between = ["r0 -> r1:0", "r1 -> r0:0", "r0 -> r1:1", "r1 -> r0:1"];
        assert_eq!(names[2..6], between);
        assert_eq!(names[6..], ["r0 -> r1:2", "r1 -> r0:2", "r1 -> b", "b -> r1"]);
        let bundles = Bundles::new(&graph);
        assert_eq!(bundles.len(), 6);
        let listed: Vec<Vec<u32>> =
            (0..6).map(|at| bundles.links(at).iter().map(|link| link.0).collect()).collect();
        assert_eq!(listed, [vec![0], vec![1], vec![2, 4, 6], vec![3, 5, 7], vec![8], vec![9]]);
        for (at, links) in (0..).zip(&listed) {
            for (place, &link) in (0..).zip(links) {
                assert_eq!((bundles.of(LinkId(link)), bundles.place(LinkId(link))), (at, place));
            }
        }
    }

    #[test]
    fn equal_paths_over_different_nodes_are_no_bundle() {
        let link = LinkSpec::plain(Rate(1_000_000), Span::ZERO);
        let graph = graph(&FatTree { k: 4, link });
        assert_eq!(Bundles::new(&graph).len(), graph.links.len());
    }
}
