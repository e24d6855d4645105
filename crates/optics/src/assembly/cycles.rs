//! Assembly cycles: until when the flows of a queue stay with it.

use units::{Span, Time};

use crate::spec::{AssemblySpec, Cycle};

/// The present cycle of each queue of a class, as a number. Numbers wrap round; nothing remembers
/// one for four thousand million cycles.
#[derive(Debug, Clone)]
pub(super) enum Cycles {
    /// Each queue's own, which ends when its burst leaves.
    Queue(Vec<u32>),
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
    /// Whether packets of this cycle wait, for each queue.
    waits: Vec<bool>,
    /// In how many queues they do. In none: the cycle has not started.
    waiting: u32,
}

impl Cycles {
    /// The cycles of empty queues.
    pub(super) fn new(spec: &AssemblySpec) -> Self {
        let queues = spec.queues.unwrap_or(1) as usize;
        match spec.cycle.unwrap_or_default() {
            Cycle::Queue => Self::Queue(vec![0; queues]),
            Cycle::Common => Self::Common(Common {
                number: 0,
                start: Time::ZERO,
                timeout: spec.timeout,
                waits: vec![false; queues],
                waiting: 0,
            }),
        }
    }

    /// Ends the common cycle if its time is up. All alarms of its queues ring at one instant, between
    /// which packets may come: these belong to the next cycle.
    #[inline]
    pub(super) fn pass(&mut self, now: Time) {
        if let Self::Common(cycle) = self
            && cycle.waiting > 0
            && now > cycle.start.saturating_add(cycle.timeout)
        {
            cycle.end();
        }
    }

    /// The present cycle of a queue.
    #[inline]
    pub(super) fn number(&self, queue: u32) -> u32 {
        match self {
            Self::Queue(numbers) => numbers[queue as usize],
            Self::Common(cycle) => cycle.number,
        }
    }

    /// A packet enters a queue: from when its burst collects if the packet opens it.
    #[inline]
    pub(super) fn enter(&mut self, now: Time, queue: u32) -> Time {
        match self {
            Self::Queue(_) => now,
            Self::Common(cycle) => cycle.enter(now, queue),
        }
    }

    /// The burst of a queue has left.
    pub(super) fn release(&mut self, queue: u32) {
        match self {
            Self::Queue(numbers) => {
                let number = &mut numbers[queue as usize];
                *number = number.wrapping_add(1);
            }
            Self::Common(cycle) => cycle.release(queue),
        }
    }
}

impl Common {
    fn enter(&mut self, now: Time, queue: u32) -> Time {
        if self.waiting == 0 {
            self.start = now;
        }
        let waits = &mut self.waits[queue as usize];
        self.waiting += u32::from(!*waits);
        *waits = true;
        self.start
    }

    fn release(&mut self, queue: u32) {
        let waits = &mut self.waits[queue as usize];
        // A burst of the cycle before may leave at the instant at which this one started.
        if !std::mem::take(waits) {
            return;
        }
        self.waiting -= 1;
        if self.waiting == 0 {
            self.number = self.number.wrapping_add(1);
        }
    }

    fn end(&mut self) {
        self.number = self.number.wrapping_add(1);
        self.waits.fill(false);
        self.waiting = 0;
    }
}
