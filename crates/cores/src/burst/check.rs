//! What burst switching requires of a scenario: converters, and headers that arrive in time.

use optics::{BurstCoreSpec, ControlSpec, Conversion, Forwarding};
use plan::check::{Findings, Flaw};
use plan::routing::Routing;
use plan::spec::{ChannelsSpec, NodeKind};
use plan::topology::Graph;
use units::{LinkId, NodeId, Rate, Span};
use wire::optical::check::delay_lines;

use crate::check::Around;
use crate::seam::Rules;

/// The maximum product of routers and links between them for a search of all shortest paths within a check.
const MOST_SEARCH: usize = 2_000_000;

impl Rules for BurstCoreSpec {
    fn section(&self, _: &Around<'_>, to: &mut dyn Findings) {
        section(self, to);
    }

    fn network(&self, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
        offset(self, around, graph, to);
    }

    fn effects(&self, _: &Around<'_>, _: &Graph, _: &mut dyn Findings) {}
}

/// Converters if they are used, delay lines in ascending order.
fn section(core: &BurstCoreSpec, to: &mut dyn Findings) {
    match (core.conversion, core.converters) {
        (Conversion::Partial, None) => {
            let flaw = Flaw::missing("core.converters", "the converters of a core router");
            to.mistake(flaw, "core.conversion");
        }
        (Conversion::Full | Conversion::None, Some(_)) => {
            to.note("core.converters", "applies only with conversion = \"partial\"");
        }
        _ => {}
    }
    delay_lines(&core.fibre_delays, core.fibre_loop, to);
}

/// The offset must allow every core router of a path to process a header before its burst arrives, on
/// every path of equal cost. Networks that are too large are not checked, nor are cores that store bursts,
/// where the burst length adds to the offset: late headers are counted in every run.
fn offset(core: &BurstCoreSpec, around: &Around<'_>, graph: &Graph, findings: &mut dyn Findings) {
    let (Some(assembly), Some(&control)) = (around.assembly, around.control) else { return };
    let routers = (0..graph.nodes.len()).map(NodeId::at).filter(|&id| graph.forwards(id)).count();
    // The links of hosts are not part of the search.
    let inner = graph.links.iter().filter(|link| graph.is_inner(link));
    let stores = core.forwarding == Forwarding::StoreAndForward;
    if stores || routers.saturating_mul(inner.count()) > MOST_SEARCH {
        return;
    }
    let routing = Routing::new(graph, around.metric, 0);
    let gain = |channels: ChannelsSpec| {
        i128::from(core.input_delay.0) - header_time(control, channels.control_rate)
    };
    let mut worst: Option<(i128, NodeId, NodeId)> = None;
    for to in graph.edges() {
        let mut search = Search { graph, routing: &routing, to, known: vec![None; routers] };
        for from in graph.edges().filter(|&from| from != to) {
            let spare = i128::from(assembly.offset.0) + search.least(from, &gain);
            worst = Some(worst.map_or((spare, from, to), |least| least.min((spare, from, to))));
        }
    }
    if let Some((spare, from, to)) = worst.filter(|(spare, _, _)| *spare < 0) {
        let name = |id: NodeId| &graph.nodes[id.index()].name;
        let problem = format!(
            "shorter than the processing of headers on the path from \"{}\" to \"{}\"",
            name(from),
            name(to)
        );
        let key = "assembly.offset";
        let least = u64::try_from(i128::from(assembly.offset.0) - spare).unwrap_or(u64::MAX);
        let flaw = Flaw::new(key, problem).found(assembly.offset.to_string());
        findings.mistake(flaw.accepted(format!("at least {}", Span(least))), key);
    }
}

/// A search over all paths of equal cost to one edge.
struct Search<'a> {
    graph: &'a Graph,
    routing: &'a Routing,
    to: NodeId,
    /// For each router, once it is known: the minimum that is left of an offset on the paths from
    /// it.
    known: Vec<Option<i128>>,
}

impl Search<'_> {
    /// By how much an offset has shrunk at the worst core router on the path from a node, where
    /// bursts end at the next edge: zero if it never does.
    fn least(&mut self, from: NodeId, gain: &impl Fn(ChannelsSpec) -> i128) -> i128 {
        let at = self.routing.home(from);
        if let Some(known) = self.known[at] {
            return known;
        }
        let links: Vec<LinkId> = self.routing.links(from, self.to).collect();
        let mut least = 0;
        for link in links {
            let link = &self.graph.links[link.index()];
            let Some(channels) = link.channels else { continue };
            if self.graph.nodes[link.to.index()].kind == NodeKind::Core {
                least = least.min(gain(channels) + self.least(link.to, gain).min(0));
            }
        }
        self.known[at] = Some(least);
        least
    }
}

/// How much a header falls behind at a core router: its transmission and its processing.
fn header_time(control: ControlSpec, rate: Rate) -> i128 {
    i128::from(rate.time_to_send(control.header).0) + i128::from(control.processing.0)
}
