//! The account of the measured period: it closes by itself, its shares lie between 0 and 1, and nothing
//! goes faster than the slowest link on its way.

use proptest::prelude::*;
use scenario::Report;

use crate::common::{run, values};

/// The columns of the tables that are shares of something.
const SHARES: [(&str, &str); 6] = [
    ("traffic", "loss"),
    ("traffic", "jain"),
    ("traffic", "reorder-ratio"),
    ("traffic", "reorder-3"),
    ("links", "utilization"),
    ("channels", "utilization"),
];

fn has(report: &Report, table: &str) -> bool {
    report.tables.iter().any(|each| each.name == table)
}

/// For each row the first column is the sum of the others.
fn closes(report: &Report, table: &str, whole: &[&str], parts: &[&str]) {
    let sum = |columns: &[&str]| {
        let columns: Vec<Vec<f64>> = columns.iter().map(|at| values(report, table, at)).collect();
        (0..columns[0].len()).map(|row| columns.iter().map(|c| c[row]).sum()).collect::<Vec<f64>>()
    };
    assert_eq!(sum(whole), sum(parts), "{table}: {whole:?} = {parts:?}");
}

/// What holds of every run; `slowest` is the rate of a link that all traffic crosses one way.
fn holds(report: &Report, slowest: f64) {
    for (table, column) in SHARES {
        for share in if has(report, table) { values(report, table, column) } else { Vec::new() } {
            assert!(share.is_nan() || (0.0..=1.0).contains(&share), "{table}.{column}: {share}");
        }
    }
    let ends = ["packets-delivered", "packets-lost", "packets-inside"];
    closes(report, "traffic", &["packets-sent"], &ends);
    closes(report, "flows", &["packets-sent"], &ends);
    let mut dropped = vec!["packets-out", "packets-inside"];
    dropped.extend(["dropped-queue", "dropped-red", "dropped-loss", "dropped-down"]);
    dropped.push("dropped-burst");
    closes(report, "links", &["packets-before", "packets-in"], &dropped);
    if has(report, "fecs") {
        let mut parts = vec!["delivered", "inside"];
        parts.extend(["lost-random", "lost-ingress", "lost-contention", "lost-control"]);
        parts.extend(["lost-late", "lost-down"]);
        closes(report, "fecs", &["bursts"], &parts);
    }
    let [means, longest] = ["wait-mean", "wait-max"].map(|column| values(report, "links", column));
    for (mean, longest) in means.into_iter().zip(longest) {
        let holds = mean <= longest * (1.0 + 1e-9);
        assert!(holds || mean.is_nan() || longest.is_nan(), "waits {mean} s, {longest} s");
    }
    let goodput: f64 = values(report, "traffic", "goodput").iter().sum();
    assert!(goodput.is_nan() || goodput <= slowest, "goodput {goodput} over {slowest} b/s");
    for column in ["goodput", "throughput"] {
        for rate in values(report, "flows", column) {
            assert!(rate.is_nan() || rate <= slowest, "{column} {rate} over {slowest} b/s");
        }
    }
}

/// A bottleneck between fast links: what waits behind it leaves at ten times its rate.
fn bottleneck(transport: &str, source: &str, (warmup, measured): (u32, u32), link: &str) -> String {
    let duration = warmup + measured;
    format!(
        r#"
        [run]
        duration = "{duration} us"
        warmup = "{warmup} us"
        [topology]
        kind = "explicit"
        nodes = [
          {{ name = "a", kind = "host" }},
          {{ name = "r", kind = "router" }},
          {{ name = "s", kind = "router" }},
          {{ name = "b", kind = "host" }},
        ]
        links = [
          {{ from = "a", to = "r", rate = "1 Gb/s", delay = "10 us" }},
          {{ from = "r", to = "s", rate = "100 Mb/s", {link} }},
          {{ from = "s", to = "b", rate = "1 Gb/s", delay = "1 ms" }},
        ]
        [[traffic]]
        from = "a"
        to = "b"
        transport = {{ {transport} }}
        source = {{ {source} }}
        "#
    )
}

