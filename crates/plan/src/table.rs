//! Tables by columns, of which reports consist.

use std::collections::BTreeMap;

use units::Time;

/// A table by columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns, all of one length.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// The unit of its values; empty for counts and texts.
    pub unit: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// Its values.
    pub values: Values,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Whole numbers.
    U64(Vec<u64>),
    /// Numbers; NaN means none.
    F64(Vec<f64>),
    /// Texts.
    Text(Vec<String>),
}

/// Sums over the rows of a table, by name, for the summary of a report.
pub type Sums = Vec<(&'static str, Sum)>;

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sum {
    /// A whole number.
    U64(u64),
    /// A number; NaN means none.
    F64(f64),
}

impl Values {
    /// Their number.
    pub fn len(&self) -> usize {
        match self {
            Self::U64(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A column of texts, computed from rows.
pub fn texts<R>(
    name: &'static str,
    doc: &'static str,
    rows: &[R],
    value: impl FnMut(&R) -> String,
) -> Column {
    let values = Values::Text(rows.iter().map(value).collect());
    Column { name, unit: "", doc, values }
}

/// A column of counts, computed from rows.
pub fn counts<R>(
    name: &'static str,
    doc: &'static str,
    rows: &[R],
    value: impl FnMut(&R) -> u64,
) -> Column {
    let values = Values::U64(rows.iter().map(value).collect());
    Column { name, unit: "", doc, values }
}

/// A column of numbers of a unit, computed from rows.
pub fn numbers<R>(
    (name, unit): (&'static str, &'static str),
    doc: &'static str,
    rows: &[R],
    value: impl FnMut(&R) -> f64,
) -> Column {
    let values = Values::F64(rows.iter().map(value).collect());
    Column { name, unit, doc, values }
}

/// A quotient, NaN over nothing.
pub fn ratio(above: f64, below: f64) -> f64 {
    if below > 0.0 { above / below } else { f64::NAN }
}

/// An instant in seconds, NaN if there is none.
pub fn seconds(time: Option<Time>) -> f64 {
    time.map_or(f64::NAN, Time::as_secs_f64)
}

/// Each text as an index into the distinct texts, in the order of their appearance.
pub fn encode(texts: Vec<String>) -> (Vec<u32>, Vec<String>) {
    let mut index_of: BTreeMap<String, u32> = BTreeMap::new();
    let mut levels: Vec<String> = Vec::new();
    let codes = texts
        .into_iter()
        .map(|text| {
            *index_of.entry(text).or_insert_with_key(|text| {
                levels.push(text.clone());
                u32::try_from(levels.len() - 1).expect("a column has fewer than 2^32 texts")
            })
        })
        .collect();
    (codes, levels)
}
