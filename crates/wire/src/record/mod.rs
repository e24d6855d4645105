//! Counters that are always kept: flows, delays, and the checks of conservation.
//!
//! Devices never read them.

mod delays;
mod first_sent;
mod flow_counts;
mod losses;
mod observations;
mod quantile;
mod reordering;
mod spans;
mod synchronization;

pub use delays::Delays;
pub use first_sent::FirstSent;
pub use flow_counts::{Count, FlowCounts};
pub use losses::{Losses, Resent, Spurious};
pub use observations::Observed;
pub use quantile::Quantiles;
pub use reordering::{Density, Extents, HISTORY, Reordering, ReorderingCounts, Study, THRESHOLD};
pub use spans::{SpanStatistics, Spans};
pub use synchronization::{Shared, Synchronization, SynchronizationRow};
