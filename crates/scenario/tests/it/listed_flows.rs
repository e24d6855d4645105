//! Lists of flows: each starts when and where the list says, and takes the time that it takes by hand.

use scenario::{Report, load};
use serde_json::json;

use crate::common::{checked, run, texts, values};

/// Three hosts around a switch; data go in packets of 9 kB, one at a time, without set-up and release.
fn star(flows: &str) -> String {
    format!(
        r#"
        [run]
        duration = "1 s"
        [topology]
        kind = "star"
        hosts = 3
        link = {{ rate = "10 Gb/s", delay = "5 us" }}
        [[traffic]]
        from = "*"
        to = "*"
        transport = {{ kind = "stop-and-wait", handshake = false, release = false }}
        source = {{ kind = "flows", flows = [{flows}] }}
        "#
    )
}

fn flow(start: &str, from: &str, to: &str, size: &str) -> String {
    format!("{{ start = \"{start}\", from = \"{from}\", to = \"{to}\", size = \"{size}\" }},")
}

/// By number of flow: start, sender and receiver, and the completion time.
fn rows(report: &Report) -> Vec<(f64, String, f64)> {
    let [from, to] = ["from", "to"].map(|end| texts(report, "flows", end));
    let mut found: Vec<_> = (values(report, "flows", "flow").into_iter())
        .zip(values(report, "flows", "start").into_iter().zip(values(report, "flows", "end")))
        .zip(from.iter().zip(to))
        .map(|((number, (start, end)), (from, to))| (number, start, format!("{from} {to}"), end))
        .collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    found.into_iter().map(|(_, start, pair, end)| (start, pair, end - start)).collect()
}

fn assert_rows(found: &[(f64, String, f64)], expected: &[(f64, &str, f64)]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found.0 - expected.0).abs() < 1e-12, "{found:?}, not {expected:?}");
        assert_eq!(found.1, expected.1);
        assert!((found.2 - expected.2).abs() < 2e-12, "{found:?}, not {expected:?}");
    }
}

/// 9 kB take 7.2 µs on a link, 2250 B 1.8 µs, an acknowledgment of 64 B 51.2 ns; a link delays by 5 µs. A packet and
/// its acknowledgment cross two links each.
const ROUND: f64 = 2.0 * 51.2e-9 + 4.0 * 5e-6;

#[test]
fn three_flows_take_the_times_worked_out_by_hand() {
    let large = flow("100 ms", "h0", "h1", "9 kB");
    let small = flow("100 ms", "h0", "h2", "2250 B");
    let first = flow("0 s", "h1", "h2", "27 kB");
    let alone = (0.0, "h1 h2", 3.0 * (2.0 * 7.2e-6 + ROUND));
    // The last row starts first. Of the others, which share the link of h0, the second waits for the first.
    let report = run(&star(&[&*large, &*small, &*first].concat()), 1);
    let waits = 7.2e-6 + 2.0 * 1.8e-6 + ROUND;
    assert_rows(
        &rows(&report),
        &[alone, (0.1, "h0 h1", 2.0 * 7.2e-6 + ROUND), (0.1, "h0 h2", waits)],
    );
    let report = run(&star(&[&*small, &*first, &*large].concat()), 1);
    let waits = 1.8e-6 + 2.0 * 7.2e-6 + ROUND;
    assert_rows(
        &rows(&report),
        &[alone, (0.1, "h0 h2", 2.0 * 1.8e-6 + ROUND), (0.1, "h0 h1", waits)],
    );
    let mean = (alone.2 + 2.0 * 1.8e-6 + ROUND + waits) / 3.0;
    assert!((values(&report, "traffic", "completion-mean")[0] - mean).abs() < 2e-12);
    assert_eq!(values(&report, "traffic", "flows"), [3.0]);
    assert_eq!(values(&report, "traffic", "completed"), [3.0]);
    // One waits for another flow, one for its own acknowledgments: its packets could follow each other.
    let mut slowdowns = values(&report, "flows", "slowdown");
    slowdowns.sort_by(f64::total_cmp);
    let expected = [1.0, waits / (2.0 * 7.2e-6 + ROUND), alone.2 / (4.0 * 7.2e-6 + ROUND)];
    for (found, expected) in slowdowns.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{slowdowns:?}");
    }
}

#[test]
fn the_start_of_the_entry_is_that_of_its_list() {
    let text = star(&flow("1 ms", "h0", "h1", "9 kB"));
    let later = text.replace("from = \"*\"", "start = \"20 ms\"\nfrom = \"*\"");
    assert_rows(&rows(&run(&later, 1)), &[(0.021, "h0 h1", 2.0 * 7.2e-6 + ROUND)]);
}

/// A flow of TCP that starts is a file with that start.
#[test]
fn a_listed_flow_is_a_file_of_its_own() {
    let flows = [
        flow("30 ms", "h2", "h0", "100 kB"),
        flow("2 ms", "h0", "h1", "1 MB"),
        flow("2100 us", "h2", "h1", "700 kB"),
    ];
    let tcp = "transport = { kind = \"tcp\" }";
    let [before, after] = {
        let text = star(&flows.concat());
        let (before, after) = text.split_once("transport =").unwrap();
        [before.to_owned(), after.split_once('\n').unwrap().1.to_owned()]
    };
    let listed = rows(&run(&format!("{before}{tcp}\n{after}"), 1));
    let head = before.split_once("[[traffic]]").unwrap().0;
    let entry = |start: &str, from: &str, to: &str, size: &str| {
        format!(
            "[[traffic]]\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{start}\"\n{tcp}\n\
             source = {{ kind = \"bulk\", size = \"{size}\" }}\n"
        )
    };
    let files = [
        entry("2 ms", "h0", "h1", "1 MB"),
        entry("2100 us", "h2", "h1", "700 kB"),
        entry("30 ms", "h2", "h0", "100 kB"),
    ];
    let single = rows(&run(&format!("{head}{}", files.concat()), 1));
    assert_eq!(listed, single);
    assert!(listed.iter().all(|row| row.2 > 0.0));
}

