//! Networks without a scenario file, in one binary.

mod devices;
mod shortcuts;
