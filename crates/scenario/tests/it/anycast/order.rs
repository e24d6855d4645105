//! Who overtakes whom on a bundle.

use super::{bundle, delays, packet, poisson};
use crate::common::{run, sum};

/// Sources as the paper has them, ON for some packets only: both ways, at a load of the lightpaths.
fn self_similar(lightpaths: u32, load: f64) -> String {
    let sources = f64::from(4 * lightpaths * lightpaths);
    let rate = load * 2.5e9 * f64::from(lightpaths) / sources;
    let way = |from: &str, to: &str| {
        format!(
            r#"
            [[traffic]]
            from = "{from}-source-*"
            to = "{to}-sink-*"
            transport = {{ kind = "udp", header = "0 B" }}
            [traffic.source]
            kind = "on-off"
            rate = "{rate:.0} b/s"
            peak = "2.5 Gb/s"
            components = 100
            on = {{ kind = "pareto", shape = 1.8, min = "4444 B" }}
            packet = {}
            "#,
            super::MIX
        )
    };
    way("left", "right") + &way("right", "left")
}

const IDEAL: &str =
    "kind = \"output-queued\"\nanycast = \"ideal-jsq\"\nswitching = \"cut-through\"";

/// No flow has a packet that comes after a later one. Other policies at the same switches do, and so does
/// the same policy where the far end waits for last bits.
#[test]
fn ideal_jsq_reorders_nothing() {
    for lightpaths in [2, 3, 4] {
        let traffic = self_similar(lightpaths, 0.95);
        let of = |core: &str, seed: u64| {
            let report = run(&bundle(lightpaths, "20 ms", core, &traffic), seed);
            assert!(sum(&report, "flows", "packets-delivered") > 10_000.0);
            sum(&report, "flows", "reordered")
        };
        assert!(of(IDEAL, 1) < 0.5, "{lightpaths}");
        if lightpaths == 2 {
            for policy in ["random", "round-robin", "e-jsq"] {
                assert!(of(&IDEAL.replace("ideal-jsq", policy), 1) > 100.0, "{policy}");
            }
            assert!(of(&IDEAL.replace("cut-through", "store-and-forward"), 1) > 100.0);
            assert!(of("kind = \"cioq\"\nanycast = \"e-jsq\"", 1) > 0.5);
        }
    }
}

/// A single sub-network of hosts on each of two switches. First bits count.
fn two_switches(traffic: &str) -> String {
    format!(
        "[run]\nduration = \"1 ms\"\n[topology]\nkind = \"dumbbell\"\npairs = 4\n\
         access = {{ rate = \"2.5 Gb/s\", delay = \"0 s\" }}\n\
         bottleneck = {{ rate = \"2.5 Gb/s\", delay = \"0 s\", lightpaths = 2 }}\n\
         [core]\n{IDEAL}\n{traffic}"
    )
}

/// Two packets of 1500 B take both lightpaths at one instant. So both are free at one instant, too: two
/// more that came meanwhile, a long one and then a short one, begin then. For one output at the far
/// end they are there at once, and leave in the order of assignment.
#[test]
fn two_first_bits_at_an_instant_keep_the_order_of_assignment() {
    let way = |pair: u64, at: u64, bytes: u64| {
        packet(&format!("left-{pair}"), &format!("right-{pair}"), at, bytes)
    };
    let fill = way(0, 0, 1_500) + &way(1, 0, 1_500);
    for (first, second) in [(1_500, 40), (40, 1_500), (576, 576)] {
        for [early, late] in [[2, 3], [3, 2]] {
            let to = |host: u64, at: u64, bytes: u64| {
                packet(&format!("left-{host}"), "right-2", at, bytes)
            };
            let text =
                two_switches(&(fill.clone() + &to(early, 1_000, first) + &to(late, 1_001, second)));
            let found = delays(&run(&text, 1));
            // Both begin after 4.8 µs.
            let (first, second) = (first as f64, second as f64);
            let ends =
                [4.8e6 + first * 3_200.0 - 1_000.0, 4.8e6 + (first + second) * 3_200.0 - 1_001.0];
            assert_eq!(found[2..], ends);
        }
    }
}

/// The same with one flow, whose packets follow each other: nobody overtakes.
#[test]
fn a_flow_at_the_rate_of_its_lightpaths_is_in_order() {
    let text =
        two_switches(&poisson("left-*", "right-*", 1.2e9, super::MIX)).replace("1 ms", "20 ms");
    let report = run(&text, 3);
    assert!(sum(&report, "flows", "packets-delivered") > 10_000.0);
    assert!(sum(&report, "flows", "reordered") < 0.5);
    let far = text.replace("cut-through", "store-and-forward");
    assert!(sum(&run(&far, 3), "flows", "reordered") > 10.0);
}
