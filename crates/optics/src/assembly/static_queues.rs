//! Several queues, with each flow assigned permanently to one of them (SMQ).

use units::Time;

use super::flows::{Flows, SILENT};
use super::place::Starts;
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
    starts: Starts,
}

impl StaticQueues {
    /// Queues without flows.
    pub fn new(spec: &AssemblySpec) -> Self {
        let flows = Flows::new(SILENT + spec.timeout());
        Self { queues: spec.queues.unwrap_or(1), next: 0, flows, starts: Starts::new(spec) }
    }

    /// Where a packet waits.
    pub fn place(&mut self, now: Time, seen: Seen) -> Place {
        let known = self.flows.get(now, seen.flow, seen.life).map(|queue| *queue);
        let queue = known.unwrap_or_else(|| {
            let queue = self.next;
            self.next = (queue + 1) % self.queues;
            self.flows.insert(seen.flow, seen.life, queue);
            queue
        });
        self.reopen(now, queue)
    }

    /// The packet that was just placed has pushed out the burst of its queue.
    pub fn reopen(&mut self, now: Time, queue: u32) -> Place {
        Place { queue, since: self.starts.since(now, queue) }
    }
}
