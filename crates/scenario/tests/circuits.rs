//! Circuits on a schedule: instants worked by hand, closed forms of a queue with vacations and of the goodput of one and
//! of two hops, light that is lost in the dark, conservation.

mod common;

use common::values;
use proptest::prelude::*;
use scenario::{Report, Run, Values, load};

fn run(text: &str, seed: u64) -> Report {
    let checked = load("circuits", text, &[]).unwrap_or_else(|m| panic!("{m:#?}\n{text}"));
    let mut run = Run::new(std::sync::Arc::new(checked), seed);
    while run.advance(50_000).stop.is_none() {}
    run.finish()
}

/// The sum of a column of counts.
fn sum(report: &Report, table: &str, column: &str) -> u64 {
    let mut tables = report.tables.iter().filter(|each| each.name == table);
    let mut columns = tables.next().unwrap().columns.iter().filter(|each| each.name == column);
    match &columns.next().unwrap().values {
        Values::U64(counts) => counts.iter().sum(),
        Values::F64(_) | Values::Text(_) => panic!("{column} counts nothing"),
    }
}

/// Racks, switches and hosts per rack, the core's keys, and how long the run takes without and with its warm-up.
fn network(
    (racks, switches, hosts): (u32, u32, u32),
    core: &str,
    [warmup, duration]: [&str; 2],
) -> String {
    format!(
        "[run]\nduration = \"{duration}\"\nwarmup = \"{warmup}\"\n\
         [topology]\nkind = \"leaf-spine\"\nleaves = {racks}\nspines = {switches}\nhosts = {hosts}\n\
         link = {{ rate = \"10 Gb/s\", delay = \"500 ns\" }}\n\
         access = {{ rate = \"10 Gb/s\", delay = \"500 ns\" }}\n[core]\nkind = \"circuit\"\n{core}\n"
    )
}

/// Datagrams of 1000 B without headers, which take 0.8 µs each.
fn traffic(from: &str, to: &str, pattern: &str, source: &str) -> String {
    format!(
        "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\npattern = \"{pattern}\"\n\
         transport = {{ kind = \"udp\", header = \"0 B\" }}\nsource = {{ {source}, packet = \"1000 B\" }}\n"
    )
}

/// One datagram every 100 ms.
const RARE: &str = "kind = \"cbr\", rate = \"80 kb/s\"";

/// Sent at 0, it is in rack 0 at 1.3 µs. The circuit to rack 2 is that of the second slot: light from 12 to 20 µs. Its
/// first bit leaves the rack at 11.5 µs, passes the switch at 12 µs, and its last bit is in rack 2 at 13.3 µs and at
/// the host at 14.6 µs.
#[test]
fn a_datagram_by_hand() {
    let core = "slot = \"10 us\"\nreconfiguration = \"2 us\"";
    let text = network((4, 1, 1), core, ["0 s", "90 ms"]);
    let report = run(&(text.clone() + &traffic("h0-0", "h2-0", "pairs", RARE)), 1);
    assert_eq!(values(&report, "flows", "delay-mean"), [14.6e-6]);
    assert_eq!(values(&report, "racks", "wait-max")[..1], [10.2e-6]);
    // A guard of 1 µs: it begins so much later.
    let guarded = text.replace("[core]", "[core]\nguard = \"1 us\"");
    let report = run(&(guarded + &traffic("h0-0", "h2-0", "pairs", RARE)), 1);
    assert_eq!(values(&report, "flows", "delay-mean"), [15.6e-6]);
    // To rack 1 in the first slot, which is lit from 2 µs on.
    let report = run(&(text.clone() + &traffic("h0-0", "h1-0", "pairs", RARE)), 1);
    assert_eq!(values(&report, "flows", "delay-mean"), [4.6e-6]);
    // Two hosts of a rack need no circuit.
    let text = network((4, 1, 2), core, ["0 s", "90 ms"]);
    let report = run(&(text + &traffic("h0-0", "h0-1", "pairs", RARE)), 1);
    assert_eq!(values(&report, "flows", "delay-mean"), [2.6e-6]);
    assert_eq!(values(&report, "racks", "sent-on"), [0.0; 4]);
}

