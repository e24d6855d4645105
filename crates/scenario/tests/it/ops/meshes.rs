//! Any mesh, any remedies, any load: optical packets are accounted for by cause, and what is
//! recorded of each is a walk that light can take.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use scenario::Report;
use units::{Span, Time};

use super::{Packet, RECORD, Step, network, poisson, recorded, total};
use crate::common::{run, texts, values, watch};

const CAUSES: [&str; 6] =
    ["lost-random", "lost-ingress", "lost-contention", "lost-down", "lost-deflected", "lost-hops"];

/// What a core is made of.
#[derive(Debug, Clone)]
struct Core {
    remedies: Vec<&'static str>,
    converters: Option<u32>,
    /// A key of delay lines.
    lines: &'static str,
    /// The rest of a table of deflection.
    deflection: &'static str,
    input_us: u64,
    guard_us: u64,
}

impl Core {
    fn has(&self, remedy: &str) -> bool {
        self.remedies.contains(&remedy)
    }

    fn deflects(&self, what: &str) -> bool {
        self.has("deflect") && self.deflection.contains(what)
    }

    fn text(&self) -> String {
        let mut text = format!(
            "[core]\nkind = \"packet\"\nremedies = {:?}\n\
             input-delay = \"{} us\"\nguard = \"{} us\"\n",
            self.remedies, self.input_us, self.guard_us
        );
        if let Some(converters) = self.converters.filter(|_| self.has("convert")) {
            writeln!(text, "converters = {converters}").unwrap();
        }
        if self.has("delay") {
            writeln!(text, "{}", self.lines).unwrap();
        }
        if self.has("deflect") {
            writeln!(text, "deflection = {{ {} }}", self.deflection).unwrap();
        }
        text
    }
}

fn cores() -> impl Strategy<Value = Core> {
    let remedies = select(vec![
        vec![],
        vec!["convert"],
        vec!["delay"],
        vec!["deflect"],
        vec!["convert", "deflect"],
        vec!["deflect", "convert"],
        vec!["delay", "deflect"],
        vec!["deflect", "delay", "convert"],
        vec!["convert", "delay", "deflect"],
    ]);
    let lines = select(vec![
        "fibre-delays = [\"5 us\", \"30 us\"]",
        "fibre-loop = { delay = \"5 us\", lines = 2, turns = 3 }",
    ]);
    let deflection = select(vec![
        "kind = \"abstract\", mean = \"100 us\", deviation = \"80 us\", congestion = 0.3",
        "kind = \"ports\", loops = \"allowed\", hop-limit = 9",
        "kind = \"ports\", loops = \"allowed\", order = \"random\", hop-limit = 40",
        "kind = \"ports\", loops = \"no-return\", hop-limit = 6",
        "kind = \"ports\", loops = \"no-return\", order = \"random\"",
        "kind = \"ports\", loops = \"loopless\"",
        "kind = \"ports\", loops = \"loopless\", order = \"random\"",
    ]);
    let rest = (proptest::option::of(1..3u32), 0..3u64, 0..2u64);
    (remedies, lines, deflection, rest).prop_map(|(remedies, lines, deflection, rest)| {
        let mut remedies = remedies;
        // An abstract path is never busy: nothing is tried after it.
        if deflection.contains("abstract") {
            remedies.sort_by_key(|&remedy| remedy == "deflect");
        }
        let (converters, input_us, guard_us) = rest;
        Core { remedies, converters, lines, deflection, input_us, guard_us }
    })
}

/// A mesh: core nodes in a random tree with chords, edges at one or two of them.
#[derive(Debug, Clone)]
struct Mesh {
    links: Vec<(String, String, u64)>,
    edges: usize,
}

