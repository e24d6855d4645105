//! Rare losses by importance splitting: closed forms down to 10⁻⁹, intervals that cover, and a run that stays as it is.

use std::sync::Arc;

use scenario::{Checked, Report, Run};

use crate::common::erlang::erlang_b;
use crate::common::md1k::md1k_loss;
use crate::common::{self, assert_same_tables, values};

fn checked(text: &str) -> Arc<Checked> {
    Arc::new(common::checked(text, &[]))
}

fn run(checked: &Arc<Checked>, seed: u64, slice: u64) -> Report {
    let mut run = Run::new(Arc::clone(checked), seed);
    while run.advance(slice).stop.is_none() {}
    run.finish()
}

fn number(report: &Report, key: &str) -> f64 {
    report.json["splitting"][key].as_f64().unwrap_or(f64::NAN)
}

/// A queue for so many packets of 1000 B, which take 8 µs each, at half its rate. Its source is so near, and its link so
/// fast, that packets come as they are offered.
fn queue(packets: u32, duration: &str, more: &str) -> String {
    format!(
        "[run]\nduration = \"{duration}\"\nwarmup = \"2 ms\"\n\
         [topology]\nkind = \"explicit\"\nnodes = [{{ name = \"a\", kind = \"host\" }}, \
         {{ name = \"r\", kind = \"router\" }}, {{ name = \"b\", kind = \"host\" }}]\nlinks = [\n\
         {{ from = \"a\", to = \"r\", rate = \"100 Tb/s\", delay = \"1 ps\" }},\n\
         {{ from = \"r\", to = \"b\", rate = \"1 Gb/s\", delay = \"1 us\", \
         queue = {{ kind = \"drop-tail\", packets = {packets} }} }}]\n\
         [[traffic]]\nfrom = \"a\"\nto = \"b\"\ntransport = {{ kind = \"udp\", header = \"0 B\" }}\n\
         source = {{ kind = \"poisson-packets\", rate = \"500 Mb/s\", packet = \"1000 B\" }}\n{more}"
    )
}

const QUEUE: &str = "[splitting]\nlink = \"r -> b\"\n";

/// Bursts of one packet, 10 µs long, in Poisson streams from two edges to a core with 16 channels on its only way out.
fn bursts(link: &str, rates: [u32; 2], channels: u32, duration: &str) -> String {
    let fibre = |from: &str, to: &str, delay: &str, channels: u32| {
        format!(
            "{{ from = \"{from}\", to = \"{to}\", rate = \"10 Gb/s\", delay = \"{delay}\", \
             channels = {channels}, control-channels = 16 }},\n"
        )
    };
    let mut text = format!(
        "[run]\nduration = \"{duration}\"\nwarmup = \"1 ms\"\n[topology]\nkind = \"explicit\"\nnodes = [\
         {{ name = \"A\", kind = \"edge\" }}, {{ name = \"B\", kind = \"edge\" }}, \
         {{ name = \"C\", kind = \"core\" }}, {{ name = \"D\", kind = \"edge\" }}]\nlinks = [\n"
    );
    text += &fibre("A", "C", "1 us", channels);
    text += &fibre("B", "C", "3 us", channels);
    text += &fibre("C", "D", "1 us", 16);
    text += "]\n[assembly]\nmax-size = \"12500 B\"\ntimeout = \"1 ms\"\nwhen-busy = \"drop\"\n\
             [control]\nprocessing = \"0 s\"\nwhen-busy = \"wait\"\n";
    let sources = ["A", "B"].iter().zip(rates).filter(|(_, rate)| *rate > 0).map(|(from, rate)| {
        format!(
            "[[traffic]]\nfrom = \"{from}\"\nto = \"D\"\ntransport = {{ kind = \"udp\", header = \"0 B\" }}\n\
             source = {{ kind = \"poisson-packets\", rate = \"{rate} Gb/s\", packet = \"12500 B\" }}\n"
        )
    });
    text.extend(sources);
    text + &format!("[splitting]\nlink = \"{link}\"\n")
}

