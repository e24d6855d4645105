//! What happened, counted always: flows, delays, and the checks that nothing went astray.
//!
//! Devices never read any of it back.

mod delays;
mod ended;
mod first_sent;
mod flow_counts;
mod flow_row;
mod losses;
mod observed;
mod quantile;
mod reordering;
mod sampler;
mod spans;
mod synchronization;
mod totals;
pub mod trace;

pub use delays::Delays;
pub use ended::Ended;
pub use first_sent::FirstSent;
pub use flow_counts::{Count, FlowCounts};
pub use flow_row::FlowRow;
pub use losses::{Losses, Resent, Spurious};
pub use observed::Observed;
pub use quantile::Quantiles;
pub use reordering::{Density, Extents, HISTORY, Reordering, ReorderingCounts, Study, THRESHOLD};
pub use sampler::{Sample, Sampler};
pub use spans::{SpanStatistics, Spans};
pub use synchronization::{Shared, Synchronization, SynchronizationRow};
pub use totals::Totals;
