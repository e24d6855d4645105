//! Reordering, how far it goes, and what it costs TCP.

use scenario::Report;

use crate::common::{run, values};

/// Standard errors; exceeded once in 16,000 seeds.
const K: f64 = 4.0;

/// From `a` to `b` over two ways of as many links: one takes `late` longer. The way back is one.
fn two_ways(seconds: u32, late: &str, loss: &str, traffic: &str) -> String {
    format!(
        r#"
        [run]
        duration = "{seconds} s"
        [routing]
        spread = "packet"
        [topology]
        kind = "explicit"
        nodes = [
            {{ name = "a", kind = "host" }}, {{ name = "b", kind = "host" }},
            {{ name = "r", kind = "router" }}, {{ name = "s", kind = "router" }},
            {{ name = "x", kind = "router" }}, {{ name = "y", kind = "router" }},
        ]
        links = [
            {{ from = "a", to = "r", rate = "100 Mb/s", delay = "1 ms" }},
            {{ from = "r", to = "x", rate = "10 Gb/s", delay = "0 s", one-way = true }},
            {{ from = "r", to = "y", rate = "10 Gb/s", delay = "0 s", one-way = true }},
            {{ from = "x", to = "s", rate = "10 Gb/s", delay = "0 s", one-way = true{loss} }},
            {{ from = "y", to = "s", rate = "10 Gb/s", delay = "{late}", one-way = true{loss} }},
            {{ from = "s", to = "r", rate = "10 Gb/s", delay = "0 s", one-way = true }},
            {{ from = "s", to = "b", rate = "10 Gb/s", delay = "1 ms" }},
        ]
        [[traffic]]
        from = "a"
        to = "b"
        {traffic}
        "#
    )
}

fn of_traffic(report: &Report, name: &str) -> f64 {
    values(report, "traffic", name)[0]
}

const DATAGRAMS: &str = r#"
    transport = { kind = "udp", header = "0 B" }
    source = { kind = "cbr", rate = "8 Mb/s", packet = "1000 B" }
    reordering = true"#;

