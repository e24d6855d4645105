//! One interface for all policies.

use extension::Fault;
use random::Stream;
use units::Time;

use super::{
    ActiveFlows, DynamicQueues, MixedFlow, OwnQueues, PerFlow, Place, Seen, StaticQueues,
    WindowAware,
};
use crate::spec::{AssemblyPolicy, AssemblySpec, Timer};

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
    /// A queue for each cycle, by a program.
    Program(Box<OwnQueues>),
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
            AssemblyPolicy::Program => Self::Program(Box::new(OwnQueues::new(spec, stream))),
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
            Self::Program(policy) => policy.place(now, seen),
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
            Self::PerFlow(_) => Place { queue, since: now },
            Self::StaticQueues(policy) => policy.reopen(now, queue),
            Self::DynamicQueues(policy) => policy.reopen(now, queue, seen),
            Self::WindowAware(policy) => policy.reopen(now, queue, seen),
            Self::Program(policy) => policy.reopen(now, queue, seen),
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
            Self::Program(policy) => policy.on_release(queue),
        }
    }

    /// A burst with a data packet of the flow was lost. Called only where the policy
    /// [wants it](Self::wants_losses).
    pub fn on_loss(&mut self, flow: u32) {
        match self {
            Self::DynamicQueues(policy) => policy.on_loss(flow),
            Self::Program(policy) => policy.on_loss(flow),
            Self::MixedFlow(_)
            | Self::PerFlow(_)
            | Self::ActiveFlows(_)
            | Self::StaticQueues(_)
            | Self::WindowAware(_) => {}
        }
    }

    /// Whether the policy looks at the packet that it finds a place for.
    #[inline]
    pub fn sees_packets(&self) -> bool {
        match self {
            Self::MixedFlow(_) => false,
            Self::PerFlow(_)
            | Self::ActiveFlows(_)
            | Self::StaticQueues(_)
            | Self::DynamicQueues(_)
            | Self::WindowAware(_)
            | Self::Program(_) => true,
        }
    }

    /// Whether the policy must be notified of losses at once.
    pub fn wants_losses(&self) -> bool {
        match self {
            Self::DynamicQueues(policy) => policy.wants_losses(),
            Self::Program(policy) => policy.knows_losses(),
            Self::MixedFlow(_)
            | Self::PerFlow(_)
            | Self::ActiveFlows(_)
            | Self::StaticQueues(_)
            | Self::WindowAware(_) => false,
        }
    }

    /// Whether the policy reads what no edge router sees: [`Seen::window`].
    pub fn reads_windows(&self) -> bool {
        match self {
            Self::WindowAware(_) | Self::Program(_) => true,
            Self::MixedFlow(_)
            | Self::PerFlow(_)
            | Self::ActiveFlows(_)
            | Self::StaticQueues(_)
            | Self::DynamicQueues(_) => false,
        }
    }

    /// Why a program cannot go on, if so.
    #[inline]
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Program(policy) => policy.fault(),
            Self::MixedFlow(_)
            | Self::PerFlow(_)
            | Self::ActiveFlows(_)
            | Self::StaticQueues(_)
            | Self::DynamicQueues(_)
            | Self::WindowAware(_) => None,
        }
    }
}
