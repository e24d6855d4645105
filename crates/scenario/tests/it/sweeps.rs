//! Sweeps: every file of `tests/bad-sweeps` ends with the messages it must give, each after `#! `.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use scenario::Mistake;
use scenario::sweep::{Base, Look, Sweep, is_sweep, load_sweep};
use units::Span;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenario/tests").join("bad-sweeps")
}

fn messages(mistakes: &[Mistake]) -> String {
    let lines: Vec<String> = mistakes.iter().map(|mistake| format!("#! {mistake}\n")).collect();
    // Files are named from their folder.
    lines.concat().replace(&format!("{}/", folder().display()), "")
}

fn look(sweep: &Sweep) -> Vec<Mistake> {
    let mut look = Look::new(sweep);
    for at in 0..sweep.points() {
        look.digest(at);
    }
    look.mistakes()
}

#[test]
fn bad_sweeps_give_their_messages() {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    paths.sort();
    let mut different = String::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let at = text.find("#! ").unwrap_or(text.len());
        let file = path.display().to_string();
        let mistakes = match load_sweep(&file, &text[..at], None, None) {
            Ok(sweep) => look(&sweep),
            Err(mistakes) => mistakes,
        };
        let found = match &mistakes[..] {
            [] => "#! no mistake\n".to_owned(),
            mistakes => messages(mistakes),
        };
        if found != text[at..] {
            let name = path.file_name().unwrap().to_str().unwrap();
            different.extend(["=== ", name, "\n", &found]);
        }
    }
    assert!(different.is_empty(), "messages now:\n{different}");
}

const SCENARIO: &str = r#"
title = "one link"
[run]
duration = "1 s"
seed = 9
[topology]
kind = "line"
routers = 1
link = { rate = "1 Mb/s", delay = "1 ms" }
[[traffic]]
from = "a"
to = "b"
transport = { kind = "udp" }
source = { kind = "cbr", rate = "100 kb/s", packet = "1000 B" }
[record]
series = ["queue"]
"#;

const BASE: Base<'_> = Base { file: "base.toml", text: SCENARIO, overrides: &[] };

fn sweep(text: &str) -> Sweep {
    load_sweep("sweep.toml", text, Some(BASE), None)
        .unwrap_or_else(|found| panic!("{}", messages(&found)))
}

fn digests(sweep: &Sweep) -> Vec<u64> {
    (0..sweep.points()).map(|at| sweep.point(at).unwrap().digest()).collect()
}

#[test]
fn the_first_key_of_the_file_is_outermost() {
    let sweep = sweep("[over]\n'traffic.0.count' = [1, 2]\nrun.duration = ['1 s', '2 s', '3 s']\n");
    assert_eq!(sweep.points(), 6);
    assert_eq!(sweep.name(1), "traffic.0.count = 1, run.duration = \"2 s\"");
    assert_eq!(sweep.name(3), "traffic.0.count = 2, run.duration = \"1 s\"");
    let scenario = sweep.point(5).unwrap().scenario;
    assert_eq!(scenario.run.duration.to_string(), "3 s");
    assert_eq!(scenario.traffic[0].count, 2);
}

#[test]
fn a_zip_and_cases_are_an_axis_each_inside_the_grid() {
    let sweep = sweep(
        "[over]\n'traffic.0.count' = [1, 2]\n\
         [[zip]]\nrun.duration = ['1 s', '2 s', '3 s']\n'run.warmup' = ['0 s', '1 s', '2 s']\n\
         [[cases]]\n'topology.link.delay' = '1 ms'\n'traffic.0.source.rate' = '1 kb/s'\n\
         [[cases]]\n'traffic.0.source.rate' = '2 kb/s'\n'topology.link.delay' = '5 ms'\n",
    );
    assert_eq!(sweep.points(), 2 * 3 * 2);
    assert_eq!(
        sweep.name(3),
        "traffic.0.count = 1, run.duration = \"2 s\", run.warmup = \"1 s\", \
         topology.link.delay = \"5 ms\", traffic.0.source.rate = \"2 kb/s\""
    );
    let scenario = sweep.point(7).unwrap().scenario;
    let of_run = (scenario.run.duration.to_string(), scenario.run.warmup.to_string());
    assert_eq!((of_run, scenario.traffic[0].count), (("1 s".into(), "0 ps".into()), 2));
    let definition = sweep.definition();
    assert_eq!(definition["zip"][0][1], serde_json::json!(["run.warmup", ["0 s", "1 s", "2 s"]]));
    assert_eq!(definition["cases"][0][0][0], "topology.link.delay");
}

