//! What a scenario says about assembly, cores and control channels: plain values, as they are
//! written in the file.
//!
//! These types *are* the scenario's schema: their doc comments are the reference that users read.
//! What depends on two fields at once is checked by the crate `scenario`.

mod anycast;
mod assembly;
mod burst_core;
mod cioq_core;
mod circuit_core;
mod hybrid_core;
mod lightpath_core;
mod packet_core;
mod program;
mod scheduling;

pub use anycast::{AnycastPolicy, AnycastRule};
pub use assembly::{
    AllocationRule, AssemblyPolicy, AssemblySpec, Cycle, LossKnown, Overflow, PolicyFacts, Timer,
};
pub use burst_core::{
    BurstCoreSpec, ControlSpec, Conversion, FibreLoopSpec, Forwarding, Scheduling,
};
pub use cioq_core::{CioqCoreSpec, OutputQueuedCoreSpec, Switching};
pub use circuit_core::{
    CircuitCoreSpec, CircuitSchedule, DemandRule, DemandSpec, Phases, PrebufferSpec,
    RackForwarding, ShortFlowsSpec, ShortWay, TellBy, TellHostsSpec, WithoutCircuit,
};
pub use hybrid_core::{Buffering, HybridCoreSpec, Paths};
pub use lightpath_core::{LightConversion, LightpathCoreSpec, WavelengthAssignment};
pub use packet_core::{Deflection, Hold, Loops, PacketCoreSpec, PortOrder, Remedy};
pub use program::{AnycastProgram, AssemblyProgram, PolicyProgram};
pub use scheduling::SchedulerSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a burst, or to a header, for which no channel is free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhenBusy {
    /// The burst is lost.
    #[default]
    Drop,
    /// It waits until a channel is free.
    Wait,
}
