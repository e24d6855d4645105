//! What a run that is recorded hands over.

use pyo3::prelude::*;

use crate::columns::{Made, Table};

/// The tables, the span of time, and where rows were used up.
type Parts = (Vec<Made>, scenario::Time, scenario::Time, Option<scenario::Time>);

/// The tables of a trace. Instants are picoseconds; the largest number stands for none.
#[pyclass(frozen, get_all, module = "tcphoton._core")]
pub(crate) struct Trace {
    tables: Vec<Py<Table>>,
    /// The span of time, from `start` on and before `stop`.
    start: u64,
    stop: u64,
    /// Where rows were used up: what is offered later is not there.
    cut: Option<u64>,
}

impl Trace {
    pub(crate) fn new(py: Python<'_>, (tables, from, to, cut): Parts) -> PyResult<Self> {
        let tables = tables.into_iter().map(|table| Py::new(py, Table::new(py, table)?));
        let tables = tables.collect::<PyResult<_>>()?;
        Ok(Self { tables, start: from.0, stop: to.0, cut: cut.map(|cut| cut.0) })
    }
}
