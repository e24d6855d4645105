//! Channels that deflected packets leave free (wavelength reservation, Zalesky et al. 2007).

use super::{assert_near, network, poisson, switching, total};
use crate::common::run;

/// Packets of 2500 B last 20 µs: their mean.
const SIZE: &str = "{ kind = \"exponential\", mean = \"2500 B\" }";

/// The shares of its own packets and of deflected ones that a link loses: a birth-death chain of its busy channels,
/// which takes deflected ones while fewer than `open` are.
fn blocked(channels: u32, open: u32, own: f64, deflected: f64) -> (f64, f64) {
    let (mut weight, mut all, mut closed, mut full) = (1.0, 0.0, 0.0, 0.0);
    for busy in 0..=channels {
        let is_open = busy < open;
        all += weight;
        closed += if is_open { 0.0 } else { weight };
        full = weight;
        weight *= (own + if is_open { deflected } else { 0.0 }) / f64::from(busy + 1);
    }
    (full / all, closed / all)
}

/// A link is offered packets of its own, and all those of another link that is down: both come as Poisson
/// processes, so it is a birth-death chain that takes the latter only while more channels are free than are reserved.
/// Losses of its own packets are those in its last state, of deflected ones those in the last few.
#[test]
fn a_link_with_reserved_channels_is_a_birth_death_chain() {
    let (channels, own, deflected) = (8_u32, 4.0, 3.0);
    for reserve in [1, 2, 4] {
        let (full, closed) = blocked(channels, channels - reserve, own, deflected);
        let core = format!(
            "remedies = [\"convert\", \"deflect\"]\n\
             deflection = {{ kind = \"ports\", hop-limit = 2, reserve = {reserve} }}"
        );
        let text = network(channels, &[("A", "B", "1 us"), ("A", "D", "1 us"), ("D", "B", "1 us")])
            + &switching("300 ms", &core)
            + "[[changes]]\nat = \"0 s\"\nlink = \"A - B\"\nset = { kind = \"down\" }\n"
            + &poisson("A", "D", own * 1000.0, SIZE)
            + &poisson("A", "B", deflected * 1000.0, SIZE);
        let shares = |cause: &str, rate: f64| {
            let losses = (1..=8).map(|seed| total(&run(&text, seed), cause) / (rate * 15_000.0));
            super::mean_and_error(&losses.collect::<Vec<_>>())
        };
        let what = format!("{reserve} reserved");
        assert_near(shares("lost-ingress", own), full, 0.03, &what);
        // The link from D has as many channels, and carries deflected packets alone.
        assert_near(shares("lost-down", deflected), closed, 0.03, &what);
    }
}

/// Five edges, each joined to each other. A packet whose link is busy goes over one of the three others, if a
/// channel is free there, and from it to its egress. A packet that finds that busy is deflected again, and lost
/// after its second link.
const EDGES: usize = 5;
const CHANNELS: u32 = 16;

/// Channels that deflected packets leave free, or nothing is deflected.
#[derive(Debug, Clone, Copy)]
enum Rule {
    Lose,
    Deflect,
    Reserve(u32),
}

/// The share of packets that is lost if each link has `load` erlang for each of its channels: a link is a
/// loss system with arrivals of its own packets and, while enough channels are free, of deflected ones, all taken
/// to be independent.
fn fixed_point(load: f64, rule: Rule) -> f64 {
    let own = load * f64::from(CHANNELS);
    let open = match rule {
        Rule::Lose | Rule::Deflect => CHANNELS,
        Rule::Reserve(reserve) => CHANNELS - reserve,
    };
    let (mut deflected, mut lost) = (0.0, 0.0);
    for _ in 0..20_000 {
        let (own_blocked, blocked) = blocked(CHANNELS, open, own, deflected);
        let none_of_three = blocked.powi(3);
        let none_of_two = blocked.powi(2);
        let first = 1.0 - none_of_three;
        let tries = |none: f64| (1.0 - none) / (1.0 - blocked);
        let offered = tries(none_of_three) + first + first * blocked * tries(none_of_two);
        lost = own_blocked;
        if !matches!(rule, Rule::Lose) {
            deflected = 0.9 * deflected + 0.1 * own * own_blocked * offered;
            lost *= none_of_three + first * blocked;
        }
    }
    lost
}

/// The share that is lost in simulations with four seeds, and its standard error.
fn simulated(load: f64, rule: Rule) -> (f64, f64) {
    let names: Vec<String> = (0..EDGES).map(|at| format!("E{at}")).collect();
    let mut links = Vec::new();
    for (at, from) in names.iter().enumerate() {
        links.extend(names[at + 1..].iter().map(|to| (from.as_str(), to.as_str(), "100 us")));
    }
    let ports = |reserve: &str| {
        format!(
            "remedies = [\"convert\", \"deflect\"]\n\
             deflection = {{ kind = \"ports\", order = \"random\", hop-limit = 2{reserve} }}"
        )
    };
    let core = match rule {
        Rule::Lose => "remedies = [\"convert\"]".to_owned(),
        Rule::Deflect => ports(""),
        Rule::Reserve(reserve) => ports(&format!(", reserve = {reserve}")),
    };
    let mut text = network(CHANNELS, &links) + &switching("12 ms", &core);
    text = text.replacen("[run]\n", "[run]\nwarmup = \"2 ms\"\n", 1);
    let rate = load * f64::from(CHANNELS) * 1000.0;
    for from in &names {
        let others = names.iter().filter(|&to| to != from);
        text.extend(others.map(|to| poisson(from, to, rate, SIZE)));
    }
    let shares: Vec<f64> = (1..=4)
        .map(|seed| {
            let report = run(&text, seed);
            let lost: f64 = ["lost-ingress", "lost-contention", "lost-hops"]
                .iter()
                .map(|cause| total(&report, cause))
                .sum();
            lost / total(&report, "bursts")
        })
        .collect();
    super::mean_and_error(&shares)
}

/// The fixed point holds where few packets are deflected. Where many are, they come in the bursts in which their own
/// links are full, and it sees too many of them through: of an overload without protection it expects up to 1.7
/// times the loss.
#[test]
fn reserved_channels_keep_an_overload_from_getting_worse() {
    for (load, deflection_helps) in [(0.7, true), (0.8, false)] {
        let [lose, deflect, one, four] =
            [Rule::Lose, Rule::Deflect, Rule::Reserve(1), Rule::Reserve(4)].map(|rule| {
                let (mean, error) = simulated(load, rule);
                assert!(error < 0.1 * mean, "{load} {rule:?}: {mean} ± {error} is too rough");
                (mean, fixed_point(load, rule))
            });
        for (what, (simulated, expected)) in [("no deflection", lose), ("four reserved", four)] {
            let ratio = simulated / expected;
            assert!((ratio - 1.0).abs() < 0.08, "{load}, {what}: {simulated}, not {expected}");
        }
        if deflection_helps {
            assert!(deflect.0 < 0.8 * lose.0 && one.0 < 0.7 * lose.0 && four.0 < 0.9 * lose.0);
        } else {
            assert!(deflect.0 > 3.0 * lose.0 && one.0 < 1.6 * lose.0 && four.0 < 1.1 * lose.0);
        }
    }
}
