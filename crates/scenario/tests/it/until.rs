//! Runs that end with the file that they are about.

use scenario::{Report, load};

use crate::common::{checked, run, values};

/// Two pairs with a path of their own each: packets of 1500 B, 12 ms at 1 Mb/s, 5 ms of light. Without
/// a handshake all segments of a file leave at once, so n of them are delivered n · 12 ms + 5 ms after
/// the start.
fn two_pairs(run: &str, sizes: [&str; 2]) -> String {
    let file = |pair: &str, size: &str, start: &str| {
        format!(
            "[[traffic]]\nfrom = \"a{pair}\"\nto = \"b{pair}\"\nstart = \"{start}\"\n\
             source = {{ kind = \"bulk\"{size} }}\n\
             transport = {{ kind = \"tcp\", preset = \"reno\", handshake = false, timestamps = false, \
             initial-window = \"50 segments\", segment = \"1460 B\", header = \"40 B\" }}\n"
        )
    };
    let node = |name: &str| format!("{{ name = \"{name}\", kind = \"host\" }}");
    let link = |pair: &str| {
        format!("{{ from = \"a{pair}\", to = \"b{pair}\", rate = \"1 Mb/s\", delay = \"5 ms\" }}")
    };
    format!(
        "[run]\n{run}\n[topology]\nkind = \"explicit\"\nnodes = [{}]\nlinks = [{}, {}]\n{}{}",
        ["a0", "b0", "a1", "b1"].map(node).join(", "),
        link("0"),
        link("1"),
        file("0", sizes[0], "0 s"),
        file("1", sizes[1], "20 ms"),
    )
}

const FILES: [&str; 2] = [", size = \"29200 B\"", ", size = \"14600 B\""];

fn report(text: &str) -> Report {
    run(text, 1)
}

fn ended(report: &Report) -> (f64, f64, &str) {
    let json = &report.json;
    let seconds = |key: &str| json[key].as_f64().unwrap();
    (seconds("simulated"), seconds("measured"), json["stop"].as_str().unwrap())
}

#[test]
fn a_run_ends_when_the_first_file_is_there() {
    // The second: 20 ms + 10 · 12 ms + 5 ms.
    let report = report(&two_pairs("duration = \"10 s\"\nuntil = \"first-file\"", FILES));
    assert_eq!(ended(&report), (0.145, 0.145, "end"));
    assert_eq!(values(&report, "traffic", "files-complete"), [0.0, 1.0]);
    let first = values(&report, "traffic", "first-file");
    assert!(first[0].is_nan());
    assert!((first[1] - 0.145).abs() < 1e-15);
    let goodput = values(&report, "traffic", "goodput")[1];
    assert!((goodput - 14_600.0 * 8.0 / 0.145).abs() < 1e-6, "{goodput}");
    // Of the other, 11 packets are whole after 137 ms, the twelfth after 149 ms.
    assert_eq!(values(&report, "flows", "delivered"), [11.0 * 1460.0, 14_600.0]);
}

#[test]
fn a_run_ends_when_the_last_file_is_there() {
    let report = report(&two_pairs("duration = \"10 s\"\nuntil = \"all-files\"", FILES));
    // 20 · 12 ms + 5 ms.
    assert_eq!(ended(&report), (0.245, 0.245, "end"));
    assert_eq!(values(&report, "traffic", "files-complete"), [1.0, 1.0]);
}

#[test]
fn the_duration_is_the_latest_end() {
    for (until, files) in [("first-file", [0.0, 0.0]), ("all-files", [0.0, 0.0])] {
        let run = format!("duration = \"145 ms\"\nuntil = \"{until}\"");
        let report = report(&two_pairs(&run, FILES));
        // What would happen at the end does not.
        assert_eq!(ended(&report), (0.145, 0.145, "end"));
        assert_eq!(values(&report, "traffic", "files-complete"), files);
    }
    let late = report(&two_pairs("duration = \"200 ms\"\nuntil = \"all-files\"", FILES));
    assert_eq!(ended(&late), (0.2, 0.2, "end"));
    assert_eq!(values(&late, "traffic", "files-complete"), [0.0, 1.0]);
}

#[test]
fn a_source_without_end_is_no_file() {
    let sizes = ["", FILES[1]];
    let report = report(&two_pairs("duration = \"10 s\"\nuntil = \"all-files\"", sizes));
    assert_eq!(ended(&report), (0.145, 0.145, "end"));
}

