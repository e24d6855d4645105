//! The keys of a scenario, composed of the plain values of the other crates.
//!
//! These types are the scenario language. The JSON Schema and the reference of all keys are
//! generated from them, and their doc comments are what users read there.

use std::sync::LazyLock;

use optics::{AssemblySpec, ControlSpec};
use plan::shapes::Topology;
use plan::spec::{ChangeSpec, CoreSpec, RoutingSpec, SeriesKind, SplittingSpec, Until};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use traffic::{Source, Start};
use transport::{ProfileSpec, Transport};
use units::Span;

use crate::energy::EnergySpec;
use crate::matrix::MatrixSpec;

/// A simulation: a network, its traffic, its duration, and what is recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// What the scenario is about, in a few words.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub title: String,
    /// The set of transport and host defaults: its name, or a table with one of a file.
    #[serde(default)]
    pub profile: ProfileSpec,
    /// How long the run lasts.
    pub run: RunSpec,
    /// The network.
    pub topology: Topology,
    /// How paths are chosen.
    #[serde(default)]
    pub routing: RoutingSpec,
    /// How edge routers of an optical network make bursts (optical packets); required with such
    /// routers, and only then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assembly: Option<AssemblySpec>,
    /// The kind of core of an optical network; burst-switched by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<CoreSpec>,
    /// How the headers of bursts travel, in a burst-switched network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlSpec>,
    /// The energy that moving a bit costs; with hybrid switches energy is always counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergySpec>,
    /// What is sent: groups of similar flows, written as `[[traffic]]`. All groups together have at
    /// most 10,000,000 flows.
    #[schemars(length(min = 1, max = 10_000))]
    pub traffic: Vec<TrafficSpec>,
    /// What happens to links during the run, written as `[[changes]]`.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    pub changes: Vec<ChangeSpec>,
    /// What is recorded in addition to the counters, which are always kept.
    #[serde(default)]
    pub record: RecordSpec,
    /// The link whose rare losses are estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splitting: Option<SplittingSpec>,
}

impl Scenario {
    /// Fills in omitted sections of an optical network, or of one with hybrid switches: defaults
    /// are parameters too.
    pub(crate) fn complete(mut self) -> Self {
        if self.assembly.is_some() && !self.core.get_or_insert_default().facts().is_packet {
            self.control.get_or_insert_default();
        }
        if self.core.as_ref().is_some_and(|core| core.facts().counts_energy) {
            self.energy.get_or_insert_default();
        }
        self
    }
}

/// How long a run lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunSpec {
    /// The simulated time at which the run ends.
    #[schemars(extend("x-min" = "1 ps", "x-max" = "2400 h"))]
    pub duration: Span,
    /// When the run ends: after the duration, or earlier. A run that ends with the delivery of files
    /// ends at the instant at which the last octet is delivered, and the measured time ends then.
    #[serde(default, skip_serializing_if = "Until::is_duration")]
    pub until: Until,
    /// The simulated time at which the counters start.
    #[serde(default)]
    #[schemars(extend("x-max" = "2400 h"))]
    pub warmup: Span,
    /// The seed of all random numbers.
    #[serde(default = "first_seed")]
    #[schemars(range(min = 0, max = 9_007_199_254_740_992u64))]
    pub seed: u64,
    /// The number of events after which the run is cancelled; unlimited by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000_000_000u64))]
    pub max_events: Option<u64>,
    /// The threads on which the run is simulated. Results are the same with any number of them, bit for bit. The
    /// network is divided at links of 10 us or more between routers, one with edges at fibres of that length; `show`
    /// says whether this one can be, and how evenly. A sweep has its runs side by side instead.
    #[serde(default, skip_serializing_if = "Threads::is_one")]
    pub threads: Threads,
}

/// A number of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Threads {
    /// So many.
    Number(#[schemars(range(min = 1, max = 1024))] u32),
    /// A word.
    Word(ThreadsWord),
}

