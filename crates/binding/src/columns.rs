//! Tables as little-endian bytes, which numpy and polars read without a loop in Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use scenario::{Values, encode};

/// A table of a report.
#[pyclass(frozen, get_all, module = "tcphoton._core")]
pub(crate) struct Table {
    name: &'static str,
    columns: Vec<Py<Column>>,
}

/// A column of a table.
#[pyclass(frozen, get_all, module = "tcphoton._core")]
pub(crate) struct Column {
    name: &'static str,
    unit: &'static str,
    doc: &'static str,
    /// The type of the numbers in `data`, in numpy's notation: "<u8", "<f8", or "<u4" for text.
    dtype: &'static str,
    data: Py<PyBytes>,
    /// The texts that the numbers of a text column index, `None` for a column of numbers.
    levels: Option<Vec<String>>,
}

/// A table whose texts are already numbers: the slow part is done without the interpreter.
pub(crate) struct Made {
    name: &'static str,
    columns: Vec<MadeColumn>,
}

struct MadeColumn {
    name: &'static str,
    unit: &'static str,
    doc: &'static str,
    values: MadeValues,
}

enum MadeValues {
    U64(Vec<u64>),
    F64(Vec<f64>),
    Text(Vec<u32>, Vec<String>),
}

/// Some tables.
pub(crate) fn made(tables: Vec<scenario::Table>) -> Vec<Made> {
    tables.into_iter().map(Made::new).collect()
}

impl Made {
    /// A table of a report.
    pub(crate) fn new(table: scenario::Table) -> Self {
        let column = |column: scenario::Column| {
            let scenario::Column { name, unit, doc, values } = column;
            let values = match values {
                Values::U64(values) => MadeValues::U64(values),
                Values::F64(values) => MadeValues::F64(values),
                Values::Text(texts) => {
                    let (codes, levels) = encode(texts);
                    MadeValues::Text(codes, levels)
                }
            };
            MadeColumn { name, unit, doc, values }
        };
        Self { name: table.name, columns: table.columns.into_iter().map(column).collect() }
    }
}

impl Table {
    /// Passes a table to Python, and checks for signals between its columns.
    pub(crate) fn new(py: Python<'_>, table: Made) -> PyResult<Self> {
        let column = |column| {
            py.check_signals()?;
            Py::new(py, Column::new(py, column)?)
        };
        let columns = table.columns.into_iter().map(column);
        Ok(Self { name: table.name, columns: columns.collect::<PyResult<_>>()? })
    }
}

impl Column {
    fn new(py: Python<'_>, column: MadeColumn) -> PyResult<Self> {
        let MadeColumn { name, unit, doc, values } = column;
        let (dtype, data, levels) = match values {
            MadeValues::U64(values) => ("<u8", bytes(py, &values, u64::to_le_bytes)?, None),
            MadeValues::F64(values) => ("<f8", bytes(py, &values, f64::to_le_bytes)?, None),
            MadeValues::Text(codes, levels) => {
                ("<u4", bytes(py, &codes, u32::to_le_bytes)?, Some(levels))
            }
        };
        Ok(Self { name, unit, doc, dtype, data, levels })
    }
}

/// The values in sequence, each as `N` bytes.
fn bytes<T: Copy, const N: usize>(
    py: Python<'_>,
    values: &[T],
    to_bytes: impl Fn(T) -> [u8; N],
) -> PyResult<Py<PyBytes>> {
    let filled = PyBytes::new_with(py, values.len() * N, |buffer| {
        for (slot, value) in buffer.chunks_exact_mut(N).zip(values) {
            slot.copy_from_slice(&to_bytes(*value));
        }
        Ok(())
    })?;
    Ok(filled.unbind())
}
