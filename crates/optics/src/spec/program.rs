//! A policy of one's own, as a program.

use std::collections::BTreeMap;

use extension::Source;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::program::{Hooks, Kind, Lightpaths, Queues};

/// A policy of one's own: a program, in the language of the guide on own policies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case", bound = "")]
#[schemars(rename = "{K}Program", bound = "K: Kind")]
pub struct PolicyProgram<K: Kind> {
    /// A file with the program, instead of `source`. A relative path starts at the folder of the file that
    /// names it, on the command line and in Python at the current directory.
    #[serde(skip_serializing)]
    #[schemars(
        length(min = 1, max = 4_096),
        extend("x-file" = { "content": "program", "key": "source" })
    )]
    pub file: Option<Box<str>>,
    /// The program. In `assembly` its function `assign` gives each flow a queue, in `core` its function
    /// `choose` gives each packet a lightpath.
    pub source: Source<Hooks<K>>,
    /// Values of the parameters that the program declares, by their names; others keep their defaults.
    pub parameters: BTreeMap<String, f64>,
}

/// An assembly policy as a program.
pub type AssemblyProgram = PolicyProgram<Queues>;

/// An anycast policy as a program.
pub type AnycastProgram = PolicyProgram<Lightpaths>;
