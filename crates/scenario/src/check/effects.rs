//! Which parts read a key: a key that is not read has no effect, and the user is warned.
//!
//! Keys that are refused elsewhere ("does not apply") are errors. The keys here are harmless: a scenario
//! that is varied by a sweep may have options of the other variants. Defaults that are written out are not
//! reported, because a printed scenario has them.

use plan::spec::{Metric, RoutingSpec, SpreadSpec};
use plan::topology::Graph;
use transport::message::window;
use transport::{Config, RtoLaw, StopAndWaitOptions, TcpOptions, Transport, resolve};

use super::{Check, Parts};
use crate::mistake::Flaw;
use crate::schema::{Pattern, RecordSpec, TrafficSpec};

/// The largest receiver's window without window scaling (RFC 9293 section 3.1).
const MOST_UNSCALED: u64 = 65_535;

/// Which connections read an option of TCP, with the text for the others.
struct Reader {
    keys: &'static [&'static str],
    reads: fn(&Config) -> bool,
    only: &'static str,
}

/// The options of TCP that not every connection reads.
const TCP_READERS: [Reader; 9] = [
    Reader {
        keys: &["rto-backoff", "rto-weight", "rto-margin"],
        reads: |config| config.rto_law == RtoLaw::Average,
        only: "only rto-law = \"average\" reads it",
    },
    Reader {
        keys: &["min-rto", "granularity"],
        reads: |config| config.rto_law != RtoLaw::Average,
        only: "only rto-law = \"rfc6298\" or \"linux\" reads it",
    },
    Reader {
        keys: &["limited-transmit"],
        reads: |config| !config.recovery.detects_by_time(),
        only: "recovery = \"rack\" does so in any case",
    },
    Reader {
        keys: &["f-rto"],
        reads: |config| !config.recovery.detects_by_time(),
        only: "recovery = \"rack\" learns of spurious timeouts from reports of duplicates",
    },
    Reader {
        keys: &["sack-blocks"],
        reads: |config| config.recovery.has_sack(),
        only: "only recovery = \"sack\" or \"rack\" reads it",
    },
    Reader {
        keys: &["ack-delay"],
        reads: |config| config.ack_every > 1,
        only: "with ack-every = 1 no acknowledgment waits",
    },
    Reader {
        keys: &["growth", "ssthresh-from", "initial-ssthresh"],
        reads: |config| !config.congestion.models_path(),
        only: "a rule that models the path has no slow start threshold",
    },
    Reader {
        keys: &["ecn-feedback"],
        reads: |config| config.ecn,
        only: "only ecn = true reads it",
    },
    Reader {
        keys: &["window-scaling"],
        reads: |config| config.receive_window.0 >= MOST_UNSCALED,
        only: "the receiver's window needs no scaling",
    },
];

