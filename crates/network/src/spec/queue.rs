//! Queues and random loss of electronic links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// An output queue. Its limit counts the packets that wait, either their number or their bytes;
/// the packet on the wire is not counted. The links that leave a hybrid switch have none, for its buffer
/// is shared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum QueueSpec {
    /// First in, first out; a packet that finds it full is dropped.
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
        /// The weight of the present queue in its average.
        #[serde(default = "red_weight")]
        #[schemars(range(min = 0, max = 1))]
        weight: f64,
        /// Whether the probability rises on to 1 between `max` and twice `max` instead of jumping.
        #[serde(default = "yes")]
        gentle: bool,
        /// Whether packets that can carry a mark are marked instead of dropped; read where a flow can.
        #[serde(default)]
        ecn: bool,
    },
    /// Drop-tail that marks each packet which finds more than `mark-above` packets waiting
    /// (the threshold of DCTCP, RFC 8257).
    EcnThreshold {
        /// Its limit in packets (this or `bytes`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 10_000_000))]
        packets: Option<u32>,
        /// Its limit in bytes (this or `packets`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
        bytes: Option<Bytes>,
        /// Packets that may wait before marking begins; read where a flow can carry marks.
        #[schemars(range(min = 0, max = 10_000_000))]
        mark_above: u32,
    },
}

impl QueueSpec {
    /// The limit in packets and the limit in bytes: exactly one is there in a checked scenario.
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

/// Random loss of packets on a link, drawn after the queue: a lost packet has used the wire.
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
        /// Which way packets are lost.
        #[serde(default)]
        direction: Direction,
    },
    /// Two states, good and bad, with a step at each packet (Gilbert 1960, Elliott 1963).
    GilbertElliott {
        /// The probability of a step from good to bad.
        #[schemars(range(min = 0, max = 1))]
        good_to_bad: f64,
        /// The probability of a step from bad to good.
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
        /// Which way packets are lost.
        #[serde(default)]
        direction: Direction,
    },
}

impl LossSpec {
    /// Which way packets are lost.
    pub fn direction(&self) -> Direction {
        match *self {
            Self::Bernoulli { direction, .. } | Self::GilbertElliott { direction, .. } => direction,
        }
    }
}

fn certain() -> f64 {
    1.0
}

/// One way of a link or both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Both ways, each with random numbers of its own.
    #[default]
    Both,
    /// The way of the link's definition only.
    Forward,
    /// The way back only.
    Backward,
}
