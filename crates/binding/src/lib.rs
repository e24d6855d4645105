//! The engine as the Python module `tcphoton._core`: `PyO3` and nothing else.
//!
//! The module passes text and columns and makes no decisions. Errors of a scenario become one
//! `tcphoton.errors.ScenarioError`; a panic, which is a bug of the engine, becomes one
//! `tcphoton.errors.EngineError`. The engine runs on its own thread, so other Python threads continue,
//! and the waiting one checks signals and memory twenty times per second. A run advances in slices,
//! between which it reports its progress.
//!
//! Wall time is read only here, never in the crates below.

mod bench;
mod clocks;
mod columns;
mod errors;
mod files;
mod memory;
mod pages;
mod paper;
mod run;
mod sweep;
mod trace;
mod worker;

use pyo3::prelude::*;

/// The compiled part of tcphoton.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::bench::{measure, workloads};
    #[pymodule_export]
    use crate::columns::{Column, Table};
    #[pymodule_export]
    use crate::files::{explicit, references, sweep_references};
    #[pymodule_export]
    use crate::paper::{Document, load_document};
    #[pymodule_export]
    use crate::run::{Checked, Outcome, load, read};
    #[pymodule_export]
    use crate::sweep::{Sweep, is_sweep, load_sweep, results_revision};
    #[pymodule_export]
    use crate::trace::Trace;
    #[pymodule_export]
    use crate::{
        collective, paper_reference, paper_schema, reference, schema, sweep_reference, sweep_schema,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::errors::keep_panics_quiet();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// The JSON Schema of a scenario, as JSON text.
#[pyfunction]
fn schema(py: Python<'_>) -> PyResult<String> {
    worker::aside(py, || scenario::editor_schema().to_string())
}

/// The reference of every key of a scenario, in Markdown.
#[pyfunction]
fn reference(py: Python<'_>) -> PyResult<String> {
    worker::aside(py, scenario::reference_markdown)
}

/// The sends of a collective operation, by its algorithm.
#[pyfunction]
fn collective(
    py: Python<'_>,
    algorithm: &str,
    size: u64,
    hosts: u32,
) -> PyResult<Option<Vec<scenario::CollectiveSend>>> {
    let algorithm = algorithm.to_owned();
    worker::aside(py, move || scenario::collective(&algorithm, size, hosts))
}

/// The JSON Schema of a sweep, as JSON text.
#[pyfunction]
fn sweep_schema(py: Python<'_>) -> PyResult<String> {
    worker::aside(py, || scenario::sweep::sweep_json_schema().to_string())
}

/// The reference of every key of a sweep, in Markdown.
#[pyfunction]
fn sweep_reference(py: Python<'_>) -> PyResult<String> {
    worker::aside(py, scenario::sweep_reference_markdown)
}

/// The JSON Schema of the files of a paper, as JSON text.
#[pyfunction]
fn paper_schema(py: Python<'_>) -> PyResult<String> {
    worker::aside(py, || scenario::paper::paper_json_schema().to_string())
}

/// The reference of every key of a paper's files, in Markdown.
#[pyfunction]
fn paper_reference(py: Python<'_>) -> PyResult<String> {
    worker::aside(py, scenario::paper_reference_markdown)
}
