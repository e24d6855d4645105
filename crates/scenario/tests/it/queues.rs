//! Queues against their closed forms: one link, Poisson packets, no transport in the way.
//!
//! Each test averages independent seeds; the tolerance is four standard errors of that average, or
//! a hundredth of the value where the error is smaller still. Seeds are fixed: nothing retries.

use scenario::Report;

use crate::common::md1k::md1k_loss;
use crate::common::{checked, number, run, values};

/// One 8 Mb/s link of no length: 1000 bytes take 1 ms. Headers are off so that sizes are those of
/// the source.
fn scenario(packet: &str, rate: &str, queue: &str) -> String {
    format!(
        r#"
        [run]
        duration = "400 s"
        warmup = "20 s"
        [topology]
        kind = "line"
        routers = 0
        link = {{ rate = "8 Mb/s", delay = "0 s", queue = {queue} }}
        [[traffic]]
        from = "a"
        to = "b"
        transport = {{ kind = "udp", header = "0 B" }}
        source = {{ kind = "poisson-packets", rate = "{rate}", packet = {packet} }}
        "#
    )
}

const DEEP: &str = r#"{ kind = "drop-tail", packets = 10000000 }"#;

/// Mean and standard error over seeds of something computed from a report.
fn mean(text: &str, value: impl Fn(&Report) -> f64) -> (f64, f64) {
    let checked = checked(text, &[]);
    let values: Vec<f64> = (1..=12).map(|seed| value(&checked.run(seed))).collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

fn assert_near((mean, error): (f64, f64), expected: f64) {
    let tolerance = (4.0 * error).max(0.01 * expected);
    assert!((mean - expected).abs() < tolerance, "{mean} ± {error}, expected {expected}");
    assert!(error < 0.06 * expected, "too few packets to say anything: ± {error}");
}

/// Mean wait in an M/M/1 queue: ρ/(μ − λ) (Kleinrock 1975, eq. 3.28 with Little).
#[test]
fn mm1_waits() {
    let packet = r#"{ kind = "exponential", mean = "1000 B" }"#;
    for (rate, load) in [("4 Mb/s", 0.5), ("6.4 Mb/s", 0.8)] {
        let text = scenario(packet, rate, DEEP);
        let wait = mean(&text, |report| number(report, "links", "wait-mean", 0));
        assert_near(wait, load / (1.0 - load) * 1e-3);
    }
}

/// Mean number waiting in an M/M/1 queue: ρ²/(1 − ρ); utilization ρ.
#[test]
fn mm1_queue_and_utilization() {
    let packet = r#"{ kind = "exponential", mean = "1000 B" }"#;
    let text = scenario(packet, "5.6 Mb/s", DEEP);
    assert_near(mean(&text, |report| number(report, "links", "queue-mean", 0)), 0.49 / 0.3);
    assert_near(mean(&text, |report| number(report, "links", "utilization", 0)), 0.7);
}

/// Mean wait in an M/D/1 queue: ρ/(2μ(1 − ρ)) (Pollaczek–Khinchine).
#[test]
fn md1_waits() {
    for (rate, load) in [("4 Mb/s", 0.5), ("6.4 Mb/s", 0.8)] {
        let text = scenario("\"1000 B\"", rate, DEEP);
        let wait = mean(&text, |report| number(report, "links", "wait-mean", 0));
        assert_near(wait, load / (2.0 * (1.0 - load)) * 1e-3);
    }
}

#[test]
fn md1k_with_one_place_loses_as_erlang_says() {
    // K = 1 has no queue: Erlang's B with one server, ρ/(1 + ρ).
    assert!((md1k_loss(0.7, 1) - 0.7 / 1.7).abs() < 1e-12);
}

#[test]
fn md1k_losses() {
    for (rate, load, waiting) in [("6.4 Mb/s", 0.8, 2), ("7.2 Mb/s", 0.9, 5), ("9.6 Mb/s", 1.2, 4)]
    {
        let queue = format!(r#"{{ kind = "drop-tail", packets = {waiting} }}"#);
        let text = scenario("\"1000 B\"", rate, &queue);
        let loss = mean(&text, |report| {
            number(report, "links", "dropped-queue", 0) / number(report, "links", "packets-in", 0)
        });
        assert_near(loss, md1k_loss(load, waiting + 1));
    }
}

#[test]
fn a_link_that_accepts_nothing_while_it_is_measured_has_no_mean_wait() {
    let text = r#"
        [run]
        duration = "9 ms"
        warmup = "7 ms"
        [topology]
        kind = "line"
        routers = 1
        link = { rate = "1 Gb/s", delay = "1 us", queue = { kind = "shaper", packets = 2, rate = "460053 b/s", burst = "33478 B" } }
        [[traffic]]
        from = "a"
        to = "b"
        transport = { kind = "udp" }
        source = { kind = "cbr", rate = "400 Mb/s", packet = "1342 B" }
        "#;
    let report = run(text, 1);
    let waits = values(&report, "links", "wait-mean");
    assert!(waits.iter().all(|wait| !wait.is_infinite()), "{waits:?}");
    assert!(waits[2].is_nan(), "{waits:?}");
}