/// The mean of so many runs is the expected loss: within four standard errors, of which each is at most a share of it.
fn holds(text: &str, runs: u64, expected: f64, most: f64) {
    let checked = checked(text);
    let found: Vec<f64> =
        (1..=runs).map(|seed| number(&run(&checked, seed, 100_000), "loss")).collect();
    let n = runs as f64;
    let mean = found.iter().sum::<f64>() / n;
    let squares: f64 = found.iter().map(|loss| (loss - mean).powi(2)).sum();
    let error = (squares / (n - 1.0) / n).sqrt();
    assert!(error < most * expected, "{mean:e} ± {error:e}, expected {expected:e}");
    assert!((mean - expected).abs() < 4.0 * error, "{mean:e} ± {error:e}, expected {expected:e}");
}

#[test]
#[ignore = "half a minute; make verify runs it"]
fn a_queue_loses_as_md1k() {
    assert!((md1k_loss(0.5, 16) / 2.159_004e-9 - 1.0).abs() < 1e-4, "{:e}", md1k_loss(0.5, 16));
    holds(&queue(15, "100 ms", QUEUE), 16, md1k_loss(0.5, 16), 0.1);
    // Levels that are given, also in bytes.
    let levels = format!("{QUEUE}factor = 4\nlevels = ");
    let given = format!("{levels}[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]\n");
    holds(&queue(15, "50 ms", &given), 20, md1k_loss(0.5, 16), 0.1);
}

#[test]
fn a_queue_of_bytes_loses_as_md1k() {
    let given = format!("{QUEUE}factor = 4\nlevels = [2000, 3000, 4000, 5500, 6000, 7000, 8000]\n");
    let bytes = queue(1, "100 ms", &given).replace("packets = 1 ", "bytes = \"9000 B\" ");
    holds(&bytes, 16, md1k_loss(0.5, 10), 0.1);
}

#[test]
#[ignore = "a minute; make verify runs it"]
fn channels_lose_by_erlang_b() {
    let expected = erlang_b(16, 2.1);
    assert!(expected < 1e-9, "{expected:e}");
    holds(&bursts("A -> C", [21, 0], 16, "40 ms"), 8, expected, 0.2);
    holds(&bursts("C -> D", [11, 10], 64, "40 ms"), 6, expected, 0.4);
}

/// The share of so many 95 % intervals that cover what is estimated lies between 93 and 97 %, but for chance: four
/// standard deviations of it.
fn covers(runs: u64, (text, expected): (&str, f64)) {
    let checked = checked(text);
    let covers = |seed: &u64| {
        let report = run(&checked, *seed, 100_000);
        (number(&report, "loss-low")..=number(&report, "loss-high")).contains(&expected)
    };
    let share = (1..=runs).filter(covers).count() as f64 / runs as f64;
    let slack = if runs < 1_000 { 4.0 * (0.95 * 0.05 / runs as f64).sqrt() } else { 0.0 };
    assert!(share > 0.93 - slack && share < 0.97 + slack, "{share}");
}

const LEVELS: &str = "factor = 4\nlevels = [2, 3, 4, 5, 6]\n";

#[test]
#[ignore = "half a minute; make verify runs it"]
fn intervals_cover() {
    covers(40, (&queue(9, "100 ms", QUEUE), md1k_loss(0.5, 10)));
}

#[test]
#[ignore = "some minutes; make verify runs it"]
fn of_two_thousand_intervals_93_to_97_percent_cover() {
    covers(2_000, (&queue(7, "100 ms", &format!("{QUEUE}{LEVELS}")), md1k_loss(0.5, 8)));
}

/// What else a run reports does not change, however it is sliced.
/// Sources that have nothing more to offer: the search for levels has nothing to count.
#[test]
fn a_search_ends_where_sources_have_nothing_more_to_offer() {
    let text = |duration: &str, source: &str| {
        format!(
            "[run]\nduration = \"{duration}\"\n[topology]\nkind = \"line\"\nrouters = 2\n\
             link = {{ rate = \"10 Mb/s\", delay = \"1 ms\" }}\n[splitting]\nlink = \"r0 -> r1\"\n\
             [[traffic]]\nfrom = \"a\"\nto = \"b\"\ntransport = {{ kind = \"tcp\" }}\nsource = {{ {source} }}\n"
        )
    };
    let flows = "kind = \"flows\", flows = [{ start = \"0 s\", from = \"a\", to = \"b\", size = \"10 kB\" }]";
    let limited = "kind = \"transfers\", per-second = 100.0, size = \"1 kB\", limit = 10";
    for (duration, source) in [
        ("1 s", flows),
        ("1 s", limited),
        ("1 ps", limited),
        ("1 us", flows),
        ("1 h", "kind = \"bulk\", size = \"1 B\""),
    ] {
        let report = run(&checked(&text(duration, source)), 1, 100_000);
        assert_eq!(report.json["stop"], "end", "{duration} {source}");
    }
}