/// A number of threads that depends on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadsWord {
    /// As many as the machine has cores for this process.
    Auto,
}

impl Default for Threads {
    fn default() -> Self {
        Self::Number(1)
    }
}

impl Threads {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde requires")]
    fn is_one(&self) -> bool {
        *self == Self::default()
    }

    /// The number on this machine; a browser has one.
    pub fn number(self) -> usize {
        match self {
            _ if cfg!(target_family = "wasm") => 1,
            Self::Number(number) => number as usize,
            Self::Word(ThreadsWord::Auto) => {
                std::thread::available_parallelism().map_or(1, usize::from)
            }
        }
    }
}

fn first_seed() -> u64 {
    1
}

fn one_flow() -> u32 {
    1
}

/// A group of similar flows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrafficSpec {
    /// The hosts that send.
    pub from: Ends,
    /// The hosts that receive.
    pub to: Ends,
    /// Which of them send to which.
    #[serde(default)]
    pub pattern: Pattern,
    /// A traffic matrix, instead of a pattern: from each place to each other as much as its demand says. The
    /// rate of the source (`rate` or `per-second`) is that of one unit of demand, so with `rate = "1 Mb/s"`
    /// demands are in Mb/s; with `load` the matrix as a whole is scaled. The demand of two places is
    /// divided equally among the pairs of hosts there, of those of `from` and `to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix: Option<MatrixSpec>,
    /// Flows per pair of hosts.
    #[serde(default = "one_flow")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: u32,
    /// When each flow starts.
    #[serde(default)]
    pub start: Start,
    /// When all flows stop, counted from the start of the run: from then on their sources offer no data. A
    /// bulk source withdraws the data that have not been sent; data already sent, or offered by another
    /// source, are delivered, and the flows end. No further `transfers` start. Not for closed loops
    /// (`shuffle`, `incast`) and graphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Span>,
    /// How the data are carried.
    pub transport: Transport,
    /// What data are offered, and when.
    pub source: Source,
    /// The load that the entry's sources offer, in place of the key of the source that would say it: `rate`,
    /// `per-second` or `probability`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadSpec>,
    /// Whether the displacement of reordered data packets is measured for each flow (RFC 4737, RFC
    /// 5236); reordered packets are always counted. It adds the columns `reorder-…` of `traffic`
    /// and the table `reordering`, and costs time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reordering: bool,
}

/// A load: the data offered, headers not counted, over what links can carry. Data are divided
/// equally among paths of equal cost, random partners count by their probabilities, and nothing is lost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LoadSpec {
    /// That of the most loaded of all links.
    Bottleneck(#[schemars(range(min = 1e-9, max = 1000.0))] f64),
    /// That of a named part of the network.
    Of(LoadOf),
}

/// A load of a named part of the network.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LoadOf {
    /// The load.
    #[schemars(range(min = 1e-9, max = 1000.0))]
    pub share: f64,
    /// What it is a share of.
    pub of: LoadReference,
}

/// Parts of a network that a load can refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadReference {
    /// The most loaded of all links.
    Bottleneck,
    /// The most loaded of the links of hosts.
    Access,
    /// The most loaded of the optical links: those with channels, and those between the switches of a core.
    Optical,
    /// The smallest cut between the first and the second half of the hosts, in the order of the topology: the
    /// data that cross it, over what it can carry, in the direction that is loaded more.
    Bisection,
}

impl LoadSpec {
    /// The load, and what it refers to.
    pub fn parts(self) -> (f64, LoadReference) {
        match self {
            Self::Bottleneck(share) => (share, LoadReference::Bottleneck),
            Self::Of(LoadOf { share, of }) => (share, of),
        }
    }
}

