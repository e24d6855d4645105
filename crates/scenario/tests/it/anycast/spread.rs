//! How each policy spreads packets over the lightpaths of a bundle, in other topologies than the paper's
//! too, and what becomes of those on lightpaths that fail.

use std::collections::BTreeMap;

use scenario::Report;

use super::{MIX, bundle, poisson};
use crate::common::{links, run, sum, texts, values};

/// Both kinds of switches.
const KINDS: [&str; 2] = ["kind = \"cioq\"", "kind = \"output-queued\""];

fn core(kind: &str, policy: &str) -> String {
    let gap = if policy == "flowlet" { "\nflowlet-gap = \"100 us\"" } else { "" };
    format!("{kind}\nanycast = \"{policy}\"{gap}")
}

/// Topologies with bundles of three lightpaths; from and to whom packets go, and where they first find a
/// bundle.
fn topologies() -> [(String, &'static str, &'static str, &'static str); 3] {
    let plain = "{ rate = \"2.5 Gb/s\", delay = \"1 us\" }";
    let three = "{ rate = \"1 Gb/s\", delay = \"1 us\", lightpaths = 3 }";
    let of = |text: String, from, to, first| (text, from, to, first);
    [
        of(
            format!("kind = \"dumbbell\"\npairs = 3\naccess = {plain}\nbottleneck = {three}"),
            "left-1",
            "right-1",
            "left",
        ),
        of(
            format!("kind = \"line\"\nrouters = 4\nlink = {three}\naccess = {plain}"),
            "a",
            "b",
            "r0",
        ),
        of(format!("kind = \"fat-tree\"\nk = 4\nlink = {three}"), "h0", "h15", "edge-0-0"),
    ]
}

fn scenario(topology: &str, core: &str, traffic: &str) -> String {
    format!("[run]\nduration = \"5 ms\"\n[topology]\n{topology}\n[core]\n{core}\n{traffic}")
}

/// Packets of 1000 B at even intervals.
fn even(from: &str, to: &str, rate: f64) -> String {
    poisson(from, to, rate, "\"1000 B\"").replace("poisson-packets", "cbr")
}

/// What lightpaths were offered of a bundle that was offered something.
#[derive(Debug, Default)]
struct Offered {
    packets: Vec<f64>,
    bytes: Vec<f64>,
    /// Line cards that packets came to the switch by.
    inputs: f64,
}

/// By bundle. There are as many lightpaths to a switch as from it, but for the first.
fn offered(report: &Report, first: &str) -> Vec<Offered> {
    let names = texts(report, "links", "link");
    let (packets, bytes) =
        (values(report, "links", "packets-in"), values(report, "links", "bytes-in"));
    let mut bundles = BTreeMap::<&str, Offered>::new();
    for ((name, packets), bytes) in names.iter().zip(packets).zip(bytes) {
        let Some((name, _)) = name.split_once(':') else { continue };
        let bundle = bundles.entry(name).or_default();
        bundle.packets.push(packets);
        bundle.bytes.push(bytes);
        bundle.inputs = if name.starts_with(&format!("{first} -> ")) { 1.0 } else { 3.0 };
    }
    bundles.into_values().filter(|bundle| bundle.packets.iter().any(|&some| some > 0.5)).collect()
}

/// By how much the largest is larger than the least.
fn apart(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max) - values.iter().copied().fold(f64::MAX, f64::min)
}

/// A flow from a host to another, over one bundle after the other.
#[test]
fn each_policy_spreads_a_flow_as_it_says() {
    for (topology, from, to, first) in topologies() {
        for kind in KINDS {
            let of = |policy: &str, traffic: &str| {
                let report = run(&scenario(&topology, &core(kind, policy), traffic), 1);
                let bundles = offered(&report, first);
                assert_eq!(bundles.iter().filter(|one| one.inputs < 2.0).count(), 1, "{topology}");
                for bundle in &bundles {
                    assert_eq!(bundle.packets.len(), 3);
                    assert!(bundle.packets.iter().sum::<f64>() > 30.0, "{bundle:?}");
                }
                bundles
            };
            let mixed = poisson(from, to, 600e6, MIX);
            for bundle in of("round-robin", &mixed) {
                assert!(apart(&bundle.packets) < bundle.inputs + 0.5, "{topology} {bundle:?}");
                assert!(apart(&bundle.bytes) > bundle.inputs * 1_500.0, "packets are what counts");
            }
            for bundle in of("e-jsq", &mixed) {
                assert!(apart(&bundle.bytes) < bundle.inputs * 1_500.5, "{topology} {bundle:?}");
                assert!(apart(&bundle.packets) > bundle.inputs, "bytes are what counts");
            }
            // JSVOQ finds most of its queues empty, and those that are not it leaves alone. An
            // output-queued switch has none.
            let at_random =
                if kind.contains("cioq") { &["random", "jsvoq"][..] } else { &["random"] };
            for policy in at_random {
                for bundle in of(policy, &mixed) {
                    let sum: f64 = bundle.packets.iter().sum();
                    let near = |one: &f64| (one - sum / 3.0).abs() < 4.0 * (sum * 2.0 / 9.0).sqrt();
                    assert!(bundle.packets.iter().all(near), "{policy} {topology} {bundle:?}");
                    assert!(apart(&bundle.packets) > 3.5, "{policy} {topology} {bundle:?}");
                }
            }
            // A packet each 8 µs: no silence. Each 125 µs: each is a flowlet of its own.
            let used = |bundle: &Offered| bundle.packets.iter().filter(|&&one| one > 0.5).count();
            for policy in ["ecmp", "destination", "flowlet"] {
                for bundle in of(policy, &even(from, to, 1e9)) {
                    assert_eq!(used(&bundle), 1, "{policy} in {topology}: {bundle:?}");
                }
            }
            for bundle in of("flowlet", &even(from, to, 64e6)) {
                assert_eq!(used(&bundle), 3, "{topology}: {bundle:?}");
            }
        }
    }
}

