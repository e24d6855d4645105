//! The standard workloads, whose speed `tcphoton bench` reports.
//!
//! This crate reads no clock: the caller sets a workload up, advances it and measures the time with
//! its own clock.

use cores::Core;
use engine::hops::Hops;
use optics::{Arbiter, Mask, Requests, SchedulerSpec};
use random::Seed;
use units::Time;

use crate::load::{Checked, load};
use crate::run::Run;

/// The names of the workloads.
pub const WORKLOADS: [&str; 22] = [
    "hops-1e2",
    "hops-1e3",
    "hops-1e4",
    "hops-1e5",
    "dumbbell",
    "dumbbell-5000",
    "dumbbell-50000",
    "fat-tree",
    "fat-tree-16-1024",
    "fat-tree-16-8192",
    "fat-tree-16-65536",
    "fat-tree-1024",
    "obs",
    "ops",
    "nsf",
    "nsf-dmq-8",
    "lbas",
    "opera",
    "islip-8",
    "islip-16",
    "islip-32",
    "islip-64",
];

/// 500 TCP SACK flows over ten access pairs and one bottleneck, 20 s.
pub const DUMBBELL: &str = include_str!("bench/dumbbell.toml");
/// 128 long TCP SACK flows over a fat tree of 128 hosts, a random permutation.
pub const FAT_TREE: &str = include_str!("bench/fat-tree.toml");

/// 200,000 file transfers by stop-and-wait over a fat tree of 1024 hosts and hybrid switches.
pub const FAT_TREE_1024: &str = include_str!("bench/fat-tree-1024.toml");

/// Six TCP Tahoe flows of 3.2 Gb/s in total over three burst-switched nodes, without loss, 60 s.
pub const OBS: &str = include_str!("bench/obs.toml");

/// 500 long TCP Reno flows over a packet-switched link with deflection, mixed-flow aggregation, 60 s.
pub const OPS: &str = include_str!("bench/ops.toml");

/// 2000 long TCP SACK flows over the NSF network, burst-switched, 100 s.
pub const NSF: &str = include_str!("bench/nsf.toml");

/// A second of self-similar traffic over a bundle of four lightpaths between CIOQ switches.
pub const LBAS: &str = include_str!("bench/lbas.toml");

/// File transfers of a web search between 648 hosts over Opera's circuits.
pub const OPERA: &str = include_str!("bench/opera.toml");

/// Keys of a scenario and what they are instead.
type Settings = &'static [(&'static str, &'static str)];

/// What `nsf-dmq-8` has instead of mixed flow.
const DMQ_8: Settings = &[("assembly.policy", "dynamic-queues"), ("assembly.queues", "8")];

/// The dumbbell with more flows, and rates and queues that grow with them, so that a flow has the same share. All have
/// started after a second.
macro_rules! dumbbell {
    ($access:literal, $bottleneck:literal, $packets:literal, $flows:literal, $end:literal) => {
        &[
            ("topology.access.rate", $access),
            ("topology.access.queue.packets", $packets),
            ("topology.bottleneck.rate", $bottleneck),
            ("topology.bottleneck.queue.packets", $packets),
            ("traffic.0.count", $flows),
            ("run.warmup", "1.5 s"),
            ("run.duration", $end),
        ]
    };
}

/// The larger fat tree, of 1024 hosts: a flow from each of them, or as many as is said.
macro_rules! fat_tree_16 {
    ($flows:literal) => {
        &[
            ("topology.k", "16"),
            ("traffic.0.count", $flows),
            ("run.warmup", "5 ms"),
            ("run.duration", "15 ms"),
        ]
    };
}

/// Packets that cross links before `hops` is measured, for each packet in flight.
const HOPS_WARM: u64 = 20;
/// Events at a time of a scenario's warm-up, which is not measured.
const WARM_EVENTS: u64 = 10_000;
/// Cells served by a scheduler without a switch.
const SLOT_CELLS: u64 = 100_000_000;
/// Events of `hops` that are measured.
const HOPS_EVENTS: u64 = 30_000_000;

/// A workload that has been set up.
#[derive(Debug)]
pub enum Workload {
    /// Packets that circulate endlessly.
    Hops(Box<Hops>),
    /// A scenario.
    Scenario(Box<Run>),
    /// A scheduler without a switch.
    Slots(Box<Slots>),
}

/// The work done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    /// Packets that crossed a link.
    pub packet_hops: u64,
    /// Events.
    pub events: u64,
    /// Packets that reached their host.
    pub delivered_packets: u64,
    /// Cells that crossed the fabrics of CIOQ switches.
    pub cells: u64,
    /// Slots that were requested of a scheduler without a switch.
    pub slots: u64,
    /// The clock.
    pub now: Time,
}

