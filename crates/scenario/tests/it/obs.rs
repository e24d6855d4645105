//! Optical burst switching, the network as a whole: instants worked by hand, a closed form, the
//! electronic network that it becomes when its own delays vanish, conservation.

use proptest::prelude::*;
use scenario::Report;
use units::{Span, Time};
use wire::optical::Lost;

use crate::common::erlang::erlang_b;
use crate::common::{checked, counts, number, watch};

/// Two edges with so many core routers in a row between them; `more` is appended.
fn row(delays: &[&str], channels: u32, more: &str) -> String {
    let name = |at: usize| match at {
        0 => "E0".to_owned(),
        at if at == delays.len() => "E1".to_owned(),
        at => format!("C{at}"),
    };
    let kind = |at: usize| if at == 0 || at == delays.len() { "edge" } else { "core" };
    let nodes: Vec<String> = (0..=delays.len())
        .map(|at| format!("{{ name = \"{}\", kind = \"{}\" }}", name(at), kind(at)))
        .collect();
    let links: Vec<String> = delays
        .iter()
        .enumerate()
        .map(|(at, delay)| {
            format!(
                "{{ from = \"{}\", to = \"{}\", rate = \"10 Gb/s\", delay = \"{delay}\", \
                 channels = {channels}, control-channels = 16 }}",
                name(at),
                name(at + 1)
            )
        })
        .collect();
    format!(
        "[topology]\nkind = \"explicit\"\nnodes = [{}]\nlinks = [{}]\n{more}",
        nodes.join(", "),
        links.join(", ")
    )
}

/// One packet of so many bytes, headers included, every 100 ms from E0 to E1.
fn single_packets(bytes: u32) -> String {
    let rate = u64::from(bytes) * 80;
    format!(
        "[[traffic]]\nfrom = \"E0\"\nto = \"E1\"\ntransport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ kind = \"cbr\", rate = \"{rate} b/s\", packet = \"{bytes} B\" }}\n"
    )
}

/// The instants of a header and of its burst over three fibres of 2, 3 and 1 ms. A burst of 5000 B
/// lasts 4 µs at 10 Gb/s, a header of 64 B 51.2 ns; offset 10 µs, processing 1 µs, input delay
/// 1 µs. From the release, in ps:
///
/// | | asked | header leaves | burst leaves |
/// | --- | --- | --- | --- |
/// | E0 → C1 | 0 | 0 | 10 µs |
/// | C1 → C2 | 51.2 ns + 2 ms + 1 µs | at once | 10 µs + 2 ms + 1 µs |
/// | C2 → E1 | 2 · 51.2 ns + 5 ms + 2 µs | at once | 10 µs + 5 ms + 2 µs |
///
/// and its last bit is in at E1 after 10 µs + 6 ms + 3 µs + 4 µs.
#[test]
fn a_burst_cuts_through_three_hops() {
    let text = row(
        &["2 ms", "3 ms", "1 ms"],
        2,
        "[run]\nduration = \"50 ms\"\n[assembly]\nmax-size = \"5 kB\"\ntimeout = \"1 ms\"\n\
         [record]\nbursts = 10\n",
    ) + &single_packets(5000);
    let check = |text: &str, stored: u64| {
        let (report, (bursts, rows)) = watch(text, 1, |run| {
            let log = &run.world().optical().log;
            (log.bursts.clone(), log.reservations.clone())
        });
        let (ns, us) = (1_000_u64, 1_000_000_u64);
        let t0 = bursts[0].released.0;
        let headers = [0, 2_001 * us + 51_200, 5_002 * us + 2 * 51_200];
        let starts = [10 * us, 2_011 * us + stored, 5_012 * us + 2 * stored];
        assert_eq!(rows.len(), 3);
        for (at, row) in rows.iter().enumerate() {
            assert_eq!(row.asked, Time(t0 + headers[at]), "asked at hop {at}");
            assert_eq!(row.header_sent, Some(row.asked));
            let start = Time(t0 + starts[at]);
            assert_eq!(row.granted, Some((0, start, start + Span(4_000 * ns))), "hop {at}");
        }
        let delivered = Time(t0 + 6_017 * us + 2 * stored);
        assert_eq!(bursts[0].delivered, Some(delivered));
        let delay = number(&report, "flows", "delay-mean", 0);
        assert!((delay - (delivered.0 - t0) as f64 * 1e-12).abs() < 1e-12);
    };
    check(&text, 0);
    // Store and forward: each core router charges the 4 µs again.
    check(
        &format!("{text}[core]\nkind = \"burst\"\nforwarding = \"store-and-forward\"\n"),
        4_000_000,
    );
}

