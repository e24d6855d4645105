//! Circuits on a schedule: instants worked by hand, closed forms of a queue with vacations and of the goodput of one and
//! of two hops, light that is lost in the dark, conservation.

use proptest::prelude::*;
use scenario::load;

use crate::common::{count, run, values};

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
    assert_eq!(count(&report, "circuits", "lost-dark"), 0);
    let bits = count(&report, "racks", "to-hosts") as f64 * 8_000.0;
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
        (count(&report, "circuits", "lost-dark"), count(&report, "circuits", "packets-in"))
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
    let lost = count(&report, "racks", "lost-full");
    assert!(lost > 0);
    assert_eq!(count(&report, "flows", "packets-lost"), lost);
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
            count(&report, "racks", "marked"),
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
    assert!(count(&named, "circuits", "packets-through") > 1_000);
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

/// A ring of circuits that stay. The datagram is in rack 0 at 1.3 µs, in rack 1 at 3.1 µs, in rack 2 at 4.9 µs and at its host
/// at 6.2 µs.
#[test]
fn several_circuits_by_hand() {
    let core = "slot = \"1 s\"\nreconfiguration = \"0 s\"\nschedule = \"explicit\"\n\
                matchings = [[[1, 2, 3, 0]]]\nshort-flows = {}";
    let text = network((4, 1, 1), core, ["0 s", "90 ms"]);
    let report = run(&(text + &traffic("h0-0", "h2-0", "pairs", RARE)), 1);
    assert_eq!(values(&report, "flows", "delay-mean"), [6.2e-6]);
    assert_eq!(values(&report, "racks", "sent-short"), [1.0, 1.0, 0.0, 0.0]);
}

/// Three switches that always set the same matching, but go dark one after the other: the first joins 0 and 1, 2 and 3, the second
/// 0 and 3, 1 and 2, the third 0 and 2, 1 and 3. From 4 to 14 µs the second one is next. A datagram that is in rack 0
/// at 6.3 µs goes at once by its circuit if it may: rack 3 has it at 8.1 µs, its host at 9.4 µs. That of a short flow
/// goes by way of rack 1, where it is at 8.1 µs, to rack 3, where it is at 9.9 µs.
#[test]
fn a_circuit_that_is_about_to_go_is_on_no_way() {
    let core = "slot = \"30 us\"\nreconfiguration = \"4 us\"\nschedule = \"explicit\"\nphases = \"staggered\"\n\
                matchings = [[[1, 0, 3, 2]], [[3, 2, 1, 0]], [[2, 3, 0, 1]]]";
    for (keys, delay, sent) in
        [("", 4.4e-6, [0.0; 4]), ("short-flows = {}", 6.2e-6, [1.0, 1.0, 0.0, 0.0])]
    {
        let text = network((4, 3, 1), &format!("{core}\n{keys}"), ["0 s", "90 ms"]);
        let report =
            run(&(text + &traffic("h0-0", "h3-0", "pairs", RARE) + "start = \"5 us\"\n"), 1);
        assert_eq!(values(&report, "flows", "delay-mean"), [delay]);
        assert_eq!(values(&report, "racks", "sent-short"), sent);
    }
}

/// A hundred datagrams at once, of which 12 fit into 10 µs. What is left when the circuit is about to go takes another way;
/// nothing is lost, and nothing overtakes.
#[test]
fn what_a_circuit_does_not_carry_gets_another_way() {
    let core =
        "slot = \"50 us\"\nreconfiguration = \"4 us\"\nschedule = \"opera\"\nshort-flows = {}";
    let text = network((8, 5, 1), core, ["0 s", "1 ms"])
        .replace("access = { rate = \"10 Gb/s\"", "access = { rate = \"1 Tb/s\"");
    let source = "kind = \"cbr\", rate = \"800 Gb/s\"";
    let flow = traffic("h0-0", "h5-0", "pairs", source) + "stop = \"995 ns\"\n";
    let report = run(&(text + &flow), 1);
    assert_eq!(count(&report, "flows", "packets-delivered"), 100);
    assert_eq!(count(&report, "racks", "lost-full"), 0);
    let hops = count(&report, "racks", "sent-short");
    assert!((200..=400).contains(&hops), "{hops}");
}

/// The same with an electronic switch beside, its links of 1 Gb/s and 500 ns.
fn beside(text: &str) -> String {
    let spine =
        "packet-spines = { count = 1, link = { rate = \"1 Gb/s\", delay = \"500 ns\" } }\n[core]";
    text.replace("[core]", spine)
}