impl Check<'_> {
    /// Warns of keys that no part of this scenario reads.
    pub(super) fn effects(&mut self, parts: &Parts, graph: &Graph) {
        let marks =
            graph.links.iter().any(|link| link.channels.is_none() && link.queue.facts().marks)
                || parts.core.as_ref().is_some_and(|core| core.facts().marks);
        let mut capable = false;
        for (at, entry) in parts.traffic.iter().enumerate() {
            let Some(entry) = entry else {
                capable = true;
                continue;
            };
            capable |= self.transport_effects(parts, entry, marks, &format!("traffic.{at}"));
        }
        if !capable {
            self.unread_marks(parts);
        }
        let heeds = |entry: &TrafficSpec| match &entry.transport {
            Transport::Tcp(options) => options.circuits.is_some(),
            Transport::Message(options) => options.circuits.is_some(),
            Transport::StopAndWait(_) | Transport::Udp(_) => false,
        };
        if !parts.traffic.iter().flatten().any(heeds) {
            self.silent("core.tell-hosts", "no sender heeds circuits");
        }
        if let Some(core) = &parts.core {
            cores::check::effects(core, &parts.around(), graph, self.findings());
        }
        if let Some(topology) = &parts.topology {
            topology.shape().effects(self);
        }
        self.paths(parts, graph);
        let interval = RecordSpec::default().interval;
        if let Some(record) = &parts.record
            && record.series.is_empty()
            && record.interval != interval
        {
            self.silent("record.interval", "no series is recorded");
        }
    }

    /// Warns of a key that is written but not read.
    pub(super) fn silent(&mut self, key: &str, why: &str) {
        if self.root.at(key).is_some() {
            let flaw = Flaw::new(key, format!("has no effect: {why}")).found(self.written(key));
            self.warn(flaw, key);
        }
    }

    /// Options that the flows of an entry do not read; returns whether they can carry marks. `marks`
    /// tells whether a queue marks packets.
    fn transport_effects(
        &mut self,
        parts: &Parts,
        entry: &TrafficSpec,
        marks: bool,
        key: &str,
    ) -> bool {
        let endless = entry.source.is_endless() || !entry.source.sends_files();
        let below = |name: &str| format!("{key}.transport.{name}");
        let mut capable = false;
        match &entry.transport {
            Transport::Tcp(options) => {
                let Ok(config) = resolve(&parts.profile, options) else { return true };
                for Reader { keys, reads, only } in &TCP_READERS {
                    for name in keys.iter().filter(|_| !reads(&config)) {
                        self.silent(&below(name), only);
                    }
                }
                if is_replaced(options) {
                    self.silent(&below("preset"), "recovery, congestion and rto-law are all given");
                }
                if config.congestion.is_empty_program() {
                    self.silent(
                        &below("congestion"),
                        "a program without hooks does what Reno does",
                    );
                }
                capable = config.ecn;
                if config.needs_marks() && !marks {
                    self.unmarked(&below(""));
                }
                if config.ecn && !marks {
                    self.silent(&below("ecn"), "no queue marks packets");
                }
                if endless && config.release {
                    self.silent(&below("release"), "the source never ends");
                }
            }
            Transport::StopAndWait(options) => {
                if options.feedback && options.rto_margin == 0.0 {
                    self.silent(&below("feedback"), "without rto-margin the timer is T itself");
                }
                if endless && options.release != StopAndWaitOptions::default().release {
                    self.silent(&below("release"), "the source never ends");
                }
            }
            Transport::Message(options) => {
                capable = true;
                if !marks && matches!(options.window, window::Options::Nscc(_)) {
                    self.unmarked(&below(""));
                }
            }
            Transport::Udp(_) => {}
        }
        let one = |ends: &crate::schema::Ends| match ends {
            crate::schema::Ends::One(name) => !name.contains('*'),
            crate::schema::Ends::List(names) => names.len() == 1,
        };
        let same = matches!(entry.pattern, Pattern::All | Pattern::Permutation);
        if same && one(&entry.from) && one(&entry.to) && entry.source.closed_loop().is_none() {
            self.silent(&format!("{key}.pattern"), "there is one sender and one receiver");
        }
        capable
    }

    /// A window rule that reads marks where no queue has any.
    fn unmarked(&mut self, transport: &str) {
        let keys = ["congestion.kind", "congestion", "preset", "window.kind", "window", "kind"];
        let mut keys = keys.into_iter().map(|name| format!("{transport}{name}"));
        let Some(key) = keys.find(|key| self.root.at(key).is_some()) else { return };
        let problem = "no queue marks packets, so the window follows losses alone";
        let accepted =
            "a queue that marks, such as { kind = \"ecn-threshold\", … }, or another rule";
        let flaw = Flaw::new(&key, problem).found(self.written(&key)).accepted(accepted);
        self.warn(flaw, &key);
    }

    /// Marks that no flow carries.
    fn unread_marks(&mut self, parts: &Parts) {
        let why = "no flow has explicit congestion notification";
        self.silent("core.mark-above", why);
        for (key, queue, _) in parts.around().queues() {
            if let Some(marking) = queue.facts().marking_key {
                self.silent(&format!("{key}.{marking}"), why);
            }
        }
    }

    /// Keys of routing without a choice of paths.
    fn paths(&mut self, parts: &Parts, graph: &Graph) {
        let Some(RoutingSpec { metric, spread, .. }) = parts.routing else { return };
        let mut inner = graph.links.iter().filter(|link| graph.is_inner(link));
        let routers = graph.nodes.iter().filter(|node| node.kind.forwards()).count();
        // A connected network without a cycle, each link counted in both directions; otherwise it
        // is not one.
        let tree = inner.clone().count() <= 2 * routers.saturating_sub(1)
            && graph.links.iter().all(|link| link.lightpath.is_none())
            && parts.facts().is_some_and(|facts| facts.is_connected);
        let first = inner.next().map(|link| link.delay);
        if metric == Metric::Delay {
            if tree {
                self.silent("routing.metric", "there is one path between any two hosts");
            } else if inner.all(|link| Some(link.delay) == first) {
                self.silent("routing.metric", "all links between routers have one delay");
            }
        }
        if spread != SpreadSpec::Flow && tree {
            self.silent("routing.spread", "there is one path between any two hosts");
        }
    }
}

/// Whether all settings of a preset are given one by one.
fn is_replaced(options: &TcpOptions) -> bool {
    options.recovery.is_some() && options.congestion.is_some() && options.rto_law.is_some()
}
