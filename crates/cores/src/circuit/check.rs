//! What circuit switches require of a scenario.

use std::collections::BTreeMap;

use optics::circuit::{MOST_RACKS, MOST_SWITCHES, Schedule};
use optics::{
    CircuitCoreSpec, CircuitSchedule, Phases, RackForwarding, ShortFlowsSpec, ShortWay,
    WithoutCircuit,
};
use plan::check::{Findings, Flaw};
use plan::shapes::{Explicit, Joins, LinkTable};
use plan::spec::NodeKind;
use plan::spec::queue::Acts;
use plan::topology::Graph;
use units::{Bytes, LinkId, NodeId, Rate, Span};

use super::channel_planes::planes;
use super::state::{nodes, schedule};
use crate::check::Around;
use crate::racks;
use crate::seam::Rules;

/// The most entries of a schedule: racks, times switches, times slots.
const MOST_ENTRIES: usize = 50_000_000;

impl Rules for CircuitCoreSpec {
    fn section(&self, around: &Around<'_>, to: &mut dyn Findings) {
        section(self, around.packet, to);
    }

    fn network(&self, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
        network(self, around, graph, to);
    }

    fn effects(&self, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
        effects(self, around, graph, to);
    }
}

/// Slots with light, queues that hold a packet, matchings where they are given.
fn section(core: &CircuitCoreSpec, packet: Bytes, to: &mut dyn Findings) {
    for (flaw, at) in flaws(core) {
        to.mistake(flaw, &at);
    }
    let marks = ("core.mark-above", core.mark_above);
    racks::check(("core.rack-queue", core.rack_queue), marks, packet, to);
    if let Some(prebuffer) = core.prebuffer.filter(|larger| larger.queue <= core.rack_queue) {
        let key = "core.prebuffer.queue";
        let flaw =
            Flaw::new(key, "not larger than at other times").found(prebuffer.queue.to_string());
        to.mistake(flaw.accepted(format!("more than rack-queue, {}", core.rack_queue)), key);
    }
    if let Some(short @ ShortFlowsSpec { mark_above, trim, .. }) = &core.short_flows {
        let key = "core.short-flows.queue";
        let marks = ("core.short-flows.mark-above", *mark_above);
        racks::check((key, short.queue()), marks, packet, to);
        let given = [("queue", short.queue), ("mark-above", *mark_above), ("trim", *trim)];
        for (name, _) in given.into_iter().filter(|(_, given)| given.is_some()) {
            if short.over != ShortWay::Circuits {
                let key = format!("core.short-flows.{name}");
                let problem = "applies only with over = \"circuits\"";
                to.mistake(Flaw::new(&key, problem), &key);
            }
        }
        if let Some(trim) = trim.filter(|trim| *trim >= packet) {
            let key = "core.short-flows.trim";
            let flaw = Flaw::new(key, "no packet is larger").found(trim.to_string());
            to.mistake(flaw.accepted(format!("less than {packet}")), key);
        }
    }
}

/// Why no schedule can be made of the section, each with the key at which it is said.
fn flaws(core: &CircuitCoreSpec) -> Vec<(Flaw, String)> {
    let mut found = Vec::new();
    if core.reconfiguration >= core.slot {
        let key = "core.reconfiguration";
        let flaw = Flaw::new(key, "the switch is dark for the whole slot");
        let flaw = flaw.found(core.reconfiguration.to_string());
        found.push((flaw.accepted(format!("less than slot, {}", core.slot)), key.to_owned()));
    } else if core.guard.0.saturating_mul(2) >= core.slot.0 - core.reconfiguration.0 {
        let key = "core.guard";
        let flaw = Flaw::new(key, "nothing can be sent in a slot").found(core.guard.to_string());
        let half = Span((core.slot.0 - core.reconfiguration.0) / 2);
        let accepted = format!("less than {half}, half of the light of a slot");
        found.push((flaw.accepted(accepted), key.to_owned()));
    }
    let key = "core.matchings";
    match (core.schedule, &core.matchings) {
        (CircuitSchedule::Explicit, None) => {
            let accepted = "the matchings of each circuit switch";
            found.push((Flaw::missing(key, accepted), "core.schedule".to_owned()));
        }
        (CircuitSchedule::Rotor | CircuitSchedule::Opera | CircuitSchedule::Demand, Some(_)) => {
            found.push((
                Flaw::new(key, "applies only with schedule = \"explicit\""),
                key.to_owned(),
            ));
        }
        (CircuitSchedule::Explicit, Some(rounds)) => {
            found.extend(no_matching(rounds));
        }
        (CircuitSchedule::Rotor | CircuitSchedule::Opera | CircuitSchedule::Demand, None) => {}
    }
    found.extend(on_demand(core));
    if core.without_circuit != WithoutCircuit::Wait && core.forwarding == RackForwarding::Valiant {
        let key = "core.without-circuit";
        let flaw =
            Flaw::new(key, "with two hops any circuit takes a packet").found("\"packet-switches\"");
        found.push((
            flaw.accepted("\"wait\", or forwarding = \"direct\" or \"rotor-lb\""),
            key.to_owned(),
        ));
    }
    if core.draw.is_some() && core.schedule != CircuitSchedule::Opera {
        let key = "core.draw";
        found.push((Flaw::new(key, "applies only with schedule = \"opera\""), key.to_owned()));
    }
    found
}

