//! What tests of whole runs share: a run of a text, and what is in its report.

pub(crate) mod erlang;
pub(crate) mod md1k;

use scenario::{Checked, Report, Run, Table, Values, load};

/// A scenario without mistakes, some keys of which are set as from the command line.
pub(crate) fn checked(text: &str, settings: &[(&str, &str)]) -> Checked {
    let owned = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    load("test.toml", text, &settings).unwrap_or_else(|mistakes| panic!("{mistakes:#?}\n{text}"))
}

/// Runs to the end in slices, looks at the run, and reports; conservation is checked on the way.
pub(crate) fn watch<T>(text: &str, seed: u64, look: impl FnOnce(&Run) -> T) -> (Report, T) {
    watch_checked(&checked(text, &[]), seed, look)
}

fn watch_checked<T>(checked: &Checked, seed: u64, look: impl FnOnce(&Run) -> T) -> (Report, T) {
    let mut run = checked.start(seed);
    while run.advance(50_000).stop.is_none() {}
    let found = look(&run);
    (run.finish(), found)
}

/// The report of a run of a scenario that is loaded once for many seeds.
pub(crate) fn finished(checked: &Checked, seed: u64) -> Report {
    watch_checked(checked, seed, |_| ()).0
}

/// The report of a run.
pub(crate) fn run(text: &str, seed: u64) -> Report {
    watch(text, seed, |_| ()).0
}

/// The table of this name.
pub(crate) fn table<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    tables.iter().find(|each| each.name == name).unwrap_or_else(|| panic!("no table {name}"))
}

/// Two tables are the same, to the last bit. What is unknown is NaN, which equals nothing by itself.
pub(crate) fn assert_same_table(one: &Table, other: &Table, of: &str) {
    let bits = |values: &[f64]| -> Vec<u64> {
        values.iter().map(|value| if value.is_nan() { u64::MAX } else { value.to_bits() }).collect()
    };
    let name = one.name;
    assert_eq!((name, one.columns.len()), (other.name, other.columns.len()), "{of}");
    for (one, other) in one.columns.iter().zip(&other.columns) {
        let same = match (&one.values, &other.values) {
            (Values::F64(one), Values::F64(other)) => bits(one) == bits(other),
            (one, other) => one == other,
        };
        let about = [one, other].map(|column| (column.name, column.unit, column.doc));
        assert!(same && about[0] == about[1], "{name} of {of}: {one:?}, {other:?}");
    }
}

/// All of these tables are the same.
pub(crate) fn assert_same_tables(one: &[Table], other: &[Table], of: &str) {
    assert_eq!(one.len(), other.len(), "{of}");
    for (one, other) in one.iter().zip(other) {
        assert_same_table(one, other, of);
    }
}

/// A column of a table, of whatever kind it is.
pub(crate) fn column<'a>(tables: &'a [Table], name: &str, column: &str) -> &'a Values {
    let found = table(tables, name).columns.iter().find(|each| each.name == column);
    &found.unwrap_or_else(|| panic!("no column {name}.{column}")).values
}

/// A column of numbers or counts.
pub(crate) fn values(report: &Report, table: &str, name: &str) -> Vec<f64> {
    match column(&report.tables, table, name) {
        Values::F64(values) => values.clone(),
        Values::U64(values) => values.iter().map(|&value| value as f64).collect(),
        Values::Text(_) => panic!("{name} is a text"),
    }
}

/// A column of counts.
pub(crate) fn counts<'a>(report: &'a Report, table: &str, name: &str) -> &'a [u64] {
    let Values::U64(counts) = column(&report.tables, table, name) else {
        panic!("{name} counts nothing")
    };
    counts
}

/// A column of texts.
pub(crate) fn texts<'a>(report: &'a Report, table: &str, name: &str) -> &'a [String] {
    let Values::Text(texts) = column(&report.tables, table, name) else {
        panic!("{name} is no text")
    };
    texts
}

/// The number in a row of a column.
pub(crate) fn number(report: &Report, table: &str, name: &str, row: usize) -> f64 {
    values(report, table, name)[row]
}

/// The sum of a column.
pub(crate) fn sum(report: &Report, table: &str, name: &str) -> f64 {
    values(report, table, name).iter().sum()
}

/// The sum of a column of counts.
pub(crate) fn count(report: &Report, table: &str, name: &str) -> u64 {
    counts(report, table, name).iter().sum()
}

/// A column of the links of this name, or of the lightpaths of the bundle of this name.
pub(crate) fn links(report: &Report, name: &str, of: &str) -> Vec<f64> {
    let is_one = |link: &str| {
        link.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    let values = values(report, "links", of).into_iter().zip(texts(report, "links", "link"));
    values.filter(|(_, link)| is_one(link)).map(|(value, _)| value).collect()
}