#[test]
fn what_was_measured_lasts_from_the_warm_up_to_the_file() {
    let run = "duration = \"10 s\"\nwarmup = \"10 ms\"\nuntil = \"first-file\"";
    let report = report(&two_pairs(run, FILES));
    let (simulated, measured, _) = ended(&report);
    assert!((simulated - 0.145).abs() < 1e-15, "{simulated}");
    assert!((measured - 0.135).abs() < 1e-15, "{measured}");
    // All packets of the first pair were sent before, whenever they came; all of the second after.
    let goodput = values(&report, "traffic", "goodput");
    assert!((goodput[1] - 10.0 * 1460.0 * 8.0 / 0.135).abs() < 1e-6, "{goodput:?}");
    assert!(goodput[0].abs() < 1e-6, "{goodput:?}");
}

/// Until it ends, a run is the one that goes on: what comes later is not there, nothing else differs.
#[test]
fn a_run_that_ends_early_is_the_beginning_of_the_one_that_does_not() {
    let text = |run: &str, record: &str| {
        format!(
            "{record}\n[run]\n{run}\n[topology]\nkind = \"dumbbell\"\npairs = 3\n\
             access = {{ rate = \"100 Mb/s\", delay = \"1 ms\" }}\n\
             bottleneck = {{ rate = \"10 Mb/s\", delay = \"5 ms\", queue = {{ kind = \"drop-tail\", packets = 20 }} }}\n\
             [[traffic]]\nfrom = \"left-*\"\nto = \"right-*\"\ntransport = {{ kind = \"tcp\" }}\n\
             source = {{ kind = \"bulk\", size = \"300 kB\" }}\n"
        )
    };
    let record = "record = { series = [\"cwnd\", \"queue\"], interval = \"10 ms\" }";
    let early = report(&text("duration = \"20 s\"\nuntil = \"first-file\"", record));
    let (at, _, _) = ended(&early);
    assert!(at > 0.2 && at < 1.0, "{at}");
    // A picosecond later, so that what happened at that instant is in it.
    let until = format!("duration = \"{} ps\"", (at * 1e12).round() + 1.0);
    let whole = report(&text(&until, record));
    for name in ["delivered", "packets-sent", "packets-lost", "retransmissions"] {
        assert_eq!(values(&early, "flows", name), values(&whole, "flows", name), "{name}");
    }
    for name in ["time", "value"] {
        assert_eq!(values(&early, "series", name), values(&whole, "series", name), "{name}");
    }
    assert_eq!(values(&early, "links", "packets-out"), values(&whole, "links", "packets-out"));
    // Looking on changes nothing, and slices do not either.
    let blind = report(&text("duration = \"20 s\"\nuntil = \"first-file\"", ""));
    assert_eq!(blind.json["digest"], early.json["digest"]);
    let checked = checked(&text("duration = \"20 s\"\nuntil = \"first-file\"", record), &[]);
    let mut run = checked.start(1);
    while run.advance(13).stop.is_none() {}
    let slices = run.finish();
    assert_eq!(slices.json, early.json);
}

#[test]
fn the_duration_is_what_a_run_lasts_until_where_nothing_is_said() {
    let said = checked(&two_pairs("duration = \"1 s\"\nuntil = \"duration\"", FILES), &[]);
    let silent = checked(&two_pairs("duration = \"1 s\"", FILES), &[]);
    assert_eq!(said.digest(), silent.digest());
    assert_eq!(ended(&silent.run(1)), (1.0, 1.0, "end"));
}

/// Transfers come and go: each is a file, but none that a run could wait for.
#[test]
fn transfers_are_counted_as_files() {
    let source = "source = { kind = \"transfers\", per-second = 20, size = \"1460 B\" }";
    let bulk = "source = { kind = \"bulk\" }";
    let text = two_pairs("duration = \"5 s\"", ["", ""]).replacen(bulk, source, 1);
    let report = report(&text);
    let (files, completed) = (
        values(&report, "traffic", "files-complete")[0],
        values(&report, "traffic", "completed")[0],
    );
    assert!(completed > 50.0 && files >= completed && files <= completed + 2.0, "{files}");
    let mistakes = load("c", &text.replace("\"5 s\"", "\"5 s\"\nuntil = \"first-file\""), &[]);
    let text = mistakes.unwrap_err()[0].to_string();
    assert!(text.contains("run.until: no source sends a file"), "{text}");
}
