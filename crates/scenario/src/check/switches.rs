//! Core switches without edges: links without channels, of the same rate if the first bit counts,
//! policies that the switch supports.

use plan::shapes::Explicit;
use plan::spec::{CoreFacts, CoreSpec, ExplicitLink, NodeKind, Racks};
use plan::topology::Graph;
use serde_json::{Map, Value as Json};
use units::{LinkId, NodeId};

use super::{Check, Parts};
use crate::mistake::Flaw;
use crate::schema::json_schema;

/// Core switches that need no edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Switches {
    /// What `core.kind` says.
    kind: &'static str,
    /// Their name in messages.
    name: &'static str,
    /// Whether they act on the first bit of a packet.
    first_bit: bool,
    racks: Racks,
}

impl Switches {
    /// Their name in messages, if they act on the first bit of a packet.
    pub(super) fn first_bit(self) -> Option<&'static str> {
        self.first_bit.then_some(self.name)
    }
}

/// Puts in the keys that a core's kind needs and that are not there, each as small as it may be.
fn fill(core: &mut Map<String, Json>) {
    let mut kinds = json_schema()["$defs"]["CoreSpec"]["oneOf"].as_array().into_iter().flatten();
    let of_kind = |keys: &&Json| Some(&keys["properties"]["kind"]["const"]) == core.get("kind");
    let Some(keys) = kinds.find(of_kind) else { return };
    for key in keys["required"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        let of_key = &keys["properties"][key];
        if let Some(least) = of_key.get("minimum").or_else(|| of_key.get("x-min")) {
            core.entry(key).or_insert_with(|| least.clone());
        }
    }
}

impl Check<'_> {
    /// The kind of the core's switches, even if the core has other errors.
    pub(super) fn switches(&self) -> Option<Switches> {
        let mut written = self.root.get("core")?.to_json();
        let keys = written.as_object_mut()?;
        keys.retain(|key, _| !self.mistakes.touch(&format!("core.{key}")));
        fill(keys);
        let core: CoreSpec = serde_json::from_value(written).ok()?;
        let facts = core.facts();
        let CoreFacts { kind, switches, acts_on_first_bit: first_bit, .. } = facts;
        switches.map(|(name, _)| Switches { kind, name, first_bit, racks: facts.racks() })
    }

    /// Racks are behind circuit switches, or in a mesh of fibres.
    fn racks(&mut self, parts: &Parts) {
        let racks = parts.switches.map_or(Racks::None, |switches| switches.racks);
        let Some(facts) = parts.facts() else { return };
        if facts.packet_spines.is_some() && racks != Racks::Switched {
            let key = "topology.packet-spines";
            let flaw = Flaw::new(key, "electronic switches are beside circuit switches");
            self.say(flaw.accepted("none, or a core of kind = \"circuit\""), key);
        }
        let listed = facts.listed.filter(|_| racks == Racks::None);
        let nodes = listed.iter().flat_map(|listed| &listed.nodes).enumerate();
        for (at, _) in nodes.filter(|(_, node)| node.kind == NodeKind::Rack) {
            let key = format!("topology.nodes.{at}.kind");
            let flaw = Flaw::new(&key, "racks are joined by circuits or lightpaths");
            let accepted = "another kind, or a core of kind = \"circuit\" or \"lightpath\"";
            self.say(flaw.found("\"rack\"").accepted(accepted), &key);
        }
    }

    /// What switches without edges require of the network.
    pub(super) fn switch_core(&mut self, parts: &Parts) {
        self.racks(parts);
        let (Some(Switches { kind: named, name, racks, .. }), Some(facts)) =
            (parts.switches, parts.facts())
        else {
            return;
        };
        if facts.has_edges {
            let problem = format!("edge routers send bursts, which {name} switches do not switch");
            let flaw = Flaw::new("core.kind", problem).found(format!("\"{named}\""));
            self.say(flaw.accepted("\"burst\", \"packet\""), "core.kind");
        }
        let Some(Explicit { nodes, links }) = facts.listed else { return };
        let is_switch = |kind: NodeKind| {
            kind == NodeKind::Core || (kind == NodeKind::Rack && racks == Racks::Meshed)
        };
        if nodes.iter().all(|node| !is_switch(node.kind)) {
            self.note("core", "does not apply: no node is a core");
        }
        let is_fibre = |link: &ExplicitLink| {
            let is_light = |kind: NodeKind| kind == NodeKind::Core || kind == NodeKind::Rack;
            let is_end =
                |end: &String| nodes.iter().any(|node| node.name == *end && is_light(node.kind));
            racks != Racks::None && is_end(&link.from) && is_end(&link.to)
        };
        for (at, link) in links.iter().enumerate() {
            for (key, given) in [
                ("channels", link.channels.is_some() && !is_fibre(link)),
                ("control-channels", link.control_channels.is_some()),
                ("control-rate", link.control_rate.is_some()),
            ] {
                if given {
                    let problem = match racks {
                        Racks::None => {
                            format!("does not apply: links of {name} switches have one channel")
                        }
                        _ if key == "channels" => {
                            "does not apply: only fibres between racks and cores have channels"
                                .into()
                        }
                        Racks::Meshed => {
                            "does not apply: requests for lightpaths need no channel".into()
                        }
                        Racks::Switched => {
                            "does not apply: nothing controls circuits by a channel".into()
                        }
                    };
                    self.note(&format!("topology.links.{at}.{key}"), problem);
                }
            }
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
            let Some(facts) = parts.facts() else { return };
            let key = match facts.listed {
                Some(Explicit { links, .. }) => {
                    let named = |link: &ExplicitLink| link.rate == other.rate;
                    let at = links.iter().position(named).unwrap_or_default();
                    format!("topology.links.{at}.rate")
                }
                None => facts.rates.to_owned(),
            };
            let link = graph.link_name(LinkId::at(at));
            let problem = format!("links of {name} switches have one rate; this is of \"{link}\"");
            let flaw = Flaw::new(&key, problem).found(other.rate.to_string());
            self.say(flaw.accepted(first.rate.to_string()), &key);
        }
    }
}
