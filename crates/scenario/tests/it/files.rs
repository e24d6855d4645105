//! Files that a scenario refers to: the engine is passed what they have.

use scenario::sweep::{Base, Look, load_sweep_with, sweep_references};
use scenario::{File, Unread, Within, load, load_with, references};

const TEXT: &str = r#"
[run]
duration = "1 s"
[topology]
kind = "line"
routers = 1
link = { rate = "10 Mb/s", delay = "1 ms" }
[[traffic]]
from = "a"
to = "b"
transport = { kind = "tcp" }
source = { kind = "transfers", per-second = 3.0, size = { kind = "table", file = "web.csv" } }
"#;
const KEY: &str = "traffic.0.source.size.file";
const POINTS: &str = "[\n{ size = \"6 kB\", cdf = 0.25 },\n{ size = \"30 kB\", cdf = 1.0 },\n]";

fn file(within: Within, name: &str, content: &str) -> File {
    let (name, path) = (name.to_owned(), format!("data/{name}"));
    File { within, name, kind: String::new(), path, content: Ok(content.to_owned()) }
}

fn messages(files: &[File]) -> Vec<String> {
    let found = load_with("a.toml", TEXT, &[], files).unwrap_err();
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn references_are_found_where_they_are_written() {
    let [only] = &references("x/a.toml", TEXT, &[])[..] else { panic!() };
    assert_eq!((only.key.as_str(), only.name.as_str()), (KEY, "web.csv"));
    assert_eq!((only.within, only.origin.as_str()), (Within::Scenario, "x/a.toml"));
    assert_eq!(only.content, "sizes");
    let set = [(KEY.to_owned(), "\"other.csv\"".to_owned())];
    let [only] = &references("x/a.toml", TEXT, &set)[..] else { panic!() };
    assert_eq!((only.name.as_str(), only.within), ("other.csv", Within::Override));
    assert_eq!(only.origin, "");
    // A word `file` elsewhere, another kind of size, a broken text.
    for other in [
        "title = \"file\"",
        "traffic = [{ source = { size = { kind = \"mix\", file = \"b\" } } }]",
        "[file",
    ] {
        assert_eq!(references("a.toml", other, &[]), [], "{other}");
    }
}

#[test]
fn a_file_counts_by_its_content() {
    let with = |files: &[File]| load_with("a.toml", TEXT, &[], files).unwrap();
    let checked = with(&[file(Within::Scenario, "web.csv", POINTS)]);
    let inline =
        TEXT.replace("file = \"web.csv\"", &format!("points = {}", POINTS.replace('\n', " ")));
    let written = load("b.toml", &inline, &[]).unwrap();
    assert_eq!(checked.digest(), written.digest());
    assert_eq!(
        checked.scenario.traffic[0].source.mean_rate(),
        written.scenario.traffic[0].source.mean_rate()
    );
    let edited = with(&[file(Within::Scenario, "web.csv", &POINTS.replace("30 kB", "31 kB"))]);
    assert_ne!(edited.digest(), checked.digest());
    // The canonical scenario refers to nothing.
    assert!(!checked.canonical().contains("web.csv"), "{}", checked.canonical());
    let key = |key: &str| {
        checked.parameters.iter().find(|one| one.key == key).map(|one| one.value.to_string())
    };
    assert_eq!(key(KEY).as_deref(), Some("\"web.csv\""));
    assert_eq!(key("traffic.0.source.size.points.1.size").as_deref(), Some("\"30 kB\""));
}

#[test]
fn mistakes_name_the_file_and_its_line() {
    let falling = POINTS.replace("30 kB", "3 kB");
    let key = "traffic.0.source.size";
    assert_eq!(
        messages(&[file(Within::Scenario, "web.csv", &falling)]),
        [format!(
            "data/web.csv:3: {key}.points.1.size: less than the size before, 6 kB; found \"3 kB\""
        )]
    );
    let content = Err(Unread { line: Some(7), problem: "not CSV".to_owned(), ..Unread::default() });
    let unread = File { content, ..file(Within::Scenario, "web.csv", "") };
    assert_eq!(messages(&[unread]), ["data/web.csv:7: not CSV"]);
    let content = Err(Unread { problem: "no such file".to_owned(), ..Unread::default() });
    let absent = File { content, ..file(Within::Scenario, "web.csv", "") };
    assert_eq!(
        messages(&[absent]),
        [format!("a.toml:12: {KEY}: data/web.csv: no such file; found \"web.csv\"")]
    );
    // What the command line names is another file, even with the same name.
    for files in [&[][..], &[file(Within::Override, "web.csv", POINTS)]] {
        assert_eq!(
            messages(files),
            [format!("a.toml:12: {KEY}: a file that is not at hand; found \"web.csv\"")]
        );
    }
    let both = TEXT.replace("file =", &format!("points = {}, file =", POINTS.replace('\n', " ")));
    let found =
        load_with("a.toml", &both, &[], &[file(Within::Scenario, "web.csv", POINTS)]).unwrap_err();
    assert_eq!(
        found[0].to_string(),
        format!(
            "a.toml:12: {key}.points: also given: points, which the file has; accepted one of them"
        )
    );
}

#[test]
fn points_of_a_sweep_have_their_own_files() {
    let text = format!("seeds = 1\n[over]\n\"{KEY}\" = [\"web.csv\", \"more.csv\"]\n");
    let base = Base { file: "a.toml", text: TEXT, overrides: &[] };
    let found = sweep_references("s/sweep.toml", &text, Some(base));
    let names: Vec<_> =
        found.iter().map(|one| (one.within, one.name.as_str(), one.origin.as_str())).collect();
    assert_eq!(
        names,
        [
            (Within::Scenario, "web.csv", "a.toml"),
            (Within::Sweep, "web.csv", "s/sweep.toml"),
            (Within::Sweep, "more.csv", "s/sweep.toml"),
        ]
    );
    let more = POINTS.replace("30 kB", "40 kB");
    let files = [
        file(Within::Scenario, "web.csv", POINTS),
        file(Within::Sweep, "web.csv", POINTS),
        file(Within::Sweep, "more.csv", &more),
    ];
    let sweep = load_sweep_with(("s/sweep.toml", &text), Some(base), None, &files).unwrap();
    let mut look = Look::new(&sweep);
    let digests = [look.digest(0), look.digest(1)];
    assert!(digests[0].is_some() && digests[1].is_some() && digests[0] != digests[1]);
    assert_eq!(sweep.definition()["files"][2][1], "more.csv");
    // Without its file a point has an error, on the line of the sweep.
    let sweep = load_sweep_with(("s/sweep.toml", &text), Some(base), None, &files[..2]).unwrap();
    let error = sweep.point(1).unwrap_err().remove(0);
    assert_eq!(
        error.to_string(),
        format!("s/sweep.toml:3: over.{KEY}: a file that is not at hand; found \"more.csv\"")
    );
}

/// [`references`] looks at texts with the word `file` only.
#[test]
fn every_key_that_names_a_file_is_called_file() {
    fn marked(name: &str, schema: &serde_json::Value, found: &mut Vec<String>) {
        if schema.get("x-file").is_some() {
            found.push(name.to_owned());
        }
        match schema {
            serde_json::Value::Object(map) => {
                for (name, below) in map {
                    marked(name, below, found);
                }
            }
            serde_json::Value::Array(list) => {
                for below in list {
                    marked(name, below, found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    marked("", scenario::json_schema(), &mut found);
    assert!(!found.is_empty() && found.iter().all(|name| name == "file"), "{found:?}");
}