/// The bursts of a warm-up are lost after it, at a core with one channel and no buffer.
fn bursts(warmup: u32, measured: u32, size: u32) -> String {
    let duration = warmup + measured;
    format!(
        r#"
        [run]
        duration = "{duration} us"
        warmup = "{warmup} us"
        [assembly]
        max-size = "{size} kB"
        timeout = "200 us"
        [topology]
        kind = "explicit"
        nodes = [
          {{ name = "a", kind = "edge" }},
          {{ name = "b", kind = "edge" }},
          {{ name = "c", kind = "core" }},
          {{ name = "d", kind = "edge" }},
        ]
        links = [
          {{ from = "a", to = "c", rate = "1 Gb/s", delay = "1 ms", channels = 1 }},
          {{ from = "b", to = "c", rate = "1 Gb/s", delay = "1 ms", channels = 1 }},
          {{ from = "c", to = "d", rate = "1 Gb/s", delay = "1 ms", channels = 1 }},
        ]
        [[traffic]]
        from = ["a", "b"]
        to = "d"
        transport = {{ kind = "udp", header = "0 B" }}
        source = {{ kind = "poisson-packets", rate = "400 Mb/s", packet = "1500 B" }}
        "#
    )
}

#[test]
fn packets_of_the_warm_up_that_are_lost_after_it_are_in_no_loss() {
    // All that is sent is lost at the second link, 10 ms later; hardly any of it was sent in the measured
    // period, in which the source is off.
    let link = r#"delay = "1 ms", loss = { kind = "bernoulli", p = 1.0 }"#;
    let source = r#"kind = "cbr", rate = "100 Mb/s", packet = "1250 B""#;
    let text = bottleneck("kind = \"udp\", header = \"0 B\"", source, (10_000, 1_100), link);
    let report = run(&text, 1);
    holds(&report, 100e6);
    // A packet is offered every 100 us: eleven of them, those of the last 1.12 ms are on their way.
    assert_eq!(values(&report, "traffic", "packets-sent"), [11.0]);
    assert_eq!(values(&report, "traffic", "packets-lost"), [0.0]);
    assert_eq!(values(&report, "traffic", "loss"), [0.0]);
    let lost: f64 = values(&report, "links", "dropped-loss").iter().sum();
    assert!((lost - 11.0).abs() < 0.5, "{lost}");
}

#[test]
fn a_gap_that_is_filled_after_the_warm_up_delivers_nothing_that_was_sent_before() {
    // Of SACK TCP's data a large part lies behind gaps at any time; what they are filled for was sent in
    // the warm-up.
    let link = r#"delay = "10 ms", loss = { kind = "bernoulli", p = 0.001 }"#;
    let transport = r#"kind = "tcp", recovery = "sack", receive-window = "unlimited""#;
    for seed in 1..=20 {
        let text = bottleneck(transport, "kind = \"bulk\"", (1_000_000, 20_000), link);
        holds(&run(&text, seed), 100e6);
    }
}

#[test]
fn nothing_is_measured_in_a_run_that_stops_within_its_warm_up() {
    let source = r#"kind = "cbr", rate = "50 Mb/s", packet = "1250 B""#;
    let link = r#"delay = "1 ms""#;
    let text = bottleneck("kind = \"udp\"", source, (1_000_000, 1_000_000), link);
    let report = run(&text.replace("[run]", "[run]\nmax-events = 1000"), 1);
    holds(&report, 100e6);
    for (table, column) in [("traffic", "packets-sent"), ("links", "packets-in")] {
        let counted: f64 = values(&report, table, column).iter().sum();
        assert!(counted < 0.5, "{table}.{column}: {counted}");
    }
    assert!(values(&report, "links", "utilization").iter().all(|share| share.is_nan()));
}

