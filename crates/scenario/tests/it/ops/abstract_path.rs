//! The deflection path of He and Chan (2003): its costs, its losses, and the jitter that it makes.
//!
//! Two edges and one channel of 622 Mb/s over 10 ms, at which 1500 B last 19.3 µs; the edges end
//! the flows themselves, so nothing but the deflection changes a delay.

use std::f64::consts::PI;

use random::normal_cdf;
use wire::optical::Lost;

use super::{K, Packet, network, packet, poisson, switching, total, trace};
use crate::common::{counts, run, texts, values, watch};

/// The time in which a deflection cost holds in runs of many: 0.2 to 0.6 ms.
const HOLD: &str = "{ from = \"200 us\", to = \"600 us\" }";

/// A path with this cost in µs, congestion factor and hold.
fn path(mean: u32, deviation: u32, congestion: f64, hold: &str) -> String {
    format!(
        "remedies = [\"deflect\"]\ndeflection = {{ kind = \"abstract\", mean = \"{mean} us\", \
         deviation = \"{deviation} us\", hold = {hold}, congestion = {congestion} }}"
    )
}

/// The network with these lines of `[core]`; packets of one size, `load` in Mb/s.
fn text(duration: &str, load: f64, core: &str) -> String {
    network(1, &[("A", "B", "10 ms")]).replace("1 Gb/s", "622 Mb/s")
        + &switching(duration, core)
        + &poisson("A", "B", load, "\"1500 B\"")
}

/// What a packet's delay is beyond propagation and its length at 622 Mb/s, in ps.
fn excess(packet: &Packet) -> Option<f64> {
    let least = 1e10 + packet.bytes as f64 * 8.0 / 622e6 * 1e12;
    packet.delay().map(|delay| delay.0 as f64 - least)
}

/// Without cost and losses the second path takes whatever the first does not: each packet's delay
/// is S/B + t0, to the picosecond.
#[test]
fn without_cost_and_losses_capacity_has_no_limit() {
    let text = text("50 ms", 900.0, &path(0, 0, 0.0, HOLD))
        .replace("\"1500 B\"", "{ kind = \"exponential\", mean = \"1500 B\" }");
    let (report, packets) = trace(&text, 1);
    assert!(total(&report, "deflected") > 1000.0);
    assert!((total(&report, "deflected") - total(&report, "deflections")).abs() < 0.5);
    assert!(packets.len() > 3000);
    for packet in &packets {
        assert!(packet.lost.is_none());
        assert!(excess(packet).is_none_or(|excess| excess.abs() <= 1.0), "{packet:?}");
    }
    assert!(total(&report, "deflection-cost-mean").abs() < 1e-12);
    // What is not there yet left within the last 10 ms and its length.
    let late = packets.iter().filter(|packet| packet.delivered.is_none());
    assert!(late.clone().all(|packet| packet.released.0 > 39_000_000_000));
}

/// The table of what packets asked for says which ones went beside the network: nothing was granted.
#[test]
fn a_packet_beside_the_network_was_granted_nothing() {
    let (report, packets) = trace(&text("20 ms", 622.0, &path(1000, 0, 0.3, HOLD)), 1);
    let outcomes = texts(&report, "reservations", "outcome");
    let starts = values(&report, "reservations", "start");
    let deflected = counts(&report, "reservations", "deflected");
    let rows = |outcome: &str| outcomes.iter().filter(|found| *found == outcome).count();
    assert!(rows("granted") > 100 && rows("deflected") > 100 && rows("lost-deflected") > 50);
    assert_eq!(rows("granted") + rows("deflected") + rows("lost-deflected"), packets.len());
    for ((outcome, start), deflected) in outcomes.iter().zip(starts).zip(deflected) {
        assert_eq!(outcome == "granted", !start.is_nan());
        assert_eq!(outcome != "granted", *deflected == 1);
    }
}

/// With p = 1 the path loses all: packet for packet what is lost without deflection, by its own
/// cause.
#[test]
fn a_path_that_loses_all_is_dropping() {
    let outcomes = |core: &str| {
        let (report, packets) = trace(&text("100 ms", 622.0, core), 3);
        let of = |packet: &Packet| (packet.released, packet.delivered, packet.lost);
        (report, packets.iter().map(of).collect::<Vec<_>>())
    };
    let (_, dropped) = outcomes("");
    let (report, deflected) = outcomes(&path(5000, 4000, 1.0, HOLD));
    let lost = dropped.iter().filter(|packet| packet.2 == Some(Lost::Ingress)).count();
    assert!(lost > 2000);
    assert!((total(&report, "lost-deflected") - lost as f64).abs() < 0.5);
    assert!((total(&report, "deflected") - lost as f64).abs() < 0.5);
    assert!(total(&report, "deflected-delivered") < 0.5);
    let renamed: Vec<_> = dropped
        .into_iter()
        .map(|(released, delivered, lost)| (released, delivered, lost.map(|_| Lost::Deflected)))
        .collect();
    assert_eq!(renamed, deflected);
}