/// In one second 27 and 9 kB of h0, and nothing of the flow after the end.
#[test]
fn what_is_offered_is_the_bytes_over_the_run() {
    let flows = [
        flow("0 s", "h0", "h1", "27 kB"),
        flow("999 ms", "h0", "h2", "9 kB"),
        flow("1 s", "h0", "h2", "90 kB"),
        flow("0 s", "h0", "h1", "9 kB"),
    ];
    let many = checked(&star(&flows.concat()), &[]);
    let shown = many.show();
    let entry = &shown["traffic"][0];
    assert_eq!((&entry["pairs"], &entry["flows"]), (&json!(2), &json!(4)));
    assert_eq!(entry["offered"], json!(45e3 * 8.0));
    assert_eq!(entry["paths"].as_array().unwrap().len(), 2);
    let share = |at: usize| shown["links"][at]["load"].as_f64().unwrap();
    assert!((share(0) - 45e3 * 8.0 / 10e9).abs() < 1e-12);
    assert!((share(1) - 36e3 * 8.0 / 10e9).abs() < 1e-12);
    assert!((share(2) - 9e3 * 8.0 / 10e9).abs() < 1e-12);
    assert_eq!(many.warnings.len(), 1);
    let late = star(&flow("2 s", "h0", "h1", "9 kB"));
    let shown = checked(&late, &[]).show();
    assert_eq!((&shown["traffic"][0]["offered"], &shown["links"]), (&json!(0.0), &json!([])));
    assert_eq!(rows(&run(&late, 1)), []);
}

#[test]
fn a_run_ends_with_the_last_file_of_its_list() {
    let flows = [flow("5 ms", "h0", "h1", "9 kB"), flow("1 ms", "h0", "h1", "9 kB")].concat();
    let until = |word: &str| {
        let text = star(&flows).replace("[run]", &format!("[run]\nuntil = \"{word}\""));
        let report = run(&text, 1);
        let completed = values(&report, "traffic", "completed")[0];
        (rows(&report).len(), completed)
    };
    // Their last acknowledgments have arrived: no flow is left unfinished.
    assert_eq!((until("all-files"), until("first-file")), ((2, 2.0), (1, 1.0)));
}

#[test]
fn a_list_is_refused_where_it_does_not_apply() {
    let one = flow("0 s", "h0", "h1", "9 kB");
    let text = star(&one);
    let found = |from: &str, to: &str| -> Vec<String> {
        assert!(text.contains(from));
        let found = load("flows", &text.replace(from, to), &[]).unwrap_err();
        found.iter().map(|one| format!("{}: {}", one.key, one.problem)).collect()
    };
    let before = |key: &str| found("from = \"*\"", &format!("{key}\nfrom = \"*\""));
    assert_eq!(
        before("load = 0.5"),
        ["traffic.0.load: does not apply: a list of flows has the load that it says"]
    );
    assert_eq!(before("count = 2"), ["traffic.0.count: a list says itself which flows there are"]);
    assert_eq!(before("stop = \"1 ms\""), ["traffic.0.stop: a list of flows has its own end"]);
    for pattern in ["all", "random", "uniform", "permutation"] {
        assert_eq!(
            before(&format!("pattern = \"{pattern}\"")),
            ["traffic.0.pattern: does not apply: the list says who sends to whom"]
        );
    }
    assert_eq!(
        before("matrix = { demands = [{ from = \"h0\", to = \"h1\", demand = 1.0 }] }"),
        ["traffic.0.source: a source without a rate that a demand could multiply"]
    );
    assert_eq!(
        found("from = \"*\"", "from = [\"h1\", \"h2\"]"),
        ["traffic.0.source.flows.0.from: no host of the entry's from"]
    );
    let key = "traffic.0.source.flows";
    for (from, to, error) in [
        (r#"to = "h1""#, r#"to = "h0""#, format!("{key}.0: a flow from a host to itself")),
        (r#"to = "h1""#, r#"to = "h7""#, format!("{key}.0.to: no host has this name")),
        (r#"start = "0 s""#, r#"start = "-1 s""#, format!("{key}.0.start: below zero")),
        (r#"size = "9 kB""#, r#"size = "0 B""#, format!("{key}.0.size: too small")),
        (r#"size = "9 kB""#, r#"size = "9 ms""#, format!("{key}.0.size: unknown unit \"ms\"")),
    ] {
        assert_eq!(found(from, to), [error]);
    }
    assert_eq!(
        found(&one, ""),
        ["traffic.0.source.file: a source of flows needs a file, or flows"]
    );
    let udp = "transport = { kind = \"udp\" }";
    let saw = "transport = { kind = \"stop-and-wait\", handshake = false, release = false }";
    assert_eq!(
        found(saw, udp),
        ["traffic.0.source: a file needs acknowledgments: UDP has no rate of its own"]
    );
}

/// Each flow of a short list is four parameters; a long list is one, so that a million flows are not four million.
#[test]
fn a_long_list_is_one_parameter() {
    let below = |flows: usize| {
        let text = star(&flow("0 s", "h0", "h1", "9 kB").repeat(flows));
        let checked = checked(&text, &[]);
        let key = "traffic.0.source.flows";
        checked.parameters.iter().filter(|one| one.key.starts_with(key)).count()
    };
    assert_eq!((below(1_000), below(1_001)), (4_000, 1));
}
