//! Circuits that are switched on a schedule: when which racks are joined, and what a rack offers to
//! another one.

mod rotor_lb;
mod schedule;

pub use rotor_lb::shares;
pub use schedule::{Schedule, Timing, Window, rotor, rotor_slots};
