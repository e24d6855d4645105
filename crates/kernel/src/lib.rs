//! The parts of any discrete-event simulation, independent of networks: an [`Agenda`] of future
//! events, an [`Arena`] for objects, [`Limits`] on a run, and the [`checkpoint`]s of long work that
//! may be cancelled.

pub mod agenda;
mod arena;
mod giving_up;
mod limits;
mod prefetch;

pub use agenda::{Agenda, Order};
pub use arena::Arena;
pub use giving_up::{GivenUp, asked, checkpoint, heed};
pub use limits::{Limits, Stop, Watch};
pub use prefetch::{prefetch, prefetch_whole};
