//! Circuit switches whose links have several channels: as many switches as channels, which share the links. Instants by
//! hand, closed forms, and the network with a switch for each channel, bit by bit.

use proptest::prelude::*;
use scenario::{Report, load};

use crate::common::{run, sum, table, texts, values};

/// Racks, switches, channels of each of their links, and hosts per rack.
fn network([racks, switches, channels, hosts]: [u32; 4], core: &str, duration: &str) -> String {
    format!(
        "[run]\nduration = \"{duration}\"\n\
         [topology]\nkind = \"leaf-spine\"\nleaves = {racks}\nspines = {switches}\nhosts = {hosts}\n\
         link = {{ rate = \"10 Gb/s\", delay = \"500 ns\" }}\n\
         access = {{ rate = \"10 Gb/s\", delay = \"500 ns\" }}\n\
         packet-spines = {{ count = 1, link = {{ rate = \"1 Gb/s\", delay = \"500 ns\" }} }}\n\
         [core]\nkind = \"circuit\"\nchannels = {channels}\n{core}\n"
    )
}

/// Datagrams of 1000 B without headers, which take 0.8 µs each.
fn traffic(from: &str, to: &str, source: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\nsource = {{ {source}, packet = \"1000 B\" }}\n"
    )
}

/// One datagram every 100 ms.
const RARE: &str = "kind = \"cbr\", rate = \"80 kb/s\"";
const SLOTS: &str = "slot = \"10 us\"\nreconfiguration = \"2 us\"";

/// Two channels of a switch share three matchings: the first has those to the next rack, to the third and to the second
/// one, the other those to the second, the first and the third. Sent at 0, a datagram is in rack 0 at 1.3 µs, leaves at
/// 1.5 µs, passes the switch at 2 µs and is at its host at 4.6 µs, both that to rack 1 and that to rack 2; that to rack 3
/// goes in the next slot, by the first channel, and none waits for another.
#[test]
fn two_circuits_at_once_by_hand() {
    let text = network([4, 1, 2, 3], SLOTS, "90 ms");
    let three: String =
        (1..4).map(|to| traffic(&format!("h0-{}", to - 1), &format!("h{to}-0"), RARE)).collect();
    let report = run(&(text + &three), 1);
    assert_eq!(values(&report, "flows", "delay-mean"), [4.6e-6, 4.6e-6, 14.6e-6]);
    assert_eq!(texts(&report, "circuits", "switch"), ["spine-0:0", "spine-0:1"]);
    assert_eq!(values(&report, "circuits", "packets-through"), [2.0, 1.0]);
}

/// Both channels of each link lead from either of two racks to the other one: two datagrams pass side by side, where with
/// one channel the second follows 0.8 µs later.
#[test]
fn two_circuits_to_one_rack_by_hand() {
    let delays = |channels: u32, matchings: &str| {
        let core = format!("{SLOTS}\nschedule = \"explicit\"\nmatchings = {matchings}");
        let both = traffic("h0-0", "h1-0", RARE) + &traffic("h0-1", "h1-1", RARE);
        let report = run(&(network([2, 1, channels, 2], &core, "90 ms") + &both), 1);
        values(&report, "flows", "delay-mean")
    };
    assert_eq!(delays(2, "[[[1, 0]], [[1, 0]]]"), [4.6e-6, 4.6e-6]);
    assert_eq!(delays(1, "[[[1, 0]]]"), [4.6e-6, 5.4e-6]);
    // The second channel leads there in every second slot only.
    assert_eq!(delays(2, "[[[0, 1], [1, 0]], [[0, 1], [0, 1]]]"), [14.6e-6, 15.4e-6]);
}

/// Racks with more for each other than circuits carry: 112 packets of 0.8 µs fit into 90 of 100 µs, on each channel.
#[test]
fn channels_carry_the_duty_cycle_each() {
    let core = "slot = \"100 us\"\nreconfiguration = \"10 us\"\nrack-queue = \"400 kB\"";
    for channels in [1, 2, 3] {
        let text = network([4, 1, channels, 4], core, "50 ms")
            .replace("[topology]", "warmup = \"10 ms\"\n[topology]");
        let rate = 9_500 * channels / 48;
        let source = format!("kind = \"poisson-packets\", rate = \"{rate} Mb/s\"");
        let pairs = (0..16).map(|pair| (pair / 4, pair % 4)).filter(|(from, to)| from != to);
        let one = |(from, to)| {
            traffic(&format!("h{from}-*"), &format!("h{to}-*"), &source) + "pattern = \"all\"\n"
        };
        let report = run(&(text + &pairs.map(one).collect::<String>()), 3);
        let found = sum(&report, "racks", "to-hosts") * 8_000.0 / (0.040 * 4.0 * 10e9);
        let expected = 112.0 * 0.8 / 100.0 * f64::from(channels);
        assert!((found / expected - 1.0).abs() < 0.005, "{channels}: {found}, expected {expected}");
        assert!(sum(&report, "circuits", "lost-dark") < 0.5);
    }
}

/// A rack sends on two channels without an end. When its link is down nothing arrives, and when one channel of it is, half of
/// the packets do.
#[test]
fn a_link_that_fails_takes_all_of_its_channels() {
    let core = "slot = \"1 s\"\nreconfiguration = \"0 s\"\nschedule = \"explicit\"\n\
                matchings = [[[1, 0]], [[1, 0]]]";
    let source = "kind = \"cbr\", rate = \"10 Gb/s\"";
    let both = traffic("h0-0", "h1-0", source) + &traffic("h0-1", "h1-1", source);
    let delivered = |link: &str| {
        let change =
            format!("[[changes]]\nat = \"1 ms\"\nlink = \"{link}\"\nset = {{ kind = \"down\" }}\n");
        let text = network([2, 1, 2, 2], core, "2 ms") + &both + &change;
        sum(&run(&text, 1), "flows", "packets-delivered")
    };
    // A packet of 0.8 µs is lost or on its way at most on each of four links.
    for (link, expected) in [
        ("leaf-0 -> spine-0", 2_500.0),
        ("leaf-0 - spine-0", 2_500.0),
        ("leaf-0 -> spine-0:1", 3_750.0),
        ("leaf-1 -> spine-0", 5_000.0),
    ] {
        let found = delivered(link);
        assert!((found - expected).abs() <= 20.0, "{link}: {found}, expected {expected}");
    }
}

/// Links of one switch may have other channels than those of another: one of one channel and one of two are three.
#[test]
fn switches_may_have_different_channels() {
    let links = |channels: &[u32]| {
        let node = |name: String, kind| format!("{{ name = \"{name}\", kind = \"{kind}\" }}");
        let link = |from: String, to: String, more: String| {
            let plain = "rate = \"10 Gb/s\", delay = \"500 ns\"";
            format!("{{ from = \"{from}\", to = \"{to}\", {plain}{more} }}")
        };
        let (mut nodes, mut links) = (Vec::new(), Vec::new());
        for rack in 0..4 {
            nodes.extend([node(format!("h{rack}"), "host"), node(format!("r{rack}"), "rack")]);
            links.push(link(format!("h{rack}"), format!("r{rack}"), String::new()));
            for (at, channels) in channels.iter().enumerate() {
                let channels = format!(", channels = {channels}");
                links.push(link(format!("r{rack}"), format!("c{at}"), channels));
            }
        }
        nodes.extend((0..channels.len()).map(|at| node(format!("c{at}"), "core")));
        let [nodes, links] = [nodes, links].map(|all| all.join(", "));
        let text = format!(
            "[run]\nduration = \"5 ms\"\n[topology]\nkind = \"explicit\"\nnodes = [{nodes}]\nlinks = [{links}]\n\
             [core]\nkind = \"circuit\"\nforwarding = \"rotor-lb\"\n{SLOTS}\n"
        );
        let source = "kind = \"poisson-packets\", rate = \"3 Gb/s\"";
        run(&(text + &traffic("h*", "h*", source) + "pattern = \"all\"\n"), 4)
    };
    let (mixed, single) = (links(&[1, 2]), links(&[1, 1, 1]));
    assert!(sum(&mixed, "racks", "sent-over") > 100.0);
    assert_same(&mixed, &single);
}

/// Two runs in which the same happened: all of flows, of racks and of circuits but the names of switches.
fn assert_same(one: &Report, other: &Report) {
    for name in ["flows", "racks", "circuits", "traffic"] {
        let [one, other] = [one, other].map(|report| table(&report.tables, name));
        for (one, other) in one.columns.iter().zip(&other.columns) {
            assert_eq!(one.name, other.name);
            if one.name != "switch" {
                assert_eq!(
                    format!("{:?}", one.values),
                    format!("{:?}", other.values),
                    "{name}: {}",
                    one.name
                );
            }
        }
    }
    assert_eq!(one.json["events"], other.json["events"]);
}

/// What a core does, but for its slots, and the transport of files over it.
const CORES: [(&str, &str); 13] = [
    ("", ""),
    ("forwarding = \"valiant\"", ""),
    ("forwarding = \"rotor-lb\"\nphases = \"staggered\"", ""),
    ("schedule = \"opera\"\ndraw = 2", ""),
    ("schedule = \"opera\"\nforwarding = \"rotor-lb\"\nshort-flows = { below = \"50 kB\" }", ""),
    ("without-circuit = \"packet-switches\"\nphases = \"staggered\"", ""),
    (
        "short-flows = { below = \"50 kB\", over = \"packet-switches\" }\nskew = \"1 us\"\nguard = \"500 ns\"",
        "",
    ),
    ("tell-hosts = {}", "circuits = \"hold\""),
    (
        "tell-hosts = { by = \"acknowledgments\" }\nrack-queue = \"30 kB\"\n\
         prebuffer = { queue = \"90 kB\", ahead = \"20 us\" }\nwithout-circuit = \"packet-switches\"",
        "circuits = \"retcp\"",
    ),
    ("schedule = \"demand\"\ndemand = { rule = { kind = \"maximum-weight\" } }", ""),
    (
        "schedule = \"demand\"\ndemand = { rule = { kind = \"islip\" }, epoch = 3, report = \"20 us\" }",
        "",
    ),
    (
        "schedule = \"demand\"\ndemand = { rule = { kind = \"birkhoff\" }, epoch = 4, report = \"5 us\" }\nphases = \"staggered\"",
        "",
    ),
    (
        "schedule = \"demand\"\ndemand = { rule = { kind = \"islip\" }, epoch = 2, report = \"30 us\" }\n\
         tell-hosts = { ahead = \"25 us\" }\nrack-queue = \"30 kB\"\n\
         prebuffer = { queue = \"90 kB\", ahead = \"20 us\" }\nwithout-circuit = \"packet-switches\"",
        "circuits = \"tdtcp\"",
    ),
];

proptest! {
    #![proptest_config(trials::cases(36))]

    /// Switches of several channels do what as many switches do: flows end at the same picosecond. Conservation is checked at
    /// the end of each run.
    #[test]
    fn a_channel_is_a_switch(
        (racks, switches, channels, hosts) in (4_u32..8, 1_u32..4, 2_u32..4, 1_u32..3),
        (slot, dark) in (40_u32..160, 0_u32..8),
        at in 0..CORES.len(),
        (per_second, seed) in (2_000_u32..20_000, 0_u64..1_000),
    ) {
        let (core, circuits) = CORES[at];
        let core = format!("slot = \"{slot} us\"\nreconfiguration = \"{dark} us\"\n{core}");
        let files = format!(
            "[[traffic]]\nfrom = \"h*\"\nto = \"h*\"\npattern = \"uniform\"\n\
             transport = {{ kind = \"tcp\", ecn = true, {circuits} }}\n\
             source = {{ kind = \"transfers\", per-second = {per_second}.0, size = {{ kind = \"websearch\" }} }}\n"
        );
        let text = |switches, channels| network([racks, switches, channels, hosts], &core, "8 ms") + &files;
        // Short flows need a way in each slice, and slices that are long enough.
        prop_assume!(load("channels", &text(switches, channels), &[]).is_ok());
        let one = run(&text(switches, channels), seed);
        assert_same(&one, &run(&text(switches * channels, 1), seed));
        prop_assert!(sum(&one, "circuits", "packets-through") > 0.0);
    }
}
