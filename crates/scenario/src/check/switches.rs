//! Core switches without edges: links without channels, of one rate where the first bit counts, policies
//! that the switch can follow; and the propagation of all links.

use network::spec::{ExplicitLink, NodeKind, Propagation, Topology};
use network::topology::Graph;
use optics::cioq::MOST_PORTS;
use optics::{AnycastPolicy, CioqCoreSpec, OutputQueuedCoreSpec};
use units::{Bytes, LinkId, NodeId, Span};

use super::{Check, Parts};
use crate::mistake::Flaw;

/// Core switches that need no edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Switches {
    /// What `core.kind` says.
    kind: &'static str,
    /// What they are called.
    name: &'static str,
    /// Whether they act on the first bit of a packet.
    first_bit: bool,
}

impl Switches {
    /// What they are called, where they act on the first bit of a packet.
    pub(super) fn first_bit(self) -> Option<&'static str> {
        self.first_bit.then_some(self.name)
    }
}

impl Check<'_> {
    /// What the core's switches are, by the words of the file.
    pub(super) fn switches(&self) -> Option<Switches> {
        let written = |key: &str| self.written(key).replace('"', "");
        let of = |kind, name, first_bit| Some(Switches { kind, name, first_bit });
        match written("core.kind").as_str() {
            "hybrid" => of("hybrid", "hybrid", true),
            "cioq" => of("cioq", "CIOQ", false),
            "output-queued" if written("core.switching") == "cut-through" => {
                of("output-queued", "cut-through", true)
            }
            "output-queued" => of("output-queued", "output-queued", false),
            _ => None,
        }
    }

    /// What switches without edges ask of the network.
    pub(super) fn switch_core(&mut self, parts: &Parts) {
        let (Some(Switches { kind, name, .. }), Some(topology)) = (parts.switches, &parts.topology)
        else {
            return;
        };
        if topology.has_edges() {
            let problem = format!("edge routers send bursts, which {name} switches do not switch");
            let flaw = Flaw::new("core.kind", problem).found(format!("\"{kind}\""));
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
                    let problem = format!("has no use: links of {name} switches have one channel");
                    self.note(&format!("topology.links.{at}.{key}"), problem);
                }
            }
        }
    }

    /// Cells that carry something, a buffer that holds a packet, a policy that looks at nothing else
    /// than a line card can see.
    pub(super) fn cioq_core(&mut self, core: &CioqCoreSpec, packet: Bytes) {
        if core.cell_payload > core.cell {
            let key = "core.cell-payload";
            let flaw = Flaw::new(key, "more than the cell").found(core.cell_payload.to_string());
            self.say(flaw.accepted(format!("at most {}", core.cell)), key);
        }
        if core.input_buffer < packet {
            let key = "core.input-buffer";
            let flaw = Flaw::new(key, "less than a packet").found(core.input_buffer.to_string());
            self.say(flaw.accepted(format!("at least {packet}")), key);
        }
        if core.anycast == AnycastPolicy::IdealJsq {
            let problem = "looks at output queues, which a line card does not see";
            self.policy("ideal-jsq", problem, "another policy, or kind = \"output-queued\"");
        }
        self.flowlets(core.anycast, core.flowlet_gap);
    }

    /// A policy that looks at what the switch has.
    pub(super) fn output_queued_core(&mut self, core: &OutputQueuedCoreSpec) {
        if core.anycast == AnycastPolicy::Jsvoq {
            let problem = "looks at queues of inputs, which this switch does not have";
            self.policy("jsvoq", problem, "another policy, or kind = \"cioq\"");
        }
        self.flowlets(core.anycast, core.flowlet_gap);
    }

    fn policy(&mut self, found: &str, problem: &str, accepted: &str) {
        let flaw = Flaw::new("core.anycast", problem).found(format!("\"{found}\""));
        self.say(flaw.accepted(accepted), "core.anycast");
    }

    fn flowlets(&mut self, policy: AnycastPolicy, gap: Option<Span>) {
        let flowlets = policy == AnycastPolicy::Flowlet;
        self.flowlet_gap(("core", "anycast", "lightpath"), flowlets, gap);
    }

    /// A scheduler's masks hold so many ports.
    pub(super) fn ports(&mut self, parts: &Parts, graph: &Graph) {
        if parts.switches.is_none_or(|switches| switches.kind != "cioq") {
            return;
        }
        let mut degrees = vec![0; graph.nodes.len()];
        graph.links.iter().for_each(|link| degrees[link.from.index()] += 1);
        let cores = graph.nodes.iter().zip(degrees).filter(|(node, _)| node.kind == NodeKind::Core);
        if let Some((node, ports)) = cores.max_by_key(|(_, ports)| *ports)
            && ports > MOST_PORTS
        {
            let problem = format!("the CIOQ switch \"{}\" has too many ports", node.name);
            let flaw = Flaw::new("topology", problem).found(ports.to_string());
            self.say(flaw.accepted(format!("at most {MOST_PORTS}")), "topology");
        }
    }

    /// All links of switches that act on the first bit have one rate, since a packet cannot be faster on
    /// its way out than on its way in.
    pub(super) fn first_bit_links(&mut self, parts: &Parts, graph: &Graph) {
        let Some(Switches { name, first_bit: true, .. }) = parts.switches else { return };
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
            let link = graph.link_name(LinkId::at(at));
            let problem = format!("links of {name} switches have one rate; this is of \"{link}\"");
            let flaw = Flaw::new(&key, problem).found(other.rate.to_string());
            self.say(flaw.accepted(first.rate.to_string()), &key);
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