/// A packet on the path holds nothing of the network, so as many are deflected as are dropped where
/// there is no path; each is lost with probability p by itself.
#[test]
fn the_share_p_of_the_deflected_is_lost() {
    let dropped = total(&run(&text("500 ms", 700.0, ""), 2), "lost-ingress");
    for p in [0.05, 0.2, 0.7] {
        let report = run(&text("500 ms", 700.0, &path(5000, 4000, p, HOLD)), 2);
        assert!((total(&report, "deflected") - dropped).abs() < 0.5);
        assert!(total(&report, "lost-ingress") < 0.5);
        let share = total(&report, "lost-deflected") / dropped;
        let error = (p * (1.0 - p) / dropped).sqrt();
        assert!(error < 0.05 * p);
        assert!((share - p).abs() < K * error, "{share} ± {error}, not {p}");
    }
}

/// The costs of the deflected packets in the order in which they were formed: when, and how much,
/// in ps.
fn costs(packets: &[Packet]) -> Vec<(u64, f64)> {
    let deflected = packets.iter().filter(|p| p.steps.iter().all(|step| step.granted.is_none()));
    deflected.filter_map(|packet| Some((packet.released.0, excess(packet)?))).collect()
}

/// The pieces of time in which the cost is one: the instants of the first and the last packet, and
/// the cost.
fn pieces(costs: &[(u64, f64)]) -> Vec<(u64, u64, f64)> {
    let alike = |a: &(u64, f64), b: &(u64, f64)| (a.1 - b.1).abs() < 2.0;
    let ends = |piece: &[(u64, f64)]| (piece[0].0, piece[piece.len() - 1].0, piece[0].1);
    costs.chunk_by(alike).map(ends).collect()
}

/// One cost holds for all packets of a class, for a time between 4 and 10 ms. A packet is deflected
/// every 30 µs or so: the cost is seen to change within this of when it does.
#[test]
fn a_cost_holds_for_its_time() {
    for (from, to) in [(10_000_u64, 10_000_u64), (4_000, 10_000)] {
        let hold = format!("{{ from = \"{from} us\", to = \"{to} us\" }}");
        // Two flows of one class, and one of the other direction.
        let text = text("800 ms", 622.0, &path(6000, 1000, 0.0, &hold))
            + &poisson("A", "B", 622.0, "\"1500 B\"")
            + &poisson("B", "A", 1244.0, "\"1500 B\"");
        let (_, packets) = trace(&text, 1);
        let (there, back): (Vec<_>, Vec<_>) = packets.into_iter().partition(|p| p.ingress == "A");
        // Of those deflected at the end of the run some have not come yet.
        let early = |mut costs: Vec<(u64, f64)>| {
            costs.retain(|cost| cost.0 < 750_000_000_000);
            costs
        };
        let (there, back) = (early(costs(&there)), early(costs(&back)));
        assert!(there.len() > 20_000 && back.len() > 20_000);
        let gap = there.windows(2).map(|pair| pair[1].0 - pair[0].0).max().unwrap();
        assert!(gap < 1_000_000_000, "{gap} ps between two deflected packets");
        let (pieces, others) = (pieces(&there), pieces(&back));
        // Neither the first nor the last is seen as a whole.
        let whole = &pieces[1..pieces.len() - 1];
        assert!(whole.len() > 60);
        for pair in whole.windows(2) {
            let (seen, period) = (pair[0].1 - pair[0].0, pair[1].0 - pair[0].0);
            assert!(seen <= to * 1_000_000, "{seen} ps");
            assert!(period + gap >= from * 1_000_000 && period <= to * 1_000_000 + gap, "{period}");
        }
        let mean = (whole[whole.len() - 1].0 - whole[0].0) as f64 / (whole.len() - 1) as f64;
        let half = (to - from) as f64 * 0.5e6;
        let error =
            half / 3_f64.sqrt() / (whole.len() as f64).sqrt() + gap as f64 / whole.len() as f64;
        let expected = (from + to) as f64 * 0.5e6;
        assert!((mean - expected).abs() < K * error, "{mean} ± {error}, not {expected}");
        // The other class has costs of its own.
        assert!(others.len() > 60);
        let alike = |cost: f64| others.iter().any(|other| (cost - other.2).abs() < 2.0);
        assert!(!pieces.iter().any(|piece| alike(piece.2)));
    }
}

