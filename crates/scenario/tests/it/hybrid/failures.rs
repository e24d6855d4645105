//! Links that fail while packets pass, wait and are stored.

use proptest::prelude::*;

use super::same;
use crate::common::{run, values};

/// A fat tree of hybrid switches under load; the links of it that fail have their changes behind.
fn tree(ports: u32, buffering: &str, paths: &str, spread: &str) -> String {
    format!(
        "[run]\nduration = \"1 h\"\n[topology]\nkind = \"fat-tree\"\nk = 4\n\
         link = {{ rate = \"10 Gb/s\", length = \"100 m\" }}\n[routing]\n{spread}\n\
         [core]\nkind = \"hybrid\"\nelectronic-ports = {ports}\nbuffering = \"{buffering}\"\npaths = \"{paths}\"\n\
         [[traffic]]\nfrom = \"*\"\nto = \"*\"\npattern = \"uniform\"\n\
         transport = {{ kind = \"stop-and-wait\", rto-margin = 1 }}\n\
         source = {{ kind = \"transfers\", per-second = 1e7, limit = 60, size = \"50 kB\" }}\n"
    )
}

/// Links of hosts, both ways, and of switches.
const LINKS: [&str; 8] = [
    "h0 -> edge-0-0",
    "edge-0-0 -> h0",
    "edge-0-0 -> agg-0-0",
    "agg-0-0 -> edge-0-0",
    "agg-0-0 -> core-0",
    "core-0 -> agg-0-0",
    "h7 -> edge-1-1",
    "agg-1-0 -> edge-1-1",
];

proptest! {
    #![proptest_config(trials::cases(64))]

    /// Runs check conservation themselves, here at the end and while packets are stored. On fixed paths
    /// connections with equal timers may meet each other at the same place for ever, so there nothing
    /// is said of the end.
    #[test]
    fn whatever_fails_packets_are_conserved_and_every_transfer_ends(
        seed in 0..1_000_000u64,
        ports in 0..5u32,
        buffering in prop_oneof![Just("store-and-forward"), Just("cut-through")],
        paths in prop_oneof![Just("drawn"), Just("free")],
        spread in prop_oneof![
            Just("spread = \"packet\""),
            Just("spread = \"flow\""),
            Just("spread = \"flowlet\"\nflowlet-gap = \"5 us\""),
        ],
        failures in prop::collection::vec((0..LINKS.len(), 1..60_000u32, 0..30_000u32), 1..20),
        stop in 1..60u32,
    ) {
        let (mut text, mut clocks) = (tree(ports, buffering, paths, spread), [0; LINKS.len()]);
        let mut short = text.replace("1 h", &format!("{stop} us"));
        for (link, after, long) in failures {
            for (span, what) in [(after, "down"), (long, "up")] {
                clocks[link] += span;
                let change = format!(
                    "[[changes]]\nat = \"{} ns\"\nlink = \"{}\"\nset = {{ kind = \"{what}\" }}\n",
                    clocks[link], LINKS[link]
                );
                text += &change;
                if clocks[link] < stop * 1_000 {
                    short += &change;
                }
            }
        }
        let report = run(&text, seed);
        let ends = values(&report, "flows", "end");
        if !spread.contains("\"flow\"") {
            prop_assert!(ends.iter().all(|end| end.is_finite()));
            let delivered = values(&report, "flows", "delivered");
            prop_assert!(same(&delivered, &values(&report, "flows", "size")));
        }
        let at_switches: f64 = ["lost-ports", "lost-full"]
            .iter()
            .flat_map(|cause| values(&report, "switches", cause))
            .sum();
        let at_links: f64 = values(&report, "links", "dropped-contention").iter().sum();
        prop_assert!((at_switches - at_links).abs() < 0.5);
        run(&short, seed);
    }
}
