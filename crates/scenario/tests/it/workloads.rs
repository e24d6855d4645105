//! Traffic of data centres: who sends to whom, over which paths, and how long it takes.

use std::collections::{BTreeMap, BTreeSet};

use scenario::Report;
use scenario::bench::{WORKLOADS, Workload, scenario};
use units::{Span, Time};

use crate::common::{checked, texts, values};

fn run(text: &str, settings: &[(&str, &str)], seed: u64) -> Report {
    checked(text, settings).run(seed)
}

fn one(report: &Report, column: &str) -> f64 {
    let [value] = values(report, "traffic", column)[..] else { panic!("several entries") };
    value
}

fn chi_square(counts: impl IntoIterator<Item = u32>) -> f64 {
    let counts: Vec<f64> = counts.into_iter().map(f64::from).collect();
    let expected = counts.iter().sum::<f64>() / counts.len() as f64;
    counts.iter().map(|count| (count - expected).powi(2) / expected).sum()
}

/// A batch of transfers between hosts of a fat tree with 16 hosts.
const BATCH: &str = r#"
    [run]
    duration = "10 s"
    [topology]
    kind = "fat-tree"
    k = 4
    link = { rate = "1 Gb/s", delay = "1 us" }
    [[traffic]]
    from = "*"
    to = "*"
    pattern = "uniform"
    transport = { kind = "tcp" }
    source = { kind = "transfers", per-second = 1000, limit = 3000, size = "3 kB" }
"#;

#[test]
fn uniform_transfers_go_from_any_host_to_any_other() {
    let report = run(BATCH, &[("traffic.0.source.limit", "24000")], 1);
    let (from, to) = (texts(&report, "flows", "from"), texts(&report, "flows", "to"));
    let mut counts: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for pair in from.iter().zip(to) {
        *counts.entry((pair.0, pair.1)).or_default() += 1;
    }
    assert!(counts.keys().all(|(from, to)| from != to));
    // 239 degrees of freedom: exceeded once in 1000 seeds.
    assert_eq!(counts.len(), 16 * 15);
    assert!(chi_square(counts.into_values()) < 312.4);
}

#[test]
fn a_batch_has_a_makespan_once_its_last_transfer_is_over() {
    let report = run(BATCH, &[], 1);
    let (start, end) = (values(&report, "flows", "start"), values(&report, "flows", "end"));
    let first = start.iter().copied().fold(f64::INFINITY, f64::min);
    let last = end.iter().copied().fold(0.0, f64::max);
    assert_eq!(start.len(), 3000);
    assert!((one(&report, "makespan") - (last - first)).abs() < 1e-12);
    let throughput = 3000.0 * 3000.0 * 8.0 / (last - first);
    assert!((one(&report, "batch-throughput") / throughput - 1.0).abs() < 1e-9);
    let mut times: Vec<f64> = start.iter().zip(&end).map(|(start, end)| end - start).collect();
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / 3000.0;
    assert!((one(&report, "completion-mean") / mean - 1.0).abs() < 1e-9);
    assert!((one(&report, "completion-p50") / times[1499] - 1.0).abs() < 0.017);
    assert!((one(&report, "completion-p99") / times[2969] - 1.0).abs() < 0.017);
    // Halfway all that have begun may be over, but more will come.
    let half = run(BATCH, &[("run.duration", "1.5 s")], 1);
    assert!(one(&half, "makespan").is_nan() && one(&half, "batch-throughput").is_nan());
    assert!(one(&half, "completed") > 1000.0 && one(&half, "completion-mean") > 0.0);
}

#[test]
fn flows_that_ended_before_the_warm_up_have_no_part_in_completion_times() {
    let report = run(BATCH, &[("run.warmup", "1 s")], 1);
    let end = values(&report, "flows", "end");
    assert!(end.iter().all(|&end| end >= 1.0));
    assert!((1800..2200).contains(&end.len()), "{}", end.len());
    let whole = run(BATCH, &[], 1);
    assert!(one(&report, "makespan") < one(&whole, "makespan") - 0.9);
    let throughput =
        one(&report, "goodput") * (10.0 - 1.0) / (end.iter().copied().fold(0.0, f64::max) - 1.0);
    // The few that were under way at the end of the warm-up began before it.
    assert!((one(&report, "batch-throughput") / throughput - 1.0).abs() < 1e-3);
}

