//! Optical packet switching, the network as a whole, against what does not come from it: closed
//! forms, a Markov chain, cases worked by hand, conservation.
//!
//! A statistical test fixes its seeds and states its tolerance in standard errors.

mod abstract_path;
mod aggregation;
mod chain;
mod instants;
mod loss;
mod meshes;
mod ports;
mod protection;
mod remedies;

use std::collections::BTreeSet;

use engine::world::World;
use scenario::Report;
use units::{Span, Time};
use wire::optical::Lost;

use crate::common::{sum, watch};

/// Standard errors; exceeded once in 16,000 seeds by a right model.
const K: f64 = 4.0;

/// An explicit network of optical links (from, to, delay) at 1 Gb/s, at which 125 B last 1 µs and a
/// bit 1 ns. Nodes whose names begin with C are core nodes, the others edges.
fn network(channels: u32, links: &[(&str, &str, &str)]) -> String {
    let mut known = BTreeSet::new();
    let names = links.iter().flat_map(|(from, to, _)| [*from, *to]);
    let nodes: Vec<String> = names
        .filter(|&name| known.insert(name))
        .map(|name| {
            let kind = if name.starts_with('C') { "core" } else { "edge" };
            format!("{{ name = \"{name}\", kind = \"{kind}\" }}")
        })
        .collect();
    let links: Vec<String> = links
        .iter()
        .map(|(from, to, delay)| {
            format!(
                "{{ from = \"{from}\", to = \"{to}\", rate = \"1 Gb/s\", delay = \"{delay}\", \
                 channels = {channels} }}"
            )
        })
        .collect();
    format!(
        "[topology]\nkind = \"explicit\"\nnodes = [{}]\nlinks = [{}]\n",
        nodes.join(", "),
        links.join(",\n")
    )
}

/// The sections of a packet-switched network: each packet is an optical packet, and one that finds
/// its output busy has these means, lines of `[core]`.
fn switching(duration: &str, core: &str) -> String {
    format!(
        "[run]\nduration = \"{duration}\"\n[assembly]\npolicy = \"none\"\nwhen-busy = \"drop\"\n\
         [core]\nkind = \"packet\"\n{core}\n"
    )
}

/// One packet of so many bytes from an edge to another at this time. The next would come after 8 s
/// for each byte.
fn packet(from: &str, to: &str, at: &str, bytes: u32) -> String {
    format!(
        "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{at}\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ kind = \"cbr\", rate = \"1 b/s\", packet = \"{bytes} B\" }}\n"
    )
}

/// Packets at the instants of a Poisson process, `rate` in Mb/s, `size` a value of the key
/// `packet`.
fn poisson(from: &str, to: &str, rate: f64, size: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ kind = \"poisson-packets\", rate = \"{rate} Mb/s\", packet = {size} }}\n"
    )
}

const RECORD: &str = "[record]\nbursts = 1000000\n";

/// An optical packet as it was recorded.
#[derive(Debug, Clone, PartialEq)]
struct Packet {
    number: u64,
    ingress: String,
    egress: String,
    bytes: u64,
    released: Time,
    delivered: Option<Time>,
    lost: Option<Lost>,
    /// The decisions about it, in their order.
    steps: Vec<Step>,
}

/// A decision at a node about an optical packet.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    from: String,
    to: String,
    asked: Time,
    /// The channel, and when the first bit leaves.
    granted: Option<(u16, Time)>,
    fibre_delay: Span,
    converted: bool,
    deflected: bool,
    lost: Option<Lost>,
}

impl Packet {
    /// From when it was formed to its last bit at the egress.
    fn delay(&self) -> Option<Span> {
        self.delivered.map(|delivered| delivered - self.released)
    }

    /// The links that it took, and when its first bit left onto each, in µs.
    fn way(&self) -> Vec<(String, f64)> {
        let taken = self.steps.iter().filter_map(|step| Some((step, step.granted?.1)));
        taken.map(|(step, start)| (format!("{}-{}", step.from, step.to), us(start))).collect()
    }

    /// When its last bit was in, in µs, or why it was lost.
    fn end(&self) -> Result<f64, Lost> {
        match (self.delivered, self.lost) {
            (Some(time), None) => Ok(us(time)),
            (None, Some(cause)) => Err(cause),
            other => panic!("{other:?}"),
        }
    }
}

/// An instant in microseconds.
fn us(time: Time) -> f64 {
    time.0 as f64 * 1e-6
}

/// The optical packets that were recorded, in the order in which they were formed.
fn recorded(world: &World) -> Vec<Packet> {
    let graph = &world.plan().graph;
    let name = |node: units::NodeId| graph.nodes[node.index()].name.clone();
    let log = &world.optical().log;
    let mut packets: Vec<Packet> = log
        .bursts
        .iter()
        .map(|row| Packet {
            number: row.burst,
            ingress: name(row.ingress),
            egress: name(row.egress),
            bytes: row.bytes.0,
            released: row.released,
            delivered: row.delivered,
            lost: row.lost,
            steps: Vec::new(),
        })
        .collect();
    for row in &log.reservations {
        let link = &graph.links[world.optical().fibres[row.fibre as usize].link.index()];
        let at = packets.binary_search_by_key(&row.burst, |packet| packet.number).unwrap();
        packets[at].steps.push(Step {
            from: name(link.from),
            to: name(link.to),
            asked: row.asked,
            granted: row.granted.map(|granted| (granted.0, granted.1)),
            fibre_delay: row.fibre_delay,
            converted: row.converted,
            deflected: row.deflected,
            lost: row.lost,
        });
    }
    packets
}

/// Runs a case worked by hand: the report, and its packets.
fn trace(text: &str, seed: u64) -> (Report, Vec<Packet>) {
    watch(&format!("{text}{RECORD}"), seed, |run| recorded(run.world()))
}

/// A counter of all classes together.
fn total(report: &Report, column: &str) -> f64 {
    sum(report, "fecs", column)
}

/// The mean, and its standard error from the scatter of the values.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

/// A measured number is the expected one within [`K`] standard errors, and these are small enough
/// for that to say something.
fn assert_near((mean, error): (f64, f64), expected: f64, rough: f64, what: &str) {
    assert!(error < rough * expected, "{what}: {mean} ± {error} is too rough");
    assert!((mean - expected).abs() < K * error, "{what}: {mean} ± {error}, not {expected}");
}
