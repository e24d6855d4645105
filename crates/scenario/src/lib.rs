//! A file becomes a checked scenario (all its errors are reported at once), a checked scenario a
//! world, a world a report.
//!
//! The order: a recovering parse that keeps lines (`tree`), values from the command line put over
//! it, a walk along the JSON Schema, checks between values, and serde last, on a clean tree.

mod advice;
mod assemble;
pub mod bench;
mod check;
mod describe;
pub mod endpoints;
mod energy;
mod file_network;
mod files;
mod given_load;
mod graphs;
mod live;
mod load;
mod matrix;
mod memory;
mod mistake;
mod offered;
mod overrides;
pub mod paper;
mod parameters;
mod reference;
mod report;
mod run;
mod schema;
mod shape;
mod sharing;
mod show;
pub mod sweep;
mod trace;
mod tree;
mod walk;

pub use engine::world::Progress;
pub use file_network::explicit;
pub use files::{File, Reference, Unread, references};
pub use graphs::{CollectiveSend, collective};
pub use kernel::{GivenUp, checkpoint, heed};
pub use live::Live;
pub use load::{Checked, LARGEST_FILE, load, load_file, load_with, read};
pub use matrix::{Demand, MatrixSpec};
pub use mistake::{Mistake, Within};
pub use parameters::{Origin, Parameter};
pub use reference::{paper_reference_markdown, reference_markdown, sweep_reference_markdown};
pub use report::{Column, Report, Table, Values, encode};
pub use run::Run;
pub use schema::{
    Ends, Pattern, RecordSpec, RunSpec, Scenario, TrafficSpec, editor_schema, json_schema,
};
pub use sharing::Sharing;
pub use trace::{TraceRequest, Traced, Tracing};
pub use units::Time;
