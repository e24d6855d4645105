//! Named random streams and inverse-transform samplers, the same on every machine.
//!
//! A run has one [`Seed`]. Whoever needs random numbers for one purpose of one thing takes a
//! [`Stream`] by name (`"flow/17/arrivals"`): another source or another probe shifts no one else's
//! draws, and two policies are compared on common random numbers.
//!
//! Every sampler inverts the distribution function of one uniform number, so one sample costs one
//! draw (`below` and what shuffles with it take another where a draw would bias them), and a sample
//! grows with its uniform number. Transcendental functions come from `libm`, so that the samples do
//! not hang on the platform.

mod bounded_pareto;
mod normal;
mod permutation;
mod sampler;
mod seed;
mod stream;

pub use bounded_pareto::{bounded_pareto_mean, bounded_pareto_quantile, bounded_pareto_shape};
pub use normal::{normal_cdf, normal_quantile};
pub use permutation::Order;
pub use seed::Seed;
pub use stream::Stream;

#[cfg(test)]
mod tests;