/// What circuits on demand need, and what applies to no others.
fn on_demand(core: &CircuitCoreSpec) -> Vec<(Flaw, String)> {
    let mut found = Vec::new();
    let mut say = |flaw: Flaw, at: &str| found.push((flaw, at.to_owned()));
    let key = "core.demand";
    let Some(demand) = &core.demand else {
        if core.schedule == CircuitSchedule::Demand {
            say(Flaw::missing(key, "a table with rule"), "core.schedule");
        }
        return found;
    };
    if core.schedule != CircuitSchedule::Demand {
        say(Flaw::new(key, "applies only with schedule = \"demand\""), key);
        return found;
    }
    if core.forwarding != RackForwarding::Direct {
        let key = "core.forwarding";
        let flaw = Flaw::new(key, "circuits on demand lead where packets are to go");
        say(flaw.accepted("\"direct\" with schedule = \"demand\""), key);
    }
    if core.short_flows.as_ref().is_some_and(|short| short.over == ShortWay::Circuits) {
        let key = "core.short-flows";
        let flaw = Flaw::new(key, "circuits on demand make no ways between all racks");
        say(flaw.accepted("over = \"packet-switches\""), key);
    }
    let whole = Span(core.slot.0.saturating_mul(u64::from(demand.epoch)));
    if demand.report > whole {
        let key = "core.demand.report";
        let flaw = Flaw::new(key, "longer than an epoch").found(demand.report.to_string());
        say(flaw.accepted(format!("at most {whole}, epoch times slot")), key);
    }
    found
}

/// A slot that is not a permutation of the same racks as all others.
fn no_matching(rounds: &[Vec<Vec<u32>>]) -> Option<(Flaw, String)> {
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
    let key = format!("core.matchings.{switch}.{slot}");
    let flaw = Flaw::new(&key, "not a matching");
    let accepted = format!("each of the racks 0 to {} once", racks.saturating_sub(1));
    Some((flaw.found(format!("{matching:?}")).accepted(accepted), key))
}

