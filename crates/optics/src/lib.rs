//! Decisions of optical edges and cores as plain values: no events, no packets, no clock.
//!
//! A [`Policy`] says in which assembly queue a packet waits and an [`Assembly`] when the burst of
//! such a queue is released, [`Channels`] are the data channels of one link
//! under one reservation policy and [`ControlChannels`] its control channels. A [`Switch`] resolves
//! contention in a core node that reserves ahead: by wavelength conversion and fibre delay lines; a
//! [`PacketSwitch`] in one without reservations, which may also send a packet to another port; a
//! [`HybridSwitch`] in one that buffers packets; a [`Schedule`](circuit::Schedule) says which racks
//! circuits join at a moment, and a [`Mesh`](rwa::Mesh) with a [`Grid`](rwa::Grid) of channels which way
//! a lightpath goes; an [`AbstractPath`] models a deflection path. An
//! [`Arbiter`] is the scheduler of an electronic fabric between virtual output queues, and
//! [`Anycast`] the choice of a lightpath in a bundle. Time is always an argument; the caller keeps
//! the packets and the bursts.
//!
//! Intervals are half-open: a burst that starts when another ends finds the channel free.

pub mod abstract_path;
pub mod anycast;
pub mod assembly;
pub mod cioq;
pub mod circuit;
pub mod control;
mod conversion;
mod fibre_delay;
pub mod hybrid_switch;
pub mod packet_switch;
mod pool;
pub mod program;
pub mod reservation;
pub mod rwa;
pub mod scheduling;
pub mod spec;
pub mod switch;

pub use abstract_path::AbstractPath;
pub use anycast::{Anycast, Ask, Ports};
pub use assembly::{Assembly, Cause, Place, Policy, Seen, Thresholds};
pub use control::ControlChannels;
pub use hybrid_switch::{Fate, HybridSwitch, Stored};
pub use packet_switch::{Arrival, PacketSwitch, Way};
pub use reservation::{Candidates, Channels};
pub use scheduling::{Arbiter, Mask, Requests};
pub use spec::{
    AllocationRule, AnycastPolicy, AnycastProgram, AnycastRule, AssemblyPolicy, AssemblyProgram,
    AssemblySpec, Buffering, BurstCoreSpec, CioqCoreSpec, CircuitCoreSpec, CircuitSchedule,
    ControlSpec, Conversion, Cycle, Deflection, DemandRule, DemandSpec, FibreLoopSpec, Forwarding,
    Hold, HybridCoreSpec, LightConversion, LightpathCoreSpec, Loops, LossKnown,
    OutputQueuedCoreSpec, Overflow, PacketCoreSpec, Paths, Phases, PolicyFacts, PolicyProgram,
    PortOrder, RackForwarding, Remedy, SchedulerSpec, Scheduling, ShortFlowsSpec, ShortWay,
    Switching, TellBy, Timer, WavelengthAssignment, WhenBusy, WithoutCircuit,
};
pub use switch::{Grant, Request, Switch};

#[cfg(test)]
mod tests;
