//! What a policy sees of a packet, and where it puts it.

use units::Time;

use crate::spec::{AssemblySpec, Timer};

/// What a policy sees of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The id of its flow; used again by later flows.
    pub flow: u32,
    /// Which flow of that id it is.
    pub life: u32,
    /// Whether it carries data that was sent before.
    pub resent: bool,
    /// The congestion window of its flow, in octets; none for an acknowledgment, whose loss reduces
    /// no window. Only [`WindowAware`](super::WindowAware) reads it: an oracle, since no edge router
    /// could see it.
    pub window: u64,
}

/// Where a packet waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of the queue.
    pub queue: u32,
    /// From when the burst collects if this packet opens it: now, or the start of the common cycle.
    /// With a timer that runs on, from when it does if no burst has left by its size: the first
    /// packet of the queue, or of the flow that has the queue.
    pub since: Time,
}

/// When the timers of some queues started that run on: each with the first packet of its queue.
#[derive(Debug, Clone)]
pub(super) struct Starts(Vec<Option<Time>>);

impl Starts {
    /// Of queues that no packet has entered; of none if the timer starts with each burst.
    pub(super) fn new(spec: &AssemblySpec) -> Self {
        match spec.timer {
            Timer::FirstPacket => Self(Vec::new()),
            Timer::Interval => Self(vec![None; spec.queues.unwrap_or(1) as usize]),
        }
    }

    /// What [`Place::since`] is of a packet that comes now.
    #[inline]
    pub(super) fn since(&mut self, now: Time, queue: u32) -> Time {
        self.0.get_mut(queue as usize).map_or(now, |start| *start.get_or_insert(now))
    }
}
