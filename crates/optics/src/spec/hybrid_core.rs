//! Hybrid switches: a scenario's words for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// Hybrid switches (Samoud, Ware and Lourdiane 2014): as many azimuths (optical input and output
/// ports) as a switch has links, and a shared electronic buffer behind a few electronic ports. A
/// packet whose output is free passes as light; one that finds it busy waits in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HybridCoreSpec {
    /// Electronic ports into the buffer, and the same number out of it, at the rate of the links
    /// (nₑ). With none the switch is all-optical: a packet that finds its output busy is lost.
    #[schemars(range(min = 0, max = 1_024))]
    pub electronic_ports: u32,
    /// When a packet may leave the buffer.
    #[serde(default)]
    pub buffering: Buffering,
    /// Which of several outputs of equal cost a packet takes.
    #[serde(default)]
    pub paths: Paths,
    /// The capacity of the buffer of a switch; unlimited by default. A packet counts from its first
    /// bit in to its first bit out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub buffer_size: Option<Bytes>,
}

/// Which of several outputs of equal cost a packet takes at a hybrid switch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Paths {
    /// The one that `routing` chooses, busy or not.
    #[default]
    Drawn,
    /// One of those that are free when its first bit arrives, each with the same probability; the one that
    /// `routing` chooses if none is, for which it waits in the buffer.
    Free,
}

/// When a packet may leave the buffer of a hybrid switch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Buffering {
    /// When its last bit has arrived and its output is free.
    #[default]
    StoreAndForward,
    /// As soon as its output is free, even while it is still being received.
    CutThrough,
}
