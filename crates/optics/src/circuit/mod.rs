//! Circuits that are switched on a schedule: when which racks are joined, by which ways over several
//! circuits, and what a rack offers to another one.

mod opera;
mod rotor_lb;
mod routes;
mod schedule;

pub use opera::{factors, opera};
pub use rotor_lb::shares;
pub use routes::{MOST_SWITCHES, Routes};
pub use schedule::{Schedule, Timing, Window, rotor, slots_of};
