//! What a schema cannot express: errors between values.
//!
//! Each part of a scenario that the walk found correct is checked, even if others have errors, so
//! that one load reports as many errors as possible.

mod closed_loops;
mod effects;
mod flows;
mod graphs;
mod links;
mod listed_flows;
mod matrix;
mod optical;
mod policies;
mod reach;
mod splitting;
mod spread;
mod switches;

use std::collections::BTreeMap;

use cores::check::Around;
use optics::{AssemblySpec, ControlSpec};
use plan::check::Findings;
use plan::shapes::{self, ShapeFacts, Topology};
use plan::spec::{Change, ChangeSpec, CoreSpec, NodeKind, RoutingSpec, SplittingSpec};
use plan::topology::{Graph, LinkName, LinksByName};
use serde::de::DeserializeOwned;
use switches::Switches;
use traffic::{Form, Source};
use transport::{ProfileSpec, TcpOptions, resolve};
use units::NodeId;

use crate::assemble::{interface_queue, switch_kind};
use crate::mistake::{Flaw, Mistakes, nearest};
use crate::schema::{RecordSpec, RunSpec, TrafficSpec};
use crate::tree::Node;

/// The maximum number of rows of all series of a run together.
const MOST_SAMPLES: u64 = 10_000_000;

/// Collects every error that the schema does not catch.
pub(crate) fn check(root: &Node, mistakes: &mut Mistakes) {
    let mut check = Check { root, mistakes };
    let mut parts = check.parts();
    check.profile(&mut parts);
    if let Some(run) = &parts.run {
        check.run(run);
        check.until(run, &parts.traffic);
    }
    check.sources(&parts);
    check.spread(&parts);
    check.optical_sections(&parts, flows::largest_packet(&parts));
    let Some(topology) = &parts.topology else { return };
    if !check.topology(topology, flows::largest_packet(&parts), parts.switches.is_some()) {
        return;
    }
    let interface = interface_queue(&parts.profile);
    let mut graph = Graph::new(topology.shape(), interface, switch_kind(parts.core.as_ref()));
    if !shapes::channels(parts.core.as_ref(), &graph, check.findings()) {
        return;
    }
    graph.add_channels(parts.core.as_ref());
    check.changes(&parts, &graph);
    check.changed_rates(&parts, &graph);
    check.first_bit_links(&parts, &graph);
    check.classes_recorded(&parts, &graph);
    if let Some(splitting) = &parts.splitting {
        check.splitting(splitting, parts.core.as_ref(), &graph);
    }
    if let Some(core) = &parts.core {
        cores::check::network(core, &parts.around(), &graph, check.findings());
    }
    let flows = check.flows(&parts, &graph, topology.facts().is_connected);
    check.samples(&parts, graph.links.len() as u64, flows);
    check.effects(&parts, &graph);
}

/// The parts of a scenario; each is present if the walk found no error in it.
struct Parts {
    profile: ProfileSpec,
    run: Option<RunSpec>,
    topology: Option<Topology>,
    traffic: Vec<Option<TrafficSpec>>,
    changes: Vec<Option<ChangeSpec>>,
    record: Option<RecordSpec>,
    routing: Option<RoutingSpec>,
    assembly: Option<AssemblySpec>,
    core: Option<CoreSpec>,
    control: Option<ControlSpec>,
    splitting: Option<SplittingSpec>,
    /// The kind of its core switches, if they need no edges, even if they have other errors.
    switches: Option<Switches>,
}

impl Parts {
    /// What others ask of the topology.
    fn facts(&self) -> Option<ShapeFacts<'_>> {
        self.topology.as_ref().map(|topology| topology.facts())
    }

    /// What a kind of core checks in addition to its own section.
    fn around(&self) -> Around<'_> {
        Around {
            packet: flows::largest_packet(self),
            topology: self.topology.as_ref(),
            assembly: self.assembly.as_ref(),
            control: self.control.as_ref(),
            metric: self.routing.unwrap_or_default().metric,
        }
    }
}

/// Where the parts of a scenario that check themselves report what is wrong.
pub(crate) fn findings<'a>(root: &'a Node, mistakes: &'a mut Mistakes) -> impl Findings + 'a {
    Check { root, mistakes }
}

/// The state of a check.
struct Check<'a> {
    root: &'a Node,
    mistakes: &'a mut Mistakes,
}

