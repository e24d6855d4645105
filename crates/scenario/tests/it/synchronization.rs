//! Assembly policies and what flows share, in a whole network: one access link, one optical link,
//! TCP SACK (the paper's system in small).

#![expect(clippy::float_cmp, reason = "whole numbers, which a float has exactly")]

use proptest::prelude::*;
use scenario::Report;

use crate::common::{run, values};

const SYNCHRONIZATION: &str = "synchronization = \"0.7 s\"\nthroughput-span = \"3 ms\"\n\
                               fecs = [\"E0 -> E1\"]\nbursts = 1000000\n";

/// So many flows over an access link of 100 Mb/s, with these lines in `[assembly]` and `[record]`.
fn access(flows: u32, assembly: &str, record: &str) -> String {
    format!(
        "profile = \"ns2-2008\"\n[run]\nduration = \"30 s\"\nwarmup = \"2 s\"\n\
         [topology]\nkind = \"explicit\"\n\
         nodes = [{{ name = \"S\", kind = \"host\" }}, {{ name = \"E0\", kind = \"edge\" }}, \
         {{ name = \"E1\", kind = \"edge\" }}, {{ name = \"D\", kind = \"host\" }}]\n\
         links = [{{ from = \"S\", to = \"E0\", rate = \"100 Mb/s\", delay = \"10 ms\", \
         queue = {{ kind = \"drop-tail\", packets = 100000 }} }},\n\
         {{ from = \"E0\", to = \"E1\", rate = \"2.5 Gb/s\", delay = \"10 ms\", channels = 1 }},\n\
         {{ from = \"E1\", to = \"D\", rate = \"10 Gb/s\", delay = \"0 s\" }}]\n\
         [assembly]\n{assembly}\n[record]\n{record}\n\
         [[traffic]]\nfrom = \"S\"\nto = \"D\"\ncount = {flows}\n\
         start = {{ kind = \"uniform\", from = \"0 s\", to = \"1 s\" }}\n\
         transport = {{ kind = \"tcp\", preset = \"sack\", segment = \"1460 B\", \
         max-window = \"128 segments\" }}\nsource = {{ kind = \"bulk\" }}\n"
    )
}

fn digest(report: &Report) -> String {
    report.json["digest"].to_string()
}

/// The row of the class from E0 to E1 in `fecs`: the data go there.
fn forward(report: &Report, name: &str) -> f64 {
    values(report, "fecs", name)[0]
}

#[test]
fn one_queue_is_mixed_flow_whatever_the_policy_is_called() {
    let common = "timeout = \"3 ms\"\nloss = 0.01\n";
    let mixed = digest(&run(&access(9, common, ""), 7));
    for policy in [
        "policy = \"static-queues\"\nqueues = 1",
        "policy = \"dynamic-queues\"\nqueues = 1",
        "policy = \"dynamic-queues\"\nqueues = 1\ncycle = \"common\"",
        "policy = \"dynamic-queues\"\nqueues = 1\nallocation = \"a-posteriori\"",
        "policy = \"dynamic-queues\"\nqueues = 1\nallocation = \"a-posteriori\"\nloss-known = \"resent\"",
        "policy = \"window-aware\"\nqueues = 1",
    ] {
        let one = run(&access(9, &format!("{common}{policy}\n"), ""), 7);
        assert_eq!(digest(&one), mixed, "{policy}");
    }
    let two = format!("{common}policy = \"dynamic-queues\"\nqueues = 2\n");
    assert_ne!(digest(&run(&access(9, &two, ""), 7)), mixed);
}

#[test]
fn a_single_flow_has_one_queue_under_every_policy() {
    let common = "timeout = \"3 ms\"\nloss = 0.01\n";
    let mixed = digest(&run(&access(1, common, ""), 5));
    for policy in ["policy = \"per-flow\"", "policy = \"static-queues\"\nqueues = 3"] {
        let one = run(&access(1, &format!("{common}{policy}\n"), ""), 5);
        assert_eq!(digest(&one), mixed, "{policy}");
    }
}

