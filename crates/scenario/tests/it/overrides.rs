//! Values from the command line.

use scenario::{Origin, load};

use crate::common::checked;

const TEXT: &str = include_str!("../good/dumbbell.toml");

fn set(pairs: &[(&str, &str)]) -> Result<scenario::Checked, Vec<String>> {
    let pairs: Vec<_> = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    load("a.toml", TEXT, &pairs).map_err(|list| list.iter().map(ToString::to_string).collect())
}

#[test]
fn a_value_from_the_command_line_wins_over_the_file() {
    let checked = set(&[
        ("topology.bottleneck.queue.packets", "100"),
        ("run.duration", "30 s"),
        ("traffic.1.source.rate", "\"2 Mb/s\""),
        ("routing", "{ metric = \"hops\" }"),
        ("run.duration", "40 s"),
    ])
    .unwrap();
    let find = |key: &str| {
        let found = checked.parameters.iter().find(|p| p.key == key).unwrap();
        (found.value.to_string(), found.origin)
    };
    assert_eq!(find("topology.bottleneck.queue.packets"), ("100".into(), Origin::Set));
    assert_eq!(find("run.duration"), ("\"40 s\"".into(), Origin::Set));
    assert_eq!(find("traffic.1.source.rate"), ("\"2 Mb/s\"".into(), Origin::Set));
    assert_eq!(find("routing.metric"), ("\"hops\"".into(), Origin::Set));
    assert_eq!(find("run.seed"), ("7".into(), Origin::Given));
    assert_eq!(find("topology.bottleneck.queue.weight"), ("0.002".into(), Origin::Default));
    assert_eq!(find("traffic.0.transport.min-rto"), ("\"1 s\"".into(), Origin::Profile));
    assert_eq!(find("traffic.0.transport.recovery"), ("\"sack\"".into(), Origin::Derived));
    assert_eq!(find("traffic.0.transport.preset"), ("\"sack\"".into(), Origin::Given));
}

#[test]
fn mistakes_name_the_override() {
    let mistakes = set(&[
        ("topology.bottleneck.queue.packet", "100"),
        ("run.seed.x", "1"),
        ("traffic.9.count", "1"),
        ("run..seed", "1"),
        ("topology.pairs", "many"),
        ("changes.0.link", "left - middle"),
    ])
    .unwrap_err();
    let expected = [
        "--set topology.bottleneck.queue.packet=100: topology.bottleneck.queue.packet: unknown key \
         (did you mean \"packets\"?); accepted kind, packets, bytes, min, max, max-probability, \
         weight, gentle, ecn",
        "--set run.seed.x=1: run.seed: 7 has no key x below it",
        "--set traffic.9.count=1: traffic: a list of 2 has no item 9",
        "--set run..seed=1: run..seed: not a key; accepted a dotted key such as run.duration",
        "--set topology.pairs=many: topology.pairs: wrong type; found \"many\"; accepted a whole \
         number from 1 to 50000",
    ];
    assert_eq!(mistakes, expected);
    let mistakes = set(&[("changes.0.link", "left - middle")]).unwrap_err();
    let expected = [
        "--set changes.0.link=left - middle: changes.0.link: no node is called \"middle\"",
        "a.toml:23: warning: routing.metric: has no effect: there is one path between any two \
         hosts; found \"delay\"",
    ];
    assert_eq!(mistakes, expected);
}

#[test]
fn a_new_table_takes_its_line_from_the_override() {
    let mistakes = set(&[("topology.access.queue.packets", "100")]).unwrap_err();
    let expected =
        ["--set topology.access.queue.packets=100: topology.access.queue.kind: missing \
                     key; accepted \"drop-tail\", \"red\", \"ecn-threshold\", \"pie\", \"codel\", \
                     \"fq-codel\", \"fair\", \"dualpi2\", \"trimming\", \"shaper\", \"policer\""];
    assert_eq!(mistakes, expected);
}

#[test]
fn a_run_that_is_shortened_keeps_the_changes_behind_its_end_as_warnings() {
    let text = include_str!("../warned/change-behind-the-end.toml");
    let checked = checked(text, &[("run.duration", "500 ms")]);
    let keys: Vec<&str> = checked.warnings.iter().map(|warning| warning.key.as_str()).collect();
    assert_eq!(keys, ["changes.0.at", "changes.1.at"]);
    let report = checked.run(1);
    assert_eq!(report.json["stop"], "end");
    assert_eq!(report.json["warnings"][1]["key"], "changes.1.at");
}

#[test]
fn a_table_of_an_unknown_kind_on_the_command_line_is_told_with_its_keys() {
    let table = "{ kind = \"rde\", packets = -1, min = 3, mni = 4 }";
    let mistakes = set(&[("topology.bottleneck.queue", table)]).unwrap_err();
    let keys: Vec<&str> =
        mistakes.iter().map(|text| text.split(": ").nth(1).unwrap_or_default()).collect();
    assert!(keys[0].ends_with("queue.kind"), "{mistakes:?}");
    assert!(keys[1].ends_with("queue.packets"), "{mistakes:?}");
    assert!(keys[2].ends_with("queue.mni"), "{mistakes:?}");
}

#[test]
fn an_option_of_a_kind_goes_below_its_word() {
    let find = |checked: &scenario::Checked, key: &str| {
        let key = format!("traffic.0.transport.{key}");
        let found = checked.parameters.iter().find(|p| p.key == key);
        found.map(|found| (found.value.to_string(), found.origin))
    };
    let word = ("traffic.0.transport.congestion", "compound");
    let plain = set(&[word]).unwrap();
    assert_eq!(find(&plain, "congestion"), Some(("\"compound\"".into(), Origin::Set)));
    assert_eq!(find(&plain, "congestion.gamma"), Some(("30.0".into(), Origin::Default)));
    let told = set(&[word, ("traffic.0.transport.congestion.gamma", "20")]).unwrap();
    assert_eq!(find(&told, "congestion"), None);
    assert_eq!(find(&told, "congestion.kind"), Some(("\"compound\"".into(), Origin::Set)));
    assert_eq!(find(&told, "congestion.gamma"), Some(("20.0".into(), Origin::Set)));
    assert_eq!(find(&told, "congestion.gamma-tuning"), Some(("false".into(), Origin::Default)));
    // The same in words or in a table, and so the same run.
    let table = set(&[(word.0, "{ kind = \"compound\", gamma = 30 }")]).unwrap();
    assert_eq!(table.digest(), plain.digest());
    assert_eq!(find(&table, "congestion.gamma"), Some(("30.0".into(), Origin::Set)));
    assert_ne!(told.digest(), plain.digest());
    let absent = set(&[("traffic.0.transport.congestion.gamma", "20")]).unwrap_err();
    let start = "--set traffic.0.transport.congestion.gamma=20: traffic.0.transport.congestion.kind: \
                 missing key; accepted \"reno\", \"cubic\"";
    assert!(absent[0].starts_with(start), "{}", absent[0]);
    let other = set(&[("traffic.0.transport.congestion", "{ kind = \"reno\", gamma = 20 }")]);
    assert!(other.unwrap_err()[0].contains("congestion.gamma: unknown key"));
    let wrong = set(&[("traffic.0.transport.congestion", "cubik")]).unwrap_err();
    let start = "--set traffic.0.transport.congestion=cubik: traffic.0.transport.congestion: \
                 unknown value (did you mean \"cubic\"?); found \"cubik\"; accepted \"reno\", \"cubic\"";
    assert!(wrong[0].starts_with(start), "{}", wrong[0]);
    assert!(wrong[0].ends_with("or a table with one of them as its kind"), "{}", wrong[0]);
}
