//! The profile `inet-2.1`, and how fast windows grow under it.

use scenario::Report;

use crate::common::{run, values};

/// One flow on a path of 100 ms that queues next to nothing: 10 Gb/s, no loss.
fn long_path(seconds: u32, transport: &str) -> Report {
    let text = format!(
        "profile = \"inet-2.1\"\nrecord = {{ series = [\"cwnd\"], interval = \"{seconds} s\" }}\n\
         [run]\nduration = \"{seconds}.001 s\"\n[topology]\nkind = \"line\"\nrouters = 0\n\
         link = {{ rate = \"10 Gb/s\", delay = \"50 ms\", queue = {{ kind = \"drop-tail\", packets = 100000 }} }}\n\
         [[traffic]]\nfrom = \"a\"\nto = \"b\"\nsource = {{ kind = \"bulk\" }}\n\
         transport = {{ kind = \"tcp\"{transport} }}\n"
    );
    run(&text, 1)
}

/// The window in segments at the end.
fn window(report: &Report) -> f64 {
    values(report, "series", "value").last().unwrap() / 1460.0
}

/// The handshake takes a round trip; slow start doubles from 1 segment to 65,535 B = 44.9 segments in
/// six; then NewReno adds one a round trip.
#[test]
fn newreno_grows_by_a_segment_a_round_trip_from_45_on() {
    let report = long_path(20, "");
    let expected = 65_535.0 / 1460.0 + (200.0 - 7.0);
    let found = window(&report);
    assert!((found - expected).abs() < 0.02 * expected, "{found} for {expected}");
    assert_eq!(values(&report, "traffic", "retransmissions"), [0.0]);
    // Every full packet is 1507 B on the wire.
    let (packets, bytes) =
        (values(&report, "links", "packets-in"), values(&report, "links", "bytes-in"));
    assert!(packets[0] > 20_000.0);
    assert!((bytes[0] - 1507.0 * packets[0]).abs() < 3.0 * 1507.0, "{bytes:?} {packets:?}");
}

/// The same start, then a segment and α winᵏ − 1 a round trip (Tan et al. 2006), without timestamps.
#[test]
fn compound_grows_by_a_power_of_its_window_a_round_trip() {
    let mut expected: f64 = 65_535.0 / 1460.0;
    for _ in 0..200 - 8 {
        expected += 1.0 + (expected.powf(0.75) / 8.0 - 1.0).max(0.0);
    }
    let found = window(&long_path(20, ", preset = \"compound\""));
    assert!(expected > 4000.0);
    assert!((found - expected).abs() < 0.05 * expected, "{found} for {expected}");
}

#[test]
fn cubic_grows_faster_than_newreno() {
    let found = window(&long_path(20, ", preset = \"cubic\""));
    // W(t) = C (t − K)³ + W_max with K = 0 after slow start: 45 + 0.4 · 19.3³.
    let expected = 45.0 + 0.4 * 19.3_f64.powi(3);
    assert!((found - expected).abs() < 0.05 * expected, "{found} for {expected}");
}
