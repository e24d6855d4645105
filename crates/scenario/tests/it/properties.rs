//! Nothing panics, and what is printed is read back.

use proptest::prelude::*;
use scenario::{Checked, load};

const GOOD: [&str; 10] = [
    include_str!("../good/dumbbell.toml"),
    include_str!("../good/explicit.toml"),
    include_str!("../good/fat-tree.toml"),
    include_str!("../good/line.toml"),
    include_str!("../good/obs.toml"),
    include_str!("../good/ops.toml"),
    include_str!("../good/one-way.toml"),
    include_str!("../good/counted.toml"),
    include_str!("../good/nsfnet-plain.toml"),
    include_str!("../good/nsfnet.toml"),
];

/// Pieces that are put into valid files: TOML's own signs, numbers at edges, words of the schema.
const PIECES: [&str; 36] = [
    "\"",
    "'",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ",",
    ".",
    "\n",
    "#",
    "\"\"\"",
    "\\u",
    "0",
    "-1",
    "1e999",
    "nan",
    "18446744073709551616",
    "99999999999999999999",
    "true",
    "\"0 s\"",
    "\"-1 b/s\"",
    "\"1e30 kB\"",
    "kind",
    "\"explicit\"",
    "\"fat-tree\"",
    "\"nsfnet\"",
    "count = 3",
    "1979-05-27",
    "traffic",
    "\u{feff}",
    "é",
    "\"*\"",
    "\0",
];

fn loaded(text: &str) -> Option<Checked> {
    let result = load("a.toml", text, &[]);
    if let Err(mistakes) = &result {
        assert!(!mistakes.is_empty());
        for mistake in mistakes {
            assert!(!mistake.to_string().contains('\n'), "one line a mistake: {mistake}");
        }
    }
    result.ok()
}

/// Printing and reading again gives the same scenario and the same digest.
fn round_trip(checked: &Checked) {
    let text = toml::to_string(&checked.scenario).unwrap();
    let again = loaded(&text).expect(&text);
    assert_eq!(again.scenario, checked.scenario);
    assert_eq!(again.digest(), checked.digest());
    let again = loaded(&toml::to_string_pretty(&checked.scenario).unwrap()).unwrap();
    assert_eq!(again.canonical(), checked.canonical());
}

#[test]
fn good_files_are_read_back_from_their_print() {
    for text in GOOD {
        round_trip(&loaded(text).unwrap());
    }
}

#[test]
fn the_digest_is_of_the_meaning() {
    let text = GOOD[1];
    let other = text.replace("1 Mb/s", "1000 kb/s").replace("[run]", "# note\n[run]\nseed = 1");
    assert_ne!(text, other);
    assert_eq!(loaded(text).unwrap().digest(), loaded(&other).unwrap().digest());
    let other = text.replace("1000 B", "1001 B");
    assert_ne!(loaded(text).unwrap().digest(), loaded(&other).unwrap().digest());
}

proptest! {
    #[test]
    fn no_text_panics(text in "(?s).{0,200}") {
        loaded(&text);
    }

    #[test]
    fn no_toml_panics(pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..60)) {
        loaded(&pieces.join(" "));
    }

    #[test]
    fn no_mutation_panics(
        which in 0..GOOD.len(),
        edits in proptest::collection::vec(
            (any::<proptest::sample::Index>(), 0..12usize, proptest::sample::select(&PIECES[..])),
            1..4,
        ),
    ) {
        let mut text: Vec<char> = GOOD[which].chars().collect();
        for (at, remove, insert) in edits {
            let at = at.index(text.len());
            let end = (at + remove).min(text.len());
            text.splice(at..end, insert.chars());
        }
        if let Some(checked) = loaded(&text.into_iter().collect::<String>()) {
            round_trip(&checked);
        }
    }

    #[test]
    fn no_changed_value_panics(
        which in 0..GOOD.len(),
        at in any::<proptest::sample::Index>(),
        value in proptest::sample::select(&PIECES[..]),
    ) {
        // One value of a valid file is replaced by another.
        let lines: Vec<&str> = GOOD[which].lines().collect();
        let at = at.index(lines.len());
        let changed = lines.iter().enumerate().map(|(n, line)| match line.split_once('=') {
            Some((key, _)) if n == at => format!("{key}= {value}\n"),
            _ => format!("{line}\n"),
        });
        if let Some(checked) = loaded(&changed.collect::<String>()) {
            round_trip(&checked);
        }
    }

    #[test]
    fn no_override_panics(
        key in "[a-z0-9.-]{0,30}|topology\\.[a-z.]{0,20}|traffic\\.[0-9]\\.[a-z.]{0,20}",
        value in "\\PC{0,30}",
    ) {
        let _ = load("a.toml", GOOD[0], &[(key, value)]);
    }

    #[test]
    fn numbers_are_read_back(
        p in 0.0..=1.0f64,
        rate in 1_000..1_000_000_000_000u64,
        delay in 0..3_600_000_000_000_000u64,
        seed in 0..=9_007_199_254_740_992u64,
    ) {
        let pairs = [
            ("topology.bottleneck.loss.p", p.to_string()),
            ("topology.bottleneck.rate", units::Rate(rate).to_string()),
            ("topology.bottleneck.delay", units::Span(delay).to_string()),
            ("run.seed", seed.to_string()),
        ];
        let pairs: Vec<_> = pairs.map(|(key, value)| (key.to_owned(), value)).into();
        let checked = load("a.toml", GOOD[0], &pairs);
        round_trip(&checked.unwrap());
    }
}
