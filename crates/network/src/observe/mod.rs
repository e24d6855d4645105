//! What is read from flows and links, during a run and at its end: series, rows, sums.
//!
//! The simulation never reads any of it.

mod course;
mod ended;
mod flow_row;
mod ideal;
mod sampler;
mod size_class;
mod survival;
mod totals;

pub use course::{Course, Transient};
pub use ended::Ended;
pub use flow_row::FlowRow;
pub use sampler::{Sample, Sampler};
pub use size_class::{SizeClass, Slowdowns};
pub use survival::Survival;
pub use totals::Totals;
