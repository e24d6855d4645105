//! One interface for all policies.

use random::Stream;
use units::Time;

use super::{ActiveFlows, DynamicQueues, MixedFlow, PerFlow, StaticQueues, WindowAware};
use crate::spec::{AssemblyPolicy, AssemblySpec, Timer};

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
    /// no window. Only [`WindowAware`] reads it: an oracle, since no edge router could see it.
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

/// In which assembly queue of its class a packet waits.
#[derive(Debug, Clone)]
pub enum Policy {
    /// One queue for all flows.
    MixedFlow(MixedFlow),
    /// One queue per flow while it waits.
    PerFlow(PerFlow),
    /// One queue per flow while it is active.
    ActiveFlows(ActiveFlows),
    /// A permanent queue.
    StaticQueues(StaticQueues),
    /// A queue for each cycle, drawn at random.
    DynamicQueues(Box<DynamicQueues>),
    /// A queue for each cycle, by the congestion windows.
    WindowAware(Box<WindowAware>),
}

impl Policy {
    /// The policy of a class without packets. Draws, if any, come from the stream. A policy with
    /// several queues has one where the spec does not say how many; a scenario's check does not let
    /// that pass.
    pub fn new(spec: &AssemblySpec, stream: Stream) -> Self {
        match spec.policy {
            AssemblyPolicy::MixedFlow | AssemblyPolicy::None => {
                Self::MixedFlow(MixedFlow::new(spec))
            }
            AssemblyPolicy::PerFlow => match spec.timer {
                Timer::FirstPacket => Self::PerFlow(PerFlow::default()),
                Timer::Interval => Self::ActiveFlows(ActiveFlows::new(spec)),
            },
            AssemblyPolicy::StaticQueues => Self::StaticQueues(StaticQueues::new(spec)),
            AssemblyPolicy::DynamicQueues => {
                Self::DynamicQueues(Box::new(DynamicQueues::new(spec, stream)))
            }
            AssemblyPolicy::WindowAware => Self::WindowAware(Box::new(WindowAware::new(spec))),
        }
    }

    /// Where a packet that comes now waits.
    #[inline]
    pub fn place(&mut self, now: Time, seen: Seen) -> Place {
        match self {
            Self::MixedFlow(policy) => policy.place(now),
            Self::PerFlow(policy) => policy.place(now, seen),
            Self::ActiveFlows(policy) => policy.place(now, seen),
            Self::StaticQueues(policy) => policy.place(now, seen),
            Self::DynamicQueues(policy) => policy.place(now, seen),
            Self::WindowAware(policy) => policy.place(now, seen),
        }
    }

    /// The packet that was just placed has pushed out the burst of its queue: the queue's other
    /// flows are free, and the packet opens the next cycle there. Takes the place of
    /// [`on_release`](Self::on_release).
    #[inline]
    pub fn reopen(&mut self, now: Time, queue: u32, seen: Seen) -> Place {
        match self {
            // The assignment of a flow does not depend on releases.
            Self::MixedFlow(policy) => policy.place(now),
            Self::ActiveFlows(policy) => policy.reopen(queue),
            Self::PerFlow(_) | Self::StaticQueues(_) => Place { queue, since: now },
            Self::DynamicQueues(policy) => policy.reopen(now, queue, seen),
            Self::WindowAware(policy) => policy.reopen(now, queue, seen),
        }
    }

    /// The burst of a queue has left, and nothing waits there: its flows are free.
    #[inline]
    pub fn on_release(&mut self, queue: u32) {
        match self {
            Self::MixedFlow(_) | Self::ActiveFlows(_) | Self::StaticQueues(_) => {}
            Self::PerFlow(policy) => policy.on_release(queue),
            Self::DynamicQueues(policy) => policy.on_release(queue),
            Self::WindowAware(policy) => policy.on_release(queue),
        }
    }

    /// A burst with a data packet of the flow was lost. Called only where the policy
    /// [wants it](Self::wants_losses).
    pub fn on_loss(&mut self, flow: u32) {
        if let Self::DynamicQueues(policy) = self {
            policy.on_loss(flow);
        }
    }

    /// Whether the policy must be notified of losses at once.
    pub fn wants_losses(&self) -> bool {
        matches!(self, Self::DynamicQueues(policy) if policy.wants_losses())
    }

    /// Whether the policy reads what no edge router sees: [`Seen::window`].
    pub fn reads_windows(&self) -> bool {
        matches!(self, Self::WindowAware(_))
    }
}
