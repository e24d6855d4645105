//! Erlang's loss formula.

/// Erlang's loss formula B(W, A), by its recursion.
pub(crate) fn erlang_b(channels: u32, load: f64) -> f64 {
    (1..=channels).fold(1.0, |b, n| load * b / (f64::from(n) + load * b))
}
