//! Hybrid switches: no edges, links of one rate without channels; and the propagation of all links.

use network::spec::{Change, ExplicitLink, NodeKind, Propagation, Topology};
use network::topology::Graph;

use units::{LinkId, NodeId};

use super::{Check, Parts};
use crate::mistake::Flaw;

impl Check<'_> {
    /// What hybrid switches ask of the network.
    pub(super) fn hybrid_core(&mut self, parts: &Parts) {
        let Some(topology) = &parts.topology else { return };
        if topology.has_edges() {
            let problem = "edge routers send bursts, which hybrid switches do not switch";
            let flaw = Flaw::new("core.kind", problem).found("\"hybrid\"");
            self.say(flaw.accepted("\"burst\", \"packet\""), "core.kind");
        }
        let Topology::Explicit { nodes, links } = topology else { return };
        if nodes.iter().all(|node| node.kind != NodeKind::Core) {
            self.note("core", "has no use: no node is a core");
        }
        for (at, link) in links.iter().enumerate() {
            for (key, given) in [
                ("channels", link.channels.is_some()),
                ("control-channels", link.control_channels.is_some()),
                ("control-rate", link.control_rate.is_some()),
            ] {
                if given {
                    let problem = "has no use: links of hybrid switches have one channel";
                    self.note(&format!("topology.links.{at}.{key}"), problem);
                }
            }
        }
    }

    /// All links of hybrid switches have one rate, since light cannot be faster on its way out than on
    /// its way in; and it does not change.
    pub(super) fn hybrid_links(&mut self, parts: &Parts, graph: &Graph) {
        if !parts.hybrid {
            return;
        }
        let is_core = |at: NodeId| graph.nodes[at.index()].kind == NodeKind::Core;
        let mut links =
            graph.links.iter().enumerate().filter(|(_, l)| is_core(l.from) || is_core(l.to));
        let Some((_, first)) = links.next() else { return };
        if let Some((at, other)) = links.find(|(_, link)| link.rate != first.rate) {
            let key = match &parts.topology {
                Some(Topology::Dumbbell { .. } | Topology::Line { .. }) => {
                    "topology.access.rate".to_owned()
                }
                Some(Topology::Explicit { links, .. }) => {
                    let named = |link: &ExplicitLink| link.rate == other.rate;
                    let at = links.iter().position(named).unwrap_or_default();
                    format!("topology.links.{at}.rate")
                }
                _ => "topology".to_owned(),
            };
            let name = graph.link_name(LinkId::at(at));
            let problem = format!("links of hybrid switches have one rate; this is of \"{name}\"");
            let flaw = Flaw::new(&key, problem).found(other.rate.to_string());
            self.say(flaw.accepted(first.rate.to_string()), &key);
        }
        for (at, change) in parts.changes.iter().enumerate() {
            let Some(change) = change else { continue };
            let ends = graph.links_named(&change.link);
            let mut ends = ends.iter().map(|link| &graph.links[link.index()]);
            let touches = ends.any(|link| is_core(link.from) || is_core(link.to));
            if touches && matches!(change.set, Change::Rate { .. }) {
                let key = format!("changes.{at}.set.kind");
                let flaw = Flaw::new(&key, "the rate of a hybrid switch's link does not change");
                self.say(flaw.found("\"rate\"").accepted("\"down\", \"up\""), &key);
            }
        }
    }

    /// A link gives its delay or its length, and what a km takes only with a length.
    pub(super) fn propagation(&mut self, key: &str, said: Propagation) {
        let Propagation { delay, length, per_km } = said;
        match (delay, length) {
            (None, None) => {
                let flaw = Flaw::missing(format!("{key}.delay"), "a time, or a length instead");
                self.say(flaw, key);
            }
            (Some(_), Some(_)) => {
                let key = format!("{key}.length");
                self.note(&key, "delay is given too: one of them is enough");
            }
            _ => {}
        }
        if per_km.is_some() && length.is_none() {
            self.note(&format!("{key}.delay-per-km"), "has no use without length");
        }
    }
}
