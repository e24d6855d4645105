//! When data are offered, and how much: pure generators.
//!
//! A [`Source`] is the configuration in a scenario; a [`Generator`] is one running source: each
//! call returns the time from its previous offer to the next one and the number of bytes. It knows
//! no clock, no protocol and no network. Its bytes are application data: rates and sizes exclude
//! headers.
//!
//! Closed loops (`shuffle`, `incast`) and graphs of operations are described here, but run by the network: their next
//! transfer begins when one has ended. Not modelled: think times, request and response.

mod check;
mod collective;
mod generator;
mod graph;
mod measured;
mod offer;
mod on_off;
mod pacer;
mod replay;
mod residual;
mod size;
mod slotted;
mod source;
mod start;

pub use check::Problem;
pub use collective::Algorithm;
pub use generator::Generator;
pub use graph::{Act, ListedOperation, Milestone, Operation, OperationGraph, Wait};
pub use measured::SizePoint;
pub use offer::Offer;
pub use replay::ListedFlow;
pub use size::{Beyond, MAX_SIZE, Size, SizeLaw};
pub use source::Source;
pub use start::{Start, StartLaw};

#[cfg(test)]
mod tests;
