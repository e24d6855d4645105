//! What circuit switches require of a scenario.

use optics::circuit::Schedule;
use optics::{CircuitCoreSpec, CircuitSchedule, Phases, RackForwarding};
use units::{Bytes, LinkId, NodeId, Rate, Span};

use super::state::{nodes, schedule};
use crate::check::{Around, Findings, Flaw};
use crate::spec::{NodeKind, QueueSpec, Topology};
use crate::topology::Graph;

/// The most entries of a schedule: racks, times switches, times slots.
const MOST_ENTRIES: usize = 50_000_000;

/// Slots with light, queues that hold a packet, matchings where they are given.
pub fn section(core: &CircuitCoreSpec, packet: Bytes, to: &mut dyn Findings) {
    for (flaw, at) in flaws(core) {
        to.mistake(flaw, at);
    }
    if core.rack_queue < packet {
        let key = "core.rack-queue";
        let flaw = Flaw::new(key, "less than a packet").found(core.rack_queue.to_string());
        to.mistake(flaw.accepted(format!("at least {packet}")), key);
    }
    if let Some(above) = core.mark_above.filter(|above| *above >= core.rack_queue) {
        let key = "core.mark-above";
        let flaw = Flaw::new(key, "never reached").found(above.to_string());
        to.mistake(flaw.accepted(format!("less than rack-queue, {}", core.rack_queue)), key);
    }
}

/// Why no schedule can be made of the section, each with the key at which it is said.
fn flaws(core: &CircuitCoreSpec) -> Vec<(Flaw, &'static str)> {
    let mut found = Vec::new();
    if core.reconfiguration >= core.slot {
        let key = "core.reconfiguration";
        let flaw = Flaw::new(key, "the switch is dark for the whole slot");
        let flaw = flaw.found(core.reconfiguration.to_string());
        found.push((flaw.accepted(format!("less than slot, {}", core.slot)), key));
    } else if core.guard.0.saturating_mul(2) >= core.slot.0 - core.reconfiguration.0 {
        let key = "core.guard";
        let flaw = Flaw::new(key, "nothing can be sent in a slot").found(core.guard.to_string());
        let half = Span((core.slot.0 - core.reconfiguration.0) / 2);
        let accepted = format!("less than {half}, half of the light of a slot");
        found.push((flaw.accepted(accepted), key));
    }
    let key = "core.matchings";
    match (core.schedule, &core.matchings) {
        (CircuitSchedule::Explicit, None) => {
            let accepted = "the matchings of each circuit switch";
            found.push((Flaw::missing(key, accepted), "core.schedule"));
        }
        (CircuitSchedule::Rotor, Some(_)) => {
            found.push((Flaw::new(key, "applies only with schedule = \"explicit\""), key));
        }
        (CircuitSchedule::Explicit, Some(rounds)) => {
            found.extend(no_matching(rounds).map(|flaw| (flaw, key)));
        }
        (CircuitSchedule::Rotor, None) => {}
    }
    found
}

/// A slot that is not a permutation of the same racks as all others.
fn no_matching(rounds: &[Vec<Vec<u32>>]) -> Option<Flaw> {
    let racks = rounds.iter().flatten().map(Vec::len).next().unwrap_or(0);
    let slots = rounds.iter().enumerate().flat_map(|(switch, round)| {
        round.iter().enumerate().map(move |(slot, matching)| ((switch, slot), matching))
    });
    let is_matching = |matching: &[u32]| {
        let mut sorted = matching.to_vec();
        sorted.sort_unstable();
        sorted.len() == racks && (0..).zip(&sorted).all(|(at, &to)| at == to)
    };
    let ((switch, slot), matching) = { slots }.find(|(_, matching)| !is_matching(matching))?;
    let flaw = Flaw::new(format!("core.matchings.{switch}.{slot}"), "not a matching");
    let accepted = format!("each of the racks 0 to {} once", racks.saturating_sub(1));
    Some(flaw.found(format!("{matching:?}")).accepted(accepted))
}

/// Racks, each with a link to and from each switch; circuits that join them all; slots that are long enough for a
/// packet.
pub fn network(core: &CircuitCoreSpec, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
    if !flaws(core).is_empty() {
        return;
    }
    let (racks, switches) = (nodes(graph, NodeKind::Rack), nodes(graph, NodeKind::Core));
    let say = |problem: String, accepted: &str, to: &mut dyn Findings| {
        to.mistake(Flaw::new("topology", problem).accepted(accepted), "topology");
    };
    if switches.is_empty() {
        // Of an explicit topology it is said already.
        if !matches!(around.topology, Some(Topology::Explicit { .. })) {
            let problem = "it has no circuit switches between racks".to_owned();
            say(problem, "kind = \"leaf-spine\" or \"explicit\"", to);
        }
        return;
    }
    let problem = wrong_link(graph);
    if racks.len() < 2 && problem.is_none() {
        let problem = format!("circuit switches join racks, of which there are {}", racks.len());
        return say(problem, "kind = \"leaf-spine\", or at least two nodes of kind \"rack\"", to);
    }
    if let Some(problem) = problem.or_else(|| not_joined(graph, &racks, &switches)) {
        return say(problem, "one link in each direction between each rack and each switch", to);
    }
    if let Some(given) = &core.matchings {
        let (given, here) = ((given.len(), given[0][0].len()), (switches.len(), racks.len()));
        if given != here {
            let told = |(switches, racks)| format!("switches: {switches}, racks: {racks}");
            let flaw = Flaw::new("core.matchings", "not those of this network").found(told(given));
            return to.mistake(flaw.accepted(told(here)), "core.matchings");
        }
    }
    let entries = racks.len().saturating_mul(racks.len()).saturating_mul(switches.len());
    if entries > MOST_ENTRIES {
        let problem =
            format!("a schedule of {} racks and {} switches", racks.len(), switches.len());
        return say(problem, "racks² · switches up to 50,000,000", to);
    }
    apart(&schedule(core, racks.len(), switches.len()), (graph, &racks), to);
    // All links of the switches have one rate.
    if let Some(link) = graph.links.iter().find(|link| link.from == switches[0]) {
        short_slot(core, around.packet, link.rate, to);
    }
}

