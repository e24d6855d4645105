//! A queue a flow (PF).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use units::Time;

use super::flows::Table;
use super::{Place, Seen};

/// A queue for each flow while it waits. The numbers of empty queues are used again, the lowest
/// first, so there are as many queues as flows waited at once at most.
#[derive(Debug, Clone, Default)]
pub struct PerFlow {
    /// The queue of each flow that waits.
    queues: Table<u64, u32>,
    /// The flow of each queue.
    flows: Vec<u64>,
    free: BinaryHeap<Reverse<u32>>,
}

impl PerFlow {
    /// Where a packet waits.
    pub fn place(&mut self, now: Time, seen: Seen) -> Place {
        // A later flow of the same id may come while packets of the earlier one wait.
        let flow = u64::from(seen.life) << 32 | u64::from(seen.flow);
        let Self { queues, flows, free } = self;
        let queue = *queues.entry(flow).or_insert_with(|| {
            if let Some(Reverse(queue)) = free.pop() {
                flows[queue as usize] = flow;
                return queue;
            }
            flows.push(flow);
            u32::try_from(flows.len() - 1).expect("fewer queues than packets")
        });
        Place { queue, since: now }
    }

    /// The burst of a queue has left.
    pub fn on_release(&mut self, queue: u32) {
        self.queues.remove(&self.flows[queue as usize]).expect("the queue had a flow");
        self.free.push(Reverse(queue));
    }
}
