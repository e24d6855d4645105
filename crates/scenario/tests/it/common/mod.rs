//! What tests of whole runs share.

pub(crate) mod erlang;
pub(crate) mod md1k;

use scenario::{Report, Values};

/// The numbers of a column of a report.
pub(crate) fn values(report: &Report, table: &str, column: &str) -> Vec<f64> {
    let found = report.tables.iter().find(|each| each.name == table);
    let table = found.unwrap_or_else(|| panic!("no table {table}"));
    let found = table.columns.iter().find(|each| each.name == column);
    match &found.unwrap_or_else(|| panic!("no column {column}")).values {
        Values::F64(values) => values.clone(),
        Values::U64(values) => values.iter().map(|&value| value as f64).collect(),
        Values::Text(_) => panic!("{column} is a text"),
    }
}
