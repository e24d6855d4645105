//! A policy of one's own, as a program.

use std::collections::BTreeMap;

use extension::Source;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::program::AssignHooks;

/// A policy of one's own: a program, in the language of the guide on own policies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AssemblyProgram {
    /// A file with the program, instead of `source`. A relative path starts at the folder of the file that
    /// names it, on the command line and in Python at the current directory.
    #[serde(skip_serializing)]
    #[schemars(
        length(min = 1, max = 4_096),
        extend("x-file" = { "content": "program", "key": "source" })
    )]
    pub file: Option<Box<str>>,
    /// The program. Its function `assign` gives each flow a queue.
    pub source: Source<AssignHooks>,
    /// Values of the parameters that the program declares, by their names; others keep their defaults.
    pub parameters: BTreeMap<String, f64>,
}
