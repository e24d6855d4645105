//! When data is offered, and how much: pure generators.
//!
//! A [`Source`] is what a scenario says; a [`Generator`] is one source at work: asked again and
//! again, it tells how long after its previous offer the next one comes and how many bytes it
//! brings. It knows no clock, no protocol and no network. Its bytes are the application's: rates
//! and sizes count no header.
//!
//! Closed loops (`shuffle`, `incast`) are described here, but run by the network: their next transfer
//! begins when one is over. Not modelled: think times, request and response.

mod check;
mod generator;
mod offer;
mod on_off;
mod pacer;
mod residual;
mod size;
mod slotted;
mod source;
mod start;

pub use check::Problem;
pub use generator::Generator;
pub use offer::Offer;
pub use size::{Beyond, MAX_SIZE, Size, SizeLaw};
pub use source::Source;
pub use start::{Start, StartLaw};

#[cfg(test)]
mod tests;
