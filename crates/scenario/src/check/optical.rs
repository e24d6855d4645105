//! Optical networks: links between the right nodes, sections that fit, headers that come in time.

use network::routing::Routing;
use network::spec::{Change, ExplicitLink, NodeKind, Topology};
use network::topology::Graph;
use optics::{ControlSpec, Conversion, CoreSpec};
use units::{Bytes, NodeId, Rate, Span};

use super::{Check, Parts};
use crate::mistake::Flaw;

/// Pairs of edge routers whose paths are looked at: what a check can do in its time.
const MOST_PAIRS: usize = 20_000;

impl Check<'_> {
    /// The sections of an optical network, apart from its topology.
    pub(super) fn optical_sections(&mut self, parts: &Parts, packet: Bytes) {
        let edges = match &parts.topology {
            Some(Topology::Explicit { nodes, .. }) => {
                Some(nodes.iter().any(|node| node.kind == NodeKind::ObsEdge))
            }
            Some(_) => Some(false),
            None => None,
        };
        let given = |key: &str| self.root.get(key).is_some();
        if edges == Some(true) && !given("assembly") {
            let flaw = Flaw::missing("assembly", "a table with max-size and timeout");
            self.say(flaw, "topology");
        }
        for key in ["assembly", "core", "control"] {
            if edges == Some(false) && self.root.get(key).is_some() {
                self.note(key, "has no use: no node is an obs-edge");
            }
        }
        if let Some(assembly) = parts.assembly.filter(|assembly| assembly.max_size < packet) {
            let key = "assembly.max-size";
            let flaw = Flaw::new(key, "less than a packet on the wire");
            let found = assembly.max_size.to_string();
            self.say(flaw.found(found).accepted(format!("at least {packet}")), key);
        }
        if let Some(core) = &parts.core {
            self.core(core);
        }
    }

    fn core(&mut self, core: &CoreSpec) {
        match (core.conversion, core.converters) {
            (Conversion::Partial, None) => {
                let flaw = Flaw::missing("core.converters", "the converters of a core router");
                self.say(flaw, "core.conversion");
            }
            (Conversion::Full | Conversion::None, Some(_)) => {
                self.note("core.converters", "has no use unless conversion = \"partial\"");
            }
            _ => {}
        }
        for (at, pair) in core.fibre_delays.windows(2).enumerate() {
            if pair[1] <= pair[0] {
                let key = format!("core.fibre-delays.{}", at + 1);
                let flaw = Flaw::new(&key, "not in ascending order").found(pair[1].to_string());
                self.say(flaw.accepted(format!("more than {}", pair[0])), &key);
            }
        }
        if core.fibre_delays.first() == Some(&Span::ZERO) {
            self.note("core.fibre-delays.0", "no delay at all is tried anyway");
        }
        if !core.fibre_delays.is_empty() && core.fibre_loop.is_some() {
            self.note("core.fibre-loop", "fibre-delays is given too: one of them is enough");
        }
    }

    /// A link of an explicit topology: optical between optical nodes, and nothing else at a core.
    pub(super) fn optical_link(&mut self, link: &ExplicitLink, kinds: [NodeKind; 2], key: &str) {
        let optical = |kind: NodeKind| matches!(kind, NodeKind::ObsEdge | NodeKind::ObsCore);
        let say = |check: &mut Self, below: &str, problem: &str| {
            check.note(&format!("{key}.{below}"), problem.to_owned());
        };
        if link.channels.is_none() {
            if kinds.contains(&NodeKind::ObsCore) {
                let key = format!("{key}.channels");
                self.say(
                    Flaw::missing(&key, "data channels: a core router has no other links"),
                    &key,
                );
            }
            for (below, given) in [
                ("control-channels", link.control_channels.is_some()),
                ("control-rate", link.control_rate.is_some()),
            ] {
                if given {
                    say(self, below, "has no use without channels: the link is electronic");
                }
            }
            return;
        }
        if !kinds.into_iter().all(optical) {
            say(self, "channels", "an optical link joins obs-edge and obs-core nodes only");
        }
        if link.queue.is_some() {
            say(self, "queue", "an optical link has no queue");
        }
        if link.loss.is_some() {
            say(self, "loss", "an optical link has no loss of packets; see assembly.loss");
        }
    }

    /// All data channels have one rate, for a burst is of one length everywhere.
    pub(super) fn optical_rates(&mut self, links: &[ExplicitLink]) {
        let mut optical = links.iter().enumerate().filter(|(_, link)| link.channels.is_some());
        let Some((_, ExplicitLink { rate: first, .. })) = optical.next() else { return };
        for (at, link) in optical {
            if link.rate != *first {
                let key = format!("topology.links.{at}.rate");
                let flaw = Flaw::new(&key, "another rate than that of the first optical link");
                self.say(flaw.found(link.rate.to_string()).accepted(first.to_string()), &key);
            }
        }
    }

    /// A change of an optical link cannot be one of its rate.
    pub(super) fn optical_changes(&mut self, parts: &Parts, graph: &Graph) {
        if graph.links.iter().all(|link| link.channels.is_none()) {
            return;
        }
        for (at, change) in parts.changes.iter().enumerate() {
            let Some(change) = change else { continue };
            let optical = graph.links_named(&change.link).into_iter();
            let optical = optical.filter(|link| graph.links[link.index()].channels.is_some());
            if matches!(change.set, Change::Rate { .. }) && optical.count() > 0 {
                let key = format!("changes.{at}.set.kind");
                let flaw = Flaw::new(&key, "the rate of an optical link does not change");
                self.say(flaw.found("\"rate\"").accepted("\"down\", \"up\""), &key);
            }
        }
    }

    /// The offset must let every core router of a path process a header before its burst comes.
    pub(super) fn offset(&mut self, parts: &Parts, graph: &Graph) {
        let Some(assembly) = parts.assembly else { return };
        let (Some(core), Some(control)) = (&parts.core, parts.control) else { return };
        let metric = parts.routing.unwrap_or_default().metric;
        let routing = Routing::new(graph, metric, 0);
        let edges: Vec<NodeId> = graph.edges().collect();
        let pairs = edges.iter().flat_map(|a| edges.iter().map(move |b| (*a, *b)));
        let mut worst: Option<(i128, NodeId, NodeId)> = None;
        for (from, to) in pairs.filter(|(a, b)| a != b).take(MOST_PAIRS) {
            let Some(path) = routing.path(graph, from, to, 0) else { continue };
            let links = path.iter().map(|link| &graph.links[link.index()]);
            let mut spare = i128::from(assembly.offset.0);
            for link in links {
                let Some(channels) = link.channels else { break };
                if graph.nodes[link.to.index()].kind != NodeKind::ObsCore {
                    break;
                }
                spare +=
                    i128::from(core.input_delay.0) - header_time(control, channels.control_rate);
                if worst.is_none_or(|(least, _, _)| spare < least) {
                    worst = Some((spare, from, to));
                }
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
            self.say(flaw.accepted(format!("at least {}", Span(least))), key);
        }
    }
}

/// How much a header falls behind at a core router: its transmission and its processing.
fn header_time(control: ControlSpec, rate: Rate) -> i128 {
    i128::from(rate.time_to_send(control.header).0) + i128::from(control.processing.0)
}