fn meshes() -> impl Strategy<Value = Mesh> {
    let pairs = |most| proptest::collection::vec((any::<Index>(), any::<Index>()), 0..most);
    let tree = proptest::collection::vec(any::<Index>(), 1..6);
    let homes = proptest::collection::vec((any::<Index>(), any::<Index>(), 0..3u8), 2..5);
    let delays = proptest::collection::vec(3..80u64, 40);
    (tree, pairs(5), homes, delays).prop_map(|(tree, chords, homes, delays)| {
        let mut joined = BTreeSet::new();
        let core = |at: usize| format!("C{at}");
        for (at, parent) in tree.iter().enumerate() {
            joined.insert((core(parent.index(at + 1)), core(at + 1)));
        }
        let count = tree.len() + 1;
        for (a, b) in chords {
            let (a, b) = (a.index(count), b.index(count));
            if a != b {
                joined.insert((core(a.min(b)), core(a.max(b))));
            }
        }
        for (at, (home, second, several)) in homes.iter().enumerate() {
            joined.insert((core(home.index(count)), format!("E{at}")));
            // A third of the edges have two links: other packets may pass through them.
            if *several == 0 {
                joined.insert((core(second.index(count)), format!("E{at}")));
            }
        }
        let links = joined.into_iter().zip(delays).map(|((a, b), delay)| (a, b, delay)).collect();
        Mesh { links, edges: homes.len() }
    })
}

impl Mesh {
    fn text(&self, channels: u32) -> String {
        let delays: Vec<String> = self.links.iter().map(|(_, _, us)| format!("{us} us")).collect();
        let links = self.links.iter().zip(&delays);
        let links: Vec<_> =
            links.map(|((a, b, _), us)| (a.as_str(), b.as_str(), us.as_str())).collect();
        network(channels, &links)
    }

    fn delay(&self, from: &str, to: &str) -> Span {
        let joins = |link: &&(String, String, u64)| {
            (link.0 == from && link.1 == to) || (link.0 == to && link.1 == from)
        };
        Span::from_us(self.links.iter().find(joins).expect("a link of the mesh").2)
    }

    fn traffic(&self, megabits: u32) -> String {
        let names: Vec<String> = (0..self.edges).map(|at| format!("E{at}")).collect();
        let mut text = String::new();
        for from in &names {
            for to in names.iter().filter(|&to| to != from) {
                text += &poisson(
                    from,
                    to,
                    f64::from(megabits),
                    "{ kind = \"exponential\", mean = \"1500 B\" }",
                );
            }
        }
        text += "[[traffic]]\nfrom = \"E0\"\nto = \"E1\"\ncount = 2\n\
                 transport = { kind = \"tcp\", preset = \"sack\" }\nsource = { kind = \"bulk\" }\n";
        text
    }
}

/// What was released is there, lost by one of the causes, or on its way.
fn accounted_for(report: &Report, inside: u64) -> Result<(), TestCaseError> {
    let lost: f64 = CAUSES.iter().map(|cause| total(report, cause)).sum();
    let released = total(report, "bursts");
    let delivered = total(report, "delivered");
    prop_assert!(
        (released - delivered - lost - inside as f64).abs() < 0.5,
        "{lost} lost, {inside} inside"
    );
    for key in
        CAUSES.iter().chain(&["delivered", "deflected", "deflections", "converted", "delayed"])
    {
        let all = report.json["bursts"][*key].as_f64();
        prop_assert!(
            all.is_some_and(|all| (all - total(report, key)).abs() < 0.5),
            "{key}: {all:?}"
        );
    }
    prop_assert!(total(report, "deflected") <= total(report, "deflections"));
    prop_assert!(total(report, "deflected-delivered") <= total(report, "deflected"));
    Ok(())
}

