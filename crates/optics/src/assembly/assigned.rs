//! Several queues, to which a rule assigns flows anew.

use std::fmt;

use units::{Span, Time};

use super::cycles::Cycles;
use super::flows::Flows;
use super::{Place, Seen};
use crate::spec::{AssemblySpec, LossKnown};

/// Which queue a flow goes to.
pub trait Assign: fmt::Debug + Clone {
    /// How long a flow may be silent until what is known of it is forgotten, beyond the timeout.
    const REMEMBERED: Span;

    /// The queue of a flow of which no packet waits in the present cycle: a number below
    /// [`Queues::count`].
    fn assign(&mut self, now: Time, flow: Asking, queues: &Queues) -> u32;
}

/// A flow that is assigned, as its packet shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asking {
    /// Its packet.
    pub seen: Seen,
    /// The queue that it had before, if it is known.
    pub before: Option<u32>,
    /// Whether it has lost data since it was assigned to that one.
    pub lost: bool,
}

/// The queues of a class, with the flows that are in each of them in its present cycle.
#[derive(Debug, Clone)]
pub struct Queues {
    cycles: Cycles,
    sums: Vec<Sum>,
}

/// What is in a queue.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    /// The cycle for which it holds.
    cycle: u32,
    flows: u32,
    /// The windows of the flows, each as last reported by its sender.
    windows: u64,
}

impl Queues {
    /// How many there are.
    pub fn count(&self) -> u32 {
        u32::try_from(self.sums.len()).expect("the number of queues is one of 32 bits")
    }

    /// The flows in a queue, and the sum of their congestion windows in octets.
    pub fn inside(&self, queue: u32) -> (u32, u64) {
        let sum = self.sums[queue as usize];
        if sum.cycle == self.cycles.number(queue) { (sum.flows, sum.windows) } else { (0, 0) }
    }

    /// The sums of a queue in its present cycle.
    fn sum(&mut self, queue: u32) -> &mut Sum {
        let cycle = self.cycles.number(queue);
        let sum = &mut self.sums[queue as usize];
        if sum.cycle != cycle {
            *sum = Sum { cycle, ..Sum::default() };
        }
        sum
    }
}

/// Several queues. With its first packet in a cycle a flow goes to the queue that the rule says, and
/// stays with it until the cycle ends.
#[derive(Debug, Clone)]
pub struct Assigned<R> {
    pub(super) rule: R,
    pub(super) queues: Queues,
    flows: Flows<Allocation>,
    loss_known: LossKnown,
}

/// Where a flow is.
#[derive(Debug, Clone, Copy)]
struct Allocation {
    queue: u32,
    /// The cycle of the queue for which it holds.
    cycle: u32,
    window: u64,
    lost: bool,
}

impl<R: Assign> Assigned<R> {
    /// Queues without flows.
    pub(super) fn with(rule: R, spec: &AssemblySpec) -> Self {
        let count = spec.queues.unwrap_or(1) as usize;
        Self {
            rule,
            queues: Queues { cycles: Cycles::new(spec), sums: vec![Sum::default(); count] },
            flows: Flows::new(R::REMEMBERED + spec.timeout()),
            loss_known: spec.loss_known.unwrap_or_default(),
        }
    }

    /// Where a packet waits.
    pub fn place(&mut self, now: Time, seen: Seen) -> Place {
        let Self { rule, queues, flows, loss_known } = self;
        queues.cycles.pass(now);
        let known = flows.get(now, seen.flow, seen.life);
        let Some(flow) = known else {
            let queue = rule.assign(now, Asking { seen, before: None, lost: false }, queues);
            return self.join(now, queue, seen, false);
        };
        flow.lost |= seen.resent && *loss_known == LossKnown::Resent;
        let (queue, lost) = (flow.queue, flow.lost);
        if !queues.cycles.holds(queue, flow.cycle) {
            let queue = rule.assign(now, Asking { seen, before: Some(queue), lost }, queues);
            return self.join(now, queue, seen, false);
        }
        if flow.cycle != queues.cycles.number(queue) {
            return self.join(now, queue, seen, lost);
        }
        let sum = queues.sum(queue);
        sum.windows = sum.windows - flow.window + seen.window;
        flow.window = seen.window;
        Place { queue, since: queues.cycles.enter(now, queue) }
    }

    /// A flow goes to a queue.
    fn join(&mut self, now: Time, queue: u32, seen: Seen, lost: bool) -> Place {
        let cycle = self.queues.cycles.number(queue);
        let sum = self.queues.sum(queue);
        sum.flows += 1;
        sum.windows += seen.window;
        let allocation = Allocation { queue, cycle, window: seen.window, lost };
        self.flows.insert(seen.flow, seen.life, allocation);
        Place { queue, since: self.queues.cycles.enter(now, queue) }
    }

    /// The packet that was just placed has pushed out the burst of its queue.
    pub fn reopen(&mut self, now: Time, queue: u32, seen: Seen) -> Place {
        let cycles = &mut self.queues.cycles;
        let before = cycles.number(queue);
        cycles.release(queue);
        if cycles.number(queue) == before {
            return Place { queue, since: cycles.enter(now, queue) };
        }
        let lost = self.flows.latest(seen.flow).is_some_and(|flow| flow.lost);
        self.join(now, queue, seen, lost)
    }

    /// The burst of a queue has left.
    pub fn on_release(&mut self, queue: u32) {
        self.queues.cycles.release(queue);
    }

    /// A burst with a data packet of the flow was lost.
    pub fn on_loss(&mut self, flow: u32) {
        if let Some(flow) = self.flows.latest(flow) {
            flow.lost = true;
        }
    }

    /// Whether losses are known at once.
    pub(super) fn knows_losses(&self) -> bool {
        self.loss_known == LossKnown::AtOnce
    }
}
