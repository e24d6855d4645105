//! Slow start ends at ssthresh (RFC 5681 section 3.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Kind;

/// It ends at ssthresh, or with a loss (RFC 5681 section 3.1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {}

#[derive(Clone, Debug)]
pub(super) struct Standard;

impl Kind for Standard {
    type Options = Options;

    fn new(_: &Options, _: bool) -> Self {
        Self
    }
}
