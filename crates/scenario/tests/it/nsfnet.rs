//! The NSF network: the loss of one of its links against a closed form, and conservation.

use crate::common::erlang::erlang_b;
use crate::common::{counts, watch};

/// Bursts of one packet of 12,500 B, 10 µs at 10 Gb/s, from NE over its link to IL alone; `load` is
/// in erlang. The add channels are so many that no burst ever waits at its edge.
fn one_link(load: f64, bursts: f64) -> String {
    let rate = load * 10.0;
    let duration = bursts * 10.0 / load;
    format!(
        r#"
        [run]
        duration = "{duration} us"
        [topology]
        kind = "nsfnet"
        edges = ["NE", "IL"]
        link = {{ rate = "10 Gb/s", channels = 2, control-channels = 16 }}
        add-channels = 64
        [assembly]
        max-size = "12500 B"
        timeout = "1 ms"
        [core]
        kind = "burst"
        conversion = "full"
        [[traffic]]
        from = "edge-NE"
        to = "edge-IL"
        transport = {{ kind = "udp", header = "0 B" }}
        source = {{ kind = "poisson-packets", rate = "{rate} Gb/s", packet = "12500 B" }}
        "#
    )
}

/// The loss of a run at the core. Nothing is lost elsewhere: bursts in = out + lost + inside.
fn loss(text: &str, seed: u64) -> f64 {
    let (report, inside) = watch(text, seed, |run| run.world().optical().bursts.len() as u64);
    let count = |column: &str| {
        let [count] = counts(&report, "fecs", column) else { panic!("several classes") };
        *count
    };
    for elsewhere in ["lost-random", "lost-ingress", "lost-control", "lost-late", "lost-down"] {
        assert_eq!(count(elsewhere), 0, "{elsewhere}");
    }
    let (bursts, lost) = (count("bursts"), count("lost-contention"));
    assert_eq!(bursts, count("delivered") + lost + inside);
    assert_eq!(bursts, count("by-size"), "each packet is a burst");
    lost as f64 / bursts as f64
}

/// Bursts come to the core router in a Poisson stream, and with full conversion each of its two
/// channels to IL takes any of them: Erlang's loss system, whatever the law of the lengths.
#[test]
fn one_link_of_the_core_loses_by_erlang_b() {
    const RUNS: u32 = 20;
    for (load, bursts) in [(0.02, 40_000.0), (0.1, 10_000.0), (0.5, 5_000.0), (2.0, 5_000.0)] {
        let text = one_link(load, bursts);
        let losses: Vec<f64> = (1..=u64::from(RUNS)).map(|seed| loss(&text, seed)).collect();
        let runs = f64::from(RUNS);
        let mean = losses.iter().sum::<f64>() / runs;
        let squares: f64 = losses.iter().map(|loss| (loss - mean) * (loss - mean)).sum();
        let error = (squares / (runs - 1.0) / runs).sqrt();
        let expected = erlang_b(2, load);
        assert!(expected > 1e-4);
        assert!(error < 0.15 * expected, "{load} erlang: {mean} ± {error} is too rough");
        let off = (mean - expected).abs() / error;
        assert!(off < 4.0, "{load} erlang: {mean} ± {error}, not {expected}");
    }
}
