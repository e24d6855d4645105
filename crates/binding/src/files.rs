//! Files that a scenario refers to: which they are, and what Python has read of them.

use pyo3::prelude::*;
use scenario::sweep::{self, Base};
use scenario::{File, Reference, Unread, Within};

use crate::errors::scenario_error;
use crate::worker::aside;

/// A file as Python passes it: the text that names it, its name there, its path, and its content or
/// why it has none: the line, the problem, what was found and what is accepted; last what it was read as.
pub(crate) type Given =
    (String, String, String, Option<String>, Option<(Option<u32>, String, String, String)>, String);

/// A scenario's name, its text and the values that override it.
pub(crate) type Scenario = (String, String, Vec<(String, String)>);

/// A key that names a file: the name, what the file has, the text that names it and that text's file.
type Named = (String, String, &'static str, String);

/// The files that a scenario refers to.
#[pyfunction]
pub(crate) fn references(
    py: Python<'_>,
    file: String,
    text: String,
    overrides: Vec<(String, String)>,
) -> PyResult<Vec<Named>> {
    aside(py, move || named(scenario::references(&file, &text, &overrides)))
}

/// The files that a sweep and its scenario refer to.
#[pyfunction]
#[pyo3(signature = (file, text, base=None))]
pub(crate) fn sweep_references(
    py: Python<'_>,
    file: String,
    text: String,
    base: Option<Scenario>,
) -> PyResult<Vec<Named>> {
    aside(py, move || {
        let base = base.as_ref().map(|(file, text, overrides)| Base { file, text, overrides });
        named(sweep::sweep_references(&file, &text, base))
    })
}

/// The nodes and links, as JSON text, of a topology whose graph is in a file; `text` has that section.
#[pyfunction]
pub(crate) fn explicit(py: Python<'_>, text: String, files: Vec<Given>) -> PyResult<String> {
    let files = read_files(files);
    aside(py, move || scenario::explicit(&text, &files).map(|json| json.to_string()))?
        .map_err(|mistakes| scenario_error(py, &mistakes))
}

fn named(found: Vec<Reference>) -> Vec<Named> {
    let one =
        |Reference { name, content, within, origin, .. }| (name, content, within.word(), origin);
    found.into_iter().map(one).collect()
}

/// The files that Python passes.
pub(crate) fn read_files(given: Vec<Given>) -> Vec<File> {
    let file = |(within, name, path, content, unread, kind): Given| {
        let unread = unread.map(|(line, problem, found, accepted)| Unread {
            line,
            problem,
            found,
            accepted,
        });
        let content = content.ok_or_else(|| unread.unwrap_or_default());
        let within = Within::of_word(&within).unwrap_or(Within::Scenario);
        File { within, name, kind, path, content }
    };
    given.into_iter().map(file).collect()
}