#[test]
fn the_longest_wait_is_not_told_where_a_failure_has_made_it_longer() {
    let source = r#"kind = "cbr", rate = "110 Mb/s", packet = "1250 B""#;
    let text = bottleneck("kind = \"udp\"", source, (0, 10_000), r#"delay = "1 us""#);
    let set = |at: u32, kind: &str| {
        format!("[[changes]]\nat = \"{at} us\"\nlink = \"r - s\"\nset = {{ kind = \"{kind}\" }}\n")
    };
    let plain = run(&text, 1);
    assert!(values(&plain, "links", "wait-max").iter().all(|wait| wait.is_finite()));
    let failed = run(&(text + &set(2_000, "down") + &set(6_000, "up")), 1);
    holds(&failed, 100e6);
    let waits = values(&failed, "links", "wait-max");
    // The link that failed, and no other.
    assert_eq!(waits.iter().filter(|wait| wait.is_nan()).count(), 1, "{waits:?}");
    assert!(values(&failed, "links", "wait-mean").iter().any(|wait| *wait > 1e-4));
}

#[test]
fn an_edge_router_may_end_flows_over_an_electronic_link() {
    let text = r#"
        [run]
        duration = "1 s"
        [assembly]
        timeout = "1 ms"
        [topology]
        kind = "explicit"
        nodes = [{ name = "a", kind = "edge" }, { name = "b", kind = "edge" }]
        links = [{ from = "a", to = "b", rate = "10 Mb/s", delay = "1 ms" }]
        [[traffic]]
        from = "a"
        to = "b"
        transport = { kind = "tcp" }
        source = { kind = "bulk", size = "100 kB" }
        [[traffic]]
        from = "b"
        to = "a"
        transport = { kind = "stop-and-wait" }
        source = { kind = "bulk", size = "10 kB" }
    "#;
    let report = run(text, 1);
    holds(&report, 10e6);
    assert_eq!(values(&report, "traffic", "completed"), [1.0, 1.0]);
}

proptest! {
    #![proptest_config(trials::cases(48))]

    #[test]
    fn the_account_of_electronic_links_closes(
        transport in proptest::sample::select(vec![
            r#"kind = "udp", header = "0 B""#,
            r#"kind = "stop-and-wait""#,
            r#"kind = "tcp", preset = "newreno""#,
            r#"kind = "tcp", recovery = "sack""#,
            r#"kind = "tcp", recovery = "rack""#,
            r#"kind = "tcp", congestion = "dctcp""#,
        ]),
        periods in (0..400_000u32, 1..60_000u32),
        delay in 1..20_000u32,
        loss in prop_oneof![0.0..0.01f64, 0.0..0.3f64],
        packets in 1..2_000u32,
        changes in any::<bool>(),
        seed in 0..1_000u64,
    ) {
        let udp = transport.contains("udp");
        let source = if udp {
            r#"kind = "poisson-packets", rate = "120 Mb/s", packet = "1500 B""#
        } else {
            r#"kind = "bulk""#
        };
        let at = periods.0 + periods.1 / 3;
        let link = format!(
            "delay = \"{delay} us\", queue = {{ kind = \"drop-tail\", packets = {packets} }}, \
             loss = {{ kind = \"bernoulli\", p = {loss} }}"
        );
        let mut text = bottleneck(transport, source, periods, &link);
        if changes && periods.1 > 9 {
            for (kind, at) in [("down", at), ("up", at + periods.1 / 9)] {
                let set = format!("set = {{ kind = \"{kind}\" }}");
                let change = format!("[[changes]]\nat = \"{at} us\"\nlink = \"r - s\"\n{set}\n");
                text.push_str(&change);
            }
        }
        holds(&run(&text, seed), 100e6);
    }

    #[test]
    fn the_account_of_bursts_closes(
        warmup in 0..20_000u32,
        measured in 1..10_000u32,
        size in 3..60u32,
        seed in 0..1_000u64,
    ) {
        holds(&run(&bursts(warmup, measured, size), seed), 1e9);
    }
}