#[test]
fn a_sample_has_the_ends_of_its_ranges_until_it_is_drawn() {
    let text = "[sample]\ndesign = 'sobol'\npoints = 4\n[sample.over]\n\
         'run.duration' = { from = '1 s', to = '9 s', scale = 'log' }\n\
         'traffic.0.count' = { among = [1, 2, 3] }\n";
    let ends = sweep(text);
    assert_eq!(ends.points(), 2);
    assert_eq!(ends.name(1), "run.duration = \"9 s\", traffic.0.count = 3");
    let drawn = [vec![0.0, 0.5, 0.75, 0.999_999], vec![0.9, 0.1, 0.5, 0.34]];
    let sweep = load_sweep("sweep.toml", text, Some(BASE), Some(&drawn)).unwrap();
    assert_eq!(sweep.points(), 4);
    // 1 s · 9^0.5 and 1 s · 9^0.75, to six digits.
    assert_eq!(sweep.name(1), "run.duration = \"3 s\", traffic.0.count = 1");
    assert_eq!(sweep.name(2), "run.duration = \"5.19615 s\", traffic.0.count = 2");
    assert_eq!(sweep.definition()["sample"]["seed"], 1);
    assert_eq!(sweep.definition()["drawn"][0][0][1][3], "8.99998 s");
}

#[test]
fn what_is_drawn_twice_is_one_point() {
    let text = "[sample]\ndesign = 'random'\npoints = 6\n[sample.over]\n\
         'run.duration' = { among = ['1 s', '2 s'] }\n'traffic.0.count' = { from = 1, to = 2 }\n";
    let drawn = [vec![0.9, 0.1, 0.8, 0.2, 0.3, 0.7], vec![0.1, 0.1, 0.2, 0.9, 0.3, 0.4]];
    let sweep = load_sweep("sweep.toml", text, Some(BASE), Some(&drawn)).unwrap();
    let names: Vec<String> = (0..sweep.points()).map(|at| sweep.name(at)).collect();
    assert_eq!(
        names,
        [
            "run.duration = \"2 s\", traffic.0.count = 1",
            "run.duration = \"1 s\", traffic.0.count = 1",
            "run.duration = \"1 s\", traffic.0.count = 2",
        ]
    );
    assert!(look(&sweep).is_empty());
    assert_eq!(sweep.definition()["drawn"][0][1][1], serde_json::json!([1, 1, 2]));
}

#[test]
fn labels_are_in_the_definition_and_change_no_point() {
    let text = "[over]\n'traffic.0.count' = [2, 1]\n\
         [[zip]]\nrun.duration = ['1 s', '2 s', '2 s']\n'run.warmup' = ['0 s', '0 s', '1 s']\nLABELS\
         [[cases]]\n'topology.link.delay' = '1 ms'\nCASE\n\
         [sample]\ndesign = 'random'\npoints = 2\n\
         [sample.over]\n'traffic.0.source.rate' = { among = ['1 kb/s', '2 kb/s'] }\n";
    let plain = sweep(&text.replace("LABELS", "").replace("CASE", ""));
    assert!(plain.definition().get("labels").is_none());
    let named = sweep(
        &(text.replace("LABELS", "label = ['a', 'b', 'c']\n").replace("CASE", "label = '1 km'")
            + "[labels]\ncase = 'run'\n'case-2' = 'path'\n\
               run.duration = { values = ['short', 'long', 'long'] }\n\
               'traffic.0.count' = { name = 'flows', values = ['two', 'one'] }\n\
               'traffic.0.source.rate' = { values = ['slow', 'fast'] }\n"),
    );
    assert_eq!(digests(&named), digests(&plain));
    let first = "traffic.0.count = 2, case = \"b\", case-2 = \"1 km\", traffic.0.source.rate = ";
    assert_eq!(named.name(2), format!("{first}\"1 kb/s\""));
    assert_eq!(
        named.definition()["labels"],
        serde_json::json!({
            "names": [["case", "run"], ["case-2", "path"], ["traffic.0.count", "flows"]],
            "values": [
                ["run.duration", [["1 s", "short"], ["2 s", "long"]]],
                ["traffic.0.count", [[2, "two"], [1, "one"]]],
                ["traffic.0.source.rate", [["1 kb/s", "slow"], ["2 kb/s", "fast"]]],
            ],
            "cases": [
                ["case", ["run.duration", "run.warmup"], ["a", "b", "c"]],
                ["case-2", ["topology.link.delay"], ["1 km"]],
            ],
        })
    );
}

