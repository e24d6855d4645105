//! Packets that arrive behind one that was sent later: whether, how far, and what TCP makes of it.
//!
//! [`Reordering`] counts such packets of every flow. A [`Study`] measures how far they were moved, for
//! flows of entries with `reordering = true`: [`Extents`] (RFC 4737 section 4.2), n-reordering (its
//! section 5.4) and [`Density`] (RFC 5236). It numbers the data packets of a flow in the order of their
//! sending, from 1 on: a segment sent again is a packet of its own.

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