/// Bursts of one packet each, of sizes that differ, over so many channels: what comes behind a burst
/// released later is reordered, and nothing is where one channel takes all.
#[test]
fn bursts_that_overtake_reorder_their_packets() {
    let text = |channels| {
        row(
            &["2 ms"],
            channels,
            "[run]\nduration = \"50 ms\"\n[record]\nbursts = 100000\n\
             [assembly]\nmax-size = \"1 MB\"\ntimeout = \"1 ps\"\nwhen-busy = \"wait\"\n\
             [[traffic]]\nfrom = \"E0\"\nto = \"E1\"\n\
             transport = { kind = \"udp\", header = \"0 B\" }\n[traffic.source]\n\
             kind = \"poisson-packets\"\nrate = \"5 Gb/s\"\n\
             packet = { kind = \"exponential\", mean = \"4 kB\" }\n",
        )
    };
    let reordered = |channels| {
        let (report, bursts) =
            watch(&text(channels), 1, |run| run.world().optical().log.bursts.clone());
        let mut came: Vec<(Time, u64)> =
            bursts.iter().filter_map(|burst| Some((burst.delivered?, burst.burst))).collect();
        came.sort_unstable();
        let behind = |at: usize| came[..at].iter().any(|earlier| earlier.1 > came[at].1);
        let expected = (0..came.len()).filter(|&at| behind(at)).count();
        assert!(came.len() > 2500, "{}", came.len());
        for table in ["flows", "traffic"] {
            assert!((number(&report, table, "reordered", 0) - expected as f64).abs() < 0.5);
        }
        expected
    };
    assert_eq!(reordered(1), 0);
    assert!(reordered(4) > 100);
}

