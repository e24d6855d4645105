//! Optical networks: links between the right nodes, sections that fit, headers that come in time.

use network::routing::Routing;
use network::spec::{ChannelsSpec, ExplicitLink, NodeKind, SeriesKind, Topology};
use network::topology::Graph;
use optics::{
    AllocationRule, AssemblyPolicy, AssemblySpec, BurstCoreSpec, ControlSpec, Conversion, CoreSpec,
    Forwarding, Overflow, Timer,
};
use units::{Bytes, LinkId, NodeId, Rate, Span};

use super::{Check, Parts};
use crate::mistake::Flaw;

/// The most that routers times links between them may be for a search of all shortest paths within a check.
const MOST_SEARCH: usize = 2_000_000;

/// The most samples that all classes of a run may have together, a row of a table each.
const MOST_ROWS: u64 = 5_000_000;

/// The most spans that all classes of a run may have together, a number each.
const MOST_SPANS: u64 = 50_000_000;

impl Check<'_> {
    /// The sections of an optical network, apart from its topology.
    pub(super) fn optical_sections(&mut self, parts: &Parts, packet: Bytes) {
        let edges = parts.topology.as_ref().map(Topology::has_edges);
        let given = |key: &str| self.root.get(key).is_some();
        if edges == Some(true) && !given("assembly") {
            let flaw = Flaw::missing("assembly", "a table with timeout, or with policy = \"none\"");
            self.say(flaw, "topology");
        }
        for key in ["assembly", "core", "control"] {
            if edges == Some(false) && given(key) && !(parts.switches.is_some() && key == "core") {
                self.note(key, "has no use: no node is an edge");
            }
        }
        if edges == Some(true) && given("energy") {
            self.note("energy", "counts electronic and hybrid switches, not those of bursts");
        }
        if let Some(record) = parts.record.as_ref().filter(|_| edges == Some(false)) {
            if record.bursts > 0 {
                self.note("record.bursts", "has no use: no node is an edge");
            }
            if record.series.contains(&SeriesKind::Channels) {
                self.note("record.series", "\"channels\" has no use: no node is an edge");
            }
            for (key, given) in [
                ("record.synchronization", record.synchronization.is_some()),
                ("record.throughput-span", record.throughput_span.is_some()),
                ("record.fecs", !record.fecs.is_empty()),
            ] {
                if given {
                    self.note(key, "has no use: no node is an edge");
                }
            }
        }
        if let Some(assembly) = &parts.assembly {
            self.assembly(assembly, packet);
        }
        self.switch_core(parts);
        if let Some(core) = &parts.core {
            match core {
                CoreSpec::Burst(core) => self.burst_core(core),
                CoreSpec::Packet(core) => self.packet_core(core, parts),
                CoreSpec::Hybrid(_) => {}
                CoreSpec::Cioq(core) => self.cioq_core(core, packet),
                CoreSpec::OutputQueued(core) => self.output_queued_core(core),
            }
        }
    }

    fn assembly(&mut self, assembly: &AssemblySpec, packet: Bytes) {
        if assembly.policy == AssemblyPolicy::None {
            self.no_aggregation(assembly);
        } else {
            self.thresholds(assembly, packet);
        }
        self.queues_of_policy(assembly);
    }

    /// What has no use where each packet is a burst. Defaults that are written out do no harm: a
    /// scenario that is printed has them.
    fn no_aggregation(&mut self, assembly: &AssemblySpec) {
        for (key, given) in [
            ("assembly.timeout", assembly.timeout.is_some()),
            ("assembly.max-size", assembly.max_size.is_some()),
            ("assembly.overflow", assembly.overflow != Overflow::default()),
            ("assembly.timer", assembly.timer != Timer::default()),
        ] {
            if given {
                self.note(key, "has no use with policy = \"none\": each packet is a burst");
            }
        }
    }

    /// When a burst leaves.
    fn thresholds(&mut self, assembly: &AssemblySpec, packet: Bytes) {
        if assembly.timeout.is_none() {
            let accepted = "how long a burst collects, unless policy = \"none\"";
            let flaw = Flaw::missing("assembly.timeout", accepted);
            self.say(flaw, "assembly");
        }
        let least = match assembly.overflow {
            Overflow::NextBurst => packet,
            // Smaller ones are filled by any packet.
            Overflow::ThisBurst => Bytes::ZERO,
        };
        if let Some(max_size) = assembly.max_size.filter(|&max_size| max_size < least) {
            let key = "assembly.max-size";
            let flaw = Flaw::new(key, "less than a packet on the wire").found(max_size.to_string());
            self.say(flaw.accepted(format!("at least {packet}")), key);
        }
        if assembly.overflow == Overflow::ThisBurst && assembly.max_size.is_none() {
            self.note("assembly.overflow", "has no use without max-size");
        }
        let runs = matches!(assembly.policy, AssemblyPolicy::MixedFlow | AssemblyPolicy::PerFlow);
        if assembly.timer == Timer::Interval && !runs {
            let key = "assembly.timer";
            let flaw = Flaw::new(key, "only with policy = \"mixed-flow\" or \"per-flow\"");
            self.say(flaw.found("\"interval\"").accepted("\"first-packet\""), key);
        }
    }

    /// What divides flows among several queues.
    fn queues_of_policy(&mut self, assembly: &AssemblySpec) {
        let policy = assembly.policy;
        let dynamic = policy == AssemblyPolicy::DynamicQueues;
        let cycles = dynamic || policy == AssemblyPolicy::WindowAware;
        let several = cycles || policy == AssemblyPolicy::StaticQueues;
        if several && assembly.queues.is_none() {
            let flaw = Flaw::missing("assembly.queues", "the assembly queues of a class");
            self.say(flaw, "assembly.policy");
        }
        let informed = dynamic && assembly.allocation == Some(AllocationRule::APosteriori);
        let with_cycles = "policy = \"dynamic-queues\" or \"window-aware\"";
        for (key, has_use, given, with) in [
            (
                "assembly.queues",
                several,
                assembly.queues.is_some(),
                "policy = \"static-queues\", \"dynamic-queues\" or \"window-aware\"",
            ),
            (
                "assembly.allocation",
                dynamic,
                assembly.allocation.is_some(),
                "policy = \"dynamic-queues\"",
            ),
            ("assembly.cycle", cycles, assembly.cycle.is_some(), with_cycles),
            (
                "assembly.loss-known",
                informed,
                assembly.loss_known.is_some(),
                "allocation = \"a-posteriori\"",
            ),
        ] {
            if given && !has_use {
                self.note(key, format!("has no use unless {with}"));
            }
        }
    }

    fn burst_core(&mut self, core: &BurstCoreSpec) {
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
        self.delay_lines(&core.fibre_delays, core.fibre_loop);
    }

    /// A link of an explicit topology: optical between optical nodes, and nothing else at a core.
    pub(super) fn optical_link(
        &mut self,
        link: &ExplicitLink,
        (kinds, hybrid): ([NodeKind; 2], bool),
        key: &str,
    ) {
        let optical = |kind: NodeKind| matches!(kind, NodeKind::Edge | NodeKind::Core);
        let say = |check: &mut Self, below: &str, problem: &str| {
            check.note(&format!("{key}.{below}"), problem.to_owned());
        };
        if hybrid {
            return;
        }
        if link.channels.is_none() {
            if kinds.contains(&NodeKind::Core) {
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
            say(self, "channels", "an optical link joins edge and core nodes only");
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

    /// What is recorded of classes: each is a pair of edge routers, and the rows fit in memory.
    pub(super) fn classes_recorded(&mut self, parts: &Parts, graph: &Graph) {
        let edges: Vec<&str> =
            graph.edges().map(|id| graph.nodes[id.index()].name.as_str()).collect();
        let (Some(run), Some(record)) = (&parts.run, &parts.record) else { return };
        if edges.is_empty() {
            return;
        }
        for (at, class) in record.fecs.iter().enumerate() {
            let ends = class.split_once(" -> ");
            if ends.is_none_or(|(a, b)| a == b || !edges.contains(&a) || !edges.contains(&b)) {
                let key = format!("record.fecs.{at}");
                let flaw = Flaw::new(&key, "not a class").found(self.written(&key));
                self.say(flaw.accepted("\"INGRESS -> EGRESS\", two edge routers"), &key);
            }
        }
        if !record.fecs.is_empty() && record.throughput_span.is_none() {
            self.note("record.fecs", "has no use without throughput-span");
        }
        let classes = (edges.len() * (edges.len() - 1)) as u64;
        for (key, interval, most) in [
            ("record.synchronization", record.synchronization, MOST_ROWS),
            ("record.throughput-span", record.throughput_span, MOST_SPANS),
        ] {
            let Some(interval) = interval.filter(|interval| interval.0 > 0) else { continue };
            let samples = (run.duration.0 / interval.0).saturating_add(1);
            if samples.saturating_mul(classes) > most {
                let flaw = Flaw::new(key, "there would be too many of them")
                    .found(format!("{samples} for each of {classes} pairs of edge routers"));
                self.say(flaw.accepted(format!("{most} in all")), key);
            }
        }
    }

    /// The offset must let every core router of a path process a header before its burst comes, on
    /// every path of equal cost. Not looked at are networks that are too large for it, and cores
    /// that store bursts, whose length comes to the offset: late headers are counted in every run.
    pub(super) fn offset(&mut self, parts: &Parts, graph: &Graph) {
        let Some(assembly) = parts.assembly else { return };
        let (Some(CoreSpec::Burst(core)), Some(control)) = (&parts.core, parts.control) else {
            return;
        };
        let forwards = |id: NodeId| graph.nodes[id.index()].kind.forwards();
        let routers = (0..graph.nodes.len()).map(NodeId::at).filter(|&id| forwards(id)).count();
        // The links of hosts are no part of the search.
        let inner = graph.links.iter().filter(|link| forwards(link.from) && forwards(link.to));
        let stores = core.forwarding == Forwarding::StoreAndForward;
        if stores || routers.saturating_mul(inner.count()) > MOST_SEARCH {
            return;
        }
        let routing = Routing::new(graph, parts.routing.unwrap_or_default().metric, 0);
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
            self.say(flaw.accepted(format!("at least {}", Span(least))), key);
        }
    }
}

/// A search over all paths of equal cost to one edge.
struct Search<'a> {
    graph: &'a Graph,
    routing: &'a Routing,
    to: NodeId,
    /// For each router, once it is known: the least that is left of an offset on the way from it.
    known: Vec<Option<i128>>,
}

impl Search<'_> {
    /// By how much an offset has shrunk at the worst core router on the way from a node, bursts
    /// ending at the next edge: zero where it never does.
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
