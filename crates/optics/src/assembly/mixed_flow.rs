//! One queue for all flows (MF).

use units::Time;

use super::Place;
use super::place::Starts;
use crate::spec::AssemblySpec;

/// One queue for all flows; the only state is the start of a periodic timer.
#[derive(Debug, Clone)]
pub struct MixedFlow(Starts);

impl MixedFlow {
    /// A queue that no packet has entered.
    pub fn new(spec: &AssemblySpec) -> Self {
        Self(Starts::new(spec))
    }

    /// Where a packet waits.
    #[inline]
    pub fn place(&mut self, now: Time) -> Place {
        Place { queue: 0, since: self.0.since(now, 0) }
    }
}
