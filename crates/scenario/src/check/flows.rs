//! Traffic: hosts that exist, pairs that are possible, transports that can carry it.

use optics::{CircuitSchedule, TellBy};
use plan::shapes::FileNetwork;
use plan::topology::Graph;
use traffic::{Form, Size, SizeLaw, Source, Start, StartLaw};
use transport::message::MessageCircuits;
use transport::tcp::circuits;
use transport::{OptionError, Transport, resolve};
use units::{Bytes, NodeId};

use super::reach::Reach;
use super::{Check, Parts};
use crate::endpoints::{self, Hosts, Unmatched};
use crate::mistake::{Flaw, Place, nearest};
use crate::schema::{Ends, Pattern, TrafficSpec};

/// The maximum number of flows of a scenario.
const MOST_FLOWS: u64 = 10_000_000;

/// The maximum number of comparisons of patterns with hosts in the time of a check.
const MOST_MATCHES: usize = 20_000_000;

/// The maximum number of flows of a sender that share its slots: each of them draws the packets of
/// all.
const MOST_IN_SLOTS: u64 = 10_000;

/// The maximum size of a datagram, its header included (RFC 791 and RFC 768).
const LARGEST_DATAGRAM: u64 = 65_535;

/// The share of the data that may be cut from packets that are larger than a datagram: what no measurement shows.
const MOST_CUT: f64 = 1e-6;

/// The largest packet on the wire that is known beforehand; zero if none is.
pub(super) fn largest_packet(parts: &Parts) -> Bytes {
    let packet = |entry: &TrafficSpec| match &entry.transport {
        Transport::Tcp(options) => resolve(&parts.profile, options)
            .map_or(0, |config| config.segment.0.saturating_add(config.header.0)),
        Transport::StopAndWait(options) => options.packet.0.saturating_add(options.header.0),
        Transport::Message(options) => options.full().0,
        Transport::Udp(options) => {
            let header = options.resolve(&parts.profile).header.0;
            largest(&entry.source).map_or(0, |data| data.0.saturating_add(header))
        }
    };
    Bytes(parts.traffic.iter().flatten().map(packet).max().unwrap_or(0))
}

/// The data of a source's largest packets if known beforehand.
fn largest(source: &Source) -> Option<Bytes> {
    match source.facts().packet?.as_ref() {
        Size::Plain(size) | Size::Drawn(SizeLaw::Fixed { size }) => Some(*size),
        Size::Drawn(SizeLaw::Mix { sizes, .. }) => sizes.iter().max().copied(),
        Size::Drawn(law) => law.points().last().map(|point| point.size),
    }
}

