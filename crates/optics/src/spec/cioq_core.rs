//! Combined input and output queued (CIOQ) switches, and output-queued ones beside them: a scenario's
//! words for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

use super::{AnycastPolicy, SchedulerSpec};

/// Electronic switches that queue at inputs and outputs (CIOQ), as routers of the backbone are built.
///
/// A line card cuts each packet, when its last bit is in, into cells of one size and puts them into the
/// virtual output queue (VOQ) of the output that the packet takes. A scheduler matches inputs with
/// outputs anew for each slot of the fabric, and each match moves a cell. The output line card puts a
/// packet together again, and when its last cell is in, the packet joins the output's queue, which is
/// that of the link.
///
/// A slot lasts as long as a cell at `speedup` times the rate of the switch's fastest link; slots begin
/// at multiples of that from the start of the run. A packet may be asked for in the slot that begins
/// when its last bit is in, or later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CioqCoreSpec {
    /// Which lightpath of a bundle a packet takes, by what its input line card knows.
    pub anycast: AnycastPolicy,
    /// The silence between two flowlets; needed with `anycast = "flowlet"`, and only there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 h"))]
    pub flowlet_gap: Option<Span>,
    /// How many times faster than the fastest link the fabric moves cells, headers of cells included.
    #[schemars(range(min = 1, max = 1_024))]
    pub speedup: u32,
    /// A cell on the fabric.
    #[schemars(extend("x-min" = "1 B", "x-max" = "64 KiB"))]
    pub cell: Bytes,
    /// How much of a packet a cell carries; the last cell of a packet is filled up.
    #[schemars(extend("x-min" = "1 B", "x-max" = "64 KiB"))]
    pub cell_payload: Bytes,
    /// What all VOQs of a line card hold together; a packet that finds no room is lost. A packet counts
    /// with its bytes until its last cell has gone.
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub input_buffer: Bytes,
    /// What matches inputs with outputs.
    pub scheduler: SchedulerSpec,
}

impl Default for CioqCoreSpec {
    /// The switches of Izquierdo-Zaragoza and Pavón-Mariño (2013).
    fn default() -> Self {
        Self {
            anycast: AnycastPolicy::default(),
            flowlet_gap: None,
            speedup: 4,
            cell: Bytes(64),
            cell_payload: Bytes(48),
            input_buffer: Bytes(128_000_000),
            scheduler: SchedulerSpec::default(),
        }
    }
}

/// Electronic switches that queue at outputs alone: a packet is in the queue of its output as soon as
/// the switch knows where it goes, which takes a fabric as fast as all inputs together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct OutputQueuedCoreSpec {
    /// Which lightpath of a bundle a packet takes, by what the whole switch knows.
    pub anycast: AnycastPolicy,
    /// The silence between two flowlets; needed with `anycast = "flowlet"`, and only there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 h"))]
    pub flowlet_gap: Option<Span>,
    /// When a packet joins the queue of its output.
    pub switching: Switching,
}

/// When a packet joins the queue of its output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Switching {
    /// When its last bit is in.
    #[default]
    StoreAndForward,
    /// When its first bit is in: it may leave while it still comes in. The links of such a switch have
    /// one rate.
    CutThrough,
}
