//! Named random streams and inverse-transform samplers, the same on every machine.
//!
//! A run has one [`Seed`]. Each use of random numbers by one object takes a [`Stream`] by name
//! (`"flow/17/arrivals"`): an additional source or probe does not change other draws, and two
//! policies are compared with common random numbers.
//!
//! Every sampler inverts the distribution function of one uniform number, so one sample costs one
//! draw (`below` and the shuffles based on it draw again where a draw would cause a bias), and a
//! sample increases with its uniform number. Transcendental functions come from `libm`, so that the
//! samples do not depend on the platform.

mod bounded_pareto;
mod mix;
mod normal;
mod permutation;
mod sampler;
mod seed;
mod stream;

pub use bounded_pareto::{bounded_pareto_mean, bounded_pareto_quantile, bounded_pareto_shape};
pub use mix::mix;
pub use normal::{normal_cdf, normal_quantile};
pub use permutation::Order;
pub use seed::Seed;
pub use stream::Stream;

#[cfg(test)]
mod tests;
