//! Traces: what they say of single packets, worked by hand, and that a run is the same with one.

use std::collections::BTreeMap;

use scenario::{Checked, Table, TraceRequest, Traced, Values, load, load_file};

use crate::common::{assert_same_tables, checked, column};

const ALL: TraceRequest = TraceRequest {
    from: None,
    to: None,
    flows: Vec::new(),
    nodes: Vec::new(),
    limit: 100_000,
    counters: false,
};

/// Runs to the end of the run, whether or not the trace is over.
fn trace(checked: &Checked, seed: u64, request: &TraceRequest) -> (Traced, u64) {
    let mut tracing = checked.start_trace(seed, request).unwrap();
    while tracing.advance(1_000_000).0.stop.is_none() {}
    let digest = tracing.digest();
    (tracing.finish().unwrap(), digest)
}

/// A column of hops in units of so many picoseconds; nothing where there is nothing.
fn instants(traced: &Traced, name: &str, unit: u64) -> Vec<Option<f64>> {
    let Values::U64(values) = column(&traced.tables, "hops", name) else { panic!("no numbers") };
    let instant = |&value: &u64| (value != u64::MAX).then(|| value as f64 / unit as f64);
    values.iter().map(instant).collect()
}

const MS: u64 = 1_000_000_000;

/// 1000 bytes every half millisecond onto a link that needs one for them, then two.
const LINE: &str = r#"
    [run]
    duration = "40 ms"
    [topology]
    kind = "line"
    routers = 0
    link = { rate = "8 Mb/s", delay = "10 ms" }
    [[traffic]]
    from = "a"
    to = "b"
    transport = { kind = "udp", header = "0 B" }
    source = { kind = "cbr", rate = "16 Mb/s", packet = "1000 B" }
    [[changes]]
    at = "2.2 ms"
    link = "a - b"
    set = { kind = "rate", rate = "4 Mb/s" }
"#;

const DOWN: &str = r#"
    [[changes]]
    at = "4.2 ms"
    link = "a - b"
    set = { kind = "down" }
    [[changes]]
    at = "20 ms"
    link = "a - b"
    set = { kind = "up" }
"#;

#[test]
fn what_waits_leaves_at_the_rate_that_the_link_has_by_then() {
    let (traced, _) = trace(&checked(LINE, &[]), 1, &ALL);
    let some = |values: [f64; 5]| values.map(Some);
    assert_eq!(instants(&traced, "offered", MS)[..5], some([0.0, 0.5, 1.0, 1.5, 2.0]));
    assert_eq!(instants(&traced, "start", MS)[..5], some([0.0, 1.0, 2.0, 3.0, 5.0]));
    assert_eq!(instants(&traced, "end", MS)[..5], some([1.0, 2.0, 3.0, 5.0, 7.0]));
    assert_eq!(instants(&traced, "arrived", MS)[..5], some([11.0, 12.0, 13.0, 15.0, 17.0]));
    // The last packets wait when the run ends: they have not left.
    assert_eq!(instants(&traced, "start", MS).last(), Some(&None));
}

#[test]
fn a_link_that_goes_down_loses_what_is_on_it_and_sends_the_rest_when_it_is_up() {
    let (traced, _) = trace(&checked(&format!("{LINE}{DOWN}"), &[]), 1, &ALL);
    // At 4.2 ms three packets are in the fibre, and the fourth has half left.
    let starts = [0.0, 1.0, 2.0, 3.0, 20.0, 22.0, 24.0, 26.0, 28.0].map(Some);
    assert_eq!(instants(&traced, "start", MS)[..9], starts);
    let ends = [Some(1.0), Some(2.0), Some(3.0), None, Some(22.0)];
    assert_eq!(instants(&traced, "end", MS)[..5], ends);
    let arrived = [None, None, None, None, Some(32.0)];
    assert_eq!(instants(&traced, "arrived", MS)[..5], arrived);
    let lost = [Some(4.2), Some(4.2), Some(4.2), Some(4.2), None];
    assert_eq!(instants(&traced, "lost", MS)[..5], lost);
    // What comes while it is down is refused.
    assert_eq!(instants(&traced, "offered", MS)[9], Some(4.5));
    assert_eq!(instants(&traced, "lost", MS)[9], Some(4.5));
    assert_eq!(instants(&traced, "start", MS)[9], None);
}

