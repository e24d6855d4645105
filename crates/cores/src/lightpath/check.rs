//! What lightpaths require of a scenario.

use optics::{LightConversion, LightpathCoreSpec, WavelengthAssignment};
use plan::check::{Findings, Flaw};
use plan::shapes::Joins;
use plan::spec::NodeKind;
use plan::topology::{Graph, OneWayLink};
use units::{Bytes, LinkId, NodeId};

use crate::check::Around;
use crate::racks;
use crate::seam::Rules;

/// The most racks: there is a queue for each pair.
const MOST_RACKS: usize = 4_000;

impl Rules for LightpathCoreSpec {
    fn section(&self, around: &Around<'_>, to: &mut dyn Findings) {
        section(self, around.packet, to);
    }

    fn network(&self, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
        network(around, graph, to);
    }

    fn effects(&self, around: &Around<'_>, _: &Graph, to: &mut dyn Findings) {
        effects(self, around, to);
    }
}

/// Queues that hold a packet, and mark before they are full.
fn section(core: &LightpathCoreSpec, packet: Bytes, to: &mut dyn Findings) {
    let marks = ("core.mark-above", core.mark_above);
    racks::check(("core.rack-queue", core.rack_queue), marks, packet, to);
}

/// Racks and cross-connects, joined by single fibres of one rate that lose nothing; hosts at racks.
fn network(around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
    // Of electronic switches beside it is said that they are not there.
    if around.topology.is_some_and(|topology| topology.facts().packet_spines.is_some()) {
        return;
    }
    let say = |problem: String, accepted: &str, to: &mut dyn Findings| {
        to.mistake(Flaw::new("topology", problem).accepted(accepted), "topology");
    };
    let kind = |id: NodeId| graph.nodes[id.index()].kind;
    let name = |at: usize| graph.link_name(LinkId::at(at));
    let accepted = |ends: (NodeKind, NodeKind)| {
        let is_light = |kind: NodeKind| kind == NodeKind::Rack || kind == NodeKind::Core;
        (is_light(ends.0) && is_light(ends.1))
            || ends == (NodeKind::Host, NodeKind::Rack)
            || ends == (NodeKind::Rack, NodeKind::Host)
    };
    let wrong = graph.links.iter().position(|link| !accepted((kind(link.from), kind(link.to))));
    if let Some(at) = wrong {
        let link = &graph.links[at];
        let (from, end, name) = (kind(link.from).name(), kind(link.to).name(), name(at));
        let problem = format!(
            "the link \"{name}\" leads from a {from} to a {end}: fibres join racks and cores, and hosts are at racks"
        );
        return say(problem, "racks with hosts, and cores between racks", to);
    }
    let racks = graph.nodes.iter().filter(|node| node.kind == NodeKind::Rack).count();
    if !(2..=MOST_RACKS).contains(&racks) {
        let problem = format!("lightpaths join racks, of which there are {racks}");
        return say(problem, &format!("2 to {MOST_RACKS} racks"), to);
    }
    let mut fibres = graph.links.iter().enumerate().filter(|(_, link)| link.channels.is_some());
    let Some((_, first)) = fibres.clone().next() else {
        return say("no fibres join its racks".to_owned(), "links between racks, or to cores", to);
    };
    let flaw = |link: &OneWayLink| {
        if link.lightpath.is_some() {
            Some(("is one of parallel links", "single links between racks and cores"))
        } else if link.loss.is_some() {
            Some(("loses packets at random", "no loss on links with channels"))
        } else if link.rate != first.rate {
            Some(("has another rate than other fibres", "one rate of all channels"))
        } else {
            None
        }
    };
    if let Some((at, (problem, accepted))) = fibres.find_map(|(at, link)| Some((at, flaw(link)?))) {
        say(format!("the fibre \"{}\" {problem}", name(at)), accepted, to);
    }
}

/// Keys without effect: fibres have no queues, and racks no other choice of paths than routes; a choice of one
/// channel, or of channels that are all alike.
fn effects(core: &LightpathCoreSpec, around: &Around<'_>, to: &mut dyn Findings) {
    racks::no_choice_of_paths("racks send on their lightpaths", to);
    if core.conversion == LightConversion::Full && core.assignment != WavelengthAssignment::FirstFit
    {
        to.no_effect("core.assignment", "with conversion any channel is as good as another");
    }
    for (key, _, joins) in around.queues() {
        let is_fibre = match joins {
            Joins::Switches | Joins::All => true,
            Joins::Others => false,
            Joins::Nodes { ends, .. } => !ends.contains(&Some(NodeKind::Host)),
        };
        if is_fibre {
            to.no_effect(&key, "packets wait in the queues of racks, and nowhere on a fibre");
        }
    }
}
