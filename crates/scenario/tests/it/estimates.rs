//! Estimates of memory; what runs take they are held to from Python, where a process can be measured.

use std::fs;
use std::path::Path;

use scenario::load_file;

use crate::common::checked;

/// Of each example and accepted scenario: half a megabyte that any run takes, and none of these takes a gigabyte.
#[test]
fn every_scenario_has_an_estimate() {
    let folders = ["../scenario/tests/good", "../../python/tcphoton/scenarios"];
    let mut count = 0;
    for folder in folders {
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let Ok(checked) = load_file(&path, &[]) else { continue };
            let estimate = checked.memory();
            assert!((500_000..1_000_000_000).contains(&estimate), "{}: {estimate}", path.display());
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

/// A flow of 10,000 takes its state at both ends and its row: some kilobytes, whatever its transport.
#[test]
fn each_flow_adds_some_kilobytes() {
    let estimate = |transport: &str, source: &str, count: u32| {
        let text = format!(
            r#"
            run.duration = "1 ms"
            [topology]
            kind = "star"
            hosts = 4
            link = {{ rate = "1 Gb/s", delay = "1 us" }}
            [[traffic]]
            from = "h0"
            to = "h1"
            count = {count}
            transport = {{ kind = "{transport}" }}
            source = {{ {source} }}
            "#
        );
        checked(&text, &[]).memory()
    };
    let bulk = r#"kind = "bulk", size = "1 MB""#;
    for (transport, source) in [
        ("udp", r#"kind = "cbr", rate = "1 kb/s", packet = "100 B""#),
        ("tcp", bulk),
        ("stop-and-wait", bulk),
        ("message", bulk),
        ("tcp", r#"kind = "poisson-writes", rate = "10 kb/s""#),
    ] {
        let [few, many] = [10, 10_010].map(|count| estimate(transport, source, count));
        let each = (many - few) / 10_000;
        assert!((1_000..6_000).contains(&each), "{transport}, {source}: {each}");
    }
}

/// Windows that open together cross an optical core in a few bursts, so a budget of some events ends them no sooner: 1,000
/// flows have their receive windows of 6 MiB under way, 4,300 packets each.
#[test]
fn packets_that_share_bursts_do_not_spend_an_event_each() {
    let text = r#"
        run = { duration = "40 s", max-events = 500000 }
        topology = { kind = "nsfnet", link = { rate = "6 Gb/s", channels = 6 } }
        assembly.timeout = "100 us"
        [[traffic]]
        from = "edge-WA"
        to = "edge-DC"
        count = 1000
        transport = { kind = "tcp", preset = "sack" }
        source = { kind = "bulk" }
    "#;
    let packets = 1_000 * 4_300;
    let estimate = checked(text, &[]).memory();
    assert!((40 * packets..120 * packets).contains(&estimate), "{estimate}");
}

/// Each pair has a source of its own, with an event, before any file has started: some 170 B.
#[test]
fn sources_of_files_are_there_before_their_files() {
    let estimate = |count: u32| {
        let text = format!(
            r#"
            run = {{ duration = "1 us", max-events = 1 }}
            topology = {{ kind = "star", hosts = 2, link = {{ rate = "1 Gb/s", delay = "1 us" }} }}
            [[traffic]]
            from = "h0"
            to = "h1"
            count = {count}
            transport.kind = "tcp"
            source = {{ kind = "transfers", size = "1 kB", per-second = 1e-3 }}
            "#
        );
        checked(&text, &[]).memory()
    };
    let each = (estimate(100_000) - estimate(100)) / 99_900;
    assert!((120..250).contains(&each), "{each}");
}

/// Pairs of racks ask for a lightpath when they have a file: none of 10⁴ pairs has one in a microsecond.
#[test]
fn pairs_that_have_not_asked_for_a_lightpath_take_nothing() {
    let estimate = |duration: &str| {
        let text = format!(
            r#"
            run.duration = "{duration}"
            topology = {{ kind = "torus", dimensions = [100], hosts = 1, link = {{ rate = "10 Gb/s", delay = "1 us" }}, access = {{ rate = "10 Gb/s", delay = "1 us" }} }}
            core = {{ kind = "lightpath", channels = 2 }}
            [[traffic]]
            from = "h*"
            to = "h*"
            pattern = "uniform"
            transport.kind = "tcp"
            source = {{ kind = "transfers", size = "1 kB", per-second = 1000.0 }}
            "#
        );
        checked(&text, &[]).memory()
    };
    let (none, some) = (estimate("1 us"), estimate("100 s"));
    assert!(none < 3_000_000 && some > 8_000_000, "{none} {some}");
}
