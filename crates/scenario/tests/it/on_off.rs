//! Self-similar sources in a scenario.

use scenario::Report;

use crate::common::{checked, number};

/// Exponential ON periods of 20 kB in the mean; 20,000 of them in a run.
const SOURCE: &str = r#"
    [run]
    duration = "20 s"
    [topology]
    kind = "line"
    routers = 2
    link = { rate = "2.5 Gb/s", delay = "1 ms", queue = { kind = "drop-tail", bytes = "128 MB" } }
    [[traffic]]
    from = "a"
    to = "b"
    transport = { kind = "udp", header = "0 B" }
    [traffic.source]
    kind = "on-off"
    rate = "160 Mb/s"
    peak = "2.5 Gb/s"
    components = 100
    on = { kind = "exponential", mean = "20 kB" }
    packet = { kind = "mix", sizes = ["40 B", "576 B", "1500 B"], shares = [0.58, 0.33, 0.09] }
"#;

fn run(settings: &[(&str, &str)], seed: u64) -> Report {
    checked(SOURCE, settings).run(seed)
}

fn one(report: &Report, column: &str) -> f64 {
    number(report, "traffic", column, 0)
}

/// The bytes that n exponential ON periods of rare components send have a relative standard deviation
/// of √(2 / n): 1% here.
#[test]
fn on_off_datagrams_have_their_load() {
    let report = run(&[], 1);
    let (packets, goodput) = (one(&report, "packets-sent"), one(&report, "goodput"));
    assert!((goodput / 160e6 - 1.0).abs() < 0.04, "{goodput}");
    let mean = goodput * 20.0 / 8.0 / packets;
    // A packet's standard deviation is 438 B.
    assert!((mean - 348.28).abs() < 4.0 * 438.0 / packets.sqrt(), "{mean}");
}

#[test]
fn on_off_sources_run_under_other_seeds_and_laws() {
    let short = ("run.duration", "1 s");
    let digest = |overrides: &[_], seed| run(overrides, seed).json["digest"].clone();
    assert_eq!(digest(&[short], 1), digest(&[short], 1));
    assert_ne!(digest(&[short], 1), digest(&[short], 2));
    let shares = ("traffic.0.source.packet.shares", "[0.5, 0.5, 0.0]");
    let report = run(&[short, shares], 1);
    let mean = one(&report, "goodput") / 8.0 / one(&report, "packets-sent");
    assert!((mean - 308.0).abs() < 10.0, "{mean}");
}
