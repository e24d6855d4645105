//! A message transport in whole runs: over every core everything comes, and what trimming cuts off is counted.

use scenario::{Report, load};

use crate::common::{checked, count, sum};

fn run(text: &str, changes: &[(&str, &str)]) -> Report {
    checked(text, changes).run(1)
}

/// Eight hosts of a star send 300 kB each to the ninth.
const INCAST: &str = r#"
[run]
duration = "20 ms"
[topology]
kind = "star"
hosts = 9
link = { rate = "10 Gb/s", delay = "1 us", queue = { kind = "trimming", packets = 20 } }
[[traffic]]
from = ["h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8"]
to = "h0"
transport = { kind = "message", window = { kind = "nscc", initial = 10, largest = 10 } }
source = { kind = "bulk", size = "300 kB" }
"#;

#[test]
fn data_that_are_cut_off_are_sent_again_and_nothing_else_is_lost() {
    for credits in ["false", "true"] {
        let report = run(INCAST, &[("traffic.0.transport.credits", credits)]);
        let trimmed = count(&report, "links", "trimmed");
        assert!(trimmed > 50, "{trimmed} with credits {credits}");
        // Each packet that lost its data comes, and is sent once more.
        assert_eq!(count(&report, "flows", "retransmissions"), trimmed);
        assert_eq!(count(&report, "traffic", "packets-lost"), 0);
        assert_eq!(count(&report, "traffic", "completed"), 8);
        // 2.4 MB, and 74 packets a flow with a header each, over the link of the sink: 1.96 ms; the first round trip and
        // the last packets that were trimmed take a little more.
        let last = sum(&report, "traffic", "makespan");
        assert!((1.95e-3..2.06e-3).contains(&last), "{last} with credits {credits}");
    }
}

/// Credits hold back what is beyond the first window: without them the window alone does, after the first losses.
#[test]
fn credits_trim_less() {
    let changes = [("traffic.0.source.size", "3 MB"), ("traffic.0.transport.window", "fixed")];
    let trimmed = |credits| {
        let credits = ("traffic.0.transport.credits", credits);
        sum(&run(INCAST, &[changes[0], changes[1], credits]), "links", "trimmed")
    };
    let (without, with) = (trimmed("false"), trimmed("true"));
    assert!(with < without / 20.0, "{with} with credits, {without} without");
}

/// The receivers of a host take turns: eight flows that began together end together.
#[test]
fn flows_to_one_host_share_its_credit_alike() {
    let changes = [
        ("traffic.0.source.size", "2 MB"),
        ("traffic.0.transport.credits", "true"),
        ("traffic.0.transport.window", "fixed"),
    ];
    let report = run(INCAST, &changes);
    assert!(sum(&report, "traffic", "jain") > 0.999);
    let (first, last) =
        (sum(&report, "traffic", "first-file"), sum(&report, "traffic", "makespan"));
    assert!(first > 0.98 * last, "{first} and {last}");
}

/// Every kind of core that examples have, with flows that end: all data come, and runs conserve packets and bytes.
#[test]
fn it_runs_over_every_core() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let cores = [
        ("fat-tree", 1),
        ("hybrid-fat-tree", 1),
        ("lightpath-bundle", 2),
        ("obs-three-nodes", 3),
        ("ops-deflection", 1),
        ("ops-mesh", 1),
    ];
    for (name, entries) in cores {
        let text = std::fs::read_to_string(folder.join(name).with_extension("toml")).unwrap();
        let mut changes = vec![
            ("run.max-events".to_owned(), "2000000".to_owned()),
            ("run.warmup".to_owned(), "0 s".to_owned()),
        ];
        for entry in 0..entries {
            let key = format!("traffic.{entry}.transport");
            changes.push((key, "{ kind = \"message\", min-rto = \"5 ms\" }".to_owned()));
        }
        let report = load(name, &text, &changes).unwrap_or_else(|m| panic!("{m:?}")).run(1);
        let delivered = sum(&report, "traffic", "packets-delivered");
        assert!(delivered > 10_000.0, "{name}: {delivered}");
    }
}
