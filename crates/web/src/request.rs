//! What a caller can ask for.

use scenario::{File, Within};
use serde::Deserialize;

/// A request.
#[derive(Debug, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Versions.
    About {},
    /// The JSON Schema of a scenario, for an editor.
    Schema {},
    /// The files that a scenario refers to.
    References(Scenario),
    /// Checks a scenario, and keeps it for `start` and `trace`.
    Load(Scenario),
    /// The topology, derived quantities and defaults of the loaded scenario.
    Show {},
    /// The whole loaded scenario in canonical JSON.
    Canonical {},
    /// Sets up a run of the loaded scenario.
    Start {
        /// The seed in decimal digits, since a number of JavaScript does not hold it; that of the
        /// scenario by default.
        seed: Option<String>,
    },
    /// Sets up a run whose packets are recorded one by one.
    Trace {
        /// As for `start`.
        seed: Option<String>,
        /// A time such as `"10 ms"`; the start by default.
        from: Option<String>,
        /// Likewise; the end by default.
        to: Option<String>,
        /// Flows by their number; all by default.
        #[serde(default)]
        flows: Vec<u64>,
        /// Nodes by their name; all by default.
        #[serde(default)]
        nodes: Vec<String>,
        /// The maximum number of rows.
        limit: u64,
        /// Whether congestion windows and queues are sampled.
        #[serde(default)]
        counters: bool,
        /// Whether it goes on after the limit of rows: each report is a window of so many.
        #[serde(default)]
        live: bool,
    },
    /// Continues for about this number of events.
    Advance {
        /// How many.
        events: u64,
    },
    /// The results of a run that has ended, or a window of one that is watched.
    Report {},
}

/// A scenario's text with the values that replace some of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// Its name for messages.
    pub(crate) file: String,
    /// The text.
    pub(crate) text: String,
    /// Pairs of a dotted key and a value.
    #[serde(default)]
    pub(crate) values: Vec<(String, String)>,
    /// What is in the files that it refers to.
    #[serde(default)]
    pub(crate) files: Vec<Given>,
}

/// A file that a scenario refers to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Given {
    /// The text that names it, in a word: `scenario`, `override`.
    within: String,
    /// Its name there.
    name: String,
    /// Its content as a value in TOML.
    content: String,
    /// What it was read as.
    #[serde(default)]
    kind: String,
}

impl Given {
    /// It as the engine takes it.
    pub(crate) fn file(self) -> File {
        let Self { within, name, content, kind } = self;
        let within = Within::of_word(&within).unwrap_or(Within::Scenario);
        File { within, path: name.clone(), name, kind, content: Ok(content) }
    }
}