/// A packet goes from node to node without a stop but for what delays it, within the rules for
/// loops.
fn walks(packet: &Packet, mesh: &Mesh, core: &Core) -> Result<(), TestCaseError> {
    let (mut node, mut there, mut channel) = (packet.ingress.clone(), packet.released, None);
    let mut visited = BTreeSet::from([node.clone()]);
    let last = packet.steps.len() - 1;
    for (at, step) in packet.steps.iter().enumerate() {
        prop_assert_eq!(&step.from, &node);
        prop_assert_eq!(step.asked, there);
        let Some((taken, start)) = step.granted else {
            prop_assert_eq!(at, last, "nothing behind a refusal");
            prop_assert!(step.lost.is_some() || core.deflects("abstract"));
            break;
        };
        let input = if at == 0 { Span::ZERO } else { Span::from_us(core.input_us) };
        prop_assert!(start >= there + input + step.fibre_delay);
        if at > 0 {
            prop_assert_eq!(start, there + input + step.fibre_delay);
            prop_assert_eq!(step.converted, channel != Some(taken));
        }
        prop_assert!(core.has("delay") || step.fibre_delay == Span::ZERO);
        prop_assert!(core.has("convert") || !step.converted);
        prop_assert!(core.deflects("ports") || !step.deflected);
        if core.deflects("no-return") && step.deflected && at > 0 {
            prop_assert_ne!(&step.to, &packet.steps[at - 1].from);
        }
        let first_visit = visited.insert(step.to.clone());
        prop_assert!(first_visit || !core.deflects("loopless"), "{} twice", step.to);
        there = start + mesh.delay(&step.from, &step.to);
        (node, channel) = (step.to.clone(), Some(taken));
    }
    let taken = packet.steps.iter().filter(|step| step.granted.is_some()).count();
    if core.deflects("hop-limit") {
        let limit = core.deflection.rsplit(' ').next().unwrap().parse().unwrap();
        prop_assert!(taken <= limit);
    }
    let beside = core.deflects("abstract") && packet.steps[last].granted.is_none();
    if let Some(delivered) = packet.delivered.filter(|_| !beside) {
        prop_assert_eq!(&node, &packet.egress);
        prop_assert_eq!(delivered, there + Span::from_ps(packet.bytes * 8_000));
    }
    Ok(())
}

/// On a channel of a link packets do not overlap, and the guard is between them.
fn exclusive(packets: &[Packet], guard: Span) -> Result<(), TestCaseError> {
    let mut held: BTreeMap<_, Vec<(Time, Time)>> = BTreeMap::new();
    for packet in packets {
        for step in &packet.steps {
            if let Some((channel, start)) = step.granted {
                let end = start + Span::from_ps(packet.bytes * 8_000) + guard;
                held.entry((step.from.as_str(), step.to.as_str(), channel))
                    .or_default()
                    .push((start, end));
            }
        }
    }
    for (channel, times) in &mut held {
        times.sort_unstable();
        let overlaps = times.windows(2).any(|pair| pair[0].1 > pair[1].0);
        prop_assert!(!overlaps, "{:?}", channel);
    }
    Ok(())
}

fn counted(report: &Report, packets: &[Packet], core: &Core) -> Result<(), TestCaseError> {
    let steps = || packets.iter().flat_map(|packet| &packet.steps);
    let count = |what: &dyn Fn(&Step) -> bool| steps().filter(|step| what(step)).count() as f64;
    prop_assert!((count(&|step| step.converted) - total(report, "converted")).abs() < 0.5);
    prop_assert!(
        (count(&|step| step.fibre_delay > Span::ZERO) - total(report, "delayed")).abs() < 0.5
    );
    if core.deflects("ports") {
        prop_assert!((count(&|step| step.deflected) - total(report, "deflections")).abs() < 0.5);
        let deflected = packets.iter().filter(|p| p.steps.iter().any(|step| step.deflected));
        prop_assert!((deflected.count() as f64 - total(report, "deflected")).abs() < 0.5);
    }
    costs(report, packets)?;
    if !core.deflects("abstract") {
        let there = packets.iter().filter(|packet| packet.delivered.is_some());
        let hops: usize = there.map(|packet| packet.steps.len()).sum();
        let means = values(report, "fecs", "hops-mean").into_iter().zip(values(
            report,
            "fecs",
            "delivered",
        ));
        let sum: f64 =
            means.filter(|(_, delivered)| *delivered > 0.0).map(|(mean, n)| mean * n).sum();
        prop_assert!((sum - hops as f64).abs() < 1e-6, "{} links, not {}", sum, hops);
    }
    Ok(())
}

