//! Optical networks: matching sections, headers that arrive in time.

use optics::{AllocationRule, AnycastPolicy, AssemblySpec, Cycle, Overflow, PolicyFacts, Timer};
use plan::spec::SeriesKind;
use plan::topology::Graph;
use units::Bytes;

use super::{Check, Parts};
use crate::mistake::Flaw;

/// The maximum number of samples of all classes of a run together, each a row of a table.
const MOST_ROWS: u64 = 5_000_000;

/// The maximum number of spans of all classes of a run together, each a number.
const MOST_SPANS: u64 = 50_000_000;

impl Check<'_> {
    /// The sections of an optical network, apart from its topology.
    pub(super) fn optical_sections(&mut self, parts: &Parts, packet: Bytes) {
        let edges = parts.facts().map(|facts| facts.has_edges);
        let given = |key: &str| self.root.get(key).is_some();
        if edges == Some(true) && !given("assembly") {
            let flaw = Flaw::missing("assembly", "a table with timeout, or with policy = \"none\"");
            self.say(flaw, "topology");
        }
        for key in ["assembly", "core", "control"] {
            if edges == Some(false) && given(key) && !(parts.switches.is_some() && key == "core") {
                self.note(key, "does not apply: no node is an edge");
            }
        }
        if edges == Some(true) && given("energy") {
            self.note("energy", "counts electronic and hybrid switches, not those of bursts");
        }
        if let Some(record) = parts.record.as_ref().filter(|_| edges == Some(false)) {
            if record.bursts > 0 {
                self.note("record.bursts", "does not apply: no node is an edge");
            }
            if record.series.contains(&SeriesKind::Channels) {
                self.note("record.series", "\"channels\" does not apply: no node is an edge");
            }
            for (key, given) in [
                ("record.synchronization", record.synchronization.is_some()),
                ("record.throughput-span", record.throughput_span.is_some()),
                ("record.fecs", !record.fecs.is_empty()),
            ] {
                if given {
                    self.note(key, "does not apply: no node is an edge");
                }
            }
        }
        if let Some(assembly) = &parts.assembly {
            self.assembly(assembly, packet);
        }
        self.switch_core(parts);
        if let Some(core) = &parts.core {
            if let Some(rule) = core.facts().anycast {
                let is_program = rule.policy == AnycastPolicy::Program;
                self.policy_program(("core", "anycast"), is_program, rule.program);
            }
            cores::check::section(core, &parts.around(), self.findings());
        }
    }

    fn assembly(&mut self, assembly: &AssemblySpec, packet: Bytes) {
        if assembly.policy.facts().aggregates {
            self.thresholds(assembly, packet);
        } else {
            self.no_aggregation(assembly);
        }
        self.queues_of_policy(assembly);
        let is_program = assembly.policy.facts().is_program;
        self.policy_program(("assembly", "policy"), is_program, assembly.program.as_deref());
    }

    /// Keys that do not apply if each packet is a burst. Defaults may be written out: a printed
    /// scenario has them.
    fn no_aggregation(&mut self, assembly: &AssemblySpec) {
        for (key, given) in [
            ("assembly.timeout", assembly.timeout.is_some()),
            ("assembly.max-size", assembly.max_size.is_some()),
            ("assembly.overflow", assembly.overflow != Overflow::default()),
            ("assembly.timer", assembly.timer != Timer::default()),
        ] {
            if given {
                self.note(key, "does not apply with policy = \"none\": each packet is a burst");
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
            // Any packet fills a smaller one.
            Overflow::ThisBurst => Bytes::ZERO,
        };
        if let Some(max_size) = assembly.max_size.filter(|&max_size| max_size < least) {
            let key = "assembly.max-size";
            let flaw = Flaw::new(key, "less than a packet on the wire").found(max_size.to_string());
            self.say(flaw.accepted(format!("at least {packet}")), key);
        }
        if assembly.overflow == Overflow::ThisBurst && assembly.max_size.is_none() {
            self.note("assembly.overflow", "does not apply without max-size");
        }
        if assembly.timer == Timer::Interval && assembly.cycle == Some(Cycle::Common) {
            let key = "assembly.timer";
            let flaw = Flaw::new(key, "a common cycle starts with its first packet");
            self.say(flaw.found("\"interval\"").accepted("\"first-packet\""), key);
        }
    }

    /// What divides flows among several queues.
    fn queues_of_policy(&mut self, assembly: &AssemblySpec) {
        let PolicyFacts { has_queues, has_cycles, allocates, is_program, .. } =
            assembly.policy.facts();
        if has_queues && assembly.queues.is_none() {
            let flaw = Flaw::missing("assembly.queues", "the assembly queues of a class");
            self.say(flaw, "assembly.policy");
        }
        let informed =
            is_program || (allocates && assembly.allocation == Some(AllocationRule::APosteriori));
        let with_cycles = "policy = \"dynamic-queues\", \"window-aware\" or \"program\"";
        for (key, has_use, given, with) in [
            (
                "assembly.queues",
                has_queues,
                assembly.queues.is_some(),
                "policy = \"static-queues\", \"dynamic-queues\", \"window-aware\" or \"program\"",
            ),
            (
                "assembly.allocation",
                allocates,
                assembly.allocation.is_some(),
                "policy = \"dynamic-queues\"",
            ),
            ("assembly.cycle", has_cycles, assembly.cycle.is_some(), with_cycles),
            (
                "assembly.loss-known",
                informed,
                assembly.loss_known.is_some(),
                "allocation = \"a-posteriori\" or policy = \"program\"",
            ),
        ] {
            if given && !has_use {
                self.note(key, format!("applies only with {with}"));
            }
        }
    }

    /// Recorded classes: each is a pair of edge routers, and the rows fit in memory.
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
            self.note("record.fecs", "does not apply without throughput-span");
        }
        let classes = (edges.len() * (edges.len() - 1)) as u64;
        for (key, interval, most) in [
            ("record.synchronization", record.synchronization, MOST_ROWS),
            ("record.throughput-span", record.throughput_span, MOST_SPANS),
        ] {
            let Some(interval) = interval.filter(|interval| interval.0 > 0) else { continue };
            let samples = (run.duration.0 / interval.0).saturating_add(1);
            if samples.saturating_mul(classes) > most {
                let flaw = Flaw::new(key, "too many samples")
                    .found(format!("{samples} for each of {classes} pairs of edge routers"));
                self.say(flaw.accepted(format!("{most} in all")), key);
            }
        }
    }
}
