//! Join the shortest queue with global knowledge: the lightpath whose output would be free first, the
//! first of several (Izquierdo-Zaragoza and Pavón-Mariño 2013, section III).

use super::{Ask, ties};

#[inline]
pub(super) fn choose(ask: &Ask<'_>, until_free: impl Fn(u32) -> u64) -> u32 {
    ties::first_least(ask.ports, until_free)
}
