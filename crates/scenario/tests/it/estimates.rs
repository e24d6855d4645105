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
