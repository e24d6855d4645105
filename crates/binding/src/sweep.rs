//! Loading a sweep and making its points.

use std::time::Instant;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use scenario::sweep::{self, Base, Look};

use crate::errors::{guarded, scenario_error};
use crate::run::Checked;

/// Seconds of work between two looks at signals.
const SLICE_SECONDS: f64 = 0.05;

/// A scenario's name, its text and what is set over it.
type Given = (String, String, Vec<(String, String)>);

/// A sweep without mistakes of its own.
#[pyclass(frozen, module = "tcphoton._core")]
pub(crate) struct Sweep(sweep::Sweep);

/// Checks a sweep, but for what only a combination of its values shows. Without a `base` the sweep
/// names its scenario's file; `drawn` has for each key of its sample numbers from 0 up to 1.
#[pyfunction]
#[pyo3(signature = (file, text, base=None, drawn=None))]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has converted")]
pub(crate) fn load_sweep(
    py: Python<'_>,
    file: &str,
    text: &str,
    base: Option<Given>,
    drawn: Option<Vec<Vec<f64>>>,
) -> PyResult<Sweep> {
    let base = base.as_ref().map(|(file, text, overrides)| Base { file, text, overrides });
    guarded(py, || sweep::load_sweep(file, text, base, drawn.as_deref()))?
        .map(Sweep)
        .map_err(|mistakes| scenario_error(py, &mistakes))
}

/// Whether a text looks like a sweep's and not like a scenario's.
#[pyfunction]
pub(crate) fn is_sweep(py: Python<'_>, text: &str) -> PyResult<bool> {
    guarded(py, || sweep::is_sweep(text))
}

/// The hash of what small runs are known to give, in hexadecimal digits.
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
        let mut look = Look::new(&self.0);
        let checked = guarded(py, || look.point(at))?;
        checked.map(Checked).ok_or_else(|| scenario_error(py, &look.mistakes()))
    }

    /// The digests of the points, of as many as can be made in `seconds`.
    #[pyo3(signature = (seconds=None))]
    fn digests(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<Vec<String>> {
        let mut look = Look::new(&self.0);
        let mut digests = Vec::new();
        let mut at = 0;
        let mut spent = 0.0;
        while at < self.0.points() && !look.is_full() && seconds.is_none_or(|most| spent < most) {
            spent += guarded(py, || slice(&mut look, &mut at, self.0.points(), &mut digests))?;
            py.check_signals()?;
        }
        match &look.mistakes()[..] {
            [] => Ok(digests),
            mistakes => Err(scenario_error(py, mistakes)),
        }
    }
}

/// Makes points for a while, and returns how many seconds that took.
#[expect(clippy::disallowed_methods, reason = "the length of a slice is wall time")]
fn slice(look: &mut Look<'_>, at: &mut u64, end: u64, digests: &mut Vec<String>) -> f64 {
    let before = Instant::now();
    while *at < end && !look.is_full() && before.elapsed().as_secs_f64() < SLICE_SECONDS {
        digests.extend(look.digest(*at).map(|digest| format!("{digest:016x}")));
        *at += 1;
    }
    before.elapsed().as_secs_f64()
}
