//! Data wait in hosts: push-back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No data are sent while no circuit leads to the rack of the receiver, neither for the first time nor again: they
/// wait in the host, as in c-Through (Wang et al. 2010), which has hosts buffer what waits for a circuit, and in
/// `RotorNet` (Mellette et al. 2017). Timers run on. The sender hands its interface a packet when that is free, so that
/// few are on their way to the rack when the circuit goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {}
