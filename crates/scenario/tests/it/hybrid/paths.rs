//! Several outputs of equal cost: a packet takes the one that is drawn for it, or one that is free.

use super::{packet, poisson};
use crate::common::{links, run, values};

/// Hosts `h0`, `h1`, `h2` behind the switch `s`, as many behind `t`, and two ways between the switches.
fn two_ways(core: &str) -> String {
    let hosts = ["h0", "h1", "h2", "g0", "g1", "g2"];
    let nodes = hosts.map(|name| format!("{{ name = \"{name}\", kind = \"host\" }}"));
    let switches =
        ["s", "x", "y", "t"].map(|name| format!("{{ name = \"{name}\", kind = \"core\" }}"));
    let pairs = [
        ("h0", "s"),
        ("h1", "s"),
        ("h2", "s"),
        ("s", "x"),
        ("s", "y"),
        ("x", "t"),
        ("y", "t"),
        ("t", "g0"),
        ("t", "g1"),
        ("t", "g2"),
    ];
    let links = pairs.map(|(from, to)| {
        format!("{{ from = \"{from}\", to = \"{to}\", rate = \"10 Gb/s\", length = \"10 m\" }}")
    });
    format!(
        "[run]\nduration = \"100 us\"\n[routing]\nspread = \"packet\"\n[topology]\nkind = \"explicit\"\n\
         nodes = [{}, {}]\nlinks = [{}]\n[core]\nkind = \"hybrid\"\n{core}\n",
        nodes.join(", "),
        switches.join(", "),
        links.join(", ")
    )
}

/// The packets that are lost where `count` hosts send one each at the same time, by the seed.
fn lost(count: usize, core: &str) -> Vec<f64> {
    let packets = ["0", "1", "2"].map(|at| packet(&format!("h{at}"), &format!("g{at}"), "0 s"));
    let text = two_ways(core) + &packets[..count].concat();
    let losses = |seed| values(&run(&text, seed), "switches", "lost-ports").iter().sum::<f64>();
    (1..=64).map(losses).collect()
}

/// Two packets that are drawn a way each take the same one with probability 1/2. Of free ways there is
/// always one for the second packet.
#[test]
fn a_packet_that_may_take_a_free_way_is_lost_only_when_there_is_none() {
    let drawn = lost(2, "electronic-ports = 0");
    let often = drawn.iter().sum::<f64>();
    // 32 of 64 with a standard deviation of 4.
    assert!((16.0..=48.0).contains(&often), "{often}");
    assert!(lost(2, "electronic-ports = 0\npaths = \"free\"").iter().all(|&lost| lost == 0.0));
    assert!(
        lost(3, "electronic-ports = 0\npaths = \"free\"")
            .iter()
            .all(|&lost| (lost - 1.0).abs() < 0.5)
    );
}

#[test]
fn a_packet_without_a_free_way_waits_in_the_buffer() {
    assert!(lost(3, "electronic-ports = 1\npaths = \"free\"").iter().all(|&lost| lost == 0.0));
}

/// One flow that never meets another: both ways are free, and each is taken by half of the packets.
#[test]
fn free_ways_are_taken_with_the_same_probability() {
    let text = two_ways("electronic-ports = 0\npaths = \"free\"").replace("100 us", "20 ms")
        + &poisson("h0", "g0", 1.0);
    let report = run(&text, 1);
    let of = |name: &str| links(&report, name, "packets-out")[0];
    let (x, y) = (of("s -> x"), of("s -> y"));
    // About 278 packets: a share of 1/2 with a standard deviation of 0.03.
    assert!((x / (x + y) - 0.5).abs() < 0.12, "{x} and {y}");
    assert!(x + y > 200.0);
}