/// The scenario of a workload, if it has one.
pub fn scenario(name: &str) -> Option<Checked> {
    let (text, settings): (_, Settings) = match name {
        "dumbbell" => (DUMBBELL, &[]),
        "dumbbell-5000" => (DUMBBELL, dumbbell!("1550 Mb/s", "6220 Mb/s", "10000", "500", "6 s")),
        "dumbbell-50000" => {
            (DUMBBELL, dumbbell!("15500 Mb/s", "62200 Mb/s", "100000", "5000", "2 s"))
        }
        "fat-tree" => (FAT_TREE, &[]),
        "fat-tree-16-1024" => (FAT_TREE, fat_tree_16!("1")),
        "fat-tree-16-8192" => (FAT_TREE, fat_tree_16!("8")),
        "fat-tree-16-65536" => (FAT_TREE, fat_tree_16!("64")),
        "fat-tree-1024" => (FAT_TREE_1024, &[]),
        "obs" => (OBS, &[]),
        "ops" => (OPS, &[]),
        "nsf" => (NSF, &[]),
        "lbas" => (LBAS, &[]),
        "opera" => (OPERA, &[]),
        "nsf-dmq-8" => (NSF, DMQ_8),
        _ => return None,
    };
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let overrides: Vec<_> = settings.iter().map(owned).collect();
    Some(
        load(name, text, &overrides)
            .expect("the scenarios of the benchmarks are checked by a test"),
    )
}

impl Workload {
    /// Sets a workload up; `scenario` is that of [`scenario`] for the same name. `None` if there is
    /// no workload of this name.
    pub fn new(name: &str, scenario: Option<&Checked>) -> Option<Self> {
        if let Some(checked) = scenario {
            return Some(Self::Scenario(Box::new(checked.start(1))));
        }
        if let Some(ports) = name.strip_prefix("islip-") {
            return Some(Self::Slots(Box::new(Slots::new(ports.parse().ok()?))));
        }
        let packets = match name {
            "hops-1e2" => 100,
            "hops-1e3" => 1_000,
            "hops-1e4" => 10_000,
            "hops-1e5" => 100_000,
            _ => return None,
        };
        let mut hops = Hops::new(packets);
        hops.advance(HOPS_WARM * u64::from(packets));
        Some(Self::Hops(Box::new(hops)))
    }

    /// Does what comes before the work that is measured: the warm-up of a scenario.
    pub fn warm_up(&mut self) {
        if let Self::Scenario(run) = self {
            let begin = Time::ZERO + run.world().plan().warmup;
            while run.world().now() < begin && run.advance(WARM_EVENTS).stop.is_none() {}
        }
    }

    /// Does the work that is measured.
    pub fn work(&mut self) {
        match self {
            Self::Hops(hops) => hops.advance(HOPS_EVENTS),
            Self::Slots(slots) => slots.work(),
            Self::Scenario(run) => while run.advance(u64::MAX).stop.is_none() {},
        }
    }

    /// What has been done so far.
    pub fn done(&self) -> Work {
        match self {
            Self::Hops(hops) => Work {
                packet_hops: hops.packet_hops(),
                events: hops.events(),
                delivered_packets: hops.delivered(),
                now: hops.now(),
                ..Work::default()
            },
            Self::Slots(slots) => Work { slots: slots.done, ..Work::default() },
            Self::Scenario(run) => {
                let rows = run.world().flow_rows();
                let delivered = rows.iter().flat_map(|row| row.counts.delivered);
                Work {
                    packet_hops: run.world().packet_hops(),
                    events: run.world().events(),
                    delivered_packets: delivered.map(|count| count.packets).sum(),
                    cells: run.world().cores().cells(),
                    slots: 0,
                    now: Time::ZERO + run.world().measured(),
                }
            }
        }
    }
}

/// iSLIP with one iteration and a cell in every virtual output queue, so that each slot has a match for
/// each port.
#[derive(Debug)]
pub struct Slots {
    arbiter: Arbiter<1>,
    requests: Requests<1>,
    inputs: Mask<1>,
    pairs: Vec<(u32, u32)>,
    ports: u32,
    done: u64,
}

impl Slots {
    /// A switch with this number of ports, at most 64.
    fn new(ports: u32) -> Self {
        let mut requests = Requests::new(ports, ports);
        for pair in 0..ports * ports {
            requests.set(pair / ports, pair % ports);
        }
        let stream = Seed(1).stream("bench");
        Self {
            arbiter: Arbiter::new(&SchedulerSpec::default(), ports, ports, stream),
            requests,
            inputs: Mask::first_ports(ports),
            pairs: Vec::new(),
            ports,
            done: 0,
        }
    }

    /// Serves cells, the same number for any number of ports.
    fn work(&mut self) {
        for _ in 0..SLOT_CELLS / u64::from(self.ports) {
            self.arbiter.slot(self.done, &self.requests, self.inputs, &mut self.pairs);
            self.done += 1;
        }
    }
}
