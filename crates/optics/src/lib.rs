//! Decisions of optical edges and cores as plain values: no events, no packets, no clock.
//!
//! A [`Policy`] says in which assembly queue a packet waits and an [`Assembly`] when the burst of
//! such a queue is released, [`Channels`] are the data channels of one link
//! under one reservation policy, [`ControlChannels`] its control channels, and a [`Switch`] is what
//! a core node does about contention: wavelength conversion and fibre delay lines. Time is an
//! argument everywhere; whoever calls keeps the packets and the bursts.
//!
//! Intervals are half-open: a burst that starts when another ends finds the channel free.

pub mod assembly;
pub mod control;
mod conversion;
mod fibre_delay;
mod pool;
pub mod reservation;
pub mod spec;
pub mod switch;

pub use assembly::{Assembly, Cause, Place, Policy, Seen, Thresholds};
pub use control::ControlChannels;
pub use reservation::{Candidates, Channels};
pub use spec::{
    AllocationRule, AssemblyPolicy, AssemblySpec, BurstCoreSpec, ControlSpec, Conversion, CoreSpec,
    Cycle, Deflection, FibreLoopSpec, Forwarding, Hold, Loops, LossKnown, Overflow, PacketCoreSpec,
    PortOrder, Remedy, Scheduling, Timer, WhenBusy,
};
pub use switch::{Grant, Request, Switch};

#[cfg(test)]
mod tests;
