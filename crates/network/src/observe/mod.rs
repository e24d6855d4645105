//! What is read off flows and links, while a run lasts and when it is over: series, rows, sums.
//!
//! Nobody who simulates reads any of it back.

mod ended;
mod flow_row;
mod sampler;
mod totals;

pub use ended::Ended;
pub use flow_row::FlowRow;
pub use sampler::{Sample, Sampler};
pub use totals::Totals;
