//! Routing and wavelength assignment: which fibres a lightpath takes, and on which channels.

mod grid;
mod mesh;

pub use grid::Grid;
pub use mesh::{Fibre, Mesh};
