//! What an output without a buffer loses, and how long packets wait where they may.

use super::{assert_near, mean_and_error, network, poisson, switching, total};
use crate::common::erlang::erlang_b;
use crate::common::{run, values};

/// A law of lengths as the source has it: its mean in bytes, and its squared coefficient of
/// variation.
struct Law {
    size: &'static str,
    mean: f64,
    variation: f64,
}

/// The k-th moment of a Pareto law between two sizes, k not its shape: the integral of x^k over its
/// density.
fn pareto_moment(k: f64, shape: f64, min: f64, max: f64) -> f64 {
    let between = |power: f64| min.powf(power) - max.powf(power);
    shape / (shape - k) * between(k - shape) / between(-shape)
}

/// Laws under which a datagram is never cut: the largest has 65,535 B, and the exponential law
/// exceeds 26 times its mean once in 10¹¹ packets.
fn laws() -> [Law; 3] {
    let (shape, min, max) = (1.5, 500.0, 50_000.0);
    let mean = pareto_moment(1.0, shape, min, max);
    let variation = pareto_moment(2.0, shape, min, max) / (mean * mean) - 1.0;
    let pareto = "{ kind = \"bounded-pareto\", shape = 1.5, min = \"500 B\", max = \"50 kB\" }";
    let exponential = "{ kind = \"exponential\", mean = \"2500 B\" }";
    [
        Law { size: "\"2500 B\"", mean: 2500.0, variation: 0.0 },
        Law { size: exponential, mean: 2500.0, variation: 1.0 },
        Law { size: pareto, mean, variation },
    ]
}

impl Law {
    /// The time of so many packets that are offered at `load` erlang to a channel of 1 Gb/s.
    fn time(&self, packets: f64, load: f64) -> String {
        format!("{} ns", (packets * self.mean * 8.0 / load).round())
    }
}

/// Packets come to the output as a Poisson process and each is an optical packet: M/G/1/1, which
/// loses A/(1 + A) whatever the law of the lengths, by Erlang's formula for one server. After each
/// packet that is taken the losses are Poisson over its length S, with mean A and variance A + A²c²
/// (c that of S): so the error is known beforehand, √((A + A²c²)/n)/(1 + A)² where n packets are
/// taken.
#[test]
fn one_output_loses_a_over_one_plus_a_whatever_the_lengths() {
    for law in laws() {
        for load in [0.1, 1.0, 4.0] {
            let text = network(1, &[("A", "B", "10 us")])
                + &switching(&law.time(40_000.0, load), "")
                + &poisson("A", "B", load * 1000.0, law.size);
            let report = run(&text, 1);
            let (offered, lost) = (total(&report, "bursts"), total(&report, "lost-ingress"));
            let variance = (load + load * load * law.variation) / (offered - lost);
            let error = variance.sqrt() / (1.0 + load).powi(2);
            let what = format!("{load} erlang, {}", law.size);
            assert!((offered - 40_000.0).abs() < 1000.0, "{what}: {offered} packets");
            assert_near((lost / offered, error), load / (1.0 + load), 0.05, &what);
            assert!((values(&report, "flows", "packets-lost")[0] - lost).abs() < 0.5);
            // The output is busy with what it took, but for a packet at the end.
            let time = report.json["simulated"].as_f64().unwrap();
            let carried = total(&report, "bytes-delivered") * 8e-9 / time;
            for table in ["links", "channels"] {
                let busy = values(&report, table, "utilization")[0];
                assert!((busy - carried).abs() < 1e-3, "{what}: {busy}, not {carried}");
            }
        }
    }
}

/// The share of lost packets over eight seeds, with its error.
fn loss(text: &str, cause: &str) -> (f64, f64) {
    let losses: Vec<f64> = (1..=8)
        .map(|seed| {
            let report = run(text, seed);
            let (offered, lost) = (total(&report, "bursts"), total(&report, cause));
            // What is neither lost so nor there is on its way.
            assert!(offered - lost - total(&report, "delivered") < 500.0, "other losses");
            lost / offered
        })
        .collect();
    mean_and_error(&losses)
}

