//! Hosts of which each sends to any other offer the links what all their pairs do, one by one.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value as Json;

use crate::common::checked;

/// 0.8 Gb/s in all.
const RATE: &str = "source.per-second = 10000";
const BOTTLENECK: &str = "load = { share = 0.001, of = \"bottleneck\" }";
const BISECTION: &str = "load = { share = 0.001, of = \"bisection\" }";

/// Hosts at a square of routers: each sends to the first of two, and receives from the second.
fn square(hosts: &[(usize, usize)]) -> String {
    let wire = r#"rate = "1 Gb/s", delay = "1 us""#;
    let ring =
        (0..4).map(|at| format!(r#"{{ from = "r{at}", to = "r{}", {wire} }},"#, (at + 1) % 4));
    let own = |(at, (out, back)): (usize, &(usize, usize))| {
        format!(
            r#"{{ from = "h{at}", to = "r{out}", {wire}, one-way = true }},
            {{ from = "r{back}", to = "h{at}", {wire}, one-way = true }},"#
        )
    };
    let links: String = ring.chain(hosts.iter().enumerate().map(own)).collect();
    let node = |name: String, kind| format!(r#"{{ name = "{name}", kind = "{kind}" }},"#);
    let routers: String = (0..4).map(|at| node(format!("r{at}"), "router")).collect();
    let nodes: String = (0..hosts.len()).map(|at| node(format!("h{at}"), "host")).collect();
    format!("kind = \"explicit\"\nnodes = [{routers}{nodes}]\nlinks = [{links}]")
}

/// The loads of all links, where the sources have a rate or a load.
fn loads(
    topology: &str,
    rate: &str,
    [from, to]: [&[String]; 2],
    pattern: &str,
) -> BTreeMap<String, f64> {
    let shown = checked(
        &format!(
            r#"
            run.duration = "1 s"
            [topology]
            {topology}
            [[traffic]]
            from = {from:?}
            to = {to:?}
            {pattern}
            transport = {{ kind = "tcp" }}
            source.kind = "transfers"
            source.size = "10 kB"
            {rate}
            "#
        ),
        &[],
    )
    .show();
    let row =
        |link: &Json| (link["link"].as_str().unwrap().to_owned(), link["load"].as_f64().unwrap());
    shown["links"].as_array().unwrap().iter().map(row).collect()
}

/// The loads of an entry, and of a matrix with all pairs of hosts that may send to each other.
fn both_ways(
    topology: &str,
    rate: &str,
    [from, to]: [&[String]; 2],
    pattern: &str,
    may: impl Fn(&str, &str) -> bool,
) -> [BTreeMap<String, f64>; 2] {
    let mut demands = String::new();
    // Each sender of a permutation has a source, and all others share one.
    let sources = if pattern == "permutation" { from.len() } else { 1 };
    for sender in from {
        let partners: Vec<_> = to.iter().filter(|to| may(sender, to)).collect();
        let share = sources as f64 / (from.len() * partners.len()) as f64;
        for receiver in partners {
            let pair = format!(r#"from = "{sender}", to = "{receiver}", demand = {share:?}"#);
            demands.extend(["{ ", &pair, " },"]);
        }
    }
    [format!("pattern = \"{pattern}\""), format!("matrix = {{ demands = [{demands}] }}")]
        .map(|who| loads(topology, rate, [from, to], &who))
}

fn are_same(found: &BTreeMap<String, f64>, twin: &BTreeMap<String, f64>) -> bool {
    found.len() == twin.len()
        && found.iter().zip(twin).all(|((link, found), (other, twin))| {
            link == other && (found - twin).abs() <= 1e-9 * twin
        })
}

proptest! {
    #![proptest_config(trials::cases(2000))]
    /// Senders and receivers are those whose bits are set.
    #[test]
    fn ends_that_are_counted_offer_what_their_pairs_do(
        hosts in prop::collection::vec((0..4_usize, 0..4_usize, prop::bool::ANY), 0..10),
        masks: [u32; 2],
        pattern in prop::sample::select(vec!["random", "uniform", "permutation"]),
        rate in prop::sample::select(vec![RATE, BOTTLENECK, BISECTION]),
    ) {
        let attach = |(out, back, one)| if one { (out, out) } else { (out, back) };
        // The first and the last are everybody's partners, on both sides of the cut between the halves.
        let hosts: Vec<_> = [(0, 0)]
            .into_iter()
            .chain(hosts.into_iter().map(attach))
            .chain([(2, 2)])
            .collect();
        let names = |mask: u32| -> Vec<String> {
            let set = (0..hosts.len()).filter(|at| mask >> at & 1 == 1);
            set.map(|at| format!("h{at}")).collect()
        };
        let [from, to] = masks.map(|mask| names(mask | 1 | 1 << (hosts.len() - 1)));
        let to = if pattern == "permutation" { from.clone() } else { to };
        let home = |name: &str| hosts[name[1..].parse::<usize>().unwrap()].1;
        let may = |from: &str, to: &str| match pattern {
            "random" => home(from) != home(to),
            _ => from != to,
        };
        let [found, twin] = both_ways(&square(&hosts), rate, [&from, &to], pattern, may);
        prop_assert!(are_same(&found, &twin), "{found:?} {twin:?}");
    }
}

#[test]
fn what_two_hosts_send_over_a_link_of_their_own_is_counted_once() {
    let topology = "kind = \"line\"\nrouters = 0\nlink = { rate = \"1 Gb/s\", delay = \"1 us\" }";
    let ends = ["a", "b"].map(str::to_owned);
    for found in both_ways(topology, RATE, [&ends, &ends], "uniform", |from, to| from != to) {
        assert_eq!(found.into_values().collect::<Vec<_>>(), [0.4; 2]);
    }
}