#[test]
fn without_a_choice_of_paths_spreading_changes_nothing() {
    let line = r#"
        [run]
        duration = "1 s"
        [topology]
        kind = "line"
        routers = 2
        link = { rate = "10 Mb/s", delay = "1 ms", queue = { kind = "drop-tail", packets = 9 } }
        [[traffic]]
        from = "a"
        to = "b"
        count = 3
        transport = { kind = "tcp" }
        source = { kind = "bulk" }
    "#;
    let digest = |overrides: &[(&str, &str)]| run(line, overrides, 1).json["digest"].clone();
    let flow = digest(&[]);
    assert_eq!(digest(&[("routing.spread", "packet")]), flow);
    let gap = ("routing.flowlet-gap", "1 us");
    assert_eq!(digest(&[("routing.spread", "flowlet"), gap]), flow);
}

/// One connection between two pods.
fn connection(spread: &[(&str, &str)]) -> Report {
    let mut overrides = vec![
        ("traffic.0.from", "h0"),
        ("traffic.0.to", "h15"),
        ("traffic.0.source", r#"{ kind = "bulk", size = "30 MB" }"#),
    ];
    overrides.extend(spread);
    run(&BATCH.replace("pattern = \"uniform\"", ""), &overrides, 1)
}

/// Packets on the links from the edge router of the source, and from the core to that of the sink.
fn uses(report: &Report) -> [Vec<f64>; 2] {
    let (links, packets) = (texts(report, "links", "link"), values(report, "links", "packets-out"));
    let of = |from: &str, to: &str| {
        let wanted = |link: &str| link.starts_with(from) && link.contains(&format!(" -> {to}"));
        links.iter().zip(&packets).filter(|(link, _)| wanted(link)).map(|(_, n)| *n).collect()
    };
    [of("edge-0-0", "agg"), of("core", "agg-3")]
}

#[test]
fn a_flow_takes_one_path_and_its_packets_take_all() {
    let flow = connection(&[]);
    assert!(one(&flow, "reordered") < 0.5);
    for used in uses(&flow) {
        assert_eq!(used.iter().filter(|&&packets| packets > 0.0).count(), 1, "{used:?}");
    }
    let packet = connection(&[("routing.spread", "packet")]);
    for used in uses(&packet) {
        let mean = used.iter().sum::<f64>() / used.len() as f64;
        assert!(used.iter().all(|packets| (packets / mean - 1.0).abs() < 0.06), "{used:?}");
    }
    // A gap that never comes leaves the flow where it is; one that comes moves it.
    let of = |gap| connection(&[("routing.spread", "flowlet"), ("routing.flowlet-gap", gap)]);
    assert_eq!(of("1 h").json["digest"], flow.json["digest"]);
    let [first, _] = uses(&of("0 s"));
    assert!(first.iter().all(|&packets| packets > 1000.0), "{first:?}");
}

/// The paths of packets are common random numbers: links of another length move none.
#[test]
fn what_the_network_does_moves_no_packet_to_another_path() {
    let text = format!(
        r#"{}
        [routing]
        spread = "packet"
        "#,
        BATCH.replace(r#"transport = { kind = "tcp" }"#, r#"transport = { kind = "udp" }"#).replace(
            r#"source = { kind = "transfers", per-second = 1000, limit = 3000, size = "3 kB" }"#,
            r#"source = { kind = "cbr", rate = "10 Mb/s", packet = "1 kB" }"#
        )
    )
    .replace(r#"pattern = "uniform""#, r#"pattern = "permutation""#);
    let calm = run(&text, &[("run.duration", "1 s")], 1);
    let slow = run(&text, &[("run.duration", "1 s"), ("topology.link.delay", "100 us")], 1);
    let offered = |report: &Report| {
        let (links, packets) =
            (texts(report, "links", "link"), values(report, "links", "packets-in"));
        let up = |link: &str| link.starts_with("edge") && link.contains("-> agg");
        let found: Vec<f64> =
            links.iter().zip(packets).filter(|(link, _)| up(link)).map(|(_, n)| n).collect();
        assert_eq!(found.len(), 16);
        found
    };
    // But for the packets that are still on the first link at the end.
    for (calm, slow) in offered(&calm).into_iter().zip(offered(&slow)) {
        assert!((calm - slow).abs() <= 2.0, "{calm} {slow}");
    }
    let distinct: BTreeSet<u64> = offered(&calm).iter().map(|n| n.to_bits()).collect();
    assert!(distinct.len() > 8, "all alike would prove nothing");
}

/// A closed loop between the hosts of a fat tree with 16 hosts, its links a little lossy.
fn closed_loop(source: &str) -> String {
    format!(
        r#"
        [run]
        duration = "1000 s"
        [topology]
        kind = "fat-tree"
        k = 4
        link = {{ rate = "1 Gb/s", delay = "1 us", loss = {{ kind = "bernoulli", p = 0.0005 }} }}
        [[traffic]]
        from = "*"
        to = "*"
        pattern = "all"
        start = {{ kind = "uniform", from = "1 s", to = "1.001 s" }}
        transport = {{ kind = "tcp" }}
        source = {{ {source} }}
        "#
    )
}

/// The flows by what stands in a column: each with its start and end in seconds.
fn by(report: &Report, column: &str) -> BTreeMap<String, Vec<(f64, f64)>> {
    let times = values(report, "flows", "start").into_iter().zip(values(report, "flows", "end"));
    let mut found: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for (host, times) in texts(report, "flows", column).iter().zip(times) {
        found.entry(host.clone()).or_default().push(times);
    }
    found
}

#[test]
fn a_shuffle_brings_each_block_once_and_so_many_of_a_sender_at_a_time() {
    let report = run(&closed_loop(r#"kind = "shuffle", block = "20 kB", parallel = 3"#), &[], 1);
    let pairs: BTreeSet<_> =
        texts(&report, "flows", "from").iter().zip(texts(&report, "flows", "to")).collect();
    assert!(pairs.iter().all(|(from, to)| from != to));
    assert_eq!(pairs.len(), 16 * 15);
    assert!(
        (one(&report, "flows") - 240.0).abs() < 0.5
            && (one(&report, "completed") - 240.0).abs() < 0.5
    );
    assert!(values(&report, "flows", "delivered").iter().all(|&bytes| (bytes - 20e3).abs() < 0.5));
    assert!(one(&report, "makespan") > 0.0 && one(&report, "retransmissions") > 0.0);
    for (sender, blocks) in by(&report, "from") {
        let mut at: Vec<f64> = blocks.iter().map(|block| block.0).collect();
        at.sort_by(f64::total_cmp);
        // Three begin at its start, each further one when one is over: no later, no earlier.
        let mut ends: Vec<f64> = blocks.iter().map(|block| block.1).collect();
        ends.sort_by(f64::total_cmp);
        assert!((1.0..1.001).contains(&at[0]), "{sender}");
        assert!(at[..3].iter().all(|start| start.to_bits() == at[0].to_bits()), "{sender}");
        assert_eq!(at[3..], ends[..12], "{sender}");
    }
    let starts: BTreeSet<u64> = by(&report, "from").values().map(|b| b[0].0.to_bits()).collect();
    assert_eq!(starts.len(), 16);
}

#[test]
fn a_sender_of_a_shuffle_has_an_order_of_its_own() {
    let source = r#"kind = "shuffle", block = "1 kB""#;
    let orders = |seed| {
        let report = run(&closed_loop(source), &[], seed);
        let starts = values(&report, "flows", "start");
        let mut rows: Vec<_> = (0..starts.len()).collect();
        rows.sort_by(|&a, &b| starts[a].total_cmp(&starts[b]));
        let mut orders: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in rows {
            let from = texts(&report, "flows", "from")[row].clone();
            orders.entry(from).or_default().push(texts(&report, "flows", "to")[row].clone());
        }
        orders
    };
    let (one, other) = (orders(1), orders(2));
    // By chance two of 16 agree in their first with probability 1/15 or so.
    let first: BTreeSet<_> = one.values().map(|order| &order[0]).collect();
    assert!(first.len() > 5, "{first:?}");
    assert!(one.iter().filter(|(from, order)| *order == &other[*from]).count() == 0);
    assert_eq!(orders(1), one);
}

#[test]
fn a_round_of_an_incast_begins_when_the_last_block_of_the_one_before_is_over() {
    let source = r#"kind = "incast", block = "20 kB", rounds = 30, senders = 5"#;
    let report = run(&closed_loop(source), &[], 1);
    assert!((one(&report, "completed") - f64::from(16 * 30 * 5)).abs() < 0.5);
    assert!(one(&report, "makespan") > 0.0);
    let pairs = texts(&report, "flows", "from").iter().zip(texts(&report, "flows", "to"));
    let mut senders: BTreeMap<(String, String), u32> = BTreeMap::new();
    for (from, to) in pairs {
        assert_ne!(from, to);
        *senders.entry((to.clone(), from.clone())).or_default() += 1;
    }
    // A given sender is in a third of the 30 rounds. For each receiver the counts of its 15 senders
    // have a fixed sum and the variance 30 · 1/3 · 2/3 each: 14 degrees of freedom with 15/14 of it.
    // Of 16 · 14 degrees: below or above once in 500 seeds.
    assert_eq!(senders.len(), 16 * 15);
    let chi_square = chi_square(senders.values().copied()) / (2.0 / 3.0 * 15.0 / 14.0);
    assert!((163.0..295.0).contains(&chi_square), "{chi_square}");
    for (receiver, blocks) in by(&report, "to") {
        let mut rounds: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for (start, end) in blocks {
            rounds.entry(start.to_bits()).or_default().push(end);
        }
        assert_eq!(rounds.len(), 30, "{receiver}");
        let mut before: Option<f64> = None;
        for (start, ends) in rounds {
            assert_eq!(ends.len(), 5);
            if let Some(before) = before {
                assert_eq!(start, before.to_bits(), "{receiver}");
            }
            before = ends.into_iter().reduce(f64::max);
        }
    }
}

#[test]
fn without_senders_a_round_of_an_incast_has_all() {
    let source = r#"kind = "incast", block = "2 kB", rounds = 2"#;
    let overrides = [("traffic.0.from", "h*"), ("traffic.0.to", r#"["h3", "h7"]"#)];
    let report = run(&closed_loop(source), &overrides, 1);
    let receivers = by(&report, "to");
    assert_eq!(receivers.keys().collect::<Vec<_>>(), ["h3", "h7"]);
    assert!(receivers.values().all(|blocks| blocks.len() == 2 * 15));
}

/// A shuffle of 128 hosts has 16,256 flows; those that are over make room, and whoever takes their
/// rows holds a few of them. Neither changes the run.
#[test]
fn closed_loops_hold_what_goes_on_at_a_time() {
    let loops = [
        (r#"kind = "shuffle", block = "1 kB", parallel = 2"#, 128 * 127, 128 * 2),
        (r#"kind = "incast", block = "1 kB", rounds = 20, senders = 9"#, 128 * 20 * 9, 128 * 9),
    ];
    for (source, flows, at_a_time) in loops {
        let text = closed_loop(source).replace("k = 4", "k = 8");
        let checked = checked(&text, &[]);
        let mut run = checked.start(1);
        let (mut taken, mut held) = (0, 0);
        while run.advance(20_000).stop.is_none() {
            held = held.max(run.ended_flows());
            taken += run.ended_flows();
            run.take_ended_flows();
        }
        taken += run.ended_flows();
        let places = run.world().flow_places();
        assert!(places < 3 * at_a_time, "{source}: {places}");
        assert!(held < 4000 && taken > flows - 3 * at_a_time, "{source}: {held} {taken}");
        let report = run.finish();
        assert!((one(&report, "completed") - flows as f64).abs() < 0.5, "{source}");
        assert_eq!(report.json["digest"], checked.run(1).json["digest"]);
    }
}

#[test]
fn every_workload_can_be_set_up() {
    for name in WORKLOADS {
        let checked = scenario(name);
        let workload = Workload::new(name, checked.as_ref());
        assert!(workload.is_some(), "{name}");
        if let Some(Workload::Scenario(run)) = workload
            && (name.starts_with("dumbbell-") || name.starts_with("fat-tree-16-"))
        {
            assert!(name.ends_with(&format!("-{}", run.world().flow_rows().len())), "{name}");
        }
    }
    assert!(Workload::new("none", None).is_none());
}

#[test]
fn a_warm_up_is_over_before_a_workload_is_measured() {
    let checked = scenario("ops");
    let mut workload = Workload::new("ops", checked.as_ref()).unwrap();
    assert_eq!(workload.done().packet_hops, 0);
    workload.warm_up();
    let begin = workload.done();
    assert!(begin.packet_hops > 0 && begin.now < Time::ZERO + Span::from_ms(100), "{begin:?}");
}