/// Racks, each with a link to and from each switch; circuits that join them all; slots that are long enough for a
/// packet.
fn network(core: &CircuitCoreSpec, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
    if !flaws(core).is_empty() {
        return;
    }
    let (racks, switches) = (nodes(graph, NodeKind::Rack), nodes(graph, NodeKind::Core));
    let say = |problem: String, accepted: &str, to: &mut dyn Findings| {
        to.mistake(Flaw::new("topology", problem).accepted(accepted), "topology");
    };
    if switches.is_empty() {
        // Of an explicit topology it is said already.
        if listed(around).is_none() {
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
    if let Some(key) = bundle(around) {
        let flaw = Flaw::new(
            &key,
            "the link of a circuit switch is a single one, of several channels or of one",
        );
        return to.mistake(flaw.accepted("none, or channels"), &key);
    }
    let found = channels(graph);
    let joined = (graph, &found, (&*racks, &*switches));
    if let Some(problem) = problem.or_else(|| not_joined(joined)) {
        return say(problem, "one link in each direction between each rack and each switch", to);
    }
    if let Some(problem) = other_channels(joined) {
        return say(problem, "as many channels on all links of a circuit switch", to);
    }
    // All that follows is said of each channel of a switch.
    let planes = planes(graph);
    let word = if planes.len() > switches.len() { "channels of switches" } else { "switches" };
    let switches = planes;
    if let Some(given) = &core.matchings {
        let (given, here) = ((given.len(), given[0][0].len()), (switches.len(), racks.len()));
        if given != here {
            let told = |(switches, racks)| format!("{word}: {switches}, racks: {racks}");
            let flaw = Flaw::new("core.matchings", "not those of this network").found(told(given));
            return to.mistake(flaw.accepted(told(here)), "core.matchings");
        }
    }
    let entries = racks.len().saturating_mul(racks.len()).saturating_mul(switches.len());
    if entries > MOST_ENTRIES {
        let problem = format!("a schedule of {} racks and {} {word}", racks.len(), switches.len());
        return say(problem, &format!("racks² · {word} up to 50,000,000"), to);
    }
    if core.schedule == CircuitSchedule::Demand && racks.len() > MOST_RACKS {
        let problem = format!("circuits on demand of {} racks", racks.len());
        return say(problem, &format!("up to {MOST_RACKS} racks"), to);
    }
    let schedule = schedule(core, racks.len(), switches.len());
    if core.schedule != CircuitSchedule::Demand && !all_avoid_waiting(core) {
        apart(&schedule, (graph, &racks), to);
    }
    beside(core, (graph, &racks), to);
    late(core, graph, to);
    // All links of the switches have one rate.
    let Some(link) = graph.links.iter().find(|link| link.from == switches[0].node) else { return };
    if core.short_flows.as_ref().is_some_and(|short| short.over == ShortWay::Circuits) {
        ways(core, &schedule, link.rate.time_to_send(around.packet), (graph, &racks), to);
    }
    short_slot(core, around.packet, link.rate, to);
}

/// What hosts are told of circuits on demand, before it is forgotten which matchings were decided.
fn late(core: &CircuitCoreSpec, graph: &Graph, to: &mut dyn Findings) {
    let Some(told) = core.tell_hosts.filter(|_| core.schedule == CircuitSchedule::Demand) else {
        return;
    };
    let is_host = |id: NodeId| graph.nodes[id.index()].kind == NodeKind::Host;
    let of_hosts = graph.links.iter().filter(|link| is_host(link.from)).map(|link| link.delay);
    let delay = told.delay.or(of_hosts.max()).unwrap_or_default();
    if delay + core.skew > core.slot {
        let key = "core.tell-hosts.delay";
        let flaw = Flaw::new(key, "hosts learn of circuits on demand when these have gone");
        let at = if told.delay.is_some() { key } else { "core.tell-hosts" };
        let most = core.slot.saturating_sub(core.skew);
        to.mistake(
            flaw.found(delay.to_string()).accepted(format!("at most {most}, slot less skew")),
            at,
        );
    }
}

/// Whether no packet has to wait for a circuit to its rack.
fn all_avoid_waiting(core: &CircuitCoreSpec) -> bool {
    core.without_circuit == WithoutCircuit::PacketSwitches
        || core.short_flows.as_ref().is_some_and(|short| short.below.is_none())
}

/// Electronic switches by which every rack reaches every other, where packets go by them.
fn beside(core: &CircuitCoreSpec, (graph, racks): (&Graph, &[NodeId]), to: &mut dyn Findings) {
    let over = core.short_flows.as_ref().map(|short| short.over);
    let key = if core.without_circuit == WithoutCircuit::PacketSwitches {
        "core.without-circuit"
    } else if over == Some(ShortWay::PacketSwitches) {
        "core.short-flows.over"
    } else {
        return;
    };
    let is_beside = |id: NodeId| {
        let kind = graph.nodes[id.index()].kind;
        kind == NodeKind::Router || kind == NodeKind::Rack
    };
    let links = || graph.links.iter().filter(|link| is_beside(link.from) && is_beside(link.to));
    for turned in [false, true] {
        let mut reached = vec![false; graph.nodes.len()];
        let mut open = vec![racks[0]];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut reached[at.index()], true) {
                let ends = links().map(|link| (link.from, link.to));
                let ends = ends.map(|(from, to)| if turned { (to, from) } else { (from, to) });
                open.extend(ends.filter(|(from, _)| *from == at).map(|(_, to)| to));
            }
        }
        if let Some(alone) = racks.iter().find(|rack| !reached[rack.index()]) {
            let [one, other] = [racks[0], *alone].map(|rack| graph.node_name(rack));
            let [one, other] = if turned { [other, one] } else { [one, other] };
            let problem = format!("no electronic switches lead from \"{one}\" to \"{other}\"");
            let accepted = "a leaf-spine network with packet-spines, or routers between racks";
            return to.mistake(Flaw::new(key, problem).accepted(accepted), key);
        }
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

/// A link of a circuit switch that leads to something else than a rack, one of a rack to something else than a host or
/// a switch, or one of an electronic switch to a host.
fn wrong_link(graph: &Graph) -> Option<String> {
    let kind = |id: NodeId| graph.nodes[id.index()].kind;
    let is_wrong = |ends: (NodeKind, NodeKind)| {
        let joined = [
            (NodeKind::Core, NodeKind::Rack),
            (NodeKind::Rack, NodeKind::Core),
            (NodeKind::Rack, NodeKind::Router),
            (NodeKind::Router, NodeKind::Rack),
            (NodeKind::Router, NodeKind::Router),
            (NodeKind::Rack, NodeKind::Host),
            (NodeKind::Host, NodeKind::Rack),
        ];
        !joined.contains(&ends)
    };
    let at = graph.links.iter().position(|link| is_wrong((kind(link.from), kind(link.to))))?;
    let (name, link) = (graph.link_name(LinkId::at(at)), &graph.links[at]);
    let (from, to) = (kind(link.from).name(), kind(link.to).name());
    Some(format!(
        "the link \"{name}\" leads from a {from} to a {to}: circuit switches join racks, and racks hosts and routers"
    ))
}

/// Nodes and links, if the scenario lists them.
fn listed<'a>(around: &Around<'a>) -> Option<&'a Explicit> {
    around.topology?.facts().listed
}

