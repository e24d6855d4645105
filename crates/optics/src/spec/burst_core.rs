//! Core nodes of a burst-switched network, and the headers of bursts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

use super::WhenBusy;

/// The core nodes of a burst-switched network (OBS): what they do with bursts whose channels are
/// reserved by headers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BurstCoreSpec {
    /// Which of the free data channels a burst gets; edges choose by the same rule.
    pub scheduling: Scheduling,
    /// Onto which channels a core node can put a burst.
    pub conversion: Conversion,
    /// Wavelength converters per core node, only with `conversion = "partial"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub converters: Option<u32>,
    /// The delay of each data burst when it enters a core node or its egress edge. A header has no
    /// such delay, so its lead over the burst grows at each node.
    #[schemars(extend("x-max" = "1 s"))]
    pub input_delay: Span,
    /// Fibre delay lines, ascending, which are tried when no channel is free at a burst's time. One
    /// set per input channel, passed at most once, so there is no contention for lines. None by
    /// default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1_000))]
    pub fibre_delays: Vec<Span>,
    /// A pool of looped delay lines per node, instead of `fibre-delays`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fibre_loop: Option<FibreLoopSpec>,
    /// The minimum time between two bursts on a channel.
    #[schemars(extend("x-max" = "1 s"))]
    pub guard: Span,
    /// Whether a core node forwards a burst while it arrives.
    pub forwarding: Forwarding,
}

impl Default for BurstCoreSpec {
    fn default() -> Self {
        Self {
            scheduling: Scheduling::default(),
            conversion: Conversion::default(),
            converters: None,
            input_delay: Span::from_us(1),
            fibre_delays: Vec::new(),
            fibre_loop: None,
            guard: Span::ZERO,
            forwarding: Forwarding::default(),
        }
    }
}

/// Which of the free data channels a burst gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduling {
    /// Latest available unused channel with void filling (Xiong, Vandenhoude and Cankaya 2000):
    /// among the channels that are free for the whole burst, the one whose previous reservation
    /// ends latest, voids between reservations included; among equal ones the lowest number.
    #[default]
    LaucVf,
    /// The same, but a channel remembers only the latest of its voids, as the ns-2 extension of
    /// the paper's authors does.
    LaucVfOneVoid,
    /// Latest available unused channel without void filling, also called Horizon: a burst is placed
    /// after the last reservation of a channel, choosing the one that ends latest.
    Lauc,
    /// The channel with the lowest number that is free for the whole burst, voids included.
    FirstFit,
}

/// Onto which channels a core node can put a burst.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Conversion {
    /// Onto every channel of the next link.
    #[default]
    Full,
    /// Onto every channel while one of the node's converters is free, else only onto the channel
    /// with the number on which the burst arrives. The burst's own channel is tried first and needs
    /// no converter.
    Partial,
    /// Only onto the channel with the number on which the burst arrives.
    None,
}

/// A pool of looped fibre delay lines per node: k turns delay a burst by k times the sum of the
/// delay and the burst's duration, as in the ns-2 extension of the paper's authors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FibreLoopSpec {
    /// The delay of a line.
    #[schemars(extend("x-min" = "1 ps", "x-max" = "1 s"))]
    pub delay: Span,
    /// Lines per node.
    #[schemars(range(min = 1, max = 100_000))]
    pub lines: u32,
    /// How often a burst may pass its line.
    #[schemars(range(min = 1, max = 1_000))]
    pub turns: u32,
}

/// Whether a core node forwards a burst while it arrives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Forwarding {
    /// The first bit leaves when it has passed the node, as in an all-optical switch.
    #[default]
    CutThrough,
    /// The burst leaves when its last bit has arrived: each core node adds its transmission time.
    StoreAndForward,
}

/// How burst headers travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ControlSpec {
    /// The size of a burst header packet (BHP) on its control channel.
    #[schemars(extend("x-min" = "1 B", "x-max" = "65535 B"))]
    pub header: Bytes,
    /// The time that a core node takes to process a header.
    #[schemars(extend("x-max" = "1 s"))]
    pub processing: Span,
    /// What happens when no control channel is idle at a core node: the burst is lost with its
    /// header, or the header waits.
    pub when_busy: WhenBusy,
}

impl Default for ControlSpec {
    fn default() -> Self {
        Self { header: Bytes(64), processing: Span::from_us(1), when_busy: WhenBusy::default() }
    }
}
