//! Reports of small runs, worked by hand.

use scenario::Report;

use crate::common::{run, values};

fn close(got: f64, expected: f64) -> bool {
    (got - expected).abs() < 1e-9 * expected
}

/// Packets of 1000 bytes at a constant rate over one link for 20 s.
fn constant_rate(link: &str, rate: &str, changes: &str) -> Report {
    run(
        &format!(
            r#"
        [run]
        duration = "20 s"
        [topology]
        kind = "line"
        routers = 0
        link = {link}
        [[traffic]]
        from = "a"
        to = "b"
        transport = {{ kind = "udp", header = "0 B" }}
        source = {{ kind = "cbr", rate = "{rate}", packet = "1000 B" }}
        {changes}
        "#
        ),
        1,
    )
}

/// A 16 Mb/s source on an 8 Mb/s link: the queue grows by 1000 packets a second, so its mean over
/// 20 s is 10,000 packets, and the wire is never idle.
#[test]
fn the_mean_queue_is_that_of_the_time_simulated() {
    let queue = r#"{ kind = "drop-tail", packets = 1000000 }"#;
    let link = format!(r#"{{ rate = "8 Mb/s", delay = "0 s", queue = {queue} }}"#);
    let report = constant_rate(&link, "16 Mb/s", "");
    assert!((values(&report, "links", "queue-mean")[0] - 10_000.0).abs() < 1.0);
    assert!(close(values(&report, "links", "utilization")[0], 1.0));
    assert!(close(values(&report, "links", "packets-in")[0], 40_000.0));
}

/// Packets that left at 100 Mb/s count as such, whatever the rate when they arrive.
#[test]
fn utilization_follows_a_rate_that_changes() {
    let change = r#"
        [[changes]]
        at = "10 s"
        link = "a -> b"
        set = { kind = "rate", rate = "1 kb/s" }
        "#;
    let report = constant_rate(r#"{ rate = "100 Mb/s", delay = "1 s" }"#, "50 Mb/s", change);
    // Half busy for 10 s, then always.
    assert!((values(&report, "links", "utilization")[0] - 0.75).abs() < 1e-4);
}

/// What ended before measuring began is not in the tables.
#[test]
fn transfers_that_ended_in_the_warm_up_are_not_counted() {
    let report = run(
        r#"
        [run]
        duration = "10 s"
        warmup = "5 s"
        [topology]
        kind = "line"
        routers = 0
        link = { rate = "1 Gb/s", delay = "1 ms" }
        [[traffic]]
        from = "a"
        to = "b"
        transport = { kind = "tcp" }
        source = { kind = "transfers", per-second = 2.0, size = "10 kB" }
        "#,
        1,
    );
    let starts = values(&report, "flows", "start");
    assert!(!starts.is_empty());
    assert!(starts.iter().all(|&start| start > 4.9), "{starts:?}");
    assert!(close(values(&report, "traffic", "flows")[0], starts.len() as f64));
    assert!(close(values(&report, "traffic", "jain")[0], 1.0));
}

/// A packet of 1000 B takes 1 ms on its source's link of 8 Mb/s and 1 ms on the next, with 5 ms of
/// propagation on each: 12 ms from the first bit on the wire, however long it waited before it.
#[test]
fn the_delay_on_the_wire_leaves_the_interface_out() {
    let text = r#"
        [run]
        duration = "20 s"
        [topology]
        kind = "line"
        routers = 1
        link = { rate = "8 Mb/s", delay = "5 ms" }
        [[traffic]]
        from = "a"
        to = "b"
        transport = { kind = "udp", header = "0 B" }
        source = { kind = "poisson-packets", rate = "6 Mb/s", packet = "1000 B" }
    "#;
    let report = run(text, 1);
    let flow = |name: &str| values(&report, "flows", name)[0];
    assert!((flow("delay-wire-mean") - 0.012).abs() < 2e-9);
    assert!(flow("delay-mean") > 0.013);
}
