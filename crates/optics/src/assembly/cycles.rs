//! Assembly cycles: until when the flows of a queue stay with it.
//!
//! A cycle is a number that grows when the burst of a queue leaves: this ends all assignments of the old cycle at once,
//! without a list of its flows.

use units::{Span, Time};

use super::place::Starts;
use crate::spec::{AssemblySpec, Cycle};

/// The current cycle of each queue of a class, as a number. Numbers wrap around; none is kept for
/// four billion cycles.
#[derive(Debug, Clone)]
pub(super) enum Cycles {
    /// Each queue's own, which ends when its burst leaves.
    Queue(Vec<u32>, Starts),
    /// One for all queues.
    Common(Common),
}

/// The cycle of all queues of a class: from the first packet in any of them to the timeout, or until
/// all are empty.
#[derive(Debug, Clone)]
pub(super) struct Common {
    number: u32,
    start: Time,
    timeout: Span,
    /// The cycle of the burst that each queue collects. It is an earlier one only at the instant at
    /// which that one ends, until the alarm of the queue is handled.
    bursts: Vec<Option<u32>>,
    /// How many queues collect in the current cycle. None: it has not started.
    collecting: u32,
}

impl Cycles {
    /// The cycles of empty queues.
    pub(super) fn new(spec: &AssemblySpec) -> Self {
        let queues = spec.queues.unwrap_or(1) as usize;
        match spec.cycle.unwrap_or_default() {
            Cycle::Queue => Self::Queue(vec![0; queues], Starts::new(spec)),
            Cycle::Common => Self::Common(Common {
                number: 0,
                start: Time::ZERO,
                timeout: spec.timeout(),
                bursts: vec![None; queues],
                collecting: 0,
            }),
        }
    }

    /// Ends the common cycle if its time is up. All alarms of its queues ring at one instant, between
    /// which packets may come: these belong to the next cycle, but a flow whose packets have not left
    /// stays with their queue.
    #[inline]
    pub(super) fn pass(&mut self, now: Time) {
        if let Self::Common(cycle) = self
            && cycle.collecting > 0
            && now > cycle.start.saturating_add(cycle.timeout)
        {
            cycle.end();
        }
    }

    /// Whether packets of a flow that went to a queue in a cycle may wait there still.
    #[inline]
    pub(super) fn holds(&self, queue: u32, cycle: u32) -> bool {
        match self {
            Self::Queue(numbers, _) => numbers[queue as usize] == cycle,
            Self::Common(common) => {
                cycle == common.number || common.bursts[queue as usize] == Some(cycle)
            }
        }
    }

    /// The present cycle of a queue.
    #[inline]
    pub(super) fn number(&self, queue: u32) -> u32 {
        match self {
            Self::Queue(numbers, _) => numbers[queue as usize],
            Self::Common(cycle) => cycle.number,
        }
    }

    /// A packet enters a queue: from when its burst collects if the packet opens it.
    #[inline]
    pub(super) fn enter(&mut self, now: Time, queue: u32) -> Time {
        match self {
            Self::Queue(_, starts) => starts.since(now, queue),
            Self::Common(cycle) => cycle.enter(now, queue),
        }
    }

    /// The burst of a queue has left.
    pub(super) fn release(&mut self, queue: u32) {
        match self {
            Self::Queue(numbers, _) => {
                let number = &mut numbers[queue as usize];
                *number = number.wrapping_add(1);
            }
            Self::Common(cycle) => cycle.release(queue),
        }
    }
}

impl Common {
    fn enter(&mut self, now: Time, queue: u32) -> Time {
        if self.collecting == 0 {
            self.start = now;
        }
        let burst = &mut self.bursts[queue as usize];
        if *burst != Some(self.number) {
            *burst = Some(self.number);
            self.collecting += 1;
        }
        self.start
    }

    fn release(&mut self, queue: u32) {
        if self.bursts[queue as usize].take() == Some(self.number) {
            self.collecting -= 1;
            if self.collecting == 0 {
                self.end();
            }
        }
    }

    fn end(&mut self) {
        self.number = self.number.wrapping_add(1);
        self.collecting = 0;
    }
}
