//! Loading and running a scenario.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use pyo3::prelude::*;
use scenario::{Run, Sharing, TraceRequest};

use crate::clocks::clock;
use crate::columns::{self, Table};
use crate::errors::{program_error, scenario_error, to_python};
use crate::files::{Given, read_files};
use crate::memory::{Limit, gigabytes};
use crate::trace::Trace;
use crate::worker::{Worker, aside};

/// Events in the first slice; later ones follow the measured speed.
const FIRST_SLICE: u64 = 10_000;
/// How long a slice should take, in seconds of wall time: short for a quick response to Ctrl-C,
/// long for efficiency.
const SLICE_SECONDS: f64 = 0.05;

/// Rows of ended flows that are collected before they are passed on.
const FLOWS_A_TABLE: usize = 65_536;

/// A scenario without errors.
#[pyclass(frozen, module = "tcphoton._core")]
pub(crate) struct Checked(pub(crate) Arc<scenario::Checked>);

/// The results of a run.
#[pyclass(frozen, get_all, module = "tcphoton._core")]
pub(crate) struct Outcome {
    /// The engine's part of `report.json`, as JSON text.
    json: String,
    tables: Vec<Py<Table>>,
    /// Seconds of wall time, from the construction of the world to the last event.
    wall_seconds: f64,
    /// Seconds of processor time of the engine's thread, or of the process if it has several, over the same period.
    cpu_seconds: f64,
}

/// Reads a scenario's file: its name for messages, and its text.
#[pyfunction]
pub(crate) fn read(py: Python<'_>, path: PathBuf) -> PyResult<(String, String)> {
    let name = path.display().to_string();
    let file = name.clone();
    let text = aside(py, move || scenario::read(&path, &file))?;
    text.map(|text| (name, text)).map_err(|mistakes| scenario_error(py, &mistakes))
}

/// Checks a scenario; `overrides` are pairs of a dotted key and a value, `files` what is in the files
/// that `references` lists.
#[pyfunction]
#[pyo3(signature = (file, text, overrides, files=Vec::new()))]
pub(crate) fn load(
    py: Python<'_>,
    file: String,
    text: String,
    overrides: Vec<(String, String)>,
    files: Vec<Given>,
) -> PyResult<Checked> {
    let files = read_files(files);
    aside(py, move || scenario::load_with(&file, &text, &overrides, &files).map(Arc::new))?
        .map(Checked)
        .map_err(|mistakes| scenario_error(py, &mistakes))
}

#[pymethods]
impl Checked {
    /// The digest of the scenario in hexadecimal digits.
    #[getter]
    fn digest(&self) -> String {
        format!("{:016x}", self.0.digest())
    }