/// Three hosts on one switch, each an input for itself.
#[test]
fn each_input_keeps_its_own_account() {
    let (topology, ..) = &topologies()[0];
    for kind in KINDS {
        let of = |policy: &str| {
            let traffic = poisson("left-*", "right-*", 300e6, MIX);
            let report = run(&scenario(topology, &core(kind, policy), &traffic), 2);
            let [packets, bytes] =
                ["packets-in", "bytes-in"].map(|column| links(&report, "left -> right", column));
            assert!(packets.iter().sum::<f64>() > 1_000.0);
            (apart(&packets), apart(&bytes))
        };
        assert!(of("round-robin").0 < 3.5);
        assert!(of("e-jsq").1 < 3.0 * 1_500.5);
    }
}

/// Source j sends to a sink in sub-network j mod 6: the lightpath of that number, modulo three.
#[test]
fn destinations_have_their_lightpaths() {
    for kind in KINDS {
        for (from, to) in [("left", "right"), ("right", "left")] {
            for j in [0, 1, 2, 3, 10, 17, 35] {
                let traffic = even(&format!("{from}-source-{j}"), &format!("{to}-sink-{j}"), 100e6);
                let text = bundle(3, "1 ms", &core(kind, "destination"), &traffic);
                let found =
                    links(&run(&text, 1), &format!("{from}-core -> {to}-core"), "packets-in");
                let used: Vec<usize> = (0..3).filter(|&at| found[at] > 0.5).collect();
                assert_eq!(used, [j % 6 % 3], "{j}");
            }
        }
    }
}

/// Under every policy a lightpath that is down carries nothing and loses what it is offered, unless the
/// policy sees that it is down. Files arrive whatever is lost, and no packet is unaccounted for, which each run checks itself.
#[test]
fn lightpaths_fail_and_come_back() {
    let file = |from: &str, to: &str| {
        format!(
            "[[traffic]]\nfrom = \"{from}-tcp-source\"\nto = \"{to}-tcp-sink\"\n\
             transport = {{ kind = \"tcp\", min-rto = \"5 ms\" }}\n\
             source = {{ kind = \"bulk\", size = \"100 kB\" }}\n"
        )
    };
    let traffic = file("left", "right")
        + &file("right", "left")
        + &poisson("left-source-*", "right-sink-*", 0.2 * 5e9 / 16.0, MIX)
        + &poisson("right-source-*", "left-sink-*", 0.2 * 5e9 / 16.0, MIX);
    let change = |at: &str, link: &str, kind: &str| {
        format!("[[changes]]\nat = \"{at}\"\nlink = \"{link}\"\nset = {{ kind = \"{kind}\" }}\n")
    };
    let changes = change("3 ms", "left-core -> right-core:1", "down")
        + &change("4 ms", "right-core -> left-core", "down")
        + &change("5 ms", "left-core -> right-core:1", "up")
        + &change("6 ms", "right-core -> left-core:0", "up")
        + &change("7 ms", "right-core -> left-core:1", "up");
    for kind in KINDS {
        let own = if kind.contains("cioq") { "jsvoq" } else { "ideal-jsq" };
        for policy in ["ecmp", "destination", "random", "round-robin", "e-jsq", "flowlet", own] {
            let core = core(kind, policy);
            let report = run(&bundle(2, "60 ms", &core, &(traffic.clone() + &changes)), 1);
            assert!(sum(&report, "traffic", "completed") > 1.5, "{core}");
            assert!(sum(&report, "flows", "retransmissions") > 0.5, "{core}");
            let there = |column: &str| links(&report, "left-core -> right-core", column);
            let back = |column: &str| links(&report, "right-core -> left-core", column);
            let lost = there("dropped-down");
            if policy == "ideal-jsq" {
                // It sees what is down: at most what is on the wire then is lost.
                assert!(lost[0] < 0.5 && lost[1] < 1.5, "{core}: {lost:?}");
                assert!(back("dropped-down").iter().sum::<f64>() > 10.0, "{core}");
            } else {
                assert!(lost[0] < 0.5 && lost[1] > 10.0, "{core}: {lost:?}");
                assert!(back("dropped-down").iter().all(|&lost| lost > 10.0), "{core}");
            }
            assert!(there("packets-out").iter().chain(&back("packets-out")).all(|&n| n > 100.0));
            // Down from 3 ms on, for good: no more than before.
            let down = change("3 ms", "left-core -> right-core:1", "down");
            let of = |duration: &str, changes: &str| {
                let text = bundle(2, duration, &core, &(traffic.clone() + changes));
                links(&run(&text, 1), "left-core -> right-core", "packets-out")
            };
            let (before, after) = (of("3 ms", &down), of("8 ms", &down));
            assert!((before[1] - after[1]).abs() < 0.5, "{core}: {before:?} {after:?}");
            assert!(after[0] > before[0] + 100.0, "{core}: {before:?} {after:?}");
        }
    }
}
