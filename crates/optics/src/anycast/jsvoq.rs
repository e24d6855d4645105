//! Join the shortest virtual output queue: the one with the fewest bytes at the packet's own input,
//! which is often one of several empty ones (Izquierdo-Zaragoza and Pavón-Mariño 2013, section III).

use ::random::Stream;

use super::Ask;
use super::ties::least;

#[inline]
pub(super) fn choose(ask: &Ask<'_>, queued: impl Fn(u32) -> u64, draws: &mut Stream) -> u32 {
    least(ask.ports, queued, draws)
}
