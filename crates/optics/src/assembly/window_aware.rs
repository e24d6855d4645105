//! Several queues, between which the congestion windows are balanced.

use units::{Span, Time};

use super::cycles::Cycles;
use super::flows::Flows;
use super::{Place, Seen};
use crate::spec::AssemblySpec;

/// Several queues. With its first packet in a cycle a flow goes to the queue whose flows'
/// congestion windows have the smallest sum, and stays with it until the cycle ends. The paper
/// `sync` proposes this without defining it: a lost burst then affects the smallest possible part
/// of the windows.
#[derive(Debug, Clone)]
pub struct WindowAware {
    cycles: Cycles,
    queues: Vec<Sum>,
    flows: Flows<Allocation>,
}

/// What waits in a queue.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    /// The cycle for which it holds.
    cycle: u32,
    /// The windows of the flows in it, each as last reported by its sender.
    windows: u64,
}

/// Where a flow is.
#[derive(Debug, Clone, Copy)]
struct Allocation {
    queue: u32,
    /// The cycle of the queue for which it holds.
    cycle: u32,
    window: u64,
}

impl WindowAware {
    /// Queues without flows.
    pub fn new(spec: &AssemblySpec) -> Self {
        let queues = spec.queues.unwrap_or(1) as usize;
        Self {
            cycles: Cycles::new(spec),
            queues: vec![Sum::default(); queues],
            // Where a flow is matters while packets wait, no longer than the timeout.
            flows: Flows::new(Span::from_secs(1) + spec.timeout()),
        }
    }

    /// Where a packet waits.
    pub fn place(&mut self, now: Time, seen: Seen) -> Place {
        self.cycles.pass(now);
        let Self { cycles, queues, flows } = self;
        let known = flows.get(now, seen.flow, seen.life);
        let Some(flow) = known.filter(|flow| cycles.holds(flow.queue, flow.cycle)) else {
            let queue = self.least();
            return self.join(now, queue, seen);
        };
        let queue = flow.queue;
        if flow.cycle != cycles.number(queue) {
            return self.join(now, queue, seen);
        }
        let sum = &mut queues[queue as usize];
        sum.windows = sum.windows - flow.window + seen.window;
        flow.window = seen.window;
        Place { queue, since: cycles.enter(now, queue) }
    }

    /// The queue with the smallest sum; ties to the lowest number.
    fn least(&self) -> u32 {
        let mut least = (u64::MAX, 0);
        for (queue, sum) in (0_u32..).zip(&self.queues) {
            let present = sum.cycle == self.cycles.number(queue);
            least = least.min((if present { sum.windows } else { 0 }, queue));
            if least.0 == 0 {
                break;
            }
        }
        least.1
    }

    /// A flow goes to a queue.
    fn join(&mut self, now: Time, queue: u32, seen: Seen) -> Place {
        let cycle = self.cycles.number(queue);
        let sum = &mut self.queues[queue as usize];
        if sum.cycle != cycle {
            *sum = Sum { cycle, windows: 0 };
        }
        sum.windows += seen.window;
        let allocation = Allocation { queue, cycle, window: seen.window };
        self.flows.insert(seen.flow, seen.life, allocation);
        Place { queue, since: self.cycles.enter(now, queue) }
    }

    /// The packet that was just placed has pushed out the burst of its queue.
    pub fn reopen(&mut self, now: Time, queue: u32, seen: Seen) -> Place {
        let before = self.cycles.number(queue);
        self.cycles.release(queue);
        if self.cycles.number(queue) == before {
            return Place { queue, since: self.cycles.enter(now, queue) };
        }
        self.join(now, queue, seen)
    }

    /// The burst of a queue has left.
    pub fn on_release(&mut self, queue: u32) {
        self.cycles.release(queue);
    }
}
