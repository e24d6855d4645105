//! Stop-and-wait over whole networks: the closed form of its rate, contention, loss each way.

use scenario::Report;

use crate::common::{checked, run, texts, values};

/// A line of six links of 10 Gb/s.
fn line(delay: &str, transport: &str, source: &str) -> String {
    format!(
        r#"
        [run]
        duration = "10 s"
        [topology]
        kind = "line"
        routers = 5
        link = {{ rate = "10 Gb/s", delay = "{delay}" }}
        [[traffic]]
        from = "a"
        to = "b"
        transport = {{ kind = "stop-and-wait", {transport} }}
        source = {source}
        [record]
        series = ["rtt", "cwnd"]
        "#
    )
}

#[test]
fn a_packet_goes_each_round_trip_with_set_up_and_release_to_the_picosecond() {
    let source = r#"{ kind = "bulk", size = "4500 kB" }"#;
    let report = run(&line("5 us", "", source), 1);
    // Store and forward: six times 9 kB there and 64 B back, twelve propagations.
    let (data, control, delay) = (7.2e-6, 51.2e-9, 5e-6);
    let cycle = 6.0 * data + 6.0 * control + 12.0 * delay;
    // SYN and SYN-ACK, the ACK ahead of the first data, FIN and FIN-ACK.
    let others = 2.0 * (12.0 * control + 12.0 * delay) + control;
    let end = values(&report, "flows", "end")[0];
    assert!((end - (500.0 * cycle + others)).abs() < 2e-12, "{end}");
    assert_eq!(values(&report, "flows", "retransmissions"), [0.0]);
    assert_eq!(values(&report, "flows", "packets-sent"), [500.0 + 4.0]);
    assert_eq!(values(&report, "flows", "acks-sent"), [500.0 + 2.0]);
    assert_eq!(texts(&report, "flows", "transport"), ["stop-and-wait"]);
    assert_eq!(texts(&report, "flows", "preset"), ["saw"]);
    // SYN, data, FIN are measured; the delay is that of the 9 kB packets.
    let mean = (500.0 * cycle + others - control) / 502.0;
    assert!((values(&report, "flows", "rtt-mean")[0] - mean).abs() < 1e-12);
    let delay = 6.0 * data + 6.0 * delay;
    let wire = values(&report, "flows", "delay-wire-mean")[0];
    assert!((wire - delay).abs() < 1e-9, "{wire}");
}

#[test]
fn the_series_show_round_trip_times_and_no_windows() {
    let source = r#"{ kind = "bulk", size = "4500 kB" }"#;
    let report = run(&line("70 us", "handshake = false, release = false", source), 1);
    let values = values(&report, "series", "value");
    // Every 10 ms from 10 ms on: at the start there is nothing.
    assert_eq!(values.len(), 1000);
    let cycle = 6.0 * 7.2e-6 + 6.0 * 51.2e-9 + 12.0 * 70e-6;
    assert!(values.iter().all(|value| (value - cycle).abs() < 1e-12));
}

#[test]
fn a_margin_makes_it_stop_and_wait_longer() {
    let source = r#"{ kind = "bulk", size = "9 kB" }"#;
    let report = run(&line("5 us", "rto-margin = 4", source), 1);
    assert_eq!(texts(&report, "flows", "preset"), ["sawl"]);
}

/// Transfers one after another through the same places, where half of all packets are lost each way.
fn half_lost(transport: &str) -> Report {
    let text = format!(
        r#"
        [run]
        duration = "2 h"
        [topology]
        kind = "line"
        routers = 0
        link = {{ rate = "10 Gb/s", delay = "1 us", loss = {{ kind = "bernoulli", p = 0.5 }} }}
        [[traffic]]
        from = "a"
        to = "b"
        transport = {{ kind = "stop-and-wait", {transport} }}
        [traffic.source]
        kind = "transfers"
        per-second = 1
        limit = 3000
        size = {{ kind = "exponential", mean = "30 kB" }}
        "#
    );
    let checked = checked(&text, &[]);
    let mut run = checked.start(1);
    while run.advance(u64::MAX).stop.is_none() {}
    assert!(run.world().flow_places() < 60, "places are used again");
    assert_eq!(run.world().packets_inside(), 0);
    run.finish()
}