/// Two bursts leave their edges at once and meet at C, whose link to E1 has one channel. Each lasts
/// 4 µs. The second is tried 3 µs later and does not fit; 5 µs later it does.
#[test]
fn a_fibre_delay_line_lets_the_second_burst_pass() {
    let text = |core: &str| {
        format!(
            r#"
            [run]
            duration = "50 ms"
            [topology]
            kind = "explicit"
            nodes = [
              {{ name = "A", kind = "edge" }}, {{ name = "B", kind = "edge" }},
              {{ name = "C", kind = "core" }}, {{ name = "E1", kind = "edge" }},
            ]
            links = [
              {{ from = "A", to = "C", rate = "10 Gb/s", delay = "1 ms", channels = 1 }},
              {{ from = "B", to = "C", rate = "10 Gb/s", delay = "1 ms", channels = 1 }},
              {{ from = "C", to = "E1", rate = "10 Gb/s", delay = "1 ms", channels = 1 }},
            ]
            [assembly]
            max-size = "5 kB"
            timeout = "1 ms"
            [core]
            kind = "burst"
            {core}
            [record]
            bursts = 10
            [[traffic]]
            from = ["A", "B"]
            to = ["E1"]
            transport = {{ kind = "udp", header = "0 B" }}
            source = {{ kind = "cbr", rate = "400 kb/s", packet = "5000 B" }}
            "#
        )
    };
    let second = |core: &str| {
        let (_, rows) = watch(&text(core), 1, |run| run.world().optical().log.reservations.clone());
        let at_core: Vec<_> = rows.into_iter().filter(|row| row.fibre == 4).collect();
        assert_eq!(at_core[0].lost, None);
        (at_core[0], at_core[1])
    };
    let (_, lost) = second("");
    assert_eq!(lost.lost, Some(Lost::Contention));
    let (first, delayed) = second(r#"fibre-delays = ["3 us", "5 us", "9 us"]"#);
    assert_eq!(delayed.fibre_delay, Span::from_us(5));
    let (start, _) = first.granted.map(|granted| (granted.1, granted.2)).unwrap();
    assert_eq!(delayed.granted.unwrap().1, start + Span::from_us(5));
    // The loop: a turn lasts 1 µs and the burst's 4 µs.
    let (_, looped) = second(r#"fibre-loop = { delay = "1 us", lines = 1, turns = 3 }"#);
    assert_eq!(looped.granted.unwrap().1, start + Span::from_us(5));
}

/// Bursts of one packet each come in a Poisson stream to an edge that drops what finds no channel:
/// its link is Erlang's loss system, whatever the length.
#[test]
fn an_edge_that_drops_loses_by_erlang_b() {
    for (channels, load) in [(1, 0.4), (4, 2.0), (16, 12.0)] {
        // 12,500 B last 10 µs at 10 Gb/s.
        let rate = load * 10.0;
        let text = row(
            &["1 us", "1 us"],
            channels,
            "[run]\nduration = \"200 ms\"\n[assembly]\nmax-size = \"12500 B\"\ntimeout = \"1 ms\"\n\
             when-busy = \"drop\"\n[control]\nprocessing = \"0 s\"\nwhen-busy = \"wait\"\n",
        ) + &format!(
            "[[traffic]]\nfrom = \"E0\"\nto = \"E1\"\ntransport = {{ kind = \"udp\", header = \"0 B\" }}\n\
             source = {{ kind = \"poisson-packets\", rate = \"{rate} Gb/s\", packet = \"12500 B\" }}\n"
        );
        let losses: Vec<f64> = (1..=8)
            .map(|seed| {
                let (report, ()) = watch(&text, seed, |_| ());
                assert!(number(&report, "fecs", "lost-contention", 0) < 0.5);
                number(&report, "fecs", "lost-ingress", 0) / number(&report, "fecs", "bursts", 0)
            })
            .collect();
        let mean = losses.iter().sum::<f64>() / 8.0;
        let variance = losses.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 7.0;
        let error = (variance / 8.0).sqrt();
        let expected = erlang_b(channels, load);
        assert!(error < 0.02 * expected, "{channels}: {mean} ± {error}");
        assert!((mean - expected).abs() < 4.0 * error, "{channels}: {mean} ± {error}, {expected}");
    }
}

/// With a core of 100 Tb/s, no processing and a burst for every packet nothing of burst switching is
/// left: the flows do what they do over routers, but for picoseconds.
#[test]
fn with_an_infinitely_fast_core_it_is_the_electronic_network() {
    let text = |kinds: [&str; 2], optical: &str, sections: &str, preset: &str| {
        format!(
            r#"
            {sections}
            [run]
            duration = "30 s"
            [topology]
            kind = "explicit"
            nodes = [
              {{ name = "h0", kind = "host" }}, {{ name = "h1", kind = "host" }},
              {{ name = "R0", kind = "{edge}" }}, {{ name = "C", kind = "{core}" }},
              {{ name = "R1", kind = "{edge}" }},
            ]
            links = [
              {{ from = "h0", to = "R0", rate = "1 Gb/s", delay = "1 ms" }},
              {{ from = "R0", to = "C", rate = "100 Tb/s", delay = "5 ms" {optical} }},
              {{ from = "C", to = "R1", rate = "100 Tb/s", delay = "5 ms" {optical} }},
              {{ from = "R1", to = "h1", rate = "10 Mb/s", delay = "1 ms",
                 queue = {{ kind = "drop-tail", packets = 10 }} }},
            ]
            [[traffic]]
            from = "h0"
            to = "h1"
            count = 3
            transport = {{ kind = "tcp", preset = "{preset}" }}
            source = {{ kind = "bulk" }}
            "#,
            edge = kinds[0],
            core = kinds[1],
        )
    };
    let sections = r#"
        [assembly]
        max-size = "64 kB"
        timeout = "1 ps"
        offset = "20 ps"
        [core]
        kind = "burst"
        input-delay = "0 s"
        [control]
        header = "64 B"
        processing = "0 s"
        when-busy = "wait"
    "#;
    for preset in ["tahoe", "newreno", "sack"] {
        let (routers, ()) = watch(&text(["router", "router"], "", "", preset), 1, |_| ());
        let optical = text(["edge", "core"], ", channels = 64", sections, preset);
        let (bursts, ()) = watch(&optical, 1, |_| ());
        let sum = |report: &Report, column: &str| -> f64 {
            (0..3).map(|flow| number(report, "flows", column, flow)).sum()
        };
        assert!(sum(&routers, "packets-lost") > 100.0);
        for column in ["packets-sent", "packets-lost", "retransmissions", "timeouts", "delivered"] {
            let (a, b) = (sum(&routers, column), sum(&bursts, column));
            assert!((a - b).abs() < 0.5, "{preset}: {column} {a} over routers, {b} over bursts");
        }
        let (a, b) = (sum(&routers, "delay-mean"), sum(&bursts, "delay-mean"));
        assert!((a - b).abs() < 1e-8, "{preset}: delay {a} over routers, {b} over bursts");
    }
}

/// A header takes 51.2 µs on the one control channel of 10 Mb/s between C and D, and two come to C at
/// once. The first is at D, processed, 0.75 µs before its burst: offset 52 µs and twice the input
/// delay of 1 µs, less 51.2 ns + 1 µs at C and 51.2 µs + 1 µs at D. The second, 51.2 µs later, is too
/// late.
#[test]
fn a_late_header_loses_its_burst() {
    let text = r#"
        [run]
        duration = "50 ms"
        [topology]
        kind = "explicit"
        nodes = [
          { name = "A", kind = "edge" }, { name = "B", kind = "edge" },
          { name = "C", kind = "core" }, { name = "D", kind = "core" },
          { name = "E", kind = "edge" },
        ]
        links = [
          { from = "A", to = "C", rate = "10 Gb/s", delay = "1 ms", channels = 4 },
          { from = "B", to = "C", rate = "10 Gb/s", delay = "1 ms", channels = 4 },
          { from = "C", to = "D", rate = "10 Gb/s", delay = "1 ms", channels = 4,
            control-channels = 1, control-rate = "10 Mb/s" },
          { from = "D", to = "E", rate = "10 Gb/s", delay = "1 ms", channels = 4 },
        ]
        [assembly]
        max-size = "5 kB"
        timeout = "1 ms"
        offset = "52 us"
        [control]
        when-busy = "WHEN"
        [[traffic]]
        from = ["A", "B"]
        to = "E"
        transport = { kind = "udp", header = "0 B" }
        source = { kind = "cbr", rate = "400 kb/s", packet = "5000 B" }
    "#;
    let fecs = |when: &str, column: &str| {
        let (report, ()) = watch(&text.replace("WHEN", when), 1, |_| ());
        [counts(&report, "fecs", column)[0], counts(&report, "fecs", column)[1]]
    };
    assert_eq!(fecs("wait", "lost-late"), [0, 1]);
    assert_eq!(fecs("wait", "delivered"), [1, 0]);
    assert_eq!(fecs("drop", "lost-control"), [0, 1]);
}

/// Three bursts are released at once to an edge with one data channel and one control channel. An
/// edge that waits sends them one after another, each header its offset ahead; one that drops sends
/// the first.
#[test]
fn an_edge_that_waits_loses_nothing() {
    let text = |when: &str| {
        format!(
            r#"
            [run]
            duration = "50 ms"
            [topology]
            kind = "explicit"
            nodes = [
              {{ name = "A", kind = "edge" }}, {{ name = "C", kind = "core" }},
              {{ name = "D", kind = "edge" }}, {{ name = "E", kind = "edge" }},
              {{ name = "F", kind = "edge" }},
            ]
            links = [
              {{ from = "A", to = "C", rate = "10 Gb/s", delay = "1 ms", channels = 1,
                 control-channels = 1 }},
              {{ from = "C", to = "D", rate = "10 Gb/s", delay = "1 ms", channels = 1 }},
              {{ from = "C", to = "E", rate = "10 Gb/s", delay = "1 ms", channels = 1 }},
              {{ from = "C", to = "F", rate = "10 Gb/s", delay = "1 ms", channels = 1 }},
            ]
            [assembly]
            max-size = "5 kB"
            timeout = "1 ms"
            when-busy = "{when}"
            [record]
            bursts = 10
            [[traffic]]
            from = "A"
            to = ["D", "E", "F"]
            transport = {{ kind = "udp", header = "0 B" }}
            source = {{ kind = "cbr", rate = "400 kb/s", packet = "5000 B" }}
            "#
        )
    };
    let (_, rows) = watch(&text("wait"), 1, |run| run.world().optical().log.reservations.clone());
    let first: Vec<_> = rows.iter().filter(|row| row.fibre == 0).collect();
    let t0 = first[0].asked;
    for (at, row) in (0_u64..).zip(first) {
        // Each burst lasts 4 µs.
        let start = t0 + Span::from_us(10 + 4 * at);
        assert_eq!(row.granted.map(|granted| granted.1), Some(start));
        assert_eq!(row.header_sent, Some(t0 + Span::from_us(4 * at)));
    }
    let (report, ()) = watch(&text("drop"), 1, |_| ());
    let sum = |column: &str| (0..3).map(|fec| counts(&report, "fecs", column)[fec]).sum::<u64>();
    assert_eq!((sum("lost-control"), sum("delivered")), (2, 1));
}

/// E0 – C goes down at 1 ms, while the burst released at 0 is on it (until 2.014 ms); C – E1 at
/// 103 ms, while the burst released at 100 ms is on that link.
#[test]
fn bursts_on_a_link_that_goes_down_are_lost() {
    let text = row(
        &["2 ms", "2 ms"],
        1,
        "[run]\nduration = \"300 ms\"\n[assembly]\nmax-size = \"5 kB\"\ntimeout = \"1 ms\"\n",
    ) + &single_packets(5000)
        + r#"
        [[changes]]
        at = "1 ms"
        link = "E0 -> C1"
        set = { kind = "down" }
        [[changes]]
        at = "2 ms"
        link = "E0 -> C1"
        set = { kind = "up" }
        [[changes]]
        at = "103 ms"
        link = "C1 -> E1"
        set = { kind = "down" }
        [[changes]]
        at = "104 ms"
        link = "C1 -> E1"
        set = { kind = "up" }
    "#;
    let (report, ()) = watch(&text, 1, |_| ());
    let fec = |column: &str| counts(&report, "fecs", column)[0];
    assert_eq!((fec("bursts"), fec("lost-down"), fec("delivered")), (3, 2, 1));
}

/// A burst of 160 µs over four links of 1 µs: when the first of them goes down in its middle, its
/// header has long been at the last.
#[test]
fn a_long_burst_is_lost_with_the_link_behind_its_header() {
    let text = |changes: &str| {
        row(
            &["1 us", "1 us", "1 us", "1 us"],
            1,
            "[run]\nduration = \"18 ms\"\n[assembly]\nmax-size = \"200 kB\"\ntimeout = \"1 ms\"\n",
        ) + "[[traffic]]\nfrom = \"E0\"\nto = \"E1\"\ntransport = { kind = \"udp\", header = \"0 B\" }\n\
             source = { kind = \"cbr\", rate = \"160 Mb/s\", packet = \"50000 B\" }\n"
            + changes
    };
    // Packets 2.5 ms apart fill no burst: each leaves alone after 1 ms and lasts 40 µs. The
    // first is on the first link from 1.010 to 1.051 ms.
    let down = |at: &str, up: &str| {
        format!(
            "[[changes]]\nat = \"{at}\"\nlink = \"E0 -> C1\"\nset = {{ kind = \"down\" }}\n\
             [[changes]]\nat = \"{up}\"\nlink = \"E0 -> C1\"\nset = {{ kind = \"up\" }}\n"
        )
    };
    let lost = |changes: &str| counts(&watch(&text(changes), 1, |_| ()).0, "fecs", "lost-down")[0];
    assert_eq!(lost(""), 0);
    assert_eq!(lost(&down("1030 us", "1032 us")), 1);
    assert_eq!(lost(&down("1052 us", "1053 us")), 0);
}

/// Between two edges there is an optical and an electronic way of the same length. Each edge takes
/// one of them for all packets, whatever their flow, and none goes to a core router unpacked.
#[test]
fn an_edge_takes_one_of_an_optical_and_an_electronic_way() {
    let text = r#"
        [run]
        duration = "20 ms"
        [topology]
        kind = "explicit"
        nodes = [
          { name = "E0", kind = "edge" }, { name = "E1", kind = "edge" },
          { name = "C", kind = "core" }, { name = "R", kind = "router" },
          { name = "h0", kind = "host" }, { name = "h1", kind = "host" },
        ]
        links = [
          { from = "E0", to = "C", rate = "1 Gb/s", delay = "50 us", channels = 4 },
          { from = "C", to = "E1", rate = "1 Gb/s", delay = "50 us", channels = 4 },
          { from = "E0", to = "R", rate = "1 Gb/s", delay = "50 us" },
          { from = "R", to = "E1", rate = "1 Gb/s", delay = "50 us" },
          { from = "h0", to = "E0", rate = "1 Gb/s", delay = "50 us" },
          { from = "h1", to = "E1", rate = "1 Gb/s", delay = "50 us" },
        ]
        [assembly]
        max-size = "20 kB"
        timeout = "100 us"
        [[traffic]]
        from = "h0"
        to = "h1"
        transport = { kind = "tcp", preset = "sack" }
        source = { kind = "bulk" }
        count = 20
    "#;
    let released = |seed| watch(text, seed, |_| ()).0.json["bursts"]["released"].as_u64().unwrap();
    let counts: Vec<u64> = (1..=8).map(released).collect();
    // The salt of the routing chooses: both ways are taken by some seeds.
    assert!(counts.iter().any(|&n| n > 0), "{counts:?}");
}

/// Of equal ways an edge may take the fibres towards a host behind the other edge, and the electronic
/// one towards that edge itself.
#[test]
fn a_way_over_fibres_is_taken_though_that_to_its_end_is_electronic() {
    for core in [
        "[assembly]\ntimeout = \"1 ms\"",
        "[assembly]\npolicy = \"none\"\n[core]\nkind = \"packet\"",
    ] {
        let text = format!(
            r#"
            [run]
            duration = "20 ms"
            [topology]
            kind = "explicit"
            nodes = [
              {{ name = "E0", kind = "edge" }}, {{ name = "E1", kind = "edge" }},
              {{ name = "C", kind = "core" }}, {{ name = "R", kind = "router" }},
              {{ name = "S", kind = "router" }}, {{ name = "h", kind = "host" }},
            ]
            links = [
              {{ from = "E0", to = "C", rate = "1 Gb/s", delay = "50 us", channels = 4 }},
              {{ from = "C", to = "E1", rate = "1 Gb/s", delay = "50 us", channels = 4 }},
              {{ from = "E0", to = "R", rate = "1 Gb/s", delay = "50 us" }},
              {{ from = "R", to = "E1", rate = "1 Gb/s", delay = "50 us" }},
              {{ from = "E1", to = "S", rate = "1 Gb/s", delay = "50 us" }},
              {{ from = "S", to = "h", rate = "1 Gb/s", delay = "50 us" }},
            ]
            {core}
            [[traffic]]
            from = "E0"
            to = "h"
            transport = {{ kind = "udp" }}
            source = {{ kind = "cbr", rate = "10 Mb/s", packet = "1000 B" }}
            "#
        );
        let released =
            |seed| watch(&text, seed, |_| ()).0.json["bursts"]["released"].as_u64().unwrap();
        let counts: Vec<u64> = (1..=16).map(released).collect();
        assert!(counts.contains(&0) && counts.iter().any(|&n| n > 0), "{counts:?}");
    }
}

/// One-way links alone lead from an edge to an edge.
#[test]
fn edges_reach_each_other_over_one_way_links() {
    let text = row(
        &["50 us", "50 us"],
        4,
        "[run]\nduration = \"300 ms\"\n[assembly]\nmax-size = \"5 kB\"\ntimeout = \"1 ms\"\n",
    )
    .replace("control-channels", "one-way = true, control-channels")
        + &single_packets(5000);
    let (report, ()) = watch(&text, 1, |_| ());
    assert_eq!(counts(&report, "fecs", "delivered")[0], 3);
}

/// With a wide offset several reservations of a channel lie ahead, voids between them, at both ends
/// of what is measured: the time in which a channel was busy is that of what passed in between.
#[test]
fn utilization_counts_no_reservation_that_lies_ahead() {
    // 5 kB every 10 ms last 4 µs at 10 Gb/s: 0.0004 of the time, on two channels 0.0002.
    let text = row(
        &["1 ms"],
        2,
        "[run]\nduration = \"105 ms\"\nwarmup = \"95 ms\"\n\
         [assembly]\nmax-size = \"5 kB\"\ntimeout = \"1 ms\"\noffset = \"50 ms\"\n",
    ) + "[[traffic]]\nfrom = \"E0\"\nto = \"E1\"\ntransport = { kind = \"udp\", header = \"0 B\" }\n\
         source = { kind = \"cbr\", rate = \"4 Mb/s\", packet = \"5000 B\" }\n";
    let (report, ()) = watch(&text, 1, |_| ());
    let used = number(&report, "links", "utilization", 0);
    assert!((used - 0.0002).abs() < 1e-9, "{used}");
    let channels: f64 = (0..2).map(|row| number(&report, "channels", "utilization", row)).sum();
    assert!((channels - 0.0004).abs() < 1e-9, "{channels}");
}

/// A timer alone: a burst holds the packet that opened it and the Poisson packets of the next 2 ms,
/// 1 + λT in the mean (λ = 4000/s: 9). Size alone: ten packets of 1000 B fill 10 kB.
#[test]
fn bursts_have_the_sizes_of_the_closed_forms() {
    let text = |max_size: &str, timeout: &str| {
        row(
            &["1 us", "1 us"],
            4,
            &format!(
                "[run]\nduration = \"20 s\"\n[assembly]\nmax-size = \"{max_size}\"\ntimeout = \"{timeout}\"\n"
            ),
        ) + "[[traffic]]\nfrom = \"E0\"\nto = \"E1\"\ntransport = { kind = \"udp\", header = \"0 B\" }\n\
             source = { kind = \"poisson-packets\", rate = \"32 Mb/s\", packet = \"1000 B\" }\n"
    };
    let (timer, ()) = watch(&text("1 MB", "2 ms"), 1, |_| ());
    let fec = |report: &Report, column: &str| number(report, "fecs", column, 0);
    assert!(fec(&timer, "by-size") < 0.5);
    // 8,900 bursts, the deviation of each √8: four standard errors are 0.12.
    assert!((fec(&timer, "packets-mean") - 9.0).abs() < 0.12);
    // The first waits T, each of the others T/2 in the mean: (T + 8 T/2)/9.
    assert!((fec(&timer, "assembly-mean") - 2e-3 * 5.0 / 9.0).abs() < 1e-5);
    let (size, ()) = watch(&text("10 kB", "1 s"), 1, |_| ());
    assert!(fec(&size, "by-timer") < 0.5);
    assert!((fec(&size, "packets-mean") - 10.0).abs() < 1e-12);
    // Packet k of ten waits for 10 − k more: 4.5 in the mean, 250 µs each.
    assert!((fec(&size, "assembly-mean") - 4.5 * 250e-6).abs() < 1.5e-5);
}

/// What is recorded changes nothing, and the same seed gives the same run.
#[test]
fn recording_bursts_does_not_change_a_run() {
    let text = include_str!("../../../../examples/obs-three-nodes.toml");
    let run = |settings: &[(&str, &str)]| {
        let settings = [settings, &[("run.duration", "300 ms")]].concat();
        checked(text, &settings).run(3).json["digest"].clone()
    };
    let plain = run(&[]);
    let recorded = [
        ("record.bursts", "1000"),
        ("record.first-transmission", "true"),
        ("record.series", "[\"channels\", \"cwnd\"]"),
    ];
    assert_eq!(run(&recorded), plain);
    assert_ne!(run(&[("assembly.timeout", "2 ms")]), plain);
}

proptest! {
    #![proptest_config(trials::cases(48))]

    /// Any mixture of rules: bursts in = out + lost + inside, packet for packet (`run` checks it).
    #[test]
    fn bursts_are_conserved(
        seed in 0..1000u64,
        channels in 1..4u32,
        scheduling in proptest::sample::select(vec!["lauc-vf", "lauc-vf-one-void", "lauc", "first-fit"]),
        conversion in proptest::sample::select(vec!["full", "partial\"\nconverters = \"1", "none"]),
        fibre in proptest::sample::select(vec![
            "", "fibre-delays = [\"5 us\", \"50 us\"]",
            "fibre-loop = { delay = \"5 us\", lines = 2, turns = 3 }",
        ]),
        busy in proptest::sample::select(vec![["drop", "drop"], ["wait", "drop"], ["wait", "wait"]]),
        loss in 0.0..0.3f64,
    ) {
        let conversion = conversion.replace("\"1", "1");
        let close = if conversion.contains("converters") { "" } else { "\"" };
        let text = format!(
            r#"
            [run]
            duration = "40 ms"
            warmup = "5 ms"
            [topology]
            kind = "explicit"
            nodes = [
              {{ name = "A", kind = "edge" }}, {{ name = "B", kind = "edge" }},
              {{ name = "C", kind = "core" }}, {{ name = "D", kind = "core" }},
              {{ name = "E", kind = "edge" }}, {{ name = "F", kind = "edge" }},
              {{ name = "h", kind = "host" }},
            ]
            links = [
              {{ from = "A", to = "C", rate = "1 Gb/s", delay = "50 us", channels = {channels} }},
              {{ from = "B", to = "C", rate = "1 Gb/s", delay = "70 us", channels = {channels} }},
              {{ from = "C", to = "D", rate = "1 Gb/s", delay = "90 us", channels = {channels} }},
              {{ from = "D", to = "E", rate = "1 Gb/s", delay = "30 us", channels = {channels} }},
              {{ from = "D", to = "F", rate = "1 Gb/s", delay = "30 us", channels = 1 }},
              {{ from = "F", to = "h", rate = "1 Gb/s", delay = "10 us" }},
            ]
            [assembly]
            max-size = "20 kB"
            timeout = "100 us"
            loss = {loss}
            when-busy = "{ingress}"
            [core]
            kind = "burst"
            scheduling = "{scheduling}"
            conversion = "{conversion}{close}
            {fibre}
            [control]
            when-busy = "{control}"
            [[traffic]]
            from = ["A", "B", "h"]
            to = ["E", "F", "h"]
            pattern = "all"
            transport = {{ kind = "tcp", preset = "sack" }}
            source = {{ kind = "bulk" }}
            [[traffic]]
            from = ["A", "B"]
            to = "E"
            transport = {{ kind = "udp" }}
            source = {{ kind = "poisson-packets", rate = "500 Mb/s", packet = "1500 B" }}
            [[changes]]
            at = "20 ms"
            link = "C - D"
            set = {{ kind = "down" }}
            [[changes]]
            at = "21 ms"
            link = "C - D"
            set = {{ kind = "up" }}
            "#,
            ingress = busy[0],
            control = busy[1],
        );
        let (report, ()) = watch(&text, seed, |_| ());
        prop_assert!(report.json["bursts"]["released"].as_u64() > Some(100));
    }
}
