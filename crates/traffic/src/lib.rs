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
mod generator;
mod measured;
mod offer;
mod pacer;
mod residual;
mod size;
mod sources;
mod start;

pub use check::Problem;
pub use generator::Generator;
pub use measured::SizePoint;
pub use offer::Offer;
pub use size::{Beyond, MAX_SIZE, Size, SizeLaw};
pub use sources::collective::Algorithm;
pub use sources::flows::ListedFlow;
pub use sources::graph::{Act, ListedOperation, Milestone, Operation, OperationGraph, Wait};
pub use sources::{
    Bernoulli, Bulk, Cbr, ClosedLoop, Collective, Facts, Flows, Form, Graph, Incast, Mmpp, OfGraph,
    OnOff, PoissonPackets, PoissonWrites, RateKey, Shuffle, Source, Transfers, Variation,
};
pub use start::{Start, StartLaw};

#[cfg(test)]
mod tests;
