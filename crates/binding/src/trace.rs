//! The results of a recorded run.

use pyo3::prelude::*;

use crate::columns::{Made, Table};

/// The tables, the time span, and where the limit of rows was reached.
type Parts = (Vec<Made>, scenario::Time, scenario::Time, Option<scenario::Time>);

/// The tables of a trace. Instants are picoseconds; the largest number means none.
#[pyclass(frozen, get_all, module = "tcphoton._core")]
pub(crate) struct Trace {
    tables: Vec<Py<Table>>,
    /// The time span, from `start` on and before `stop`.
    start: u64,
    stop: u64,
    /// Where the limit of rows was reached: later offers are not recorded.
    cut: Option<u64>,
}

impl Trace {
    pub(crate) fn new(py: Python<'_>, (tables, from, to, cut): Parts) -> PyResult<Self> {
        let tables = tables.into_iter().map(|table| Py::new(py, Table::new(py, table)?));
        let tables = tables.collect::<PyResult<_>>()?;
        Ok(Self { tables, start: from.0, stop: to.0, cut: cut.map(|cut| cut.0) })
    }
}
