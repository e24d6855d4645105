//! Loading a sweep and making its points.

use std::sync::Arc;
use std::time::Instant;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use scenario::sweep::{self, Base, Look};

use crate::errors::scenario_error;
use crate::files;
use crate::run::Checked;
use crate::worker::aside;

/// A sweep without errors of its own.
#[pyclass(frozen, module = "tcphoton._core")]
pub(crate) struct Sweep(Arc<sweep::Sweep>);

/// Checks a sweep, except errors that only a combination of its values shows. Without a `base` the
/// sweep names its scenario's file; `drawn` has for each key of its sample numbers from 0 up to 1, `files`
/// what is in the files that `sweep_references` lists.
#[pyfunction]
#[pyo3(signature = (file, text, base=None, drawn=None, files=Vec::new()))]
#[expect(clippy::too_many_arguments, reason = "Python has defaults for them")]
pub(crate) fn load_sweep(
    py: Python<'_>,
    file: String,
    text: String,
    base: Option<files::Scenario>,
    drawn: Option<Vec<Vec<f64>>>,
    files: Vec<files::Given>,
) -> PyResult<Sweep> {
    let files = files::read_files(files);
    let load = move || {
        let base = base.as_ref().map(|(file, text, overrides)| Base { file, text, overrides });
        sweep::load_sweep_with((&file, &text), base, drawn.as_deref(), &files).map(Arc::new)
    };
    aside(py, load)?.map(Sweep).map_err(|mistakes| scenario_error(py, &mistakes))
}

/// Whether a text looks like a sweep's and not like a scenario's.
#[pyfunction]
pub(crate) fn is_sweep(py: Python<'_>, text: String) -> PyResult<bool> {
    aside(py, move || sweep::is_sweep(&text))
}

/// The hash of the known results of small runs, in hexadecimal digits.
#[pyfunction]
pub(crate) fn results_revision() -> String {
    format!("{:016x}", sweep::results_revision())
}

#[pymethods]
impl Sweep {
    /// The number of points.
    #[getter]
    fn points(&self) -> u64 {
        self.0.points()
    }

    /// The sweep as JSON text.
    fn definition(&self) -> String {
        self.0.definition().to_string()
    }

    /// The scenario of a point.
    fn point(&self, py: Python<'_>, at: u64) -> PyResult<Checked> {
        if at >= self.0.points() {
            return Err(PyIndexError::new_err(format!("no point {at}")));
        }
        let sweep = Arc::clone(&self.0);
        let found = aside(py, move || {
            let mut look = Look::new(&sweep);
            look.point(at).map(Arc::new).ok_or_else(|| look.mistakes())
        })?;
        found.map(Checked).map_err(|mistakes| scenario_error(py, &mistakes))
    }

    /// The digests of the points, of as many as can be made in `seconds`.
    #[pyo3(signature = (seconds=None))]
    fn digests(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<Vec<String>> {
        let sweep = Arc::clone(&self.0);
        let found = aside(py, move || {
            let mut look = Look::new(&sweep);
            let digests = digests(&mut look, sweep.points(), seconds);
            match look.mistakes() {
                mistakes if mistakes.is_empty() => Ok(digests),
                mistakes => Err(mistakes),
            }
        })?;
        found.map_err(|mistakes| scenario_error(py, &mistakes))
    }
}

/// The digests of the first points, of as many as can be made in `seconds`.
#[expect(clippy::disallowed_methods, reason = "how long it may take is wall time")]
fn digests(look: &mut Look<'_>, points: u64, seconds: Option<f64>) -> Vec<String> {
    let before = Instant::now();
    let mut digests = Vec::new();
    for at in 0..points {
        if look.is_full() || seconds.is_some_and(|most| before.elapsed().as_secs_f64() >= most) {
            break;
        }
        scenario::checkpoint();
        digests.extend(look.digest(at).map(|digest| format!("{digest:016x}")));
    }
    digests
}
