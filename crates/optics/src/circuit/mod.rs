//! Circuits that are switched on a schedule: when which racks are joined, by which ways over several
//! circuits, what is decided on demand, and what a rack offers to another one.

mod demand;
mod opera;
mod rotor_lb;
mod routes;
mod schedule;

pub use demand::{Decider, Frame, MOST_RACKS, decomposed, maximum_weight, stuffed};
pub use opera::{factors, opera};
pub use rotor_lb::share;
pub use routes::{MOST_SWITCHES, Routes, Slice};
pub use schedule::{Schedule, Slot, Timing, Window, rotor, slots_of};