/// A datagram is in rack 0 at 1.3 µs, or at 4.3 µs. While no circuit leads to its rack it goes by the electronic switch, which
/// has it 8.5 µs later, and the other rack after 8.5 µs more. The circuit to rack 1 is there from 2 to 10 µs.
#[test]
fn electronic_switches_by_hand() {
    let core = "slot = \"10 us\"\nreconfiguration = \"2 us\"";
    for (keys, to, start, delay, sent) in [
        ("without-circuit = \"packet-switches\"", "h2-0", 0, 19.6e-6, 1),
        ("without-circuit = \"packet-switches\"", "h1-0", 3, 4.4e-6, 0),
        ("short-flows = { over = \"packet-switches\" }", "h1-0", 3, 19.6e-6, 1),
        ("", "h1-0", 3, 4.4e-6, 0),
    ] {
        let text = beside(&network((4, 1, 1), &format!("{core}\n{keys}"), ["0 s", "90 ms"]));
        let flow = traffic("h0-0", to, "pairs", RARE) + &format!("start = \"{start} us\"\n");
        let report = run(&(text + &flow), 1);
        assert_eq!(values(&report, "flows", "delay-mean"), [delay], "{keys}");
        assert_eq!(count(&report, "racks", "sent-beside"), sent, "{keys}");
    }
}

/// Racks that always have packets for one other rack use its circuit for a slot of 7 on each of two switches, and the electronic
/// link of 1 Gb/s for the rest of the time.
#[test]
fn electronic_switches_carry_what_has_no_circuit() {
    let core = format!("{CORE}\nwithout-circuit = \"packet-switches\"");
    let text = beside(&network((8, 2, 2), &core, ["10 ms", "80 ms"])) + &permutation();
    let report = run(&text, 3);
    let found = count(&report, "racks", "to-hosts") as f64 * 8_000.0 / (0.070 * 8.0);
    let (circuits, electronic) =
        (2.0 * 10e9 * 112.0 * 0.8 / 100.0 / 7.0, 1e9 * (1.0 - 0.9 * 2.0 / 7.0));
    let expected = circuits + electronic;
    assert!((found / expected - 1.0).abs() < 0.01, "{found}, expected {expected}");
}

/// A datagram is in rack 0 at 1.3 µs. The queues are read 3 µs before the second slot, which begins at 10 µs; from 12 µs on the
/// circuit is there: as if it were known before. With a report of 9 µs the second slot is too early, and the third one has it.
#[test]
fn a_circuit_on_demand_by_hand() {
    for (report, delay) in [("3 us", 14.6e-6), ("9 us", 24.6e-6)] {
        for rule in ["maximum-weight", "islip", "birkhoff"] {
            let core = format!(
                "slot = \"10 us\"\nreconfiguration = \"2 us\"\nschedule = \"demand\"\n\
                 demand = {{ rule = {{ kind = \"{rule}\" }}, report = \"{report}\" }}"
            );
            let text = network((4, 1, 1), &core, ["0 s", "90 ms"]);
            let report = run(&(text + &traffic("h0-0", "h2-0", "pairs", RARE)), 1);
            assert_eq!(values(&report, "flows", "delay-mean"), [delay], "{rule}");
            // Nothing is decided once nothing waits.
            let events = report.json["events"].as_u64().unwrap();
            assert!(events < 14, "{events} events");
        }
    }
}

/// Racks that always have packets for one other rack keep their circuits: a packet less than fits in a slot, and no dark times.
/// A rotor would give them a slot of seven.
#[test]
fn circuits_on_demand_carry_a_permutation() {
    for rule in ["maximum-weight", "islip", "birkhoff"] {
        for epoch in [1, 5] {
            let core = format!(
                "{CORE}\nschedule = \"demand\"\ndemand = {{ rule = {{ kind = \"{rule}\" }}, epoch = {epoch} }}"
            );
            // More than an epoch carries waits.
            let core = core.replace("400 kB", "1 MB");
            let text = network((8, 1, 2), &core, ["10 ms", "50 ms"]) + &permutation();
            let report = run(&text, 3);
            let found = count(&report, "racks", "to-hosts") as f64 * 8_000.0 / (0.040 * 8.0 * 10e9);
            assert!((0.985..=1.0).contains(&found), "{rule}, {epoch}: {found}");
            assert_eq!(count(&report, "circuits", "lost-dark"), 0);
        }
    }
}

/// Files of 15 kB do not wait for circuits, those of 1.5 MB do.
#[test]
fn short_flows_do_not_wait() {
    let completion = |size: &str, keys: &str| {
        let core =
            format!("slot = \"400 us\"\nreconfiguration = \"10 us\"\nschedule = \"opera\"\n{keys}");
        let text = network((16, 4, 1), &core, ["0 s", "200 ms"]);
        let files = format!(
            "[[traffic]]\nfrom = \"h*\"\nto = \"h*\"\npattern = \"uniform\"\n\
             transport = {{ kind = \"tcp\" }}\n\
             source = {{ kind = \"transfers\", per-second = 2000.0, size = \"{size}\" }}\n"
        );
        values(&run(&(text + &files), 1), "traffic", "completion-p50")[0]
    };
    let short = "short-flows = { below = \"100 kB\" }";
    let (at_once, waited) = (completion("15 kB", short), completion("15 kB", ""));
    // Four round trips of up to three hops, and data of 12 µs. Two racks are joined for a quarter of a round of 1.6 ms, so that
    // the median of the waits is 0.4 ms.
    assert!(at_once < 60e-6, "{at_once} s");
    assert!((420e-6..520e-6).contains(&waited), "{waited} s");
    assert!(completion("1500 kB", short) > 1_600e-6);
}