#[test]
fn retrials_have_the_budget_of_the_run() {
    let text = queue(20, "100 ms", QUEUE).replace("[run]", "[run]\nmax-events = 60000");
    let report = run(&checked(&text), 1, 100_000);
    assert_eq!(report.json["stop"], "event budget spent");
}

#[test]
fn the_run_stays_as_it_is() {
    let tcp = "[run]\nduration = \"2 s\"\nwarmup = \"500 ms\"\n[topology]\nkind = \"dumbbell\"\npairs = 3\n\
               access = { rate = \"100 Mb/s\", delay = \"2 ms\", loss = { kind = \"bernoulli\", p = 0.001 } }\n\
               bottleneck = { rate = \"20 Mb/s\", delay = \"20 us\", \
               queue = { kind = \"red\", packets = 40, min = 5, max = 20, max-probability = 0.1 } }\n\
               [record]\nseries = [\"queue\", \"cwnd\"]\n\
               [[traffic]]\nfrom = \"left-*\"\nto = \"right-*\"\ntransport = { kind = \"tcp\" }\n\
               source = { kind = \"transfers\", per-second = 20, size = \"30 kB\" }\n\
               [[traffic]]\nfrom = \"left-0\"\nto = \"right-1\"\ntransport = { kind = \"udp\" }\n\
               source = { kind = \"on-off\", rate = \"2 Mb/s\", peak = \"8 Mb/s\", components = 1, \
               on = { kind = \"pareto\", min = \"8 kB\", shape = 1.5 }, packet = \"500 B\" }\n";
    let cases = [
        (tcp.to_owned(), "left -> right"),
        (queue(9, "20 ms", ""), "r -> b"),
        (bursts("", [60, 30], 16, "5 ms").replace("[splitting]\nlink = \"\"\n", ""), "C -> D"),
    ];
    for (text, link) in cases {
        let without = run(&checked(&text), 3, 100_000);
        let with = checked(&format!("{text}[splitting]\nlink = \"{link}\"\n"));
        let [whole, sliced] = [10_000_000, 777].map(|slice| run(&with, 3, slice));
        for key in ["digest", "traffic", "packet-hops", "events"] {
            assert_eq!(without.json[key], whole.json[key], "{key} of {text}");
        }
        let (_, before) = whole.tables.split_last().unwrap();
        assert_same_tables(&without.tables, before, &text);
        assert_eq!(whole.json["splitting"], sliced.json["splitting"], "{text}");
        assert_same_tables(&whole.tables, &sliced.tables, &text);
        // Retrials have met more than the run: something is estimated at all.
        let report = run(&with, 3, 100_000);
        let trials = values(&report, "splitting", "trials");
        assert!(trials.len() > 1 && trials[1] > 10.0, "{trials:?}");
    }
}

/// Where losses are not rare, the run itself has as many as are estimated.
#[test]
fn it_agrees_with_counting() {
    let report = run(&checked(&queue(3, "2 s", QUEUE)), 1, 100_000);
    let offered = values(&report, "links", "packets-in");
    let lost = values(&report, "links", "dropped-queue");
    let at = offered.iter().zip(&lost).position(|(_, lost)| *lost > 0.0).expect("a loss");
    let counted = lost[at] / offered[at];
    let estimated = number(&report, "loss");
    assert!((md1k_loss(0.5, 4) / counted - 1.0).abs() < 0.1, "{counted}");
    assert!((estimated / counted - 1.0).abs() < 0.1, "{estimated} {counted}");
    // A packet that finds the link busy waits, unless it is lost: as many as there is work.
    let shares = values(&report, "splitting", "share");
    assert!((shares[0] - 1.0).abs() < 1e-9 && shares.windows(2).all(|pair| pair[0] > pair[1]));
    let given = format!("{QUEUE}levels = [1, 2, 9]\n");
    let report = run(&checked(&queue(9, "1 s", &given)), 1, 100_000);
    let shares = values(&report, "splitting", "share");
    let carried = 0.5 * (1.0 - md1k_loss(0.5, 10));
    assert!((shares[1] / carried - 1.0).abs() < 0.01, "{} {carried}", shares[1]);
}
