//! Mean waits against closed forms, and those of CIOQ switches against output-queued ones.

use crate::common::{links, run, sum, values};

/// Standard errors; exceeded once in 16,000 seeds.
const K: f64 = 4.0;

/// Eight hosts whose packets come at once, a thousand times faster than they leave over the one link
/// between two switches.
fn funnel(load: f64) -> String {
    format!(
        r#"
        [run]
        duration = "50 ms"
        [topology]
        kind = "explicit"
        nodes = [
          {{ name = "h", kind = "host", count = 8 }}, {{ name = "g", kind = "host" }},
          {{ name = "x", kind = "core" }}, {{ name = "y", kind = "core" }},
        ]
        links = [
          {{ from = "h", to = "x", rate = "2.5 Tb/s", delay = "0 s" }},
          {{ from = "x", to = "y", rate = "2.5 Gb/s", delay = "0 s" }},
          {{ from = "y", to = "g", rate = "2.5 Gb/s", delay = "0 s" }},
        ]
        [core]
        kind = "output-queued"
        {}
        "#,
        super::poisson("h-*", "g", load * 2.5e9 / 8.0, "\"500 B\"")
    )
}

/// M/D/1: ρ / (2 (1 − ρ)) transmissions, of 1.6 µs here.
#[test]
fn an_output_queue_makes_packets_wait_as_theory_has_it() {
    for load in [0.3, 0.8] {
        let runs = (1..=12).map(|seed| links(&run(&funnel(load), seed), "x -> y", "wait-mean")[0]);
        let runs: Vec<f64> = runs.collect();
        let n = runs.len() as f64;
        let mean = runs.iter().sum::<f64>() / n;
        let error = (runs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        let expected = load / (2.0 * (1.0 - load)) * 1.6e-6;
        assert!(error < 0.02 * expected, "{error} of {expected}");
        // Packets come one after the other by each of the eight links, at most 0.1% apart.
        let apart = (mean - expected).abs();
        assert!(apart < K * error + 1e-3 * expected, "{mean} ± {error}, not {expected}");
    }
}

/// Four hosts that send packets of a cell to each other, four slots a packet.
fn cells(core: &str) -> String {
    let pairs = (0..4).flat_map(|from| (0..4).map(move |to| (from, to)));
    let traffic: String = pairs
        .filter(|(from, to)| from != to)
        .map(|(from, to)| {
            super::poisson(&format!("h{from}"), &format!("h{to}"), 0.8 * 2.5e9 / 3.0, "\"48 B\"")
        })
        .collect();
    format!(
        "[run]\nduration = \"1 ms\"\n[topology]\nkind = \"star\"\nhosts = 4\n\
         link = {{ rate = \"2.5 Gb/s\", delay = \"0 s\", \
         queue = {{ kind = \"drop-tail\", bytes = \"1 GB\" }} }}\n[core]\n{core}\n{traffic}"
    )
}

/// The same packets at the same instants. A cell takes a slot at least, and a packet leaves no later than
/// when each joins its output as late as the latest.
#[test]
fn a_fabric_as_fast_as_all_its_inputs_is_an_output_queued_switch_but_for_slots() {
    let queued = run(&cells("kind = \"output-queued\""), 1);
    let core = "kind = \"cioq\"\nspeedup = 4\ncell = \"48 B\"\ncell-payload = \"48 B\"\n\
                scheduler = { kind = \"islip\", iterations = 4 }";
    let combined = run(&cells(core), 1);
    let slot = 48.0 * 8.0 / 10e9;
    let longest = values(&combined, "line-cards", "stay-max").into_iter().fold(0.0, f64::max);
    // A slot begun and three cells at most for the same output; the input has one a packet's time.
    assert!(longest < 8.0 * slot, "{longest}");
    // Nothing waits at hosts otherwise than in the other run, so sums over links are those of outputs.
    for host in ["h0", "h1", "h2", "h3"] {
        let port = format!("hub -> {host}");
        let of = |column: &str| [&queued, &combined].map(|of| links(of, &port, column)[0]);
        let [one, other] = of("utilization");
        assert!((one - other).abs() < 1e-3, "{one} {other}");
        let packets = of("packets-out");
        assert!((packets[0] - packets[1]).abs() < 4.0 && packets[0] > 2_000.0, "{packets:?}");
    }
    // Of all packets: those that are on the way at the end are too few to tell.
    let delay = |report| {
        let (delays, counts) =
            (values(report, "flows", "delay-mean"), values(report, "flows", "packets-delivered"));
        let total: f64 = delays.iter().zip(&counts).map(|(delay, count)| delay * count).sum();
        total / sum(report, "flows", "packets-delivered")
    };
    let later = delay(&combined) - delay(&queued);
    assert!(later > 0.98 * slot && later < 1.02 * longest, "{later}, slots of {slot}");
}