    /// The seed that the scenario states.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.scenario.run.seed
    }

    /// Its keys without effect.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.0.warnings.iter().map(|warning| to_python(py, warning)).collect()
    }

    /// An estimate of the peak memory of a run, in bytes.
    fn memory(&self, py: Python<'_>) -> PyResult<u64> {
        let checked = Arc::clone(&self.0);
        aside(py, move || checked.memory())
    }

    /// The whole scenario in canonical JSON.
    fn canonical(&self, py: Python<'_>) -> PyResult<String> {
        let checked = Arc::clone(&self.0);
        aside(py, move || checked.canonical())
    }

    /// Topology, derived quantities and defaults, as JSON text.
    fn show(&self, py: Python<'_>) -> PyResult<String> {
        let checked = Arc::clone(&self.0);
        aside(py, move || checked.show().to_string())
    }

    /// Simulates and records packets one by one, calling `progress` as `run` does: those offered to a
    /// link of the `nodes` in the time from `start` to `stop`, of the `flows`, at most `limit` rows.
    #[pyo3(signature = (seed, *, start=None, stop=None, flows=Vec::new(), nodes=Vec::new(),
        limit=1_000_000, counters=false, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's are keyword-only")]
    fn trace(
        &self,
        py: Python<'_>,
        seed: u64,
        start: Option<String>,
        stop: Option<String>,
        flows: Vec<u64>,
        nodes: Vec<String>,
        limit: u64,
        counters: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Trace> {
        let request = TraceRequest { from: start, to: stop, flows, nodes, limit, counters };
        let worker = Worker::new(Limit::new(None, ""))?;
        let checked = Arc::clone(&self.0);
        let tracing = worker.call(py, move || checked.start_trace(seed, &request).map(Box::new))?;
        let mut tracing = tracing.map_err(|mistakes| scenario_error(py, &mistakes))?;
        let mut slice = FIRST_SLICE;
        loop {
            let ((state, over), seconds);
            (tracing, ((state, over), seconds)) = worker.call(py, move || {
                let done = timed(|| tracing.advance(slice));
                (tracing, done)
            })?;
            tell(progress, &state)?;
            if over {
                break;
            }
            py.check_signals()?;
            slice = next_slice(slice, seconds);
        }
        if let Some(failure) = tracing.failure() {
            return Err(program_error(py, failure));
        }
        let traced = worker.call(py, move || {
            let made = |traced: scenario::Traced| {
                let scenario::Traced { tables, from, to, cut } = traced;
                (columns::made(tables), from, to, cut)
            };
            tracing.finish().map(made)
        })?;
        Trace::new(py, traced.map_err(|mistakes| scenario_error(py, &mistakes))?)
    }

    /// Simulates, calling `progress(now, end, events)` between slices; times in seconds. Rows of
    /// flows that have ended are passed to `flows(table)`, if it is given, from time to time and
    /// once at the end, and are not in the outcome. A run that takes more than `memory` bytes ends
    /// with a `MemoryError`.
    #[pyo3(signature = (seed, progress=None, flows=None, memory=None))]
    #[expect(clippy::too_many_arguments, reason = "Python has defaults for them")]
    fn run(
        &self,
        py: Python<'_>,
        seed: u64,
        progress: Option<&Bound<'_, PyAny>>,
        flows: Option<&Bound<'_, PyAny>>,
        memory: Option<u64>,
    ) -> PyResult<Outcome> {
        let words = match memory {
            Some(_) => format!(" (estimate {} GB)", gigabytes(self.memory(py)?)),
            None => String::new(),
        };
        let worker = Worker::new(Limit::new(memory, &words))?;
        let (wall, cpu) = (clock(py, "perf_counter")?, worker.cpu_seconds(py)?);
        let process = clock(py, "process_time")?;
        let checked = Arc::clone(&self.0);
        let mut run = worker.call(py, move || Box::new(Run::new(checked, seed)))?;
        let mut slice = FIRST_SLICE;
        let mut sharing = (run.world().threads() > 1).then(Sharing::default);
        let mut before = 0;
        loop {
            let (state, seconds);
            let next = sharing.as_ref().map(|sharing| sharing.next(slice));
            let (side_by_side, events) = next.unwrap_or((false, slice));
            (run, (state, seconds)) = worker.call(py, move || {
                run.advance_side_by_side(side_by_side);
                let done = timed(|| run.advance(events));
                (run, done)
            })?;
            if let Some(sharing) = &mut sharing {
                sharing.took(state.events - before, seconds);
                before = state.events;
            }
            tell(progress, &state)?;
            let over = state.stop.is_some();
            if let Some(flows) = flows.filter(|_| over || run.ended_flows() >= FLOWS_A_TABLE) {
                let table;
                (run, table) = worker.call(py, move || {
                    let table = columns::Made::new(run.take_ended_flows());
                    (run, table)
                })?;
                flows.call1((Table::new(py, table)?,))?;
            }
            if over {
                break;
            }
            py.check_signals()?;
            if events == slice {
                slice = next_slice(slice, seconds);
            }
        }
        if let Some(failure) = run.failure() {
            return Err(program_error(py, failure));
        }
        let wall_seconds = clock(py, "perf_counter")? - wall;
        let cpu_seconds = if run.world().threads() > 1 {
            clock(py, "process_time")? - process
        } else {
            worker.cpu_seconds(py)? - cpu
        };
        let (json, tables) = worker.call(py, move || {
            let report = run.finish();
            (report.json.to_string(), columns::made(report.tables))
        })?;
        let tables = tables.into_iter().map(|table| Py::new(py, Table::new(py, table)?));
        let tables = tables.collect::<PyResult<_>>()?;
        Ok(Outcome { json, tables, wall_seconds, cpu_seconds })
    }
}

/// Reports how far a run has come.
fn tell(progress: Option<&Bound<'_, PyAny>>, state: &scenario::Progress) -> PyResult<()> {
    if let Some(progress) = progress {
        let end = state.end.as_secs_f64();
        progress.call1((state.now.as_secs_f64(), end, state.events))?;
    }
    Ok(())
}

/// One slice, and how many seconds it took.
#[expect(clippy::disallowed_methods, reason = "the length of a slice is wall time")]
fn timed<T>(slice: impl FnOnce() -> T) -> (T, f64) {
    let before = Instant::now();
    let state = slice();
    (state, before.elapsed().as_secs_f64())
}

/// The slice that should take [`SLICE_SECONDS`], at most four times as long or short as the last.
fn next_slice(last: u64, seconds: f64) -> u64 {
    if seconds > 2.0 * SLICE_SECONDS {
        (last / 4).max(1)
    } else if seconds > SLICE_SECONDS {
        (last / 2).max(1)
    } else if seconds < SLICE_SECONDS / 2.0 {
        last.saturating_mul(2)
    } else {
        last
    }
}
