//! Integers with names: [`Time`], [`Span`], [`Bytes`], [`Rate`], [`Length`], [`EnergyPerBit`] and
//! the plain ids.
//!
//! Time is counted in picoseconds, which suffices for 213 days, so the clock of a run has no
//! rounding errors. The types permit only meaningful operations: a `Time` minus a `Time` is a
//! `Span`, and there is no `Time + Time`. Every quantity has exact text: `"10 Gb/s"` parses to an
//! integer and that integer prints as `"10 Gb/s"` (see [`text`]). A [`MeanRate`] alone is a real number.

mod ids;
mod mean_rate;
mod quantity;
pub mod text;

pub use ids::{FlowId, LinkId, NodeId};
pub use mean_rate::MeanRate;
pub use quantity::{Bytes, EnergyPerBit, Length, Rate, Span, Time};