#[test]
fn what_is_recorded_changes_nothing() {
    let assembly = "policy = \"dynamic-queues\"\nqueues = 2\ntimeout = \"3 ms\"\nloss = 0.01\n";
    let without = run(&access(6, assembly, ""), 3);
    let with = run(&access(6, assembly, SYNCHRONIZATION), 3);
    assert_eq!(digest(&with), digest(&without));
}

/// A packet of 1500 B takes 0.12 ms at 100 Mb/s, and one that comes at the deadline is in.
#[test]
fn bursts_hold_9_26_and_42_packets_at_most() {
    for (timeout, most) in [("1 ms", 9.0), ("3 ms", 26.0), ("5 ms", 42.0)] {
        let assembly = format!("timeout = \"{timeout}\"\n");
        let report = run(&access(40, &assembly, SYNCHRONIZATION), 1);
        let packets = values(&report, "bursts", "packets");
        let bytes = values(&report, "bursts", "bytes");
        // Those of the other direction hold acknowledgments of 40 B.
        let data = packets.iter().zip(&bytes).filter(|(packets, bytes)| **bytes > 40.0 * **packets);
        let found = data.map(|(packets, _)| *packets).fold(0.0, f64::max);
        assert!((found - most).abs() < 0.5, "{timeout}: {found}, not {most}");
    }
}

/// Every lost burst of a queue a flow takes data of one flow.
#[test]
fn per_flow_the_index_is_one_over_the_number_of_flows() {
    let assembly = "policy = \"per-flow\"\ntimeout = \"3 ms\"\nloss = 0.01\n";
    // A lost SYN costs 6 s: from 10 s on all flows are active.
    let text =
        access(8, assembly, SYNCHRONIZATION).replace("warmup = \"2 s\"", "warmup = \"10 s\"");
    let report = run(&text, 2);
    let lost = forward(&report, "lost-flows");
    assert!(lost > 20.0, "{lost} bursts lost");
    assert_eq!(forward(&report, "lost-random"), lost);
    assert_eq!(forward(&report, "lost-active"), 8.0 * lost);
    assert_eq!(forward(&report, "flows-mean"), 1.0);
    assert!(forward(&report, "queues-max") <= 8.0);
    let index = report.json["bursts"]["synchronization-index"].as_f64().unwrap();
    assert!((index - 1.0 / 8.0).abs() < 1e-12);
}

#[test]
fn with_one_flow_every_loss_is_shared_by_all() {
    let report = run(&access(1, "timeout = \"3 ms\"\nloss = 0.02\n", SYNCHRONIZATION), 2);
    assert_eq!(report.json["bursts"]["synchronization-index"].as_f64(), Some(1.0));
    let lost = values(&report, "synchronization", "flows-lost");
    assert!(lost.contains(&1.0) && lost.iter().all(|&lost| lost <= 1.0));
}

#[test]
fn windows_stay_within_their_largest() {
    let report = run(&access(5, "timeout = \"3 ms\"\n", SYNCHRONIZATION), 2);
    let (cwnd, most) = (
        values(&report, "synchronization", "cwnd"),
        values(&report, "synchronization", "cwnd-max"),
    );
    // 30 s in samples of 0.7 s, the last at 29.4 s.
    assert_eq!(cwnd.len(), 42);
    assert_eq!(most.last(), Some(&(5.0 * 128.0 * 1460.0)));
    assert!(cwnd.iter().zip(&most).all(|(cwnd, most)| cwnd <= most));
    // Without losses all windows are open in the end.
    assert_eq!(cwnd.last(), most.last());
}