/// A packet must fit between two reconfigurations.
fn short_slot(core: &CircuitCoreSpec, packet: Bytes, rate: Rate, to: &mut dyn Findings) {
    let needed = rate.time_to_send(packet);
    let light = Span(core.slot.0 - core.reconfiguration.0 - 2 * core.guard.0);
    if needed > light {
        let problem =
            format!("a packet of {packet} takes {needed}, longer than the light of a slot");
        let least = Span(needed.0 + core.reconfiguration.0 + 2 * core.guard.0);
        let flaw = Flaw::new("core.slot", problem).found(core.slot.to_string());
        to.mistake(flaw.accepted(format!("at least {least}")), "core.slot");
    }
}

/// A link of a circuit switch that leads to something else than a rack, or one of a rack to something else than a host
/// or a switch.
fn wrong_link(graph: &Graph) -> Option<String> {
    let kind = |id: NodeId| graph.nodes[id.index()].kind;
    let is_wrong = |ends: (NodeKind, NodeKind)| {
        let joined = [
            (NodeKind::Core, NodeKind::Rack),
            (NodeKind::Rack, NodeKind::Core),
            (NodeKind::Rack, NodeKind::Host),
            (NodeKind::Host, NodeKind::Rack),
        ];
        !joined.contains(&ends)
    };
    let at = graph.links.iter().position(|link| is_wrong((kind(link.from), kind(link.to))))?;
    let (name, link) = (graph.link_name(LinkId::at(at)), &graph.links[at]);
    let (from, to) = (kind(link.from).name(), kind(link.to).name());
    Some(format!(
        "the link \"{name}\" leads from a {from} to a {to}: circuit switches join racks, and racks hosts"
    ))
}

/// A rack without exactly one link to, and one from, a switch.
fn not_joined(graph: &Graph, racks: &[NodeId], switches: &[NodeId]) -> Option<String> {
    let mut found = std::collections::BTreeMap::new();
    for link in &graph.links {
        *found.entry((link.from, link.to)).or_insert(0) += 1;
    }
    for &rack in racks {
        for &switch in switches {
            for ends in [(rack, switch), (switch, rack)] {
                let count = found.get(&ends).copied().unwrap_or(0);
                if count != 1 {
                    let [from, to] = [ends.0, ends.1].map(|id| graph.node_name(id));
                    return Some(format!("{count} links lead from \"{from}\" to \"{to}\""));
                }
            }
        }
    }
    None
}

/// Two racks that no slot joins.
fn apart(schedule: &Schedule, (graph, racks): (&Graph, &[NodeId]), to: &mut dyn Findings) {
    let numbers = || 0..u32::try_from(racks.len()).expect("fewer than there are nodes");
    let mut pairs = numbers().flat_map(|from| numbers().map(move |to| (from, to)));
    let alone = pairs.find(|&(from, to)| from != to && schedule.ways(from, to).next().is_none());
    if let Some((from, far)) = alone {
        let [from, far] = [from, far].map(|rack| graph.node_name(racks[rack as usize]));
        let problem = format!("no slot joins the rack \"{from}\" to \"{far}\"");
        let flaw = Flaw::new("core.matchings", problem);
        to.mistake(flaw.accepted("matchings that join each rack to each other"), "core.matchings");
    }
}

/// Keys without effect: the links of a circuit switch have no queue, and racks have no other choice of paths than
/// their circuits; what needs several switches, or a third rack.
pub fn effects(core: &CircuitCoreSpec, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
    if core.phases != Phases::default() && nodes(graph, NodeKind::Core).len() == 1 {
        to.no_effect("core.phases", "there is one circuit switch");
    }
    if core.forwarding != RackForwarding::default() && nodes(graph, NodeKind::Rack).len() == 2 {
        to.no_effect("core.forwarding", "there is no third rack by which packets could go");
    }
    for key in ["routing.metric", "routing.spread", "routing.flowlet-gap"] {
        to.no_effect(key, "racks send on the circuits that are there");
    }
    let why =
        "packets wait in the queues of racks, and nowhere on their way through a circuit switch";
    for (key, queue) in around.queues {
        let is_circuit = match around.topology {
            Some(Topology::Explicit { .. }) => around
                .link_of(key)
                .is_some_and(|link| around.is_core(&link.from) || around.is_core(&link.to)),
            Some(_) => key == "topology.link.queue",
            None => false,
        };
        // A policer acts on packets that do not wait, too; a queue that decides when they leave is a mistake.
        if is_circuit && !queue.is_managed() && !matches!(queue, QueueSpec::Policer { .. }) {
            to.no_effect(key, why);
        }
    }
}