/// Bursts are made of packets one after the other: 1000 B last 0.8 us at 10 Gb/s.
#[test]
fn packets_of_a_burst_leave_one_after_the_other() {
    let text = include_str!("../../../../examples/obs-burst-life.toml");
    let (traced, _) = trace(&checked(text, &[("run.duration", "12 ms")]), 1, &ALL);
    let Values::U64(bursts) = column(&traced.tables, "hops", "burst") else { panic!("no numbers") };
    let (starts, ends) = (instants(&traced, "start", 1), instants(&traced, "end", 1));
    let Values::U64(links) = column(&traced.tables, "hops", "link") else { panic!("no numbers") };
    let mut seen = 0;
    for at in 1..bursts.len() {
        let same = bursts[at] == bursts[at - 1] && links[at] == links[at - 1];
        if bursts[at] != u64::MAX && same && starts[at].is_some() && ends[at - 1].is_some() {
            assert_eq!(starts[at], ends[at - 1], "row {at}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen} packets behind another one");
}

/// Every run whose digest is written down, traced: in part, in whole, and beyond the limit on rows.
#[test]
fn a_run_is_the_same_with_a_trace() {
    let files = [
        include_str!("../../../../tests/fingerprints.csv"),
        include_str!("../../../../tests/fingerprints-added.csv"),
    ];
    let rows = files.into_iter().flat_map(|text| text.lines().skip(1)).enumerate();
    // A share of them, spread over the files.
    let whole = rows.clone().count();
    let share = trials::count(u32::try_from(whole).unwrap()) as usize;
    let rows = rows.filter(move |(at, _)| at * 7 % whole < share);
    // This takes longest of all tests, so it uses the cores by itself.
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for first in 0..threads {
            let rows = rows.clone().skip(first).step_by(threads);
            scope.spawn(move || rows.for_each(|(at, row)| trace_row(at, row)));
        }
    });
}

