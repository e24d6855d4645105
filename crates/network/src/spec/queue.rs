//! Queues and random loss of electronic links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// An output queue. Its limit applies to the waiting packets, either their number or their bytes; the
/// packet on the wire is not counted. The links that leave a hybrid switch have no queue, because its
/// buffer is shared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum QueueSpec {
    /// First in, first out; a packet that arrives at a full queue is dropped.
    DropTail {
        /// Its limit in packets (this or `bytes`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 10_000_000))]
        packets: Option<u32>,
        /// Its limit in bytes (this or `packets`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
        bytes: Option<Bytes>,
    },
    /// Random early detection (Floyd and Jacobson 1993).
    Red {
        /// Its limit in packets (this or `bytes`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 10_000_000))]
        packets: Option<u32>,
        /// Its limit in bytes (this or `packets`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
        bytes: Option<Bytes>,
        /// The average queue, in packets, from which packets are dropped or marked.
        #[schemars(range(min = 0, max = 10_000_000))]
        min: f64,
        /// The average queue, in packets, at which `max-probability` is reached.
        #[schemars(range(min = 0, max = 10_000_000))]
        max: f64,
        /// The probability of a drop or mark when the average reaches `max`.
        #[serde(default = "red_max_probability")]
        #[schemars(range(min = 0, max = 1))]
        max_probability: f64,
        /// The weight of the current queue length in the average.
        #[serde(default = "red_weight")]
        #[schemars(range(min = 0, max = 1))]
        weight: f64,
        /// Whether the probability rises linearly to 1 between `max` and twice `max` instead of
        /// jumping to 1.
        #[serde(default = "yes")]
        gentle: bool,
        /// Whether packets that can carry a mark are marked instead of dropped; it has an effect only
        /// if a flow uses ECN.
        #[serde(default)]
        ecn: bool,
    },
    /// Drop-tail that marks each packet that finds more than `mark-above` packets waiting (the
    /// threshold of DCTCP, RFC 8257).
    EcnThreshold {
        /// Its limit in packets (this or `bytes`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 10_000_000))]
        packets: Option<u32>,
        /// Its limit in bytes (this or `packets`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
        bytes: Option<Bytes>,
        /// Packets that may wait before marking begins; it has an effect only if a flow uses ECN.
        #[schemars(range(min = 0, max = 10_000_000))]
        mark_above: u32,
    },
}

impl QueueSpec {
    /// The limit in packets and the limit in bytes: a checked scenario has exactly one.
    pub fn limits(&self) -> (Option<u32>, Option<Bytes>) {
        match *self {
            Self::DropTail { packets, bytes }
            | Self::Red { packets, bytes, .. }
            | Self::EcnThreshold { packets, bytes, .. } => (packets, bytes),
        }
    }
}

fn red_max_probability() -> f64 {
    0.1
}

fn red_weight() -> f64 {
    0.002
}

fn yes() -> bool {
    true
}

/// Random loss of packets on a link, drawn after the queue: a lost packet still takes transmission
/// time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum LossSpec {
    /// Each packet is lost independently of the others.
    Bernoulli {
        /// The probability that a packet is lost.
        #[schemars(range(min = 0, max = 1))]
        p: f64,
        /// The direction in which packets are lost.
        #[serde(default)]
        direction: Direction,
    },
    /// Two states, good and bad, with one transition per packet (Gilbert 1960, Elliott 1963).
    GilbertElliott {
        /// The probability of a transition from good to bad.
        #[schemars(range(min = 0, max = 1))]
        good_to_bad: f64,
        /// The probability of a transition from bad to good.
        #[schemars(range(min = 0, max = 1))]
        bad_to_good: f64,
        /// The probability that a packet is lost in the good state.
        #[serde(default)]
        #[schemars(range(min = 0, max = 1))]
        loss_good: f64,
        /// The probability that a packet is lost in the bad state.
        #[serde(default = "certain")]
        #[schemars(range(min = 0, max = 1))]
        loss_bad: f64,
        /// The direction in which packets are lost.
        #[serde(default)]
        direction: Direction,
    },
}

impl LossSpec {
    /// The direction in which packets are lost.
    pub fn direction(&self) -> Direction {
        match *self {
            Self::Bernoulli { direction, .. } | Self::GilbertElliott { direction, .. } => direction,
        }
    }
}

fn certain() -> f64 {
    1.0
}

/// One direction of a link or both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Both directions, with independent random numbers.
    #[default]
    Both,
    /// Only the direction in which the link is defined.
    Forward,
    /// Only the opposite direction.
    Backward,
}