/// The key of the parallel links of a circuit switch, if they are given.
fn bundle(around: &Around<'_>) -> Option<String> {
    let is_one = |link: &LinkTable| match link.joins {
        Joins::Switches => true,
        Joins::Others | Joins::All => false,
        Joins::Nodes { ends, .. } => ends.contains(&Some(NodeKind::Core)),
    };
    let is_bundle = |link: &LinkTable| link.lightpaths.is_some_and(|count| count > 1);
    let mut links = around.topology?.shape().links().into_iter();
    let found = links.find(|link| is_bundle(link) && is_one(link))?;
    Some(format!("{}.lightpaths", found.key))
}

/// For two nodes the numbers of the links from one to the other: those of their channels, if they have several.
type Channels = BTreeMap<(NodeId, NodeId), Vec<Option<u32>>>;

/// A graph with its channels, its racks and its switches.
type Joined<'a> = (&'a Graph, &'a Channels, (&'a [NodeId], &'a [NodeId]));

fn channels(graph: &Graph) -> Channels {
    let mut found = Channels::new();
    for link in &graph.links {
        found.entry((link.from, link.to)).or_default().push(link.lightpath);
    }
    found
}

/// The ends of the links that racks and switches are to have.
fn ends(racks: &[NodeId], switches: &[NodeId]) -> impl Iterator<Item = (NodeId, NodeId)> {
    let pairs = racks.iter().flat_map(|&rack| switches.iter().map(move |&switch| (rack, switch)));
    pairs.flat_map(|(rack, switch)| [(rack, switch), (switch, rack)])
}

/// A rack without exactly one link to, and one from, a switch.
fn not_joined((graph, found, (racks, switches)): Joined<'_>) -> Option<String> {
    let is_first = |channel: &&Option<u32>| channel.is_none_or(|channel| channel == 0);
    let links = |ends| found.get(&ends).map_or(0, |here| here.iter().filter(is_first).count());
    let (from, to) = ends(racks, switches).find(|&ends| links(ends) != 1)?;
    let count = links((from, to));
    let [from, to] = [from, to].map(|id| graph.node_name(id));
    Some(format!("{count} links lead from \"{from}\" to \"{to}\""))
}

