//! One queue for all flows (MF).

use units::Time;

use super::Place;
use crate::spec::{AssemblySpec, Timer};

/// One queue for all flows; the only state is the start of a periodic timer.
#[derive(Debug, Clone, Copy)]
pub struct MixedFlow {
    timer: Timer,
    /// When the first packet arrived, with a periodic timer.
    first: Option<Time>,
}

impl MixedFlow {
    /// A queue that no packet has entered.
    pub fn new(spec: &AssemblySpec) -> Self {
        Self { timer: spec.timer, first: None }
    }

    /// Where a packet waits.
    #[inline]
    pub fn place(&mut self, now: Time) -> Place {
        let since = match self.timer {
            Timer::FirstPacket => now,
            Timer::Interval => *self.first.get_or_insert(now),
        };
        Place { queue: 0, since }
    }
}
