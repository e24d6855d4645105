//! Combined input and output queued (CIOQ) switches, and output-queued ones beside them: a scenario's
//! words for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

use super::{AnycastPolicy, AnycastProgram, AnycastRule, SchedulerSpec};

/// Electronic switches that queue at inputs and outputs (CIOQ), like backbone routers.
///
/// When the last bit of a packet has arrived, a line card cuts it into cells of equal size and puts
/// them into the virtual output queue (VOQ) of the packet's output. A scheduler matches inputs with
/// outputs for each slot of the fabric, and each match moves one cell. The output line card
/// reassembles a packet, and when its last cell has arrived, the packet joins the output's queue,
/// which is that of the link.
///
/// A slot lasts as long as a cell at `speedup` times the rate of the switch's fastest link; slots begin
/// at multiples of that from the start of the run. A packet may be matched in the slot that begins
/// when its last bit arrives, or later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CioqCoreSpec {
    /// Which lightpath of a bundle a packet takes, using the information of its input line card.
    pub anycast: AnycastPolicy,
    /// The silence between two flowlets; needed with `anycast = "flowlet"`, and only there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 h"))]
    pub flowlet_gap: Option<Span>,
    /// The program, only with `anycast = "program"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<Box<AnycastProgram>>,
    /// The rate of the fabric relative to the fastest link, counting whole cells with their
    /// headers.
    #[schemars(range(min = 1, max = 1_024))]
    pub speedup: u32,
    /// The size of a cell on the fabric.
    #[schemars(extend("x-min" = "1 B", "x-max" = "64 KiB"))]
    pub cell: Bytes,
    /// The payload of a cell; the last cell of a packet is padded.
    #[schemars(extend("x-min" = "1 B", "x-max" = "64 KiB"))]
    pub cell_payload: Bytes,
    /// The total capacity of all VOQs of a line card; a packet that does not fit is lost. A packet
    /// counts with its bytes until its last cell has left.
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub input_buffer: Bytes,
    /// The scheduler that matches inputs with outputs.
    pub scheduler: SchedulerSpec,
}

impl Default for CioqCoreSpec {
    /// The switches of Izquierdo-Zaragoza and Pavón-Mariño (2013).
    fn default() -> Self {
        Self {
            anycast: AnycastPolicy::default(),
            flowlet_gap: None,
            program: None,
            speedup: 4,
            cell: Bytes(64),
            cell_payload: Bytes(48),
            input_buffer: Bytes(128_000_000),
            scheduler: SchedulerSpec::default(),
        }
    }
}

impl CioqCoreSpec {
    /// How its switches choose lightpaths.
    pub fn anycast_rule(&self) -> AnycastRule<'_> {
        AnycastRule {
            policy: self.anycast,
            flowlet_gap: self.flowlet_gap,
            program: self.program.as_deref(),
        }
    }
}

/// Electronic switches that queue only at outputs: a packet joins the queue of its output as soon
/// as the switch knows its destination, which requires a fabric as fast as all inputs together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct OutputQueuedCoreSpec {
    /// Which lightpath of a bundle a packet takes, using the information of the whole switch.
    pub anycast: AnycastPolicy,
    /// The silence between two flowlets; needed with `anycast = "flowlet"`, and only there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 h"))]
    pub flowlet_gap: Option<Span>,
    /// The program, only with `anycast = "program"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<Box<AnycastProgram>>,
    /// When a packet joins the queue of its output.
    pub switching: Switching,
}

impl OutputQueuedCoreSpec {
    /// How its switches choose lightpaths.
    pub fn anycast_rule(&self) -> AnycastRule<'_> {
        AnycastRule {
            policy: self.anycast,
            flowlet_gap: self.flowlet_gap,
            program: self.program.as_deref(),
        }
    }
}

/// When a packet joins the queue of its output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// When its last bit has arrived.
    #[default]
    StoreAndForward,
    /// When its first bit has arrived: it may leave while it is still being received. All links of
    /// such a switch have the same rate.
    CutThrough,
}
