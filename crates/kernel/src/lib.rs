//! What any discrete-event simulation needs and nothing of networks: an [`Agenda`] of what is to
//! happen, an [`Arena`] for the things that move, and [`Limits`] on a run; and the
//! [`checkpoint`]s of long work that may be given up.

pub mod agenda;
mod arena;
mod giving_up;
mod limits;
mod prefetch;

pub use agenda::{Agenda, Order};
pub use arena::Arena;
pub use giving_up::{GivenUp, checkpoint, heed};
pub use limits::{Limits, Stop, Watch};
pub use prefetch::prefetch;
