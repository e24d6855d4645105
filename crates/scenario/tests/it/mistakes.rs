//! Every file of `tests/bad` ends with the messages it must give, each after `#! `. Where one would list all that is
//! accepted, which grows with every option, it ends with `…` behind the part that matters.

use std::path::{Path, PathBuf};

use scenario::{Mistake, load, load_file};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenario/tests").join(name)
}

fn files(name: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder(name)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}

fn messages(mistakes: &[Mistake]) -> String {
    let lines: Vec<String> = mistakes.iter().map(|mistake| format!("#! {mistake}\n")).collect();
    lines.concat()
}

/// Whether messages are those of a file.
fn are(found: &str, said: &str) -> bool {
    let (found, said): (Vec<_>, Vec<_>) = (found.lines().collect(), said.lines().collect());
    found.len() == said.len()
        && found.iter().zip(&said).all(|(found, said)| match said.strip_suffix('…') {
            Some(begin) => found.starts_with(begin),
            None => found == said,
        })
}

#[test]
fn bad_files_give_their_messages() {
    let mut different = String::new();
    for (name, text) in files("bad") {
        let at = text.find("#! ").unwrap_or(text.len());
        let found = match load(&name, &text[..at], &[]) {
            Ok(_) => "#! no mistake\n".to_owned(),
            Err(mistakes) => messages(&mistakes),
        };
        if !are(&found, &text[at..]) {
            different.extend(["=== ", &name, "\n", &found]);
        }
    }
    assert!(different.is_empty(), "messages now:\n{different}");
}

#[test]
fn files_in_which_something_does_nothing_give_their_warnings_and_can_be_run() {
    let mut different = String::new();
    for (name, text) in files("warned") {
        let at = text.find("#! ").unwrap_or(text.len());
        let found = match load(&name, &text[..at], &[]) {
            Ok(checked) => messages(&checked.warnings),
            Err(mistakes) => format!("a mistake:\n{}", messages(&mistakes)),
        };
        if !are(&found, &text[at..]) {
            different.extend(["=== ", &name, "\n", &found]);
        }
    }
    assert!(different.is_empty(), "messages now:\n{different}");
}

#[test]
fn good_files_have_no_mistakes() {
    for (name, text) in files("good") {
        if let Err(mistakes) = load(&name, &text, &[]) {
            panic!("{}", messages(&mistakes));
        }
    }
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let message = |path: &Path| load_file(path, &[]).unwrap_err()[0].to_string();
    let missing = folder("absent.toml");
    assert_eq!(message(&missing), format!("{}: no such file", missing.display()));
    let bad = folder("bad");
    assert_eq!(message(&bad), format!("{}: a directory, not a scenario", bad.display()));
    let binary = folder("latin-1.toml");
    assert_eq!(message(&binary), format!("{}:2: not UTF-8 text", binary.display()));
    if Path::new("/dev/zero").exists() {
        assert_eq!(message(Path::new("/dev/zero")), "/dev/zero: not a regular file");
    }
}

#[test]
fn a_file_beyond_the_limit_is_refused_unread() {
    let text = " ".repeat(scenario::LARGEST_FILE + 1);
    let mistakes = load("a.toml", &text, &[]).unwrap_err();
    assert_eq!(messages(&mistakes), "#! a.toml: too large for a scenario; accepted at most 2 MB\n");
}

