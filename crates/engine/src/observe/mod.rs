//! What is read from flows and links, during a run and at its end: series, rows, sums.
//!
//! The simulation never reads any of it.

mod completed_flows;
mod completions;
mod flow_row;
mod idle;
mod sampler;
mod survival;
mod totals;
mod transient;

pub use completed_flows::Ended;
pub use completions::{Completions, Slowdowns, size_class, sizes_of};
pub use flow_row::FlowRow;
pub use idle::IdleNetwork;
pub use sampler::{Sample, Sampler};
pub use survival::Survival;
pub use totals::Totals;
pub use transient::{Course, Transient};