/// Traces a row of the fingerprints; how depends on its position.
fn trace_row(at: usize, row: &str) {
    let (name, rest) = row.split_once(',').unwrap();
    let (rest, digest) = rest.rsplit_once(',').unwrap();
    let (settings, seed) = rest.rsplit_once(',').unwrap();
    // A field with a comma stands in quotation marks, and those in it are doubled.
    let quoted = settings.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
    let settings = quoted.unwrap_or(settings).replace("\"\"", "\"");
    let file = format!("{}/../../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).unwrap();
    let settings = settings.split('|').filter_map(|each| each.split_once('='));
    let settings: Vec<_> =
        settings.map(|(key, value)| (key.trim().into(), value.trim().into())).collect();
    let checked = load(name, &text, &settings).unwrap();
    let limit = [10, 100_000][at % 2];
    let from = at.is_multiple_of(3).then(|| "1 ms".to_owned());
    let request = TraceRequest { limit, from, counters: at.is_multiple_of(2), ..ALL };
    let (traced, found) = trace(&checked, seed.parse().unwrap(), &request);
    assert_eq!(format!("{found:016x}"), digest, "{row}");
    assert!(!instants(&traced, "offered", 1).is_empty(), "{row}");
}

fn mistakes(request: &TraceRequest) -> Vec<String> {
    let checked = checked(LINE, &[]);
    let started = checked.start_trace(1, request);
    let found = match started {
        Err(mistakes) => mistakes,
        Ok(mut tracing) => {
            while !tracing.advance(1_000_000).1 {}
            tracing.finish().unwrap_err()
        }
    };
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_not_there_is_said_in_a_line_each() {
    let request = TraceRequest {
        from: Some("41 ms".into()),
        to: Some("soon".into()),
        nodes: vec!["c".into()],
        ..ALL
    };
    assert_eq!(
        mistakes(&request),
        [
            "--from 41 ms: outside the run; accepted 0 s to 40 ms",
            "--to soon: no number; accepted a time such as \"10 ms\"",
            "--node c: no node has this name; accepted a, b",
        ]
    );
    let request = TraceRequest { from: Some("3 ms".into()), to: Some("3 ms".into()), ..ALL };
    assert_eq!(
        mistakes(&request),
        ["--from 3 ms --to 3 ms: the span is empty: it ends where it begins, or before"]
    );
    assert_eq!(
        mistakes(&TraceRequest { flows: vec![0, 1], ..ALL }),
        ["--flow 1: no flow has this number; accepted 0 to 0"]
    );
}

#[test]
fn a_trace_ends_at_the_same_event_whatever_the_slices() {
    let text = LINE.split("[[changes]]").next().unwrap().replace("40 ms", "20 s");
    let checked = checked(&text, &[]);
    let request = TraceRequest { to: Some("100 ms".to_owned()), ..ALL };
    let ended = |slice: u64| {
        let mut tracing = checked.start_trace(1, &request).unwrap();
        while !tracing.advance(slice).1 {}
        (tracing.digest(), tracing.finish().unwrap().tables)
    };
    let (digest, tables) = ended(10);
    let Values::U64(packets) = column(&tables, "links", "packets-in") else { panic!("no counts") };
    assert!((200..2_000).contains(&packets[0]), "it ends soon after 100 ms: {packets:?}");
    for slice in [999, 1_000, 12_345, 1_000_000] {
        let (again, others) = ended(slice);
        assert_eq!(again, digest);
        assert_same_tables(&others, &tables, "a slice");
    }
}

/// What is known of the packets, bursts and reservations of a run, by what names them.
type Known = BTreeMap<(&'static str, u64, u64), Vec<u64>>;

/// The rows of the hops, bursts and reservations of a run. What was on its way when a window was taken
/// is complete in a later one.
fn gather(tables: &[Table], known: &mut Known) {
    let of = |table, name| match column(tables, table, name) {
        Values::U64(values) => values.clone(),
        Values::F64(values) => {
            values.iter().map(|v| if v.is_nan() { u64::MAX } else { v.to_bits() }).collect()
        }
        Values::Text(values) => values.iter().map(|text| text.len() as u64).collect(),
    };
    let numbers = of("packets", "number");
    let packets: Vec<_> =
        of("hops", "packet").iter().map(|&row| numbers[usize::try_from(row).unwrap()]).collect();
    let mut rows = |table, first: &[u64], second: &[u64], names: &[&'static str]| {
        let columns: Vec<_> = names.iter().map(|name| of(table, name)).collect();
        for (at, (first, second)) in first.iter().zip(second).enumerate() {
            let value: Vec<_> = columns.iter().map(|column| column[at]).collect();
            let Some(before) = known.insert((table, *first, *second), value.clone()) else {
                continue;
            };
            for (before, after) in before.iter().zip(value) {
                assert!(*before == after || *before == u64::MAX, "{table}: {before}, {after}");
            }
        }
    };
    rows("hops", &packets, &of("hops", "hop"), &["offered", "start", "arrived", "lost"]);
    if tables.iter().any(|table| table.name == "bursts") {
        let bursts = of("bursts", "burst");
        rows("bursts", &bursts, &bursts, &["packets", "opened", "released", "delivered"]);
        let names = ["link", "header-sent", "channel", "start", "end"];
        let (bursts, asked) = (of("reservations", "burst"), of("reservations", "asked"));
        rows("reservations", &bursts, &asked, &names);
    }
}

#[test]
fn windows_of_a_run_that_is_watched_have_what_a_trace_has_and_stay_small() {
    let whole = TraceRequest { limit: 1_000_000, ..ALL };
    let request = TraceRequest { limit: 2_000, counters: true, ..ALL };
    for (name, duration) in
        [("dumbbell", "2 s"), ("obs-burst-life", "20 ms"), ("ops-mesh", "40 ms")]
    {
        let file = format!("../../examples/{name}.toml");
        let values = [("run.duration", duration), ("run.warmup", "0 s")];
        let values = values.map(|(key, value)| (key.to_owned(), format!("\"{value}\"")));
        let checked = load_file(std::path::Path::new(&file), &values).unwrap();
        let (traced, digest) = trace(&checked, 1, &whole);
        let (mut known, mut found) = (Known::new(), Known::new());
        gather(&traced.tables, &mut known);

        let mut live = checked.start_live(1, &request).unwrap();
        let (mut windows, mut before, mut most) = (0, 0, 0);
        loop {
            let (progress, over) = live.advance(10_000);
            if !over {
                continue;
            }
            let window = live.take_window();
            assert_eq!(window.from.0, before);
            before = window.to.0;
            gather(&window.tables, &mut found);
            let Values::U64(rows) = column(&window.tables, "hops", "packet") else { panic!() };
            most = most.max(rows.len());
            windows += 1;
            if progress.stop.is_some() {
                break;
            }
        }
        assert_eq!(live.digest(), digest, "{name}");
        assert_eq!(found, known, "{name}");
        // Beside new rows there are those of what was on its way.
        assert!(windows > 9 && most < 8_000, "{name}: {windows} windows, {most} rows");
    }
}
