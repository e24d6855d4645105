//! Packets that arrive after one that was sent later: their number, their displacement, and the
//! effect on TCP.
//!
//! [`Reordering`] counts such packets of every flow. A [`Study`] measures how far they were moved, for
//! flows of entries with `reordering = true`: [`Extents`] (RFC 4737 section 4.2), n-reordering (its
//! section 5.4) and [`Density`] (RFC 5236). It numbers the data packets of a flow in the order of their
//! sending, from 1 on: a retransmitted segment is a separate packet.

mod counts;
mod density;
mod extents;
mod singleton;
mod study;

#[cfg(test)]
mod tests;

pub use counts::ReorderingCounts;
pub use density::{Density, THRESHOLD};
pub use extents::Extents;
pub use singleton::Reordering;
pub use study::{HISTORY, Study};
