//! Two core nodes, a bundle of lightpaths between them, and sub-networks on both sides.

use random::Seed;
use units::{LinkId, NodeId, Span};

use super::{Builder, Graph};
use crate::spec::{LinkSpec, NodeKind, RttSpec};

/// What the network is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct LightpathBundle<'a> {
    /// Lightpaths between the core nodes.
    pub(super) lightpaths: u32,
    /// Sub-networks per side for each lightpath.
    pub(super) k: u32,
    /// All links except those of the TCP hosts.
    pub(super) link: &'a LinkSpec,
    /// The links of the TCP hosts, without their delay.
    pub(super) tcp: LinkSpec,
    /// Propagation from a TCP source to its sink and back.
    pub(super) rtt: RttSpec,
}

/// A round-trip time between two hosts that a run draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RttRange {
    /// The links of the two hosts, in both directions: their delays are set to give the drawn
    /// round-trip time.
    pub links: [LinkId; 4],
    /// Propagation of a round trip on the other links of the path.
    pub others: Span,
    /// The range from which it is drawn, both ends included.
    pub range: RttSpec,
}

impl RttRange {
    /// The delay of each of the four links that gives this round-trip time, rounded down to a
    /// picosecond.
    fn delay(&self, rtt: Span) -> Span {
        Span(rtt.0.saturating_sub(self.others.0) / 4)
    }
}

impl Graph {
    /// Draws the round-trip times of a run, uniformly within their ranges, each from its own stream.
    /// Before that, they are the means of the ranges.
    pub fn draw_rtts(&mut self, seed: Seed) {
        for at in 0..self.rtts.len() {
            let range = self.rtts[at].range;
            let mut stream = seed.stream(&format!("topology/rtt/{at}"));
            self.set_rtt(at, range.min + Span(stream.below(range.width().0 + 1)));
        }
    }

    /// Sets the drawn round-trip times to the means of their ranges.
    pub fn mean_rtts(&mut self) {
        for at in 0..self.rtts.len() {
            self.set_rtt(at, self.rtts[at].range.mean());
        }
    }

    fn set_rtt(&mut self, at: usize, rtt: Span) {
        let delay = self.rtts[at].delay(rtt);
        for link in self.rtts[at].links {
            self.links[link.index()].delay = delay;
        }
    }
}

/// The hosts of the TCP transfers on one side, by the first of the two links of each.
struct TcpHosts {
    source: LinkId,
    sink: LinkId,
}

impl Builder<'_> {
    pub(super) fn lightpath_bundle(&mut self, net: LightpathBundle<'_>) {
        let cores = ["left", "right"].map(|side| self.switch(format!("{side}-core")));
        let bundle = LinkSpec { lightpaths: Some(net.lightpaths), ..*net.link };
        self.two_way(cores[0], cores[1], &bundle);
        let left = self.side("left", cores[0], net);
        let right = self.side("right", cores[1], net);
        // Core, bundle, core: three links in each direction.
        let others = net.link.propagation().delay() * 6;
        for (source, sink) in [(left.source, right.sink), (right.source, left.sink)] {
            let links = [source, LinkId(source.0 + 1), sink, LinkId(sink.0 + 1)];
            self.graph.rtts.push(RttRange { links, others, range: net.rtt });
        }
        self.graph.mean_rtts();
    }

    /// The sub-networks of one side and their hosts.
    fn side(&mut self, side: &str, core: NodeId, net: LightpathBundle<'_>) -> TcpHosts {
        let link = &LinkSpec { lightpaths: None, ..*net.link };
        let count = net.k * net.lightpaths;
        let is_left = side == "left";
        let aggs: Vec<NodeId> =
            (0..count).map(|at| self.node(format!("{side}-agg-{at}"), NodeKind::Router)).collect();
        for &agg in &aggs {
            self.towards(is_left, agg, core, link);
        }
        for source in 0..count * count {
            let host = self.host(format!("{side}-source-{source}"));
            self.towards(is_left, host, aggs[(source / count) as usize], link);
        }
        for sink in 0..count * count {
            let host = self.host(format!("{side}-sink-{sink}"));
            self.towards(is_left, host, aggs[(sink % count) as usize], link);
        }
        let mut tcp_host = |role: &str| {
            let host = self.host(format!("{side}-tcp-{role}"));
            self.tcp_link(host, aggs[0], net)
        };
        TcpHosts { source: tcp_host("source"), sink: tcp_host("sink") }
    }

    /// A link from farther out to farther in: on the left side that is forward.
    fn towards(&mut self, is_left: bool, outer: NodeId, inner: NodeId, link: &LinkSpec) {
        let (from, to) = if is_left { (outer, inner) } else { (inner, outer) };
        self.two_way(from, to, link);
    }

    /// The link of a TCP host: its own queue for packets into the network, that of the other links
    /// for packets out of it, and no random loss.
    fn tcp_link(&mut self, host: NodeId, agg: NodeId, net: LightpathBundle<'_>) -> LinkId {
        let first = self.graph.links.len();
        self.two_way(host, agg, &net.tcp);
        if let Some(queue) = net.link.queue {
            self.graph.links[first + 1].queue = queue;
        }
        LinkId::at(first)
    }
}

#[cfg(test)]
mod tests;