/// Messages to one rack from all others: a queue for 20 packets trims those that do not fit, and loses none.
#[test]
fn a_short_queue_trims_packets() {
    let core = "slot = \"400 us\"\nreconfiguration = \"10 us\"\nschedule = \"opera\"\n\
                short-flows = { queue = \"30 kB\", trim = \"64 B\" }";
    let text = network((16, 4, 2), core, ["0 s", "50 ms"]);
    let files = "[[traffic]]\nfrom = \"h*\"\nto = \"h3-0\"\npattern = \"all\"\n\
                 transport = { kind = \"message\", packet = \"1436 B\", window = \"fixed\", base-rtt = \"16 us\", credits = true }\n\
                 source = { kind = \"bulk\", size = \"500 kB\" }\n";
    let report = run(&(text + files), 1);
    assert!(count(&report, "racks", "trimmed") > 10);
    assert_eq!(count(&report, "racks", "lost-full"), 0);
    // 31 files of 500 kB by a link of 10 Gb/s: 12.4 ms and headers.
    assert_eq!(count(&report, "flows", "packets-lost"), 0);
    let last = values(&report, "traffic", "completion-p99")[0];
    assert!((12.9e-3..15e-3).contains(&last), "{last} s");
}

proptest! {
    #![proptest_config(trials::cases(24))]

    /// Conservation is checked at the end of each run, and nothing is ever lost in the dark.
    #[test]
    fn any_circuits_with_short_flows_conserve_packets(
        (racks, switches, hosts) in (4_u32..9, 3_u32..6, 1_u32..3),
        (slice, dark, delay) in (12_u32..40, 0_u32..8, 0_u32..40),
        forwarding in prop::sample::select(vec!["direct", "valiant", "rotor-lb"]),
        short in prop::sample::select(vec!["", "below = \"50 kB\"", "below = \"500 kB\", queue = \"9 kB\""]),
        (per_second, draw, seed) in (500_u32..20_000, 1_u32..9, 0_u64..1_000),
    ) {
        let core = format!(
            "slot = \"{} us\"\nreconfiguration = \"{dark} us\"\nforwarding = \"{forwarding}\"\n\
             schedule = \"opera\"\ndraw = {draw}\nrack-queue = \"100 kB\"\nshort-flows = {{ {short} }}",
            slice * switches
        );
        let text = network((racks, switches, hosts), &core, ["1 ms", "12 ms"])
            .replace("link = { rate = \"10 Gb/s\", delay = \"500 ns\" }",
                &format!("link = {{ rate = \"10 Gb/s\", delay = \"{delay} us\" }}"));
        let files = format!(
            "[[traffic]]\nfrom = \"h*\"\nto = \"h*\"\npattern = \"uniform\"\n\
             transport = {{ kind = \"tcp\" }}\n\
             source = {{ kind = \"transfers\", per-second = {per_second}.0, size = {{ kind = \"websearch\" }} }}\n"
        );
        let checked = load("circuits", &(text.clone() + &files), &[]);
        // A draw may have a slice in which racks are cut off; that is said.
        prop_assume!(checked.is_ok());
        let report = run(&(text + &files), seed);
        prop_assert_eq!(count(&report, "circuits", "lost-dark"), 0);
        prop_assert!(count(&report, "racks", "sent-short") > 0);
    }

    /// Conservation is checked at the end of each run. Without two hops packets of a flow keep their order, and nothing is
    /// ever lost in the dark.
    #[test]
    fn any_rotor_conserves_packets(
        (racks, switches, hosts) in (2_u32..7, 1_u32..5, 1_u32..3),
        (slot, dark, delay) in (20_u32..80, 0_u32..15, 0_u32..40),
        (forwarding, schedule) in prop::sample::select(vec![
            ("direct", "rotor"), ("valiant", "rotor"), ("rotor-lb", "rotor"), ("direct", "maximum-weight"),
            ("direct", "islip"), ("direct", "birkhoff"),
        ]),
        phases in prop::sample::select(vec!["together", "staggered"]),
        (mbps, seed) in (50_u32..4_000, 0_u64..1_000),
        (tcp, electronic) in (any::<bool>(), any::<bool>()),
    ) {
        let electronic = electronic && forwarding != "valiant";
        let keys = if electronic { "without-circuit = \"packet-switches\"" } else { "" };
        let on_demand = format!(
            "{keys}\nschedule = \"demand\"\n\
             demand = {{ rule = {{ kind = \"{schedule}\" }}, epoch = {switches}, report = \"{dark} us\" }}"
        );
        let keys = if schedule == "rotor" { keys } else { &on_demand };
        let core = format!(
            "slot = \"{slot} us\"\nreconfiguration = \"{dark} us\"\nforwarding = \"{forwarding}\"\n\
             phases = \"{phases}\"\nrack-queue = \"100 kB\"\n{keys}"
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
        let text = if electronic { beside(&text) } else { text };
        let report = run(&(text + &traffic), seed);
        prop_assert_eq!(count(&report, "circuits", "lost-dark"), 0);
        if forwarding == "direct" && switches == 1 && !tcp && !electronic {
            prop_assert_eq!(count(&report, "flows", "reordered"), 0);
        }
    }
}