#[test]
fn after_a_hundred_mistakes_the_rest_is_counted() {
    // Ten kinds, each ten times, and two sections that are missing.
    let entry = "[[traffic]]
key = 1
from = 1
pattern = \"no\"
count = 0
start = \"soon\"
transport = { kind = \"udp\", header = \"small\", key = 1 }
source = { kind = \"cbr\", rate = \"fast\", packet = \"1 GB\", key = 1 }
";
    let mistakes = load("a.toml", &entry.repeat(10), &[]).unwrap_err();
    assert_eq!(mistakes.len(), 101, "{}", messages(&mistakes));
    assert_eq!(mistakes[100].to_string(), "a.toml: 2 more errors");
}

#[test]
fn after_ten_mistakes_of_one_kind_the_rest_is_counted_in_their_place() {
    let demands: Vec<String> = (0..500)
        .map(|at| format!("{{ from = \"h{at}\", to = \"no{at}\", demand = 1 }},\n"))
        .collect();
    let text = format!(
        "run = {{ duration = \"1 s\", warm = 1 }}
topology = {{ kind = \"star\", hosts = 500, link = {{ rate = \"1 Gb/s\", delay = \"1 us\" }} }}
[[traffic]]
from = \"h*\"
to = \"h*\"
matrix = {{ demands = [
{}] }}
transport = {{ kind = \"udp\" }}
source = {{ kind = \"cbr\", rate = \"1 Mb/s\", packet = \"125 B\" }}
stop = \"soon\"
",
        demands.concat()
    );
    let told = |text: &str| -> Vec<String> {
        load("a.toml", text, &[]).unwrap_err().iter().map(ToString::to_string).collect()
    };
    let found = told(&text.replace(", warm = 1", "").replace("stop = \"soon\"\n", ""));
    assert_eq!(found.len(), 11);
    assert!(
        found[9].starts_with("a.toml:16: traffic.0.matrix.demands.9.to: no place has"),
        "{found:?}"
    );
    assert_eq!(found[10], "a.toml:17: traffic.0.matrix.demands.10.to: … and 490 more of this kind");
    // Other kinds are not hidden, and the order is that of the file.
    let found = told(&text.replace("demand = 1", "demand = -1"));
    let of = |at: usize, start: &str| assert!(found[at].starts_with(start), "{found:?}");
    assert_eq!(found.len(), 13);
    of(0, "a.toml:1: run.warm: unknown key");
    of(1, "a.toml:7: traffic.0.matrix.demands.0.demand: below zero");
    of(11, "a.toml:17: traffic.0.matrix.demands.10.demand: … and 490 more of this kind");
    of(12, "a.toml:510: traffic.0.stop: not a time");
}

#[test]
fn a_value_can_neither_break_nor_turn_the_line_of_its_mistake() {
    for sign in "\n\u{1b}\u{85}\u{ad}\u{200b}\u{2028}\u{2029}\u{202e}\u{2066}\u{feff}".chars() {
        let text = format!("[run]\nduration = \"1 {sign}s\"\n\"du{sign}r\" = 1\n");
        let text = text.replace('\n', if sign == '\n' { "\\n" } else { "\n" });
        let mistakes = load(&format!("a{sign}.toml"), &text, &[]).unwrap_err();
        for mistake in mistakes {
            assert!(!mistake.to_string().contains(sign), "{:?}", mistake.to_string());
        }
    }
}

#[test]
fn a_key_of_too_many_parts_is_found_where_it_stands() {
    let key = vec!["a"; 100].join(".");
    let found = load("a.toml", &format!("[run]\n{key} = 1\n"), &[]).unwrap_err()[0].to_string();
    assert_eq!(found, "a.toml:2: too many parts in a dotted key; accepted fewer than 80");
}

#[test]
fn a_long_key_is_not_repeated_whole() {
    let text = format!("[run]\n{} = 1\n", "k".repeat(100_000));
    let mistakes = load("a.toml", &text, &[]).unwrap_err();
    let found = mistakes.iter().map(ToString::to_string).find(|text| text.contains("unknown key"));
    let found = found.unwrap();
    assert!(found.starts_with("a.toml:2: run.kkk") && found.contains("kkk…: unknown"), "{found}");
    assert!(found.len() < 500, "{}", found.len());
}

/// A scenario with every key that has moved since, each with the preset that reads it.
const OLD: &str = r#"
[run]
duration = "1 s"
[topology]
kind = "line"
routers = 0
link = { rate = "10 Gb/s", delay = "1 us", queue = { kind = "ecn-threshold", packets = 100, mark-above = 20 } }
[[traffic]]
from = "a"
to = "b"
[traffic.transport]
kind = "tcp"
preset = "msack"
aimd-decrease = 0.5
aimd-increase = 2
[traffic.source]
kind = "bulk"
[[traffic]]
from = "a"
to = "b"
[traffic.transport]
kind = "tcp"
preset = "dctcp"
dctcp-gain = 0.5
undo = false
[traffic.source]
kind = "bulk"
[[traffic]]
from = "a"
to = "b"
[traffic.transport]
kind = "tcp"
preset = "newreno"
ctcp-gamma = 20
ctcp-gamma-tuning = true
recovery-exit = "flight"
recovery-timer = "each"
[traffic.source]
kind = "bulk"
[[traffic]]
from = "a"
to = "b"
[traffic.transport]
kind = "tcp"
preset = "reno"
repeated-fast-retransmit = false
[traffic.source]
kind = "bulk"
"#;

/// Puts what a message says in place of its line: `accepted KEY = TABLE`. A second table of a key joins the
/// first.
fn mend(lines: &mut [String], mistake: &Mistake) {
    let line = mistake.line.unwrap() - 1;
    let (key, table) = mistake.accepted.split_once(" = ").unwrap();
    let section = lines[..line].iter().rposition(|line| line.starts_with('[')).unwrap();
    let before = format!("{key} = {{");
    let told = lines[section..line].iter().position(|line| line.starts_with(&before));
    lines[line] = match told {
        None => mistake.accepted.clone(),
        Some(at) => {
            let option = table.trim_matches(['{', '}', ' ']).split_once(", ").unwrap().1;
            let first = lines[section + at].trim_end_matches([' ', '}']).to_owned();
            lines[section + at] = format!("{first}, {option} }}");
            String::new()
        }
    };
}

#[test]
fn a_scenario_in_the_old_language_is_mended_by_the_messages_alone() {
    let found = load("old.toml", OLD, &[]).unwrap_err();
    assert_eq!(found.len(), 9, "{}", messages(&found));
    let mut lines: Vec<String> = OLD.lines().map(str::to_owned).collect();
    for mistake in &found {
        mend(&mut lines, mistake);
    }
    let new = lines.join("\n");
    let checked =
        load("new.toml", &new, &[]).unwrap_or_else(|found| panic!("{}", messages(&found)));
    assert_eq!(messages(&checked.warnings), "");
    let said = |key: &str| {
        let all = &checked.parameters;
        all.iter().find(|one| one.key == key).map(|one| one.value.to_string())
    };
    for (key, value) in [
        ("traffic.0.transport.congestion.kind", "\"maimd\""),
        ("traffic.0.transport.congestion.decrease", "0.5"),
        ("traffic.0.transport.congestion.increase", "2.0"),
        ("traffic.1.transport.congestion.gain", "0.5"),
        ("traffic.1.transport.recovery.undo", "false"),
        ("traffic.2.transport.congestion.gamma", "20.0"),
        ("traffic.2.transport.congestion.gamma-tuning", "true"),
        ("traffic.2.transport.recovery.exit", "\"flight\""),
        ("traffic.2.transport.recovery.timer", "\"each\""),
        ("traffic.3.transport.recovery.repeated-fast-retransmit", "false"),
    ] {
        assert_eq!(said(key).as_deref(), Some(value), "{key}");
    }
}