/// Data that travel in bursts of two classes, one behind the other: a flow is active in the first, and no class
/// loses more flows than are active in it.
#[test]
fn a_class_loses_no_more_flows_than_are_active_in_it() {
    let text = r#"
        [run]
        duration = "4 s"
        [topology]
        kind = "explicit"
        nodes = [
          { name = "n0", kind = "edge" },
          { name = "n1", kind = "edge" },
          { name = "n2", kind = "edge" },
          { name = "a", kind = "host", count = 3 },
          { name = "b", kind = "host", count = 3 },
        ]
        links = [
          { from = "n0", to = "n1", rate = "40 Mb/s", delay = "1 ms", channels = 2 },
          { from = "n1", to = "n2", rate = "40 Mb/s", delay = "1 ms", channels = 2 },
          { from = "a", to = "n0", rate = "100 Mb/s", delay = "1 ms" },
          { from = "b", to = "n2", rate = "100 Mb/s", delay = "1 ms" },
        ]
        [assembly]
        loss = 0.2
        timeout = "1 ms"
        [[traffic]]
        from = "a-*"
        to = "b-*"
        transport = { kind = "tcp" }
        source = { kind = "bulk" }
        [record]
        synchronization = "500 ms"
    "#;
    let report = run(text, 1);
    let [flows, active] =
        ["lost-flows", "lost-active"].map(|column| values(&report, "fecs", column));
    assert!(flows.iter().any(|count| *count > 0.0), "{flows:?}");
    assert!(
        flows.iter().zip(&active).all(|(flows, active)| flows <= active),
        "{flows:?} {active:?}"
    );
    assert!(flows.len() > 2, "a class for each of two hops, there and back");
}

/// Acknowledgments come out of one burst: limited transmit sends new data and fast retransmit old data
/// at one instant, in this order. Nothing overtakes anything.
#[test]
fn what_is_sent_again_at_the_instant_of_new_data_is_not_reordered() {
    let assembly = "policy = \"per-flow\"\ntimeout = \"2 ms\"\nloss = 0.014622009609951366\n";
    let text = access(3, assembly, SYNCHRONIZATION).replace("30 s", "8 s");
    let report = run(&text, 68);
    assert_eq!(values(&report, "flows", "reordered").iter().sum::<f64>(), 0.0);
    assert!(values(&report, "flows", "fast-retransmits").iter().sum::<f64>() > 0.0);
}

proptest! {
    #![proptest_config(trials::cases(24))]

    /// Bursts, bytes and flows add up under every policy; nothing is reordered.
    #[test]
    fn what_is_counted_adds_up(
        policy in 0..6usize,
        flows in 1..20u32,
        queues in 1..6u32,
        loss in 0.0..0.05f64,
        seed in 0..1000u64,
    ) {
        let policy = [
            "policy = \"mixed-flow\"".to_owned(),
            "policy = \"per-flow\"".to_owned(),
            format!("policy = \"static-queues\"\nqueues = {queues}"),
            format!("policy = \"dynamic-queues\"\nqueues = {queues}"),
            format!("policy = \"dynamic-queues\"\nqueues = {queues}\nallocation = \"a-posteriori\""),
            format!("policy = \"window-aware\"\nqueues = {queues}"),
        ][policy].clone();
        let assembly = format!("{policy}\ntimeout = \"2 ms\"\nloss = {loss}\n");
        let text = access(flows, &assembly, SYNCHRONIZATION).replace("30 s", "8 s");
        let report = run(&text, seed);
        // Every burst is counted once by its flows; the forward class comes first.
        let counted: f64 = values(&report, "burst-flows", "bursts").iter().sum();
        let released: f64 = values(&report, "fecs", "bursts").iter().sum();
        prop_assert_eq!(counted, released);
        let most = values(&report, "burst-flows", "flows").into_iter().fold(0.0, f64::max);
        prop_assert!(most <= f64::from(flows));
        // On one channel nothing overtakes: no assembly queue reorders a flow.
        prop_assert_eq!(values(&report, "flows", "reordered").iter().sum::<f64>(), 0.0);
        prop_assert!(forward(&report, "lost-flows") <= forward(&report, "lost-active"));
        prop_assert!(forward(&report, "queues-max") <= f64::from(flows));
        // What left its queue and was not lost reached the end of the link, but for what was on its
        // way, 10 ms and a burst, at the two ends of the measured time: at most 100 Mb/s.
        let spans: f64 = values(&report, "spans", "bytes").iter().sum();
        let released = forward(&report, "bytes-released");
        let share = forward(&report, "lost-random") / forward(&report, "bursts").max(1.0);
        prop_assert!(spans <= released + 12.5e6 * 0.016, "{spans} B of {released} B");
        prop_assert!(spans >= forward(&report, "bytes-delivered") - 12.5e6 * 0.016);
        prop_assert!(loss > 0.0 || share == 0.0);
    }
}
