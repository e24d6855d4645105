//! Equal-cost multipath: a hash picks the lightpath, and all packets of a flow take the same
//! (C. Hopps, RFC 2992).

use super::Ask;

#[inline]
pub(super) fn choose(ask: &Ask<'_>) -> u32 {
    ask.hashed
}