/// The transmitters of an ingress edge are tunable: its link is Erlang's loss system.
#[test]
fn an_edge_with_several_wavelengths_loses_by_erlang_b() {
    for (law, (channels, load)) in laws().into_iter().zip([(2, 1.0), (4, 2.0), (4, 6.0)]) {
        let text = network(channels, &[("A", "B", "10 us")])
            + &switching(&law.time(20_000.0, load), "")
            + &poisson("A", "B", load * 1000.0, law.size);
        let what = format!("{channels} channels, {load} erlang, {}", law.size);
        assert_near(loss(&text, "lost-ingress"), erlang_b(channels, load), 0.03, &what);
    }
}

/// A core node that can convert puts a packet on any wavelength of its output: Erlang's formula for
/// that link. The add channels are so many that nothing is lost before.
#[test]
fn an_output_with_conversion_loses_by_erlang_b() {
    for load in [0.5, 2.0] {
        let places = "[topology]\nkind = \"nsfnet\"\nedges = [\"NE\", \"IL\"]\n\
                      add-channels = 64\nlink = { rate = \"1 Gb/s\", channels = 2 }\n";
        let text = places.to_owned()
            + &switching(&format!("{} ms", 400.0 / load), "remedies = [\"convert\"]")
            + &poisson("edge-NE", "edge-IL", load * 1000.0, "\"2500 B\"");
        let what = format!("{load} erlang");
        assert_near(loss(&text, "lost-contention"), erlang_b(2, load), 0.05, &what);
    }
}

/// Where formed packets wait at their ingress edge nothing is lost, and the wait is that of M/G/1
/// by Pollaczek and Khinchin: ρ(1 + c²)/(1 − ρ)/2 mean lengths; M/D/1 for packets of one size.
#[test]
fn packets_that_may_wait_at_their_edge_do_so_by_pollaczek_and_khinchin() {
    let [fixed, exponential, _] = laws();
    for (law, load) in [(&fixed, 0.3), (&fixed, 0.7), (&exponential, 0.5)] {
        let text = (network(1, &[("A", "B", "10 us")])
            + &switching(&law.time(30_000.0, load), "")
            + &poisson("A", "B", load * 1000.0, law.size))
            .replace("\"drop\"", "\"wait\"");
        let length = law.mean * 8e-9;
        let waits: Vec<f64> = (1..=8)
            .map(|seed| {
                let report = run(&text, seed);
                assert!(total(&report, "bursts") - total(&report, "delivered") < 100.0);
                (values(&report, "flows", "delay-mean")[0] - 10e-6) / length - 1.0
            })
            .collect();
        let expected = load * (1.0 + law.variation) / (1.0 - load) / 2.0;
        let what = format!("{load} erlang, {}", law.size);
        assert_near(mean_and_error(&waits), expected, 0.05, &what);
    }
}

/// The moments that the errors above are made of, against sums over the density.
#[test]
fn the_moments_of_the_pareto_law_are_its_integrals() {
    let (shape, min, max) = (1.5, 500.0_f64, 50_000.0_f64);
    let density = |x: f64| shape * x.powf(-shape - 1.0) / (min.powf(-shape) - max.powf(-shape));
    let steps = 200_000;
    for k in [1.0, 2.0] {
        let sum: f64 = (0..steps)
            .map(|step| {
                // Even steps of the logarithm, at whose middle x is.
                let width = (max / min).ln() / f64::from(steps);
                let x = min * ((f64::from(step) + 0.5) * width).exp();
                x.powf(k) * density(x) * x * width
            })
            .sum();
        assert!((pareto_moment(k, shape, min, max) / sum - 1.0).abs() < 1e-6);
    }
}
