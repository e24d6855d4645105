//! Runs that end with a file, in the paper's topology.

use serde_json::Value;

use super::{bundle, poisson};
use crate::common::{run, values};

/// Two files against each other's datagrams.
fn transfers(core: &str, until: &str, duration: &str) -> String {
    let file = |from: &str, to: &str| {
        format!(
            r#"
            [[traffic]]
            from = "{from}-tcp-source"
            to = "{to}-tcp-sink"
            reordering = true
            transport = {{ kind = "tcp", preset = "newreno" }}
            source = {{ kind = "bulk", size = "600 kB" }}
            "#
        )
    };
    let traffic = file("left", "right")
        + &file("right", "left")
        + &poisson("left-source-*", "right-sink-*", 0.7 * 5e9 / 16.0, super::MIX)
        + &poisson("right-source-*", "left-sink-*", 0.7 * 5e9 / 16.0, super::MIX);
    let text = bundle(2, duration, core, &traffic);
    "profile = \"inet-2.1\"\n".to_owned() + &text.replacen("[run]", &format!("[run]\n{until}"), 1)
}

/// A run that ends with the first file ends at the picosecond at which the sink has it: one that is a
/// picosecond shorter does not see it, and one that is longer has it at that instant.
#[test]
fn a_run_ends_when_a_sink_has_its_file() {
    for core in [
        "kind = \"cioq\"\nanycast = \"e-jsq\"",
        "kind = \"cioq\"\nanycast = \"jsvoq\"",
        "kind = \"output-queued\"\nanycast = \"ideal-jsq\"\nswitching = \"cut-through\"",
    ] {
        let first = run(&transfers(core, "until = \"first-file\"", "1 s"), 2);
        assert_eq!(first.json["stop"], Value::from("end"));
        let end = first.json["simulated"].as_f64().expect("seconds");
        assert!(end > 2e-3 && end < 0.1, "{end}");
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive")]
        let ps = (end * 1e12).round() as u64;
        let complete = values(&first, "traffic", "files-complete");
        assert!((complete[0] + complete[1] - 1.0).abs() < 0.5, "{complete:?}");
        let winner = usize::from(complete[1] > 0.5);
        let of = |duration: u64| {
            let report = run(&transfers(core, "", &format!("{duration} ps")), 2);
            let delivered = values(&report, "flows", "delivered")[winner];
            (delivered, values(&report, "traffic", "first-file")[winner])
        };
        let (delivered, at) = of(ps - 1);
        assert!(delivered < 6e5 && at.is_nan(), "{delivered} at {at}");
        let (delivered, at) = of(ps + 1_000_000);
        assert!((delivered - 6e5).abs() < 0.5 && (at - end).abs() < 1e-12, "{at}, not {end}");
    }
}