/// Hosts: one, those that match a pattern, or a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Ends {
    /// A name, or a pattern in which each `*` stands for any characters; hosts that match it are
    /// taken in the order of the topology.
    One(#[schemars(length(min = 1, max = 64))] String),
    /// Names, taken in the order of the list.
    List(#[schemars(length(min = 1, max = 100_000))] Vec<String>),
}

/// Which hosts send to which.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// The first sender to the first receiver, the second to the second, …; a single host on one
    /// side is paired with every other host on the other side.
    #[default]
    Pairs,
    /// Every sender to every receiver except itself.
    All,
    /// A random one-to-one assignment in which no host sends to itself.
    Permutation,
    /// One process of transfers for the whole entry: each transfer goes from a random sender to a
    /// random receiver behind another router. Hosts without a transfer of this entry come first, so
    /// that each transfer has its own access links as long as there are any. Needs a source of kind
    /// `transfers`.
    Random,
    /// One process of transfers for the whole entry: each transfer goes from a uniformly random
    /// sender to a uniformly random receiver other than itself (possibly behind the same router),
    /// even if either has other transfers. Needs a source of kind `transfers`.
    Uniform,
}

/// What is recorded in addition to the counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RecordSpec {
    /// What is sampled over time.
    #[serde(default)]
    #[schemars(length(max = 16))]
    pub series: Vec<SeriesKind>,
    /// The time between samples of the series.
    #[serde(default = "ten_ms")]
    #[schemars(extend("x-min" = "1 ns", "x-max" = "2400 h"))]
    pub interval: Span,
    /// The number of bursts that are recorded one by one, with every reservation that they request:
    /// the first ones released after the warm-up.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub bursts: u32,
    /// Whether delays are also measured from the first transmission of the data, lost copies
    /// included; it costs time and memory.
    #[serde(default)]
    pub first_transmission: bool,
    /// Whether the delays of acknowledgments are measured, too.
    #[serde(default)]
    pub acknowledgments: bool,
    /// The time between two samples of what the flows of a class (a pair of edge routers) share:
    /// the bursts that they are in, and the losses. It adds the tables `synchronization` and
    /// `burst-flows`, and some columns of `fecs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 us", "x-max" = "2400 h"))]
    pub synchronization: Option<Span>,
    /// The length of the time spans in which the bytes of a class's bursts are counted at the end
    /// of their first link, for the columns `span-…` of `fecs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 us", "x-max" = "2400 h"))]
    pub throughput_span: Option<Span>,
    /// Classes whose spans are listed one by one in the table `spans`, each as
    /// `"INGRESS -> EGRESS"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10_000))]
    pub fecs: Vec<String>,
}

impl Default for RecordSpec {
    fn default() -> Self {
        Self {
            series: Vec::new(),
            interval: ten_ms(),
            bursts: 0,
            first_transmission: false,
            acknowledgments: false,
            synchronization: None,
            throughput_span: None,
            fecs: Vec::new(),
        }
    }
}

fn ten_ms() -> Span {
    Span::from_ms(10)
}

/// The JSON Schema (draft 2020-12) of a scenario. Quantities are texts with the keys `x-quantity`,
/// `x-min` and `x-max`.
pub fn json_schema() -> &'static Json {
    // To make it takes longer than to check a scenario by it, or than a small run.
    static SCHEMA: LazyLock<Json> = LazyLock::new(|| schemars::schema_for!(Scenario).to_value());
    &SCHEMA
}

/// [`json_schema`] for editors: no source requires a rate, since its entry may have a load instead.
pub fn editor_schema() -> Json {
    let mut schema = json_schema().clone();
    let kinds = schema.pointer_mut("/$defs/Source/oneOf").and_then(Json::as_array_mut);
    for kind in kinds.into_iter().flatten() {
        let source = kind["properties"]["kind"]["const"].as_str().and_then(Source::blank);
        let Some(rate) = source.as_ref().and_then(|source| source.facts().rate) else { continue };
        if let Some(required) = kind["required"].as_array_mut() {
            required.retain(|key| *key != rate.key);
        }
    }
    schema
}