impl Check<'_> {
    /// The keys of each entry of traffic, except its hosts.
    pub(super) fn sources(&mut self, parts: &Parts) {
        for (at, entry) in parts.traffic.iter().enumerate() {
            let Some(entry) = entry else { continue };
            let key = format!("traffic.{at}");
            for (below, problem) in entry.source.check() {
                self.below(&format!("{key}.source"), &below, problem);
            }
            for (below, problem) in entry.start.check() {
                self.below(&format!("{key}.start"), &below, problem);
            }
            self.start(parts, &entry.start, &format!("{key}.start"));
            self.stop(parts, entry, &format!("{key}.stop"));
            self.transport(parts, entry, &key);
            self.random(entry, &key);
            self.closed_loop(entry, &key);
        }
    }

    /// Random partners are drawn for transfers, by one process.
    fn random(&mut self, entry: &TrafficSpec, key: &str) {
        let random = matches!(entry.pattern, Pattern::Random | Pattern::Uniform);
        let own_pairs = entry.source.has_pairs();
        if !random || own_pairs || entry.source.closed_loop().is_some() {
            return;
        }
        if entry.source.transfers().is_none() {
            let key = format!("{key}.pattern");
            let kinds = Source::words(|source| source.transfers().is_some()).join(" or ");
            let flaw = Flaw::new(&key, "only transfers have random partners")
                .found(self.written(&key))
                .accepted(format!("a source of kind {kinds} with it"));
            self.say(flaw, &key);
        }
        if entry.count != 1 {
            let key = format!("{key}.count");
            let flaw =
                Flaw::new(&key, "a pattern of random partners has one process for the whole entry")
                    .found(self.written(&key))
                    .accepted("1; \"per-second\" says how often a transfer begins");
            self.say(flaw, &key);
        }
    }

    fn below(&mut self, key: &str, below: &str, problem: String) {
        let key = if below.is_empty() { key.to_owned() } else { format!("{key}.{below}") };
        let flaw = Flaw::new(&key, problem).found(self.written(&key));
        self.say(flaw, &key);
    }

    fn start(&mut self, parts: &Parts, start: &Start, key: &str) {
        let Some(run) = parts.run else { return };
        let (last, key) = match start {
            Start::At(at) => (*at, key.to_owned()),
            Start::Drawn(StartLaw::Uniform { to, .. }) => (*to, format!("{key}.to")),
        };
        if last > run.duration {
            let flaw = Flaw::new(&key, "after the end of the run")
                .found(self.written(&key))
                .accepted(format!("at most the duration, {}", run.duration));
            self.say(flaw, &key);
        }
    }

    /// A stop is after every start and within the run, for a source that does not end on its own.
    fn stop(&mut self, parts: &Parts, entry: &TrafficSpec, key: &str) {
        let Some(stop) = entry.stop else { return };
        let (listed, graph) = (entry.source.list().is_some(), entry.source.graph().is_some());
        if listed || graph || entry.source.closed_loop().is_some() {
            let what = match (listed, graph) {
                (true, _) => "a list of flows",
                (false, true) => "a graph",
                (false, false) => "a closed loop",
            };
            let flaw = Flaw::new(key, format!("{what} has its own end")).found(self.written(key));
            return self.say(flaw.accepted("no stop with this source"), key);
        }
        let last = match entry.start {
            Start::At(at) => at,
            Start::Drawn(StartLaw::Uniform { to, .. }) => to,
        };
        if stop <= last {
            let flaw = Flaw::new(key, "not after the start").found(self.written(key));
            self.say(flaw.accepted(format!("more than {last}")), key);
        }
        if let Some(run) = parts.run.filter(|run| stop >= run.duration) {
            let flaw = Flaw::new(key, "has no effect: after the end of the run");
            let flaw = flaw.found(self.written(key));
            self.warn(flaw.accepted(format!("before {}", run.duration)), key);
        }
    }

    fn transport(&mut self, parts: &Parts, entry: &TrafficSpec, key: &str) {
        let below = format!("{key}.transport");
        match &entry.transport {
            Transport::Tcp(options) => {
                let errors = resolve(&parts.profile, options).err().unwrap_or_default();
                self.options(errors, &below);
                if let Some(circuits) = &options.circuits {
                    let holds = match circuits {
                        circuits::Options::Hold(_) => true,
                        circuits::Options::ReTcp(_) | circuits::Options::TdTcp(_) => false,
                    };
                    self.heeds_circuits(parts, holds, &format!("{below}.circuits"));
                }
            }
            Transport::StopAndWait(options) => self.options(options.check(), &below),
            Transport::Message(options) => {
                self.options(options.check(), &below);
                if let Some(MessageCircuits::Hold) = options.circuits {
                    self.heeds_circuits(parts, true, &format!("{below}.circuits"));
                }
            }
            Transport::Udp(options) => {
                let key = format!("{key}.source");
                if entry.source.sends_files() {
                    let kinds = Source::words(|source| !source.sends_files()).join(", ");
                    let flaw =
                        Flaw::new(&key, "a file needs acknowledgments: UDP has no rate of its own")
                            .found(self.written(&format!("{key}.kind")))
                            .accepted(format!("{kinds} over UDP"));
                    self.say(flaw, &key);
                }
                let header = options.resolve(&parts.profile).header.0;
                let most = LARGEST_DATAGRAM.saturating_sub(header);
                if let Some(data) = largest(&entry.source).filter(|data| data.0 > most) {
                    let flaw = Flaw::new(&key, "does not fit in a datagram")
                        .found(data.to_string())
                        .accepted(format!("at most {most} B"));
                    self.say(flaw, &key);
                } else if let Some(packet) = entry.source.facts().packet
                    && let share = packet.share_beyond(Bytes(most))
                    && share > MOST_CUT
                    && !self.mistakes.touch(&format!("{key}.packet"))
                {
                    let key = format!("{key}.packet");
                    let found = format!("{:.2} % of the data beyond {most} B", 100.0 * share);
                    let flaw =
                        Flaw::new(&key, "packets that do not fit in a datagram").found(found);
                    self.say(flaw.accepted("a law with a largest size"), &key);
                }
            }
        }
    }

    /// A sender that heeds circuits has a rack that tells of them, and one that holds its data until there is one is told of
    /// those that do not follow them.
    fn heeds_circuits(&mut self, parts: &Parts, holds: bool, key: &str) {
        if self.root.at("core").is_some() && parts.core.is_none() {
            return;
        }
        let core = parts.core.as_ref().and_then(|core| core.facts().circuit);
        let Some((core, told)) = core.and_then(|core| Some((core, core.tell_hosts?))) else {
            let flaw = Flaw::new(key, "no rack tells its hosts of circuits");
            let accepted = "none, or core.tell-hosts with core.kind = \"circuit\"";
            return self.say(flaw.accepted(accepted), key);
        };
        if !holds {
            return;
        }
        if core.schedule == CircuitSchedule::Demand {
            let problem =
                "what is held does not wait in racks, whose queues circuits on demand follow";
            let flaw = Flaw::new(key, problem).found("\"hold\"");
            self.say(flaw.accepted("another, or another core.schedule"), key);
        } else if told.by == TellBy::Acknowledgments {
            let problem = "what is held has no acknowledgments that tell of circuits";
            let flaw = Flaw::new(key, problem).found("\"hold\"");
            self.say(flaw.accepted("another, or core.tell-hosts by = \"messages\""), key);
        }
    }

    /// The options of a transport, which are below `key`.
    pub(super) fn options(&mut self, errors: Vec<OptionError>, key: &str) {
        for error in errors {
            let key = format!("{key}.{}", error.key);
            let flaw = Flaw::new(&key, error.problem);
            let flaw = flaw.found(error.found).accepted(error.accepted);
            self.say_in(flaw, &key, error.line);
        }
    }

    /// An error in a line of the text that a key has.
    pub(super) fn say_in(&mut self, flaw: Flaw, key: &str, line: Option<u32>) {
        match (self.root.place_of(key), line) {
            // A text that is a file of its own has its lines.
            (Place::File(file, first), Some(line)) => {
                self.mistakes.add(Place::File(file, first + line - 1), flaw);
            }
            (place, _) => self.mistakes.add(place, flaw),
        }
    }

    /// The ends of all flows, and how many flows there are. Unless the network `is_connected`, a path may be
    /// missing.
    pub(super) fn flows(&mut self, parts: &Parts, graph: &Graph, is_connected: bool) -> u64 {
        let hosts = &Hosts::new(graph);
        let pattern = |ends: &Ends| matches!(ends, Ends::One(name) if name.contains('*'));
        let entries = parts.traffic.iter().flatten();
        let patterns: usize =
            entries.map(|e| usize::from(pattern(&e.from)) + usize::from(pattern(&e.to))).sum();
        if patterns.saturating_mul(hosts.count()) > MOST_MATCHES {
            let problem = format!("{patterns} patterns are too many for {} hosts", hosts.count());
            self.note("traffic", problem);
            return 0;
        }
        let reach = (!is_connected).then(|| Reach::new(graph));
        let mut flows = 0u64;
        for (at, entry) in parts.traffic.iter().enumerate() {
            let Some(entry) = entry else { continue };
            let key = format!("traffic.{at}");
            let from = self.select(hosts, &entry.from, &format!("{key}.from"));
            let to = self.select(hosts, &entry.to, &format!("{key}.to"));
            let (Some(from), Some(to)) = (from, to) else { continue };
            if entry.source.closed_loop().is_some() && entry.pattern != Pattern::All {
                continue;
            }
            let pairs = match (entry.source.form(), &entry.matrix) {
                (Form::List(flows), None) => {
                    let around = (parts, hosts, reach.as_ref());
                    self.listed_flows(around, (entry, flows), [&from, &to], &key)
                }
                (Form::Graph(of), None) => {
                    self.graph((hosts, graph, reach.as_ref()), (entry, of), [&from, &to], &key)
                }
                (_, Some(matrix)) => {
                    let around = (parts, graph, reach.as_ref());
                    self.matrix(around, (entry, matrix), [&from, &to], &key)
                }
                (_, None) => self.pairs(hosts, entry, (&from, &to), &key),
            };
            let Some(pairs) = pairs else { continue };
            if entry.source.is_shared_by_flows() && entry.matrix.is_none() {
                self.shares(entry, (&from, &to), &key);
            }
            let each = u64::from(entry.count) * (1 + u64::from(entry.source.under_way()));
            let mut here = pairs.saturating_mul(each);
            if let Some(of) = entry.source.closed_loop() {
                let Some(most) = self.at_a_time(of, (&from, &to), &key) else {
                    continue;
                };
                here = most;
            }
            flows = flows.saturating_add(here);
            if flows > MOST_FLOWS {
                let flaw = Flaw::new(&key, "too many flows")
                    .found(format!("{flows} with this entry"))
                    .accepted(format!("at most {MOST_FLOWS} in all"));
                self.say(flaw, &key);
                return 0;
            }
            let own_pairs = entry.matrix.is_some() || entry.source.has_pairs();
            if let Some(reach) = reach.as_ref().filter(|_| !own_pairs) {
                let way = Way { reach, graph, from: &from, to: &to };
                self.reach(parts, entry, &way, &format!("{key}.to"));
            }
        }
        flows
    }

    /// The pairs of an entry with a pattern; none if there are none.
    fn pairs(
        &mut self,
        hosts: &Hosts<'_>,
        entry: &TrafficSpec,
        (from, to): (&[NodeId], &[NodeId]),
        key: &str,
    ) -> Option<u64> {
        let pairs = endpoints::count(entry.pattern, from, to, |id| hosts.home(id));
        pairs.map_err(|problem| self.note(&format!("{key}.to"), problem)).ok()
    }

    /// The flows of a sender that share its slots.
    fn shares(&mut self, entry: &TrafficSpec, (from, to): (&[NodeId], &[NodeId]), key: &str) {
        let receivers = match entry.pattern {
            Pattern::All => to.len(),
            Pattern::Pairs if from.len() == 1 => to.len(),
            _ => 1,
        };
        let mut sorted = from.to_vec();
        sorted.sort_unstable();
        let times = sorted.chunk_by(|one, other| one == other).map(<[NodeId]>::len).max();
        let flows = (receivers * times.unwrap_or(1)) as u64 * u64::from(entry.count);
        if flows > MOST_IN_SLOTS {
            let flaw = Flaw::new(key, "too many flows share the slots of a sender")
                .found(flows.to_string())
                .accepted(format!("at most {MOST_IN_SLOTS}"));
            self.say(flaw, key);
        }
    }

    fn select(&mut self, hosts: &Hosts<'_>, ends: &Ends, key: &str) -> Option<Vec<NodeId>> {
        let unmatched: Unmatched = match hosts.select(ends) {
            Ok(found) => return Some(found),
            Err(unmatched) => unmatched,
        };
        for (at, name) in unmatched {
            if self.mistakes.is_full() {
                break;
            }
            let key = at.map_or_else(|| key.to_owned(), |at| format!("{key}.{at}"));
            let (first, last) = (hosts.names().next(), hosts.names().last());
            let hint = match nearest(&name, hosts.names().take(200)) {
                Some(name) => format!(" (did you mean \"{name}\"?)"),
                None => String::new(),
            };
            let problem = match (at, name.contains('*')) {
                (None, true) => "matches no host".to_owned(),
                (Some(_), true) => "no such host; a pattern cannot be in a list".to_owned(),
                (_, false) => format!("no host has this name{hint}"),
            };
            let accepted = match (first, last) {
                (Some(first), Some(last)) if first != last => {
                    format!("the {} hosts \"{first}\" … \"{last}\"", hosts.count())
                }
                (Some(only), _) => format!("\"{only}\""),
                _ => String::new(),
            };
            let flaw = Flaw::new(&key, problem).found(self.written(&key)).accepted(accepted);
            self.say(flaw, &key);
        }
        None
    }

    /// Each pair must have a path, and a path back for acknowledgments.
    fn reach(&mut self, parts: &Parts, entry: &TrafficSpec, way: &Way<'_>, key: &str) {
        let acknowledged = !matches!(entry.transport, Transport::Udp(_));
        let lost = match entry.pattern {
            // All pairs, or random ones: all possible pairs must be connected. Hosts that reach the
            // same hosts are equivalent, so one of each kind is checked.
            Pattern::Permutation | Pattern::Random | Pattern::Uniform | Pattern::All => {
                let (from, to) = (way.reach.samples(way.from), way.reach.samples(way.to));
                way.first_lost(Pattern::All, (&from, &to), acknowledged)
            }
            Pattern::Pairs => way.first_lost(Pattern::Pairs, (way.from, way.to), acknowledged),
        };
        if let Some((from, to)) = lost {
            let name = |id: NodeId| &way.graph.nodes[id.index()].name;
            self.no_path(parts, (name(from), name(to)), key);
        }
    }

    /// No path leads from a host to another; where the graph has parts, how to do without the small ones.
    pub(super) fn no_path(&mut self, parts: &Parts, (from, to): (&str, &str), key: &str) {
        let flaw = Flaw::new(key, format!("no path leads from \"{from}\" to \"{to}\""));
        let file = parts.facts().and_then(|facts| facts.file);
        let sizes = file.map(FileNetwork::parts).unwrap_or_default();
        let flaw = match &sizes[..] {
            [largest, others @ ..] if !others.is_empty() => flaw
                .found(format!(
                    "a graph of {} parts, the largest with {largest} of {} places",
                    others.len() + 1,
                    largest + others.iter().sum::<usize>()
                ))
                .accepted("largest-part = true in the topology, or edges of one part"),
            _ => flaw,
        };
        self.say(flaw, key);
    }
}

struct Way<'a> {
    reach: &'a Reach,
    graph: &'a Graph,
    from: &'a [NodeId],
    to: &'a [NodeId],
}

impl Way<'_> {
    fn first_lost(
        &self,
        pattern: Pattern,
        (from, to): (&[NodeId], &[NodeId]),
        acknowledged: bool,
    ) -> Option<(NodeId, NodeId)> {
        let ways = endpoints::pairs(pattern, from, to)
            .flat_map(|(a, b)| [Some((a, b)), acknowledged.then_some((b, a))]);
        ways.flatten().find(|&(a, b)| !self.reach.reaches(a, b))
    }
}
