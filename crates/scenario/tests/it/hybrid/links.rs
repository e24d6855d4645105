//! Lengths, rates, failures, and what the account of energy adds up to.

use super::{delays_ns, packet, same, star};
use crate::common::{checked, run, values};

/// A line of hybrid switches: the packet's own length counts once, each link's delay once.
#[test]
fn a_packet_cuts_through_however_many_switches() {
    for (link, delay_ns) in [
        ("length = \"10 m\"", 50.0),
        ("length = \"10 m\", delay-per-km = \"3.34 us\"", 33.4),
        ("length = \"10 km\"", 50_000.0),
        ("delay = \"7 ns\"", 7.0),
    ] {
        for switches in [0, 1, 5] {
            let text = format!(
                "[run]\nduration = \"10 ms\"\n[topology]\nkind = \"line\"\nrouters = {switches}\n\
                 link = {{ rate = \"10 Gb/s\", {link} }}\n\
                 [core]\nkind = \"hybrid\"\nelectronic-ports = 0\n{}",
                packet("a", "b", "1 us")
            );
            let expected = f64::from(switches + 1) * delay_ns + 7_200.0;
            assert!((delays_ns(&run(&text, 1))[0] - expected).abs() < 1e-6, "{link} {switches}");
        }
    }
}

/// The host's interface is a queue: the second packet follows the first at once.
#[test]
fn packets_of_a_host_wait_in_its_interface_and_are_cut_through_back_to_back() {
    let text = star(2, "60 us", "electronic-ports = 0")
        + &packet("h1", "h0", "0 s")
        + &packet("h1", "h0", "1 us");
    assert!(same(&delays_ns(&run(&text, 1)), &[7_300.0, 7_200.0 - 1_000.0 + 7_300.0]));
}

/// While the output is down what comes for it is lost, what waits for it stays.
#[test]
fn what_waits_for_an_azimuth_that_is_down_leaves_when_it_is_up() {
    let text = star(4, "100 us", "electronic-ports = 2")
        + "[[changes]]\nat = \"8 us\"\nlink = \"hub -> h0\"\nset = { kind = \"down\" }\n"
        + "[[changes]]\nat = \"40 us\"\nlink = \"hub -> h0\"\nset = { kind = \"up\" }\n"
        + &packet("h1", "h0", "0 s")
        + &packet("h2", "h0", "3 us")
        + &packet("h3", "h0", "20 us");
    let report = run(&text, 1);
    let delays = delays_ns(&report);
    assert!(same(&delays, &[7_300.0, 40_000.0 - 3_000.0 + 7_250.0, f64::NAN]), "{delays:?}");
    assert!(same(&values(&report, "switches", "lost-down"), &[1.0]));
    let dropped = values(&report, "links", "dropped-down").iter().sum();
    assert!(same(&[dropped], &[1.0]));
}

/// Of three packets of 72,000 b one is cut through, one is buffered and one is lost. With costs that
/// are powers of ten each digit of the sum is a count.
#[test]
fn the_account_of_energy_charges_each_part_for_its_bits() {
    let text = star(4, "60 us", "electronic-ports = 1")
        + "[energy]\noptical = \"1 pJ/b\"\noe = \"10 pJ/b\"\neo = \"100 pJ/b\"\nbuffer = \"1 nJ/b\"\n"
        + &packet("h1", "h0", "0 s")
        + &packet("h2", "h0", "3 us")
        + &packet("h3", "h0", "5 us");
    let report = run(&text, 1);
    // Hosts send three packets and receive two. The matrix is passed once, and twice.
    let expected = 72_000.0 * (300.0 + 20.0 + 3.0 + (10.0 + 1_000.0 + 100.0)) * 1e-12;
    let energy: f64 = values(&report, "energy", "energy").iter().sum();
    assert!((energy / expected - 1.0).abs() < 1e-12, "{energy} against {expected}");
    let per_bit = report.json["energy"]["per-delivered-bit"].as_f64().unwrap();
    assert!((per_bit / (expected / 144_000.0) - 1.0).abs() < 1e-12);
    assert!(
        (values(&report, "links", "dropped-contention").iter().sum::<f64>() - 1.0).abs() < 1e-12
    );
}