/// When the cost falls a packet overtakes one deflected earlier; at a constant cost only those on
/// the shortest path overtake. The reports count what the instants say.
#[test]
fn packets_overtake_when_the_cost_falls() {
    let reordered = |deviation: u32| {
        let core = path(5000, deviation, 0.2, "{ from = \"1 ms\", to = \"2 ms\" }");
        let (report, packets) = trace(&text("200 ms", 622.0, &core), 1);
        let mut came: Vec<_> =
            packets.iter().filter_map(|p| Some((p.delivered?, p.number))).collect();
        came.sort_unstable();
        let mut latest = 0;
        let behind = came.iter().filter(|(_, number)| {
            let behind = *number < latest;
            latest = latest.max(*number);
            behind
        });
        let behind = behind.count();
        assert!((values(&report, "flows", "reordered")[0] - behind as f64).abs() < 0.5);
        let costs = costs(&packets);
        let arrives = |cost: &(u64, f64)| cost.0 as f64 + cost.1;
        let overtakes = costs.windows(2).any(|pair| arrives(&pair[1]) < arrives(&pair[0]));
        (behind, overtakes)
    };
    let (behind, overtakes) = reordered(0);
    assert!(behind > 1000 && !overtakes);
    let (behind, overtakes) = reordered(2000);
    assert!(behind > 1000 && overtakes);
}

/// At a node on its way a packet leaves the network: its last bit is in after the propagation of
/// what was left of the way, the cost and its length.
#[test]
fn a_packet_may_be_deflected_on_its_way() {
    let links =
        [("A", "C1", "1 us"), ("B", "C1", "1 us"), ("C1", "C2", "20 us"), ("C2", "E", "7 us")];
    let text = network(1, &links)
        + &switching("10 ms", &path(300, 0, 0.0, HOLD))
        + &packet("A", "E", "10 us", 1250)
        + &packet("B", "E", "11 us", 1250);
    let (report, packets) = trace(&text, 1);
    assert_eq!(packets[0].end(), Ok(48.0));
    // At C1 at 12 µs; then 27 µs of propagation, 300 µs of cost, 10 µs of length.
    assert_eq!(packets[1].end(), Ok(349.0));
    assert_eq!(packets[1].way(), [("B-C1".to_owned(), 11.0)]);
    assert!((total(&report, "deflected-delivered") - 1.0).abs() < 1e-12);
    let costs = values(&report, "fecs", "deflection-cost-mean");
    assert!(costs.iter().any(|cost| (cost - 300e-6).abs() < 1e-15), "{costs:?}");
}

fn normal_density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / (2.0 * PI).sqrt()
}

/// E[tc] and E[tc²] of max(0, N(µ, σ)), σ > 0: µΦ(µ/σ) + σφ(µ/σ) and (µ² + σ²)Φ(µ/σ) + µσφ(µ/σ).
fn moments(mean: f64, deviation: f64) -> (f64, f64) {
    let z = mean / deviation;
    let (below, density) = (normal_cdf(z), normal_density(z));
    (
        mean * below + deviation * density,
        (mean * mean + deviation * deviation) * below + mean * deviation * density,
    )
}

/// The mean of a function of max(0, N(µ, σ)), by a sum.
fn mean_of(mean: f64, deviation: f64, what: impl Fn(f64) -> f64) -> f64 {
    let width = 1e-4;
    let points = (-90_000..90_000).map(|at| (f64::from(at) + 0.5) * width);
    points.map(|z| what((mean + deviation * z).max(0.0)) * normal_density(z) * width).sum()
}

#[test]
fn the_moments_of_the_cut_normal_law_are_its_integrals() {
    for (mean, deviation) in [(5.0, 4.0), (0.0, 1.0), (20.0, 1.0), (1.0, 10.0)] {
        let (first, second) = moments(mean, deviation);
        assert!((first / mean_of(mean, deviation, |x| x) - 1.0).abs() < 1e-6);
        assert!((second / mean_of(mean, deviation, |x| x * x) - 1.0).abs() < 1e-6);
    }
}

