//! One queue per flow (PF).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use units::Time;

use super::flows::Table;
use super::{Place, Seen};

/// A queue for each flow while it waits. The numbers of empty queues are used again, the lowest
/// first, so there are as many queues as flows waited at once at most.
#[derive(Debug, Clone, Default)]
pub struct PerFlow {
    queues: Queues,
}

impl PerFlow {
    /// Where a packet waits.
    pub fn place(&mut self, now: Time, seen: Seen) -> Place {
        Place { queue: self.queues.of(seen), since: now }
    }

    /// The burst of a queue has left.
    pub fn on_release(&mut self, queue: u32) {
        self.queues.free(queue);
    }
}

/// Which flow has which queue. Numbers are used again, the lowest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Queues {
    /// The queue of each flow that has one.
    of_flow: Table<u64, u32>,
    /// The flow of each queue.
    flows: Vec<u64>,
    free: BinaryHeap<Reverse<u32>>,
}

impl Queues {
    /// The queue of the flow of a packet, a free one if it has none.
    #[inline]
    pub(super) fn of(&mut self, seen: Seen) -> u32 {
        // A later flow of the same id may come while packets of the earlier one wait.
        let flow = u64::from(seen.life) << 32 | u64::from(seen.flow);
        let Self { of_flow, flows, free } = self;
        *of_flow.entry(flow).or_insert_with(|| {
            if let Some(Reverse(queue)) = free.pop() {
                flows[queue as usize] = flow;
                return queue;
            }
            flows.push(flow);
            u32::try_from(flows.len() - 1).expect("fewer queues than packets")
        })
    }

    /// The flow of a queue needs it no more.
    pub(super) fn free(&mut self, queue: u32) {
        self.of_flow.remove(&self.flows[queue as usize]).expect("the queue had a flow");
        self.free.push(Reverse(queue));
    }
}
