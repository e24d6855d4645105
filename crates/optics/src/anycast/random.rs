//! A random lightpath, each with the same probability.

use ::random::Stream;

use super::{Ask, degree};

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "below the number of ports")]
pub(super) fn choose(ask: &Ask<'_>, draws: &mut Stream) -> u32 {
    draws.below(u64::from(degree(ask))) as u32
}