/// The delay of a delivered packet is t0 + S/B, and tc more where it was deflected: with q the
/// share of these the variance is q E[tc²] − (q E[tc])². The costs are those of some 10,000 times
/// tv, each weighing as many packets as were deflected in it: its length, uniform from 0.2 to 0.6
/// ms, whose squared coefficient of variation is 1/12, and a Poisson number of about seven. An
/// error in m₁ and m₂ moves the variance by q m₂ − 2q² E[tc] m₁, a mean over these times.
#[test]
fn jitter_is_that_of_the_closed_form() {
    for (mean, deviation, congestion) in
        [(5000, 4000, 0.2), (5000, 4000, 0.0), (20_000, 1000, 0.2), (0, 10_000, 0.5)]
    {
        let core = path(mean, deviation, congestion, HOLD);
        let report = run(&text("4 s", 500.0, &core), 1);
        let q = total(&report, "deflected-delivered") / total(&report, "delivered");
        let (mean, deviation) = (f64::from(mean) * 1e-6, f64::from(deviation) * 1e-6);
        let (first, second) = moments(mean, deviation);
        let times = 4.0 / 0.4e-3;
        let each = total(&report, "deflected-delivered") / times;
        let effective = times / (1.0 + 1.0 / 12.0 + 1.0 / each);
        let what = format!("µ = {mean}, σ = {deviation}, p = {congestion}, q = {q}");

        let cost = values(&report, "fecs", "deflection-cost-mean")[0];
        let error = ((second - first * first) / effective).sqrt();
        assert!((cost - first).abs() < K * error, "{what}: cost {cost} ± {error}, not {first}");

        let variance = q * second - (q * first).powi(2);
        let influence = |tc: f64| q * tc * tc - 2.0 * q * q * first * tc;
        let spread = mean_of(mean, deviation, |tc| influence(tc).powi(2))
            - mean_of(mean, deviation, influence).powi(2);
        let jitter = values(&report, "traffic", "jitter")[0];
        let expected = variance.sqrt();
        let error = (spread / effective).sqrt() / (2.0 * expected);
        assert!(error < 0.03 * expected, "{what}: ± {error} is too rough for {expected}");
        assert!(
            (jitter - expected).abs() < K * error,
            "{what}: {jitter} ± {error}, not {expected}"
        );
    }
}

/// With equal costs the jitter is µ√(q(1 − q)) for every run, and q depends on µ only through the
/// packets in flight at the end of the run.
#[test]
fn jitter_is_linear_in_the_mean_where_costs_do_not_vary() {
    let measured = |mean: u32| {
        let report = run(&text("500 ms", 622.0, &path(mean, 0, 0.2, HOLD)), 1);
        let q = total(&report, "deflected-delivered") / total(&report, "delivered");
        let jitter = values(&report, "traffic", "jitter")[0];
        (q, jitter, values(&report, "flows", "delay-std")[0])
    };
    let (q0, _, _) = measured(1000);
    for mean in [1000, 5000, 20_000, 100_000] {
        let (q, jitter, deviation) = measured(mean);
        let expected = f64::from(mean) * 1e-6 * (q * (1.0 - q)).sqrt();
        assert!((jitter / expected - 1.0).abs() < 1e-9, "{mean} us: {jitter}, not {expected}");
        assert!((jitter / deviation - 1.0).abs() < 1e-12);
        assert!((q - q0).abs() < f64::from(mean) * 1e-6 / 0.5, "{mean} us: q = {q}, {q0}");
    }
}

/// The jitter of an entry is the mean over its flows; one that sent a single packet has none.
#[test]
fn jitter_is_a_mean_over_flows() {
    let many = text("100 ms", 150.0, &path(5000, 4000, 0.0, HOLD))
        .replace("[[traffic]]", "[[traffic]]\ncount = 5");
    let (report, ()) = watch(&many, 1, |_| ());
    let each = values(&report, "flows", "delay-std");
    assert_eq!(each.len(), 5);
    let mean = each.iter().sum::<f64>() / 5.0;
    assert!(mean > 1e-4);
    assert!((values(&report, "traffic", "jitter")[0] / mean - 1.0).abs() < 1e-12);
    let single = network(1, &[("A", "B", "10 ms")])
        + &switching("100 ms", "")
        + &packet("A", "B", "1 ms", 1500);
    assert!(values(&run(&single, 1), "traffic", "jitter")[0].is_nan());
}
