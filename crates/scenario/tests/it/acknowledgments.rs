//! The delays of acknowledgments, which are recorded on request.

use scenario::Report;

use crate::common::{self, values};

/// Segments of 1460 B from `a` over a router to `b`, one in flight at a time.
fn run(record: &str) -> Report {
    let text = format!(
        r#"
        [run]
        duration = "10 s"
        warmup = "1 s"
        [topology]
        kind = "explicit"
        nodes = [
            {{ name = "a", kind = "host" }}, {{ name = "r", kind = "router" }}, {{ name = "b", kind = "host" }},
        ]
        links = [
            {{ from = "a", to = "r", rate = "10 Mb/s", delay = "1 ms" }},
            {{ from = "r", to = "b", rate = "10 Mb/s", delay = "2 ms" }},
        ]
        [[traffic]]
        from = "a"
        to = "b"
        transport = {{ kind = "tcp", preset = "newreno", segment = "1460 B", max-window = "1 segments", ack-every = 1, header = "40 B" }}
        source = {{ kind = "bulk" }}
        [record]
        {record}
        "#
    );
    common::run(&text, 1)
}

fn of_traffic(report: &Report, name: &str) -> f64 {
    values(report, "traffic", name)[0]
}

/// 40 B take 32 µs a link, 1500 B 1.2 ms: 3.064 ms for an acknowledgment and 5.4 ms for the data before
/// it, so one each 8.464 ms, of which 1063 end in the nine seconds.
#[test]
fn an_acknowledgment_takes_its_own_transmission_and_the_propagation() {
    let report = run("acknowledgments = true");
    assert!((of_traffic(&report, "ack-delay-mean") - 3.064e-3).abs() < 1e-12);
    assert!((of_traffic(&report, "delay-mean") - 5.4e-3).abs() < 1e-12);
    let acks = of_traffic(&report, "acks-delivered");
    assert!((acks - 9.0 / 8.464e-3).abs() <= 1.0, "{acks}");
}

#[test]
fn they_are_not_recorded_unless_this_is_asked_for_and_change_nothing() {
    let (without, with) = (run(""), run("acknowledgments = true"));
    assert!(of_traffic(&without, "ack-delay-mean").is_nan());
    assert!(of_traffic(&without, "acks-delivered") < 0.5);
    assert_eq!(without.json["digest"], with.json["digest"]);
}