/// Valiant: rack 0 sends at once, to rack 1 in the first slot, where the packet is at 3.3 µs. Rack 1 is joined to rack 3
/// in the second slot, from 12 µs on.
#[test]
fn two_hops_by_hand() {
    let core = "slot = \"10 us\"\nreconfiguration = \"2 us\"\nforwarding = \"valiant\"";
    let text = network((4, 1, 1), core, ["0 s", "90 ms"]);
    let report = run(&(text + &traffic("h0-0", "h3-0", "pairs", RARE)), 1);
    assert_eq!(values(&report, "flows", "delay-mean"), [14.6e-6]);
    assert_eq!(values(&report, "racks", "sent-over"), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(values(&report, "racks", "sent-on"), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(values(&report, "racks", "wait-mean")[1..2], [8.2e-6]);
}

/// A slot has light for one packet, and two racks are joined in each: a server that takes a vacation of a whole slot T when
/// it finds its queue empty, and serves for T. M/D/1 with vacations: the mean wait is ρT / 2(1 − ρ) + T / 2 (Doshi,
/// *Queueing systems with vacations*, 1986).
#[test]
fn the_wait_for_a_slot_is_that_of_a_queue_with_vacations() {
    let core = "slot = \"10 us\"\nreconfiguration = \"9.2 us\"";
    for (load, rate) in [(0.3, "240 Mb/s"), (0.8, "640 Mb/s")] {
        let source = format!("kind = \"poisson-packets\", rate = \"{rate}\"");
        let text =
            network((2, 1, 1), core, ["10 ms", "4 s"]) + &traffic("h0-0", "h1-0", "pairs", &source);
        let wait = values(&run(&text, 7), "racks", "wait-mean")[0] * 1e6;
        let expected = 10.0 * load / (2.0 * (1.0 - load)) + 5.0;
        assert!((wait / expected - 1.0).abs() < 0.02, "at {load}: {wait} µs, expected {expected}");
    }
}

/// Eight racks with two switches: a round of seven slots of each. 112 packets of 0.8 µs fit into 90 µs of light.
const CORE: &str = "slot = \"100 us\"\nreconfiguration = \"10 us\"\nrack-queue = \"400 kB\"";

/// What racks deliver to their hosts of what their links to switches can carry.
fn goodput(forwarding: &str, traffic: &str) -> f64 {
    let core = format!("{CORE}\nforwarding = \"{forwarding}\"");
    let report = run(&(network((8, 2, 2), &core, ["10 ms", "80 ms"]) + traffic), 3);
    assert_eq!(sum(&report, "circuits", "lost-dark"), 0);
    let bits = sum(&report, "racks", "to-hosts") as f64 * 8_000.0;
    bits / (0.070 * 8.0 * 2.0 * 10e9)
}

/// Between all hosts, or those of each rack and the next one, more than the circuits can carry.
fn uniform() -> String {
    let source = "kind = \"poisson-packets\", rate = \"680 Mb/s\"";
    let pairs = (0..64).map(|pair| (pair / 8, pair % 8)).filter(|(from, to)| from != to);
    let one = |(from, to)| traffic(&format!("h{from}-*"), &format!("h{to}-*"), "all", source);
    pairs.map(one).collect()
}

fn permutation() -> String {
    let source = "kind = \"poisson-packets\", rate = \"9.8 Gb/s\"";
    let one = |from: u32| {
        traffic(&format!("h{from}-*"), &format!("h{}-*", (from + 3) % 8), "pairs", source)
    };
    (0..8).map(one).collect()
}

/// With one hop all of the light is used if all pairs send, and the share of one pair of seven if each rack sends to
/// one other alone.
#[test]
fn direct_circuits_carry_the_duty_cycle() {
    let duty = 112.0 * 0.8 / 100.0;
    for forwarding in ["direct", "rotor-lb"] {
        let found = goodput(forwarding, &uniform());
        assert!((found / duty - 1.0).abs() < 0.005, "{forwarding}: {found}, expected {duty}");
    }
    let found = goodput("direct", &permutation());
    assert!((found / (duty / 7.0) - 1.0).abs() < 0.005, "{found}, expected {}", duty / 7.0);
}

/// With two hops and a permutation of N racks, a slot of N − 1 is direct, and two of the others carry a packet: N / 2(N − 1)
/// of the duty cycle, about Valiant's half. If all pairs send, one packet of N − 1 has one hop, and the others two: (N −
/// 1) / (2N − 3).
#[test]
fn two_hops_carry_half() {
    let duty = 112.0 * 0.8 / 100.0;
    for forwarding in ["valiant", "rotor-lb"] {
        let (found, expected) = (goodput(forwarding, &permutation()), duty * 8.0 / 14.0);
        assert!(
            (found / expected - 1.0).abs() < 0.015,
            "{forwarding}: {found}, expected {expected}"
        );
    }
    let (found, expected) = (goodput("valiant", &uniform()), duty * 7.0 / 13.0);
    assert!((found / expected - 1.0).abs() < 0.015, "{found}, expected {expected}");
}

/// Clocks that are wrong by up to 2 µs: a rack that is always busy loses what it sends too early or too late, and
/// nothing with a guard as long.
#[test]
fn a_guard_makes_wrong_clocks_harmless() {
    let lost = |guard: &str| {
        let core = format!("{CORE}\nskew = \"2 us\"\nguard = \"{guard}\"");
        let report = run(&(network((8, 2, 2), &core, ["0 s", "20 ms"]) + &uniform()), 5);
        (sum(&report, "circuits", "lost-dark"), sum(&report, "circuits", "packets-in"))
    };
    let (dark, sent) = lost("0 s");
    // On average 1 of 90 µs.
    assert!((0.002..0.03).contains(&(dark as f64 / sent as f64)), "{dark} of {sent}");
    assert_eq!(lost("2 us").0, 0);
}

/// What circuits do not carry is lost in full queues, and what is lost, delivered and inside is what was sent.
#[test]
fn a_full_queue_loses_packets() {
    let report = run(&(network((8, 2, 2), CORE, ["0 s", "20 ms"]) + &permutation()), 5);
    let lost = sum(&report, "racks", "lost-full");
    assert!(lost > 0);
    assert_eq!(sum(&report, "flows", "packets-lost"), lost);
}

/// DCTCP between two racks of three: a queue that marks stays near its threshold, where without marks it fills. Half of the
/// light is theirs.
#[test]
fn a_rack_marks_packets() {
    let most = |mark: &str| {
        let core = format!("slot = \"100 us\"\nreconfiguration = \"10 us\"\n{mark}");
        let text = network((3, 1, 1), &core, ["20 ms", "100 ms"]);
        let flow = "[[traffic]]\nfrom = \"h0-0\"\nto = \"h1-0\"\n\
                    transport = { kind = \"tcp\", preset = \"dctcp\", ecn = true }\nsource = { kind = \"bulk\" }\n";
        let report = run(&(text + flow), 1);
        (
            values(&report, "racks", "wait-max")[0],
            values(&report, "flows", "goodput")[0],
            sum(&report, "racks", "marked"),
        )
    };
    let (marked, unmarked) = (most("mark-above = \"200 kB\""), most(""));
    assert!(marked.2 > 100 && unmarked.2 == 0, "{marked:?}, {unmarked:?}");
    assert!(marked.0 < 0.7 * unmarked.0, "{marked:?}, {unmarked:?}");
    // 10 Gb/s for 90 of 200 µs, less headers, and less what a window of 200 kB leaves unused.
    assert!((3.5e9..4.5e9).contains(&marked.1), "{marked:?}");
}

/// A rotor in a file is the rotor by name.
#[test]
fn an_explicit_rotor_is_a_rotor() {
    let source = "kind = \"poisson-packets\", rate = \"900 Mb/s\"";
    let with = |core: &str| {
        let text = network((4, 1, 1), core, ["1 ms", "10 ms"]);
        run(&(text + &traffic("h*", "h*", "all", source)), 2)
    };
    let core = "slot = \"20 us\"\nreconfiguration = \"2 us\"\n";
    let explicit =
        "schedule = \"explicit\"\nmatchings = [[[1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]]]";
    let (named, given) = (with(core), with(&format!("{core}{explicit}")));
    assert_eq!(named.json["digest"], given.json["digest"]);
    assert!(sum(&named, "circuits", "packets-through") > 1_000);
}

/// A rotor of 16 racks whose hosts send one datagram has no event for its slots.
#[test]
fn a_schedule_has_no_events() {
    let core = "slot = \"10 us\"\nreconfiguration = \"2 us\"";
    let text = network((16, 4, 1), core, ["0 s", "90 ms"]);
    let report = run(&(text + &traffic("h0-0", "h2-0", "pairs", RARE)), 1);
    let events = report.json["events"].as_u64().unwrap();
    assert!(events < 12, "{events} events");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Conservation is checked at the end of each run. Without two hops packets of a flow keep their order, and nothing is
    /// ever lost in the dark.
    #[test]
    fn any_rotor_conserves_packets(
        (racks, switches, hosts) in (2_u32..7, 1_u32..5, 1_u32..3),
        (slot, dark, delay) in (20_u32..80, 0_u32..15, 0_u32..40),
        forwarding in prop::sample::select(vec!["direct", "valiant", "rotor-lb"]),
        phases in prop::sample::select(vec!["together", "staggered"]),
        (mbps, seed) in (50_u32..4_000, 0_u64..1_000),
        tcp: bool,
    ) {
        let core = format!(
            "slot = \"{slot} us\"\nreconfiguration = \"{dark} us\"\nforwarding = \"{forwarding}\"\n\
             phases = \"{phases}\"\nrack-queue = \"100 kB\""
        );
        let text = network((racks, switches, hosts), &core, ["1 ms", "12 ms"])
            .replace("link = { rate = \"10 Gb/s\", delay = \"500 ns\" }",
                &format!("link = {{ rate = \"10 Gb/s\", delay = \"{delay} us\" }}"));
        let source = format!("kind = \"poisson-packets\", rate = \"{mbps} Mb/s\"");
        let mut traffic = traffic("h*", "h*", "all", &source);
        if tcp {
            traffic = "[[traffic]]\nfrom = \"h*\"\nto = \"h*\"\npattern = \"all\"\n\
                       transport = { kind = \"tcp\" }\nsource = { kind = \"bulk\" }\n".into();
        }
        let report = run(&(text + &traffic), seed);
        prop_assert_eq!(sum(&report, "circuits", "lost-dark"), 0);
        if forwarding == "direct" && switches == 1 && !tcp {
            prop_assert_eq!(sum(&report, "flows", "reordered"), 0);
        }
    }
}