#[test]
fn every_transfer_ends_though_half_of_all_packets_are_lost_each_way() {
    let report = half_lost("");
    assert_eq!(values(&report, "traffic", "completed"), [3000.0]);
    assert_eq!(values(&report, "flows", "delivered"), values(&report, "flows", "size"));
    // The last acknowledgment is lost half the time; the receiver asks again until one comes, also
    // where the flow is over and waits to go: each is one more than the sender needs.
    let sent = values(&report, "traffic", "packets-sent")[0];
    let loss = values(&report, "traffic", "loss")[0];
    assert!((loss - 0.5).abs() < 4.0 * 0.5 / sent.sqrt(), "{loss} of {sent}");
}

/// The last acknowledgment of a transfer is lost, and other transfers come and go before the receiver
/// asks again: its flow keeps its place until then.
#[test]
fn a_flow_that_is_over_stays_until_its_receiver_has_heard_so() {
    let text = r#"
        [run]
        duration = "100 ms"
        [topology]
        kind = "star"
        hosts = 4
        link = { rate = "10 Gb/s", delay = "5 us" }
        # The first transfer, of at most 9 kB: what it has left. Its FIN has left the host by 60 us, and
        # the acknowledgment of the FIN-ACK comes to the hub behind 65 us.
        [[traffic]]
        from = "h0"
        to = "h1"
        transport = { kind = "stop-and-wait" }
        source = { kind = "transfers", per-second = 1e-9, limit = 1, under-way = 1, size = "9 kB" }
        [[traffic]]
        from = "h2"
        to = "h3"
        transport = { kind = "stop-and-wait" }
        source = { kind = "transfers", per-second = 1e5, limit = 80, size = "1 B" }
        [[changes]]
        link = "h0 -> hub"
        at = "60500 ns"
        set = { kind = "down" }
        [[changes]]
        link = "h0 -> hub"
        at = "100 us"
        set = { kind = "up" }
        "#;
    let report = run(text, 1);
    // SYN, ACK, data, FIN, the last ACK twice; SYN-ACK, ACK, FIN-ACK twice.
    assert_eq!(values(&report, "flows", "packets-sent")[..1], [6.0]);
    assert_eq!(values(&report, "flows", "packets-lost")[..1], [1.0]);
    assert_eq!(values(&report, "flows", "acks-sent")[..1], [4.0]);
    assert!(values(&report, "flows", "end")[0] < 100e-6, "it was over before");
}

#[test]
fn a_packet_needs_four_copies_where_it_and_its_answer_are_lost_half_the_time() {
    let report = half_lost("release = false");
    // SYN and data packets.
    let packets = |size: &f64| 1.0 + (size / 9000.0).ceil();
    let packets: f64 = values(&report, "flows", "size").iter().map(packets).sum();
    let copies = 1.0 + values(&report, "traffic", "retransmissions")[0] / packets;
    // A geometric law with p = 1/4: mean 4, variance 12.
    assert!((copies - 4.0).abs() < 4.0 * (12.0 / packets).sqrt(), "{copies} of {packets}");
}

#[test]
fn a_fat_tree_carries_transfers_between_random_hosts() {
    let text = r#"
        [run]
        duration = "10 s"
        [topology]
        kind = "fat-tree"
        k = 4
        link = { rate = "10 Gb/s", delay = "50 ns", queue = { kind = "drop-tail", packets = 4 } }
        [[traffic]]
        from = "*"
        to = "*"
        pattern = "random"
        transport = { kind = "stop-and-wait", rto-margin = 4 }
        source = { kind = "transfers", per-second = 1e6, limit = 400, size = { kind = "log-normal", mu = 9.48, sigma = 2.46, max = "5 MB" } }
        "#;
    let report = run(text, 1);
    assert_eq!(values(&report, "traffic", "completed"), [400.0]);
    assert_eq!(values(&report, "flows", "delivered"), values(&report, "flows", "size"));
}