/// The same packets through a router: each pays the conversions and the chip, and none is lost.
#[test]
fn electronic_switches_have_an_account_where_it_is_asked_for() {
    let text = star(4, "60 us", "").replace("[core]\nkind = \"hybrid\"\n", "")
        + "[energy]\noptical = \"1 pJ/b\"\noe = \"10 pJ/b\"\neo = \"100 pJ/b\"\nelectronic = \"1 nJ/b\"\n"
        + &packet("h1", "h0", "0 s")
        + &packet("h2", "h0", "3 us")
        + &packet("h3", "h0", "5 us");
    let report = run(&text, 1);
    let expected = 3.0 * 72_000.0 * (110.0 + 1_110.0) * 1e-12;
    let energy: f64 = values(&report, "energy", "energy").iter().sum();
    assert!((energy / expected - 1.0).abs() < 1e-12, "{energy} against {expected}");
    assert!(same(&values(&report, "switches", "packets-buffered"), &[3.0]));
}

/// A host puts two packets of 72,000 b on its wire. The first is lost there; the second passes the switch
/// and is lost on the last link, which goes down under it. Or the wires lose whatever comes.
#[test]
fn what_is_lost_on_a_link_has_been_sent() {
    let costs = "[energy]\noptical = \"1 pJ/b\"\noe = \"10 pJ/b\"\neo = \"100 pJ/b\"\n\
                 electronic = \"1 nJ/b\"\n";
    let down = |link: &str, from: &str, to: &str| {
        [(from, "down"), (to, "up")]
            .map(|(at, what)| {
                format!(
                    "[[changes]]\nat = \"{at}\"\nlink = \"{link}\"\nset = {{ kind = \"{what}\" }}\n"
                )
            })
            .concat()
    };
    let hybrid = star(2, "60 us", "electronic-ports = 0") + costs;
    let electronic = star(2, "60 us", "").replace("[core]\nkind = \"hybrid\"\n", "") + costs;
    // A router sends the second one on at 27.25 us, a hybrid switch at 20.05 us.
    for (network, at, switch) in [(hybrid, "24 us", 1.0), (electronic, "30 us", 1_110.0)] {
        let failing = network.clone()
            + &packet("h1", "h0", "0 s")
            + &packet("h1", "h0", "20 us")
            + &down("h1 -> hub", "20 ns", "1 us")
            + &down("hub -> h0", at, "40 us");
        let loss = "length = \"10 m\", loss = { kind = \"bernoulli\", p = 1.0 }";
        let losing = network.replace("length = \"10 m\"", loss) + &packet("h1", "h0", "0 s");
        for (text, per_bit) in [(failing, 2.0 * 100.0 + switch), (losing, 100.0)] {
            let energy: f64 = values(&run(&text, 1), "energy", "energy").iter().sum();
            let expected = 72_000.0 * per_bit * 1e-12;
            assert!((energy / expected - 1.0).abs() < 1e-12, "{energy} against {expected}");
        }
    }
}

/// What is said of all switches together is what their table adds up to.
#[test]
fn the_sums_over_switches_are_those_of_their_rows() {
    let mut text = star(5, "20 ms", "electronic-ports = 2");
    for host in 1..5 {
        text += &super::poisson(&format!("h{host}"), "h0", 2.0);
    }
    let report = run(&text, 1);
    let sums = &report.json["switches"];
    for name in
        ["packets-through", "bytes-through", "packets-buffered", "bytes-buffered", "lost-ports"]
    {
        let rows: f64 = values(&report, "switches", name).iter().sum();
        assert!(rows > 100.0, "{name}");
        assert!((sums[name].as_f64().expect(name) - rows).abs() < 0.5, "{name}");
    }
    for name in ["wait-max", "buffer-max", "buffer-max-bytes"] {
        let most = values(&report, "switches", name).into_iter().fold(0.0, f64::max);
        assert!((sums[name].as_f64().expect(name) / most - 1.0).abs() < 1e-12, "{name}");
    }
}

#[test]
fn an_overview_counts_the_hybrid_switches() {
    let fat_tree = "[run]\nduration = \"1 s\"\n[topology]\nkind = \"fat-tree\"\nk = 4\n\
                    link = { rate = \"10 Gb/s\", length = \"10 m\" }\n";
    let hybrid = "[core]\nkind = \"hybrid\"\nelectronic-ports = 2\n";
    let shown = |text: String| checked(&text, &[]).show();
    let text = |core: &str| fat_tree.to_owned() + core + &packet("h0", "h1", "0 s");
    assert_eq!(shown(text(hybrid))["hybrid-switches"], 20);
    assert!(shown(text("")).get("hybrid-switches").is_none());
}