/// A packet a millisecond, each late by 3.5 ms with probability 1/2. A late one is reordered unless the
/// next three are late too: 1/2 · 7/8. It is 3-reordered where these are in time and the two before it
/// are, which would else come between: (1/2)⁶. Its extent where the first in time is the next, second
/// or third: 3, 2 or 1 on average, with odds of 4 to 2 to 1. A packet in time comes before those of the
/// last three that are late, a late one behind those of the next three that are not: displacements of
/// −Bin(3, 1/2) and Bin(3, 1/2).
#[test]
fn two_ways_reorder_as_chance_has_it() {
    let report = run(&two_ways(100, "3.5 ms", "", DATAGRAMS), 1);
    let n = of_traffic(&report, "packets-sent");
    assert!((n - 100_000.0).abs() < 2.0, "{n}");
    // Packets are correlated over up to seven neighbours: at most seven times the variance.
    let share = |name: &str, p: f64| {
        let found = of_traffic(&report, name);
        assert!(
            (found - p).abs() < K * (7.0 * p * (1.0 - p) / n).sqrt(),
            "{name}: {found} for {p}"
        );
    };
    share("reorder-ratio", 7.0 / 16.0);
    share("reorder-3", 1.0 / 64.0);
    let mean = of_traffic(&report, "reorder-extent-mean");
    assert!((mean - 17.0 / 7.0).abs() < K * (7.0 * 2.0 / (n * 7.0 / 16.0)).sqrt(), "{mean}");
    assert_eq!(values(&report, "traffic", "reorder-extent-max"), [5.0]);
    let displacements = values(&report, "reordering", "displacement");
    assert_eq!(displacements, [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
    let shares = values(&report, "reordering", "share");
    for (found, p) in shares.iter().zip([1.0, 3.0, 3.0, 2.0, 3.0, 3.0, 1.0].map(|p| p / 16.0)) {
        assert!((found - p).abs() < K * (7.0 * p * (1.0 - p) / n).sqrt(), "{shares:?}");
    }
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert_eq!(values(&report, "reordering", "traffic"), [0.0; 7]);
}

/// Losses displace nothing: a share of the packets is gone, and the rest is where it was.
#[test]
fn losses_alone_are_no_reordering() {
    let loss = r#", loss = { kind = "bernoulli", p = 0.1 }"#;
    let report = run(&two_ways(20, "0 s", loss, DATAGRAMS), 1);
    let share = of_traffic(&report, "loss");
    assert!((share - 0.1).abs() < 0.02, "{share}");
    assert_eq!(values(&report, "traffic", "reorder-ratio"), [0.0]);
    assert_eq!(values(&report, "traffic", "reorder-3"), [0.0]);
    assert!(of_traffic(&report, "reorder-extent-mean").is_nan());
    assert_eq!(values(&report, "reordering", "displacement"), [0.0]);
}

fn tcp(preset: &str, more: &str) -> String {
    format!(
        "transport = {{ kind = \"tcp\", preset = \"{preset}\" }}\nsource = {{ kind = \"bulk\" }}\n{more}"
    )
}

const PRESETS: [&str; 5] = ["tahoe", "reno", "newreno", "sack", "cubic"];

#[test]
fn without_losses_every_fast_retransmit_is_spurious() {
    for preset in PRESETS {
        let report = run(&two_ways(5, "10 ms", "", &tcp(preset, "reordering = true")), 1);
        assert_eq!(values(&report, "traffic", "loss"), [0.0]);
        let fast = of_traffic(&report, "fast-retransmits");
        assert!(fast > 10.0, "{preset}: {fast}");
        assert_eq!(values(&report, "traffic", "spurious-fast-retransmits"), [fast], "{preset}");
        assert_eq!(values(&report, "flows", "spurious-fast-retransmits"), [fast]);
        // What causes them comes behind three packets sent later.
        assert!(of_traffic(&report, "reorder-3") > 0.0);
    }
}

#[test]
fn without_reordering_no_fast_retransmit_is_spurious() {
    let loss = r#", loss = { kind = "bernoulli", p = 0.01 }"#;
    for preset in ["newreno", "sack", "cubic"] {
        let report = run(&two_ways(30, "0 s", loss, &tcp(preset, "reordering = true")), 1);
        assert_eq!(values(&report, "traffic", "reordered"), [0.0]);
        let fast = of_traffic(&report, "fast-retransmits");
        assert!(fast > 50.0, "{preset}: {fast}");
        assert_eq!(values(&report, "traffic", "spurious-fast-retransmits"), [0.0], "{preset}");
    }
}

/// Where both happen some are spurious and some are not.
#[test]
fn losses_and_reordering_give_fast_retransmits_of_both_kinds() {
    let loss = r#", loss = { kind = "bernoulli", p = 0.01 }"#;
    let report = run(&two_ways(30, "10 ms", loss, &tcp("newreno", "")), 1);
    let fast = of_traffic(&report, "fast-retransmits");
    let spurious = of_traffic(&report, "spurious-fast-retransmits");
    assert!(spurious > 10.0 && fast - spurious > 10.0, "{spurious} of {fast}");
}

#[test]
fn a_study_of_reordering_changes_nothing_that_it_looks_at() {
    let loss = r#", loss = { kind = "bernoulli", p = 0.01 }"#;
    let blind = run(&two_ways(5, "10 ms", loss, &tcp("newreno", "")), 1);
    let seen = run(&two_ways(5, "10 ms", loss, &tcp("newreno", "reordering = true")), 1);
    assert_eq!(blind.json["digest"], seen.json["digest"]);
    let ratio = |report| values(report, "traffic", "reorder-ratio");
    assert_eq!(ratio(&blind), ratio(&seen));
    assert!(of_traffic(&blind, "reorder-3").is_nan());
    assert!(blind.tables.iter().all(|table| table.name != "reordering"));
    // Retransmissions are packets of their own: all that arrived are there, each once.
    let packets: f64 = values(&seen, "reordering", "packets").iter().sum();
    let (sent, loss) = (of_traffic(&seen, "packets-sent"), of_traffic(&seen, "loss"));
    let arrived = sent * (1.0 - loss);
    assert!(packets <= arrived && packets > 0.97 * arrived, "{packets} of {arrived}");
}

/// RFC 8985 section 6.2, step 4: the reordering window is a quarter of the shortest round trip, 4.1 ms, and a
/// quarter more after each round with a duplicate, up to a round trip. So what is late by more than `n` quarters
/// is sent again in vain in `n` recoveries at least, and in no more than lead to the longest window: three
/// more quarters, and one each before reordering was seen and in the round in which it was.
#[test]
fn rack_is_wrong_as_often_as_its_window_has_to_grow() {
    let traffic = |options: &str| {
        format!(
            r#"
            transport = {{ kind = "tcp", max-window = "20 segments"{options} }}
            source = {{ kind = "bulk" }}"#
        )
    };
    for (late, n) in [("1.2 ms", 1.0), ("2.2 ms", 2.0), ("3.2 ms", 3.0)] {
        let rack = run(&two_ways(4, late, "", &traffic(r#", recovery = "rack""#)), 1);
        let wrong = of_traffic(&rack, "spurious-fast-retransmits");
        assert!((n..=5.0).contains(&wrong), "{late}: {wrong}");
        assert!(of_traffic(&rack, "fast-retransmits") <= wrong, "{late}");
        assert!(of_traffic(&rack, "timeouts") <= 0.0, "{late}");
        let sack = run(&two_ways(4, late, "", &traffic(r#", recovery = "sack""#)), 1);
        assert!(of_traffic(&sack, "spurious-fast-retransmits") > 20.0 * wrong, "{late}");
        let gain = of_traffic(&rack, "goodput") / of_traffic(&sack, "goodput");
        assert!(gain > 2.0, "{late}: {gain}");
    }
}

/// Packets lost at random on ways of one length: RACK finds them all without its timer, and takes nothing back.
#[test]
fn rack_repairs_losses_without_reordering() {
    let loss = r#", loss = { kind = "bernoulli", p = 0.01 }"#;
    let traffic = r#"
        transport = { kind = "tcp", recovery = "rack" }
        source = { kind = "bulk" }"#;
    let report = run(&two_ways(20, "0 s", loss, traffic), 1);
    assert!(of_traffic(&report, "fast-retransmits") > 100.0);
    assert!(of_traffic(&report, "spurious-fast-retransmits") <= 0.0);
    assert!(of_traffic(&report, "timeouts") <= 0.0);
}