#[test]
fn what_a_sweep_keeps_is_in_its_definition() {
    assert_eq!(sweep("keep = []\n").definition()["keep"], serde_json::json!([]));
    let kept = sweep("keep = ['flows', 'burst-flows']\n");
    assert_eq!(kept.definition()["keep"], serde_json::json!(["flows", "burst-flows"]));
    assert_eq!(digests(&kept), digests(&sweep("")));
}

#[test]
fn a_key_that_changes_nothing_makes_no_points() {
    let sweep = sweep("[over]\ntitle = ['x', 'y', 'z']\n'traffic.0.count' = [1, 2]");
    let [mistake] = &look(&sweep)[..] else { panic!("one mistake") };
    assert_eq!(
        mistake.to_string(),
        "sweep.toml:2: over.title: the same point as title = \"x\" (at title = \"y\", \
         traffic.0.count = 1 and 3 more points); accepted values with which another scenario is \
         simulated"
    );
}

#[test]
fn a_rule_goes_by_one_measure_or_by_several() {
    let of = |text: &str| sweep(text).definition()["until"]["measure"].clone();
    assert_eq!(of("until.measure = 'loss'"), "loss");
    assert_eq!(of("until.measure = ['loss', 'goodput']"), serde_json::json!(["loss", "goodput"]));
}

#[test]
fn points_that_mean_the_same_have_the_same_digest() {
    let quoted = sweep("over = { 'run.duration' = ['1 s', '2000 ms'] }");
    let nested =
        sweep("title = 'other'\nset.title = 'x'\n[over.run]\nduration = ['1000 ms', '2 s']");
    assert_eq!(digests(&quoted), digests(&nested));
    let [one, two] = digests(&quoted)[..] else { panic!("two points") };
    assert_ne!(one, two);
    // What is recorded one by one, and the seed that a run alone would have, change no measure.
    let recorded = sweep("set = { 'record.series' = ['cwnd'], 'record.interval' = '1 ms' }");
    assert_eq!(digests(&recorded), [one]);
    assert!(recorded.point(0).unwrap().scenario.record.series.is_empty());
}

#[test]
fn a_table_is_put_there_before_the_keys_in_it() {
    let sweep = sweep(
        "[over]\n'topology.link.loss.p' = [0.1, 0.2]\n\
         'topology.link.loss' = [{ kind = 'bernoulli', p = 0.5 }]\n",
    );
    let [one, two] = digests(&sweep)[..] else { panic!("two points") };
    assert_ne!(one, two);
}

#[test]
fn kinds_that_differ_between_points_have_their_own_keys() {
    let sources = "'traffic.0.source' = [{ kind = 'cbr', rate = '1 kb/s', packet = '100 B' }, \
         { kind = 'poisson-packets', rate = '1 kb/s', packet = '100 B' }]";
    let sweep =
        sweep(&format!("[over]\n{sources}\n'traffic.0.source.rate' = ['1 kb/s', '2 kb/s']"));
    assert!(look(&sweep).is_empty());
    assert_eq!(sweep.points(), 4);
}

#[test]
fn a_table_with_a_kind_is_a_value_and_others_nest() {
    let sweep = sweep(
        "[set.topology.link]\nloss = { kind = 'bernoulli', p = 0.1 }\n\
         [set.run]\nduration = '2 s'\n",
    );
    let definition = sweep.definition();
    assert_eq!(definition["set"][0][0], "topology.link.loss");
    assert_eq!(definition["set"][1][0], "run.duration");
}

#[test]
fn a_sweep_may_mend_its_scenario() {
    let text = "scenario = 'scenarios/mistakes.toml'\n[set]\n'run.duration' = '1 s'\n";
    let file = folder().join("mended.toml").display().to_string();
    let sweep = load_sweep(&file, text, None, None).unwrap();
    assert!(look(&sweep).is_empty());
}

#[test]
fn a_sweep_is_told_from_a_scenario() {
    assert!(!is_sweep(SCENARIO));
    assert!(!is_sweep(""));
    assert!(is_sweep("scenario = 'a.toml'"));
    assert!(is_sweep("[over]\nbroken = "));
    let found = scenario::load("sweep.toml", "scenario = 'a.toml'", &[]).unwrap_err();
    assert_eq!(found[0].to_string(), "sweep.toml: a sweep, not a scenario: see `tcphoton sweep`");
}

#[test]
fn a_mistake_of_many_points_is_told_once() {
    let values: Vec<String> = (1..=2_000).map(|at| at.to_string()).collect();
    let sweep = sweep(&format!(
        "[set]\n'run.warmup' = '2 s'\n[over]\n'traffic.0.count' = [{}]",
        values.join(",")
    ));
    let mut look = Look::new(&sweep);
    let mut at = 0;
    while !look.is_full() {
        look.point(at);
        at += 1;
    }
    let found = look.mistakes();
    assert_eq!(found.len(), 1);
    assert!(found[0].problem.contains("(at traffic.0.count = 1 and at least 999 more points)"));
    assert!(found[0].to_string().starts_with("sweep.toml:2: set.run.warmup: "));
}

