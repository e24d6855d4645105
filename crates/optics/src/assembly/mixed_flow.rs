//! One queue for all flows (MF).

use units::Time;

use super::Place;

/// One queue for all flows: nothing to remember.
#[derive(Debug, Clone, Copy)]
pub struct MixedFlow;

impl MixedFlow {
    /// Where a packet waits.
    #[inline]
    pub fn place(self, now: Time) -> Place {
        Place { queue: 0, since: now }
    }
}