/// A packet beyond its length, on its way from when it could leave its ingress edge (a wait there is
/// no cost of deflection), in ps; where it is there.
fn way_time(packet: &Packet) -> Option<f64> {
    let first = packet.steps.first().and_then(|step| Some((step.granted?.1, step.fibre_delay)));
    let waited = first.map_or(0, |(start, line)| start.0 - line.0 - packet.released.0);
    packet.delay().map(|delay| delay.0 as f64 - waited as f64 - packet.bytes as f64 * 8000.0)
}

/// The cost of a deflection is what a packet took beyond its class's shortest way, which those take
/// that are neither deflected nor delayed.
fn costs(report: &Report, packets: &[Packet]) -> Result<(), TestCaseError> {
    let ends = texts(report, "fecs", "ingress").iter().zip(texts(report, "fecs", "egress"));
    let means = values(report, "fecs", "deflection-cost-mean");
    for ((ingress, egress), mean) in ends.zip(means) {
        let of_class = || packets.iter().filter(|p| p.ingress == *ingress && p.egress == *egress);
        let straight = |packet: &&Packet| {
            let stops = |step: &Step| {
                step.deflected || step.granted.is_none() || step.fibre_delay > Span::ZERO
            };
            let first = packet.steps.first().and_then(|step| step.granted);
            first.is_some_and(|first| first.1 == packet.released) && !packet.steps.iter().any(stops)
        };
        let Some(least) = of_class().filter(straight).find_map(way_time) else { continue };
        let deflected = |packet: &&Packet| {
            packet.steps.iter().any(|step| step.deflected || step.granted.is_none())
        };
        let costs: Vec<f64> =
            of_class().filter(deflected).filter_map(way_time).map(|time| time - least).collect();
        let expected = costs.iter().sum::<f64>() / costs.len() as f64 * 1e-12;
        prop_assert!(
            (mean - expected).abs() < 1e-12 || costs.is_empty() && mean.is_nan(),
            "{} to {}: {}, not {}",
            ingress,
            egress,
            mean,
            expected
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(trials::cases(96))]

    #[test]
    fn every_packet_is_accounted_for_and_walks(
        mesh in meshes(),
        core in cores(),
        channels in 1..4u32,
        megabits in 20..400u32,
        assembly in select(vec![
            "policy = \"none\"",
            "policy = \"none\"",
            "timeout = \"30 us\"",
            "policy = \"per-flow\"\ntimeout = \"30 us\"\nmax-size = \"4 kB\"",
            "timeout = \"30 us\"\ntimer = \"interval\"\nmax-size = \"4 kB\"\n\
             overflow = \"this-burst\"",
            "policy = \"per-flow\"\ntimeout = \"200 us\"\ntimer = \"interval\"",
        ]),
        when_busy in select(vec!["drop", "drop", "wait"]),
        loss in select(vec![0.0, 0.0, 0.1]),
        metric in select(vec!["hops", "delay"]),
        seed in 0..1000u64,
    ) {
        let (a, b, _) = &mesh.links[0];
        let change = |at: u32, kind: &str| {
            format!("[[changes]]\nat = \"{at} ms\"\nlink = \"{a} - {b}\"\n\
                 set = {{ kind = \"{kind}\" }}\n")
        };
        let text = mesh.text(channels)
            + &format!("[run]\nduration = \"8 ms\"\n[routing]\nmetric = \"{metric}\"\n")
            + &format!("[assembly]\n{assembly}\nloss = {loss}\nwhen-busy = \"{when_busy}\"\n")
            + &core.text()
            + &mesh.traffic(megabits)
            + &change(4, "down")
            + &change(6, "up");
        let (report, (packets, inside)) = watch(&(text.clone() + RECORD), seed, |run| {
            (recorded(run.world()), run.world().optical().bursts.len() as u64)
        });
        accounted_for(&report, inside)?;
        for packet in packets.iter().filter(|packet| !packet.steps.is_empty()) {
            walks(packet, &mesh, &core)?;
        }
        exclusive(&packets, Span::from_us(core.guard_us))?;
        counted(&report, &packets, &core)?;
        // The same seed gives the same run, and recording changes nothing.
        let again = run(&text, seed);
        prop_assert_eq!(&again.json["digest"], &report.json["digest"]);
    }
}
