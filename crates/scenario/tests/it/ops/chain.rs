//! Inputs that are busy with what they lose: the exact chain behind a bufferless output.
//!
//! N inputs of the output's rate, each idle for an exponential time and then busy for a packet's
//! length. A packet that finds the output busy is lost, but its bits go on coming: its input stays
//! occupied for its length. Engset's model has the source idle again at once, and loses more.

use super::{K, assert_near, mean_and_error, network, poisson, switching, total};
use crate::common::run;

/// The share of lost packets with exponential lengths of mean 1 and idle times of mean 1/a. States:
/// whether the output is busy (one input with it), and how many inputs are occupied by a lost
/// packet. The stationary law by uniformization.
fn loss(inputs: usize, a: f64) -> f64 {
    let n = inputs as f64;
    let mut law = vec![[0.0; 2]; inputs + 1];
    law[0][0] = 1.0;
    let step = 1.0 / (n * (a + 1.0));
    loop {
        let mut next = law.clone();
        let mut flow = |from: (usize, usize), to: (usize, usize), rate: f64| {
            let share = law[from.0][from.1] * rate * step;
            next[from.0][from.1] -= share;
            next[to.0][to.1] += share;
        };
        for lost in 0..=inputs {
            let idle = n - lost as f64;
            if idle > 0.0 {
                flow((lost, 0), (lost, 1), idle * a);
            }
            if idle > 1.0 {
                flow((lost, 1), (lost + 1, 1), (idle - 1.0) * a);
            }
            flow((lost, 1), (lost, 0), 1.0);
            if lost > 0 {
                flow((lost, 0), (lost - 1, 0), lost as f64);
                flow((lost, 1), (lost - 1, 1), lost as f64);
            }
        }
        let moved: f64 =
            law.iter().flatten().zip(next.iter().flatten()).map(|(a, b)| (a - b).abs()).sum();
        law = next;
        if moved < 1e-15 {
            break;
        }
    }
    let idle = |lost: usize, busy: usize| (n - (lost + busy) as f64).max(0.0);
    let begun =
        |busy: usize| -> f64 { (0..=inputs).map(|lost| law[lost][busy] * idle(lost, busy)).sum() };
    begun(1) / (begun(0) + begun(1))
}

/// Engset's loss of calls with one server, by N − 1 other sources.
fn engset(inputs: usize, a: f64) -> f64 {
    let others = (inputs - 1) as f64 * a;
    others / (1.0 + others)
}

/// With two inputs the balance is solved by hand: each input is busy for a share a/(1 + a) of the
/// time, both for the product, the output idle beside a lost packet for a²/(1 + a)³, and so (2a +
/// a²)/(1 + a)²/2 are lost. With many inputs that are rarely busy arrivals are Poisson.
#[test]
fn the_chain_has_its_limits() {
    for a in [0.1, 1.0, 3.0] {
        assert!(loss(1, a) < 1e-12);
        let by_hand = (2.0 * a + a * a) / (1.0 + a).powi(2) / 2.0;
        assert!((loss(2, a) - by_hand).abs() < 1e-9, "{a}: {}, not {by_hand}", loss(2, a));
        assert!(loss(2, a) < engset(2, a));
    }
    for (inputs, within) in [(20, 0.05), (80, 0.0125)] {
        let poisson = 0.5;
        let off = loss(inputs, 1.0 / inputs as f64) / poisson - 1.0;
        assert!(off < 0.0 && off > -within, "{inputs} inputs: {off}");
    }
}

/// An edge that drops what finds its one wavelength busy sends packets with idle times between them
/// that are exponential, for its arrivals are a Poisson process: exactly such an input.
#[test]
fn inputs_stay_occupied_by_what_is_lost() {
    let names = ["A", "B", "D", "E", "F", "G"];
    for (inputs, a) in [(2, 1.0), (3, 0.5), (6, 2.0)] {
        let mut links = vec![("C", "Z", "10 us")];
        links.extend(names[..inputs].iter().map(|name| (*name, "C", "10 us")));
        let mut text = network(1, &links) + &switching("500 ms", "");
        let size = "{ kind = \"exponential\", mean = \"2500 B\" }";
        for name in &names[..inputs] {
            text += &poisson(name, "Z", a * 1000.0, size);
        }
        let losses: Vec<f64> = (1..=8)
            .map(|seed| {
                let report = run(&text, seed);
                let lost = total(&report, "lost-contention");
                lost / (lost + total(&report, "delivered"))
            })
            .collect();
        let (mean, error) = mean_and_error(&losses);
        assert_near((mean, error), loss(inputs, a), 0.02, &format!("{inputs} inputs, {a} erlang"));
        let other = engset(inputs, a);
        assert!((mean - other).abs() > 2.0 * K * error, "{mean} ± {error} is near {other} too");
    }
}
