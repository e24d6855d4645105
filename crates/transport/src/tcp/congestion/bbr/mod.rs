//! What the versions of BBR share: rounds, filters, the search for a plateau of the rate, and the pace.

mod filter;
mod pace;
mod plateau;
mod rounds;

pub(super) use filter::WindowedMax;
pub use pace::Pace;
pub(super) use pace::{QUANTUM, check_quantum};
pub(super) use plateau::Plateau;
pub(super) use rounds::Rounds;

/// Every quantity of a model that is not bounded yet (`Infinity`).
pub(super) const UNBOUNDED: f64 = f64::INFINITY;
