//! The files of papers.

use pyo3::prelude::*;
use scenario::paper;

use crate::errors::scenario_error;
use crate::worker::aside;

/// A file of a paper without errors of its own.
#[pyclass(frozen, module = "tcphoton._core")]
pub(crate) struct Document(paper::Document);

/// Checks a file of a paper: `sweeps.toml`, `claims.toml`, `readings.toml` or `readings/NAME.toml`.
#[pyfunction]
pub(crate) fn load_document(
    py: Python<'_>,
    kind: String,
    file: String,
    text: String,
) -> PyResult<Document> {
    let found = aside(py, move || paper::Document::load(&kind, &file, &text))?;
    found.map(Document).map_err(|mistakes| scenario_error(py, &mistakes))
}

#[pymethods]
impl Document {
    /// The content as JSON text, in which numbers may also be `Infinity` and `NaN`.
    fn content(&self) -> String {
        self.0.content()
    }

    /// The line of the value that some keys and numbers of items lead to, or of the nearest one above it.
    #[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
    fn line(&self, keys: Vec<String>) -> Option<usize> {
        self.0.line(&keys)
    }
}