impl Findings for Check<'_> {
    fn mistake(&mut self, flaw: Flaw, at: &str) {
        self.say(flaw, at);
    }

    fn warning(&mut self, flaw: Flaw, at: &str) {
        self.warn(flaw, at);
    }

    fn is_written(&self, key: &str) -> bool {
        self.root.at(key).is_some()
    }

    fn written(&self, key: &str) -> String {
        Check::written(self, key)
    }

    fn nearest<'a>(
        &self,
        wrong: &str,
        names: &mut dyn Iterator<Item = &'a str>,
    ) -> Option<&'a str> {
        nearest(wrong, names)
    }

    fn is_full(&self) -> bool {
        self.mistakes.is_full()
    }
}

impl Check<'_> {
    /// For the parts that check themselves.
    fn findings(&mut self) -> &mut dyn Findings {
        self
    }

    /// An error at a dotted key, on the line of it or of the nearest key above it that is written.
    fn note(&mut self, key: &str, problem: impl Into<String>) {
        self.say(Flaw::new(key, problem), key);
    }

    fn say(&mut self, flaw: Flaw, key: &str) {
        self.mistakes.add(self.root.place_of(key), flaw);
    }

    /// A warning at a dotted key, on the line of [`Check::note`].
    fn warn(&mut self, flaw: Flaw, key: &str) {
        self.mistakes.warn(self.root.place_of(key), flaw);
    }

    /// How the value at a dotted key was written.
    fn written(&self, key: &str) -> String {
        self.root.at(key).map(Node::text).unwrap_or_default()
    }

    /// A profile of a file is right by itself; where it is not, nothing else is said of it.
    fn profile(&mut self, parts: &mut Parts) {
        if let ProfileSpec::Named(_) = parts.profile {
            return;
        }
        if self.root.at("profile.values").is_none() {
            let flaw = Flaw::new("profile", "no values").found("a table without them");
            self.say(flaw.accepted("a name, or a table with the key file"), "profile");
        }
        let errors = resolve(&parts.profile, &TcpOptions::default()).err().unwrap_or_default();
        if errors.is_empty() {
            return;
        }
        parts.profile = ProfileSpec::default();
        self.options(errors, "profile.values.tcp");
    }

    fn parts(&self) -> Parts {
        Parts {
            profile: self.part("profile").unwrap_or_default(),
            run: self.part("run"),
            topology: self.part("topology"),
            traffic: self.list("traffic"),
            changes: self.list("changes"),
            record: self.part_or_default("record"),
            routing: self.part_or_default("routing"),
            assembly: self.part("assembly"),
            core: self.part_or_default("core"),
            control: self.part_or_default("control"),
            splitting: self.part("splitting"),
            switches: self.switches(),
        }
    }

    /// An optional section.
    fn part_or_default<T: DeserializeOwned + Default>(&self, key: &str) -> Option<T> {
        let absent = self.root.get(key).is_none();
        self.part(key).or_else(|| absent.then(T::default))
    }

    fn part<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let node = self.root.at(key)?;
        if self.mistakes.touch(key) {
            return None;
        }
        serde_json::from_value(node.to_json()).ok()
    }

    fn list<T: DeserializeOwned>(&self, key: &str) -> Vec<Option<T>> {
        let items = self.root.get(key).map(Node::items).unwrap_or_default();
        let dirty = self.mistakes.touch(key);
        let parse = |(at, node): (usize, &Node)| {
            if dirty && self.mistakes.touch(&format!("{key}.{at}")) {
                return None;
            }
            serde_json::from_value(node.to_json()).ok()
        };
        items.iter().enumerate().map(parse).collect()
    }

    fn run(&mut self, run: &RunSpec) {
        if run.warmup >= run.duration {
            let flaw = Flaw::new("run.warmup", "leaves nothing to measure")
                .found(self.written("run.warmup"))
                .accepted(format!("less than the duration, {}", run.duration));
            self.say(flaw, "run.warmup");
        }
    }

    /// A run that lasts until a file is delivered needs a file.
    fn until(&mut self, run: &RunSpec, traffic: &[Option<TrafficSpec>]) {
        let file = |entry: &Option<TrafficSpec>| {
            entry.as_ref().is_none_or(|e| {
                e.source.has_pairs() || matches!(e.source.form(), Form::File(Some(_)))
            })
        };
        if !run.until.is_duration() && !traffic.iter().any(file) {
            let mut kinds = Source::words(Source::has_pairs);
            let last = kinds.pop().unwrap_or_default();
            let kinds = format!("\"bulk\" with a size, {} or {last}", kinds.join(", "));
            let flaw = Flaw::new("run.until", "no source sends a file")
                .found(self.written("run.until"))
                .accepted(format!("a source of kind {kinds}"));
            self.say(flaw, "run.until");
        }
    }

    fn changes(&mut self, parts: &Parts, graph: &Graph) {
        if parts.changes.is_empty() {
            return;
        }
        let names = graph.nodes.iter().map(|node| node.name.as_str()).zip((0..).map(NodeId::at));
        let ids: BTreeMap<&str, NodeId> = names.collect();
        let mut lightpaths: BTreeMap<(NodeId, NodeId), Option<u32>> = BTreeMap::new();
        for link in &graph.links {
            lightpaths.insert((link.from, link.to), link.lightpath);
        }
        for (at, change) in parts.changes.iter().enumerate() {
            let Some(change) = change else { continue };
            if let Some(run) = parts.run.filter(|run| change.at > run.duration) {
                let key = format!("changes.{at}.at");
                let flaw = Flaw::new(&key, "has no effect: after the end of the run")
                    .found(self.written(&key))
                    .accepted(format!("at most the duration, {}", run.duration));
                self.warn(flaw, &key);
            }
            let key = format!("changes.{at}.link");
            let Some(name) = LinkName::read(&change.link) else {
                let flaw = Flaw::new(&key, "not a link").found(self.written(&key)).accepted(
                    "\"A -> B\" for one direction, \"A - B\" for both, with \":0\" appended for a lightpath",
                );
                self.say(flaw, &key);
                continue;
            };
            let LinkName { from, to, both, lightpath } = name;
            // The last lightpath from one node to another; none for a single link.
            let last = |a: &str, b: &str| {
                ids.get(a).zip(ids.get(b)).and_then(|(&a, &b)| lightpaths.get(&(a, b)).copied())
            };
            if let Some(absent) = [from, to].iter().find(|name| !ids.contains_key(**name)) {
                self.note(&key, format!("no node is called \"{absent}\""));
                continue;
            }
            let Some(last) = last(from, to).or_else(|| last(to, from).filter(|_| both)) else {
                self.note(&key, format!("no link leads from \"{from}\" to \"{to}\""));
                continue;
            };
            match (lightpath, last) {
                (Some(_), None) => {
                    let flaw = Flaw::new(&key, "the link is not a bundle: it has no lightpaths");
                    self.say(flaw.found(self.written(&key)), &key);
                }
                (Some(wanted), Some(last)) if wanted > last => {
                    let flaw = Flaw::new(&key, "no such lightpath").found(self.written(&key));
                    self.say(flaw.accepted(format!("lightpaths 0 to {last}")), &key);
                }
                _ => {}
            }
        }
    }

    /// The rates of optical links, and of links of switches that act on the first bit, cannot
    /// change.
    fn changed_rates(&mut self, parts: &Parts, graph: &Graph) {
        let name = parts.switches.and_then(Switches::first_bit);
        let optical = graph.links.iter().any(|link| link.channels.is_some());
        let rate = |change: &ChangeSpec| matches!(change.set, Change::Rate { .. });
        let none = !parts.changes.iter().flatten().any(rate);
        if none || (name.is_none() && !optical) {
            return;
        }
        let links = LinksByName::new(graph);
        let is_core = |at: NodeId| graph.nodes[at.index()].kind == NodeKind::Core;
        for (at, change) in parts.changes.iter().enumerate() {
            let Some(change) = change.as_ref().filter(|change| rate(change)) else { continue };
            let named = links.named(&change.link);
            let mut ends = named.iter().map(|link| &graph.links[link.index()]);
            let problem = if ends.clone().any(|link| link.channels.is_some()) {
                "the rate of an optical link does not change".to_owned()
            } else if let Some(name) = name
                && ends.any(|link| is_core(link.from) || is_core(link.to))
            {
                format!("the rate of links of {name} switches does not change")
            } else {
                continue;
            };
            let key = format!("changes.{at}.set.kind");
            let flaw = Flaw::new(&key, problem);
            self.say(flaw.found("\"rate\"").accepted("\"down\", \"up\""), &key);
        }
    }

    /// The series together must fit in memory.
    fn samples(&mut self, parts: &Parts, links: u64, flows: u64) {
        let (Some(run), Some(record)) = (&parts.run, &parts.record) else { return };
        let mut subjects = 0u64;
        for kind in &record.series {
            subjects += match kind {
                plan::spec::SeriesKind::Queue | plan::spec::SeriesKind::Channels => links,
                _ => flows,
            };
        }
        let samples = (run.duration.0 / record.interval.0.max(1)).saturating_add(1);
        if samples.saturating_mul(subjects) > MOST_SAMPLES {
            let flaw = Flaw::new("record.interval", "the series would be too long")
                .found(format!("{samples} samples of {subjects} values"))
                .accepted(format!("{MOST_SAMPLES} in all"));
            self.say(flaw, "record.interval");
        }
    }
}
