//! The options of a TCP connection as a scenario gives them, and the configuration that results.

mod check;
mod kinds;
mod options;
mod resolve;
mod settings;

#[cfg(test)]
mod tests;

pub use kinds::{EcnFeedback, Preset, ReceiveWindowGrowth, RtoLaw, SsthreshFrom, WindowValidation};
pub use options::{Config, TcpOptions};
pub use resolve::{overlays, resolve};