/// A link of a switch that has not as many channels as that from the first rack.
fn other_channels((graph, found, (racks, switches)): Joined<'_>) -> Option<String> {
    let is_switch = |id: NodeId| graph.nodes[id.index()].kind == NodeKind::Core;
    let first = |(from, to)| (racks[0], if is_switch(from) { from } else { to });
    let count = |ends| found.get(&ends).map_or(0, Vec::len);
    let other = ends(racks, switches).find(|&ends| count(ends) != count(first(ends)))?;
    let said = [other, first(other)].map(|ends| {
        let [from, to] = [ends.0, ends.1].map(|id| graph.node_name(id));
        format!("{} from \"{from}\" to \"{to}\"", count(ends))
    });
    Some(format!("channels of links: {}", said.join(", ")))
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

/// Ways of short flows: circuits that join all racks in each slice, and last for longer than a packet of this length.
fn ways(
    core: &CircuitCoreSpec,
    schedule: &Schedule,
    length: Span,
    (graph, racks): (&Graph, &[NodeId]),
    to: &mut dyn Findings,
) {
    let key = "core.short-flows";
    let count = schedule.switches().end;
    if count > MOST_SWITCHES {
        let flaw = Flaw::new(key, "too many circuit switches").found(count.to_string());
        return to.mistake(
            flaw.accepted(format!("up to {MOST_SWITCHES} with short flows, channels counted")),
            key,
        );
    }
    if !schedule.stays() {
        if core.phases() == Phases::Together {
            let flaw = Flaw::new(key, "no circuits last while others are switched");
            return to.mistake(flaw.accepted("phases = \"staggered\""), key);
        }
        let slice = Span(core.slot.0 / u64::from(count));
        let needed = Span(core.reconfiguration.0 + 2 * core.guard.0 + length.0);
        if slice <= needed {
            let problem = format!("a switch goes dark every {slice}, before a packet is through");
            let flaw = Flaw::new("core.slot", problem).found(core.slot.to_string());
            let accepted = Span(needed.0.saturating_mul(u64::from(count)));
            return to.mistake(flaw.accepted(format!("more than {accepted}")), "core.slot");
        }
    }
    if let Some((slice, from, far)) = schedule.cut_slice() {
        let [from, far] = [from, far].map(|rack| graph.node_name(racks[rack as usize]));
        let problem =
            format!("no way leads from \"{from}\" to \"{far}\" in slice {slice} of a round");
        let accepted = "more circuit switches, another draw, or other matchings";
        to.mistake(Flaw::new(key, problem).accepted(accepted), key);
    }
}

/// Keys without effect: the links of a circuit switch have no queue, and racks have no other choice of paths than
/// their circuits; what needs several switches, or a third rack.
fn effects(core: &CircuitCoreSpec, around: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
    if core.phases == Some(Phases::Staggered) && planes(graph).len() == 1 {
        to.no_effect("core.phases", "there is one circuit switch");
    }
    if let Some(listed) = listed(around) {
        let is_switch = |end: &String| {
            listed.nodes.iter().any(|node| node.name == *end && node.kind == NodeKind::Core)
        };
        let mut of_switches =
            listed.links.iter().filter(|link| is_switch(&link.from) || is_switch(&link.to));
        if core.channels.is_some() && of_switches.all(|link| link.channels.is_some()) {
            to.no_effect("core.channels", "each link of a circuit switch has its own number");
        }
    }
    if core.forwarding != RackForwarding::default() && nodes(graph, NodeKind::Rack).len() == 2 {
        to.no_effect("core.forwarding", "there is no third rack by which packets could go");
    }
    if core.short_flows.as_ref().is_some_and(|short| short.below.is_none()) {
        for key in ["rack-queue", "prebuffer", "mark-above", "forwarding", "without-circuit"] {
            let why = "all packets are of short flows, and none waits for a circuit to its rack";
            to.no_effect(&format!("core.{key}"), why);
        }
    }
    let is_beside = |short: &ShortFlowsSpec| short.over == ShortWay::PacketSwitches;
    let sends_beside = core.without_circuit == WithoutCircuit::PacketSwitches
        || core.short_flows.as_ref().is_some_and(is_beside);
    if !sends_beside {
        let why = "racks send on the circuits that are there";
        to.no_effect("routing.metric", why);
        racks::no_choice_of_paths(why, to);
        to.no_effect("topology.packet-spines", "racks send nothing to electronic switches");
    }
    let why =
        "packets wait in the queues of racks, and nowhere on their way through a circuit switch";
    for (key, queue, joins) in around.queues() {
        let is_circuit = match joins {
            Joins::Nodes { ends, .. } => ends.contains(&Some(NodeKind::Core)),
            Joins::Switches | Joins::Others | Joins::All => key == "topology.link.queue",
        };
        // One that acts where nothing waits is not idle; one that decides when packets leave is a mistake.
        if is_circuit && matches!(queue.facts().acts, Acts::Never | Acts::ByQueue | Acts::ByAverage)
        {
            to.no_effect(&key, why);
        }
    }
}