proptest! {
    #![proptest_config(trials::cases(256))]

    /// Whatever is cut out of a sweep or put into it, loading answers.
    #[test]
    fn any_text_gets_an_answer(at in 0usize..300, cut in 0usize..40, put in "[\\[\\]{}='\",.a-z0-9\n ]{0,12}") {
        let text = "title = 't'\nseeds = [1, 2]\n[set]\n'run.warmup' = '1 ms'\n[over]\n\
            topology.link.loss = [{ kind = 'bernoulli', p = 0.1 }]\n'traffic.0.count' = [1, 2]\n\
            [until]\nmeasure = 'goodput'\n";
        let at = at.min(text.len());
        let end = (at + cut).min(text.len());
        let text = format!("{}{put}{}", &text[..at], &text[end..]);
        if let Ok(sweep) = load_sweep("sweep.toml", &text, Some(BASE), None) {
            let mut look = Look::new(&sweep);
            for at in 0..sweep.points().min(4) {
                look.digest(at);
            }
            look.mistakes();
        }
    }
}

#[test]
fn the_option_of_a_kind_varies_below_its_word() {
    let sweep = sweep(
        "[set]\n'traffic.0.transport' = { kind = 'tcp', congestion = 'compound' }\n\
         'traffic.0.source' = { kind = 'bulk' }\n\
         [over]\n'traffic.0.transport.congestion.gamma' = [10, 30]\n",
    );
    assert_eq!(sweep.name(1), "traffic.0.transport.congestion.gamma = 30");
    let found = digests(&sweep);
    assert_ne!(found[0], found[1]);
}

/// What a range gives at each share of it.
fn drawn(key: &str, range: &str, shares: &[f64]) -> Vec<String> {
    let text =
        format!("[sample]\ndesign = 'random'\npoints = 1\n[sample.over]\n'{key}' = {range}\n");
    let at = |&share: &f64| {
        let sweep = load_sweep("sweep.toml", &text, Some(BASE), Some(&[vec![share]])).unwrap();
        sweep.name(0).split_once(" = ").expect("a key with a value").1.replace('"', "")
    };
    shares.iter().map(at).collect()
}

#[test]
fn each_whole_number_has_an_equal_part() {
    let quarters = [0.0, 0.249, 0.25, 0.5, 0.75, 0.999];
    let dice = drawn("traffic.0.count", "{ from = 1, to = 4 }", &quarters);
    assert_eq!(dice, ["1", "1", "2", "3", "4", "4"]);
    let words = drawn("run.duration", "{ among = ['1 s', '2 s', '3 s', '4 s'] }", &quarters);
    assert_eq!(words, ["1 s", "1 s", "2 s", "3 s", "4 s", "4 s"]);
}

#[test]
fn ratios_are_even_on_a_logarithmic_scale() {
    let range = "{ from = 0.0001, to = 1, scale = 'log' }";
    let loads = drawn("traffic.0.load", range, &[0.0, 0.25, 0.5, 0.75]);
    assert_eq!(loads, ["0.0001", "0.001", "0.01", "0.1"]);
    let range = "{ from = '1 kB', to = '1 MB', scale = 'log' }";
    let sizes = drawn("traffic.0.source.packet", range, &[1.0 / 3.0, 0.5]);
    assert_eq!(sizes, ["10 kB", "31.623 kB"]);
}

proptest! {
    /// What is drawn is in the range, and is a quantity that can be read again.
    #[test]
    fn values_stay_between_the_ends(from in 1u64..1 << 48, more in 1u64..1 << 48, share in 0.0..1.0, log: bool) {
        let scale = if log { "log" } else { "linear" };
        let to = from + more;
        let range = format!("{{ from = '{from} ps', to = '{to} ps', scale = '{scale}' }}");
        let [text] = &drawn("run.duration", &range, &[share])[..] else { panic!("one text") };
        let found = units::text::parse::<Span>(text).unwrap().0;
        prop_assert!((from..=to).contains(&found), "{text}");
        let range = format!("{{ from = {from}, to = {to}, scale = '{scale}' }}");
        let [text] = &drawn("run.max-events", &range, &[share])[..] else { panic!("one text") };
        let found: u64 = text.parse().unwrap();
        prop_assert!((from..=to).contains(&found), "{text}");
    }
}
