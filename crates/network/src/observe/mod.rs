//! What is read from flows and links, during a run and at its end: series, rows, sums.
//!
//! The simulation never reads any of it.

mod ended;
mod flow_row;
mod sampler;
mod totals;

pub use ended::Ended;
pub use flow_row::FlowRow;
pub use sampler::{Sample, Sampler};
pub use totals::Totals;
