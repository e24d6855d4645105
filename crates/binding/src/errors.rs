//! Errors and panics as Python exceptions.

use std::cell::Cell;
use std::panic;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use scenario::Mistake;

thread_local! {
    /// The message of the last panic on this thread, until [`take_panic`] takes it.
    static LAST_PANIC: Cell<Option<String>> = const { Cell::new(None) };
}

/// Keeps panics off stderr: their text is in the exception instead. The hook belongs to this
/// library, so other extension modules keep theirs.
pub(crate) fn keep_panics_quiet() {
    panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or("a panic without a message");
        let place = info.location().map_or_else(String::new, |at| format!(" ({at})"));
        LAST_PANIC.set(Some(format!("{message}{place}")));
    }));
}

/// The message of the last panic on this thread.
pub(crate) fn take_panic() -> String {
    LAST_PANIC.take().unwrap_or_else(|| "a panic".to_owned())
}

/// An `EngineError`.
pub(crate) fn engine_error(py: Python<'_>, message: String) -> PyErr {
    raise(py, "EngineError", (message,))
}

/// A `ProgramError`.
pub(crate) fn program_error(py: Python<'_>, message: String) -> PyErr {
    raise(py, "ProgramError", (message,))
}

/// All errors of a scenario as one `ScenarioError`, followed by its warnings.
pub(crate) fn scenario_error(py: Python<'_>, mistakes: &[Mistake]) -> PyErr {
    let listed: PyResult<Vec<_>> = mistakes.iter().map(|mistake| to_python(py, mistake)).collect();
    match listed.and_then(|mistakes| PyList::new(py, mistakes)) {
        Ok(mistakes) => raise(py, "ScenarioError", (mistakes,)),
        Err(error) => error,
    }
}

/// An error or a warning as a Python object.
pub(crate) fn to_python<'py>(py: Python<'py>, mistake: &Mistake) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("file", &mistake.file)?;
    fields.set_item("line", mistake.line)?;
    fields.set_item("key", &mistake.key)?;
    fields.set_item("problem", &mistake.problem)?;
    fields.set_item("found", &mistake.found)?;
    fields.set_item("accepted", &mistake.accepted)?;
    fields.set_item("text", mistake.to_string())?;
    fields.set_item("warning", mistake.warning)?;
    py.import("tcphoton.errors")?.getattr("Mistake")?.call((), Some(&fields))
}

/// An exception of `tcphoton.errors`. The classes live in Python because the stable interface
/// before Python 3.12 cannot derive from a built-in exception.
fn raise<'py>(py: Python<'py>, name: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
    let made = py
        .import("tcphoton.errors")
        .and_then(|module| module.getattr(name))
        .and_then(|class| class.call1(arguments));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
