//! The lightpath of the destination: Not LB+AS in the paper, where destination d is reached over
//! lightpath d mod `b_D` (J.-L. Izquierdo-Zaragoza and P. Pavón-Mariño, ONDM 2013, section IV).

use super::{Ask, degree};

#[inline]
pub(super) fn choose(ask: &Ask<'_>) -> u32 {
    ask.rank % degree(ask)
}
