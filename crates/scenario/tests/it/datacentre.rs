//! The transports of data centres over whole networks: DCTCP and marks, mAIMD and contention.

use scenario::Report;

use crate::common::{run, values};

/// The largest of a column of the links: the bottleneck's.
fn most(report: &Report, column: &str) -> f64 {
    values(report, "links", column).into_iter().fold(0.0, f64::max)
}

/// Four long flows over a bottleneck of 10 Gb/s, a round trip of 100 us: 83 packets of 1500 B.
fn four_flows(queue: &str, transport: &str) -> Report {
    run(
        &format!(
            r#"
        [run]
        duration = "300 ms"
        warmup = "50 ms"
        [topology]
        kind = "dumbbell"
        pairs = 4
        access = {{ rate = "10 Gb/s", delay = "5 us" }}
        bottleneck = {{ rate = "10 Gb/s", delay = "40 us", queue = {queue} }}
        [[traffic]]
        from = "left-*"
        to = "right-*"
        transport = {{ kind = "tcp", min-rto = "10 ms", {transport} }}
        source = {{ kind = "bulk" }}
        "#
        ),
        1,
    )
}

#[test]
fn dctcp_holds_the_queue_at_the_threshold_where_newreno_fills_it() {
    let marking = r#"{ kind = "ecn-threshold", packets = 500, mark-above = 65 }"#;
    let dctcp = four_flows(marking, r#"preset = "dctcp""#);
    assert!(most(&dctcp, "dropped-queue") < 1.0);
    assert!(most(&dctcp, "marked") > 1000.0);
    assert!(most(&dctcp, "utilization") > 0.98, "{}", most(&dctcp, "utilization"));
    let queue = most(&dctcp, "queue-mean");
    // It swings around the threshold, by less than the four windows.
    assert!((30.0..100.0).contains(&queue), "{queue}");
    let newreno = four_flows(r#"{ kind = "drop-tail", packets = 500 }"#, r#"preset = "newreno""#);
    assert!(most(&newreno, "dropped-queue") > 0.0);
    assert!(most(&newreno, "queue-mean") > 2.0 * queue, "{}", most(&newreno, "queue-mean"));
    let jain = values(&dctcp, "traffic", "jain")[0];
    assert!(jain > 0.95, "{jain}");
}

/// A path without a queue that loses one packet in a hundred by chance, as contention would.
fn lossy(transport: &str) -> f64 {
    let report = run(
        &format!(
            r#"
        [run]
        duration = "500 ms"
        [topology]
        kind = "line"
        routers = 0
        link = {{ rate = "10 Gb/s", delay = "50 us", loss = {{ kind = "bernoulli", p = 0.01 }} }}
        [[traffic]]
        from = "a"
        to = "b"
        transport = {{ kind = "tcp", segment = "8960 B", min-rto = "1 ms", {transport} }}
        source = {{ kind = "bulk" }}
        "#
        ),
        1,
    );
    values(&report, "traffic", "goodput")[0]
}

#[test]
fn where_losses_are_chance_maimd_gets_more_than_the_reno_that_it_comes_from() {
    for (plain, modified) in [("newreno", "maimd"), ("sack", "msack")] {
        let before = lossy(&format!("preset = \"{plain}\""));
        let after = lossy(&format!("preset = \"{modified}\""));
        assert!(after > 1.2 * before, "{modified}: {after}, {plain}: {before}");
        // The smaller the decrease and the larger the increase, the more.
        let gentle = lossy(&format!(
            "preset = \"{modified}\", congestion = {{ kind = \"maimd\", decrease = 0.9 }}"
        ));
        let eager = lossy(&format!(
            "preset = \"{modified}\", congestion = {{ kind = \"maimd\", increase = 4 }}"
        ));
        assert!(gentle > 1.1 * after && eager > 1.1 * after, "{after}: {gentle}, {eager}");
    }
}
