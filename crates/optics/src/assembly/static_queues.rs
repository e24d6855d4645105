//! Several queues, with each flow assigned permanently to one of them (SMQ).

use units::Time;

use super::flows::{Flows, SILENT};
use super::{Place, Seen};
use crate::spec::AssemblySpec;

/// Several queues, to which flows are assigned alternately in the order in which they first appear.
#[derive(Debug, Clone)]
pub struct StaticQueues {
    queues: u32,
    /// The queue of the next new flow.
    next: u32,
    /// The queue of each flow.
    flows: Flows<u32>,
}

impl StaticQueues {
    /// Queues without flows.
    pub fn new(spec: &AssemblySpec) -> Self {
        let flows = Flows::new(SILENT + spec.timeout());
        Self { queues: spec.queues.unwrap_or(1), next: 0, flows }
    }

    /// Where a packet waits.
    pub fn place(&mut self, now: Time, seen: Seen) -> Place {
        if let Some(&mut queue) = self.flows.get(now, seen.flow, seen.life) {
            return Place { queue, since: now };
        }
        let queue = self.next;
        self.next = (queue + 1) % self.queues;
        self.flows.insert(seen.flow, seen.life, queue);
        Place { queue, since: now }
    }
}
