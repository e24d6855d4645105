//! Two core nodes, a bundle of lightpaths between them, and sub-networks on both sides.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{LinkId, NodeId, Rate, Span};

use super::{Joins, LinkTable, Shape, ShapeFacts};
use crate::check::{Findings, Flaw};
use crate::spec::{LinkSpec, NodeKind, QueueSpec};
use crate::topology::{Builder, RttRange, RttSpec};

/// The maximum number of sub-networks on each side of a bundle: their square is the number of
/// sources there.
const MOST_NETWORKS: u32 = 64;

/// Two core nodes, `left-core` and `right-core`, joined by a bundle of parallel lightpaths; on
/// each side N = `k` · `lightpaths` sub-networks of N sources and N sinks behind an aggregation
/// router (`left-agg-0`, `left-agg-1`, …). Source j, counted from 0 (`left-source-0`, …), is in
/// sub-network j / N; the sink with the same number on the other side (`right-sink-0`, …) is in
/// sub-network j mod N, so that every sub-network sends to every other. The first sub-network of
/// each side also has one host for each end of a TCP transfer, whose link has its own rate and
/// delay: `left-tcp-source`, `left-tcp-sink`, and likewise on the right. (Izquierdo-Zaragoza and
/// Pavón-Mariño, ONDM 2013, figure 4.)
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LightpathBundle {
    /// Lightpaths between the core nodes in each direction, 1 to 64. Together with `k` at most
    /// 64 sub-networks per side.
    #[schemars(range(min = 1, max = 64))]
    pub lightpaths: u32,
    /// Sub-networks per side for each lightpath.
    #[schemars(range(min = 1, max = 64))]
    pub k: u32,
    /// The lightpaths, the links between core and aggregation nodes, those of the sources and
    /// sinks, and the queues in front of all of them, and of the links to the TCP hosts. Forward
    /// is from left to right.
    pub link: LinkSpec,
    /// Bit rate of the links of the TCP hosts, in each direction. Packets that these hosts send
    /// wait in `tcp-queue`.
    #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
    pub tcp_rate: Rate,
    /// The queue in front of the links on which the TCP hosts send; the profile's interface queue
    /// by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_queue: Option<QueueSpec>,
    /// The round-trip times of the two pairs of TCP hosts: propagation, from the TCP source to
    /// the TCP sink of the other side and back. The links of these hosts have the part that the
    /// other links on the path lack.
    pub rtt: RttSpec,
}

/// The hosts of the TCP transfers on one side, by the first of the two links of each.
struct TcpHosts {
    source: LinkId,
    sink: LinkId,
}

impl LightpathBundle {
    /// The sub-networks of one side and their hosts.
    fn side(&self, side: &str, core: NodeId, to: &mut Builder<'_>) -> TcpHosts {
        let link = &LinkSpec { lightpaths: None, ..self.link };
        let count = self.k * self.lightpaths;
        let is_left = side == "left";
        let aggs: Vec<NodeId> =
            (0..count).map(|at| to.node(format!("{side}-agg-{at}"), NodeKind::Router)).collect();
        // From farther out to farther in: on the left side that is forward.
        let join = |outer: NodeId, inner: NodeId, to: &mut Builder<'_>| {
            let (from, end) = if is_left { (outer, inner) } else { (inner, outer) };
            to.two_way(from, end, link);
        };
        for &agg in &aggs {
            join(agg, core, to);
        }
        for source in 0..count * count {
            let host = to.host(format!("{side}-source-{source}"));
            join(host, aggs[(source / count) as usize], to);
        }
        for sink in 0..count * count {
            let host = to.host(format!("{side}-sink-{sink}"));
            join(host, aggs[(sink % count) as usize], to);
        }
        let mut tcp_host = |role: &str| {
            let host = to.host(format!("{side}-tcp-{role}"));
            self.tcp_link(host, aggs[0], to)
        };
        TcpHosts { source: tcp_host("source"), sink: tcp_host("sink") }
    }

    /// The link of a TCP host: its own queue for packets into the network, that of the other links
    /// for packets out of it, and no random loss.
    fn tcp_link(&self, host: NodeId, agg: NodeId, to: &mut Builder<'_>) -> LinkId {
        let first = to.graph.links.len();
        let queue = self.tcp_queue;
        to.two_way(host, agg, &LinkSpec { queue, ..LinkSpec::plain(self.tcp_rate, Span::ZERO) });
        if let Some(queue) = self.link.queue {
            to.graph.links[first + 1].queue = queue;
        }
        LinkId::at(first)
    }
}

impl Shape for LightpathBundle {
    fn build(&self, to: &mut Builder<'_>) {
        let cores = ["left", "right"].map(|side| to.switch(format!("{side}-core")));
        let bundle = LinkSpec { lightpaths: Some(self.lightpaths), ..self.link };
        to.two_way(cores[0], cores[1], &bundle);
        let left = self.side("left", cores[0], to);
        let right = self.side("right", cores[1], to);
        // Core, bundle, core: three links in each direction.
        let others = self.link.propagation().delay() * 6;
        for (source, sink) in [(left.source, right.sink), (right.source, left.sink)] {
            let links = [source, LinkId(source.0 + 1), sink, LinkId(sink.0 + 1)];
            to.graph.rtts.push(RttRange { links, others, range: self.rtt });
        }
        to.graph.mean_rtts();
    }

    fn links(&self) -> Vec<LinkTable> {
        let link = LinkTable::new("link", &self.link, Joins::All);
        vec![link, LinkTable::plain("tcp", ("tcp-queue", self.tcp_queue), Joins::Others)]
    }

    fn check(&self, _: bool, _: &mut dyn Findings) {}

    fn limits(&self, to: &mut dyn Findings) {
        let Self { lightpaths, k, link, rtt, .. } = self;
        let networks = lightpaths * k;
        if networks > MOST_NETWORKS {
            let flaw = Flaw::new("topology.k", "too many sub-networks")
                .found(format!("{lightpaths} lightpaths times {k}: {networks}"))
                .accepted(format!("at most {MOST_NETWORKS} per side"));
            to.mistake(flaw, "topology.k");
        }
        if link.lightpaths.is_some() {
            let problem = "does not apply: topology.lightpaths gives their number";
            to.note("topology.link.lightpaths", problem);
        }
        if rtt.min > rtt.max {
            let flaw = Flaw::new("topology.rtt.max", "less than min").found(rtt.max.to_string());
            to.mistake(flaw.accepted(format!("at least {}", rtt.min)), "topology.rtt.max");
        }
        // In both directions: the bundle and the links next to it.
        let others = Span(link.propagation().delay().0.saturating_mul(6));
        if rtt.min < others {
            let problem = "less than a round trip on the other links";
            let flaw = Flaw::new("topology.rtt.min", problem).found(rtt.min.to_string());
            to.mistake(flaw.accepted(format!("at least {others}")), "topology.rtt.min");
        }
    }

    fn effects(&self, _: &mut dyn Findings) {}

    fn facts(&self) -> ShapeFacts<'_> {
        ShapeFacts { sub_networks: Some(self.lightpaths * self.k), ..ShapeFacts::PLAIN }
    }
}

#[cfg(test)]
mod tests;
