//! Queues and random loss of electronic links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span};

/// Declares the kinds of queues; `@limit(packets, bytes);` stands for the limit that a kind has, in these keys.
macro_rules! queues {
    (
        $(#[$about:meta])*
        pub enum $Name:ident {
            $(
                $(#[$doc:meta])*
                $Kind:ident {
                    $(@limit($packets:ident, $bytes:ident);)?
                    $($(#[$key:meta])* $field:ident: $Value:ty,)*
                },
            )+
        }
    ) => {
        $(#[$about])*
        pub enum $Name {
            $(
                $(#[$doc])*
                $Kind {
                    $(
                        /// Its limit in packets (this or `bytes`).
                        #[serde(default, skip_serializing_if = "Option::is_none")]
                        #[schemars(range(min = 1, max = 10_000_000))]
                        $packets: Option<u32>,
                        /// Its limit in bytes (this or `packets`).
                        #[serde(default, skip_serializing_if = "Option::is_none")]
                        #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
                        $bytes: Option<Bytes>,
                    )?
                    $($(#[$key])* $field: $Value,)*
                },
            )+
        }

        impl $Name {
            /// The limit in packets and the limit in bytes: a checked scenario has exactly one.
            pub fn limits(&self) -> (Option<u32>, Option<Bytes>) {
                match *self {
                    $(Self::$Kind { packets, bytes, .. } => (packets, bytes),)+
                }
            }
        }
    };
}

queues! {
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
            @limit(packets, bytes);
        },
        /// Random early detection (Floyd and Jacobson 1993).
        Red {
            @limit(packets, bytes);
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
        /// Drop-tail that marks each packet that finds more than `mark-above` waiting (the threshold of
        /// DCTCP, RFC 8257).
        EcnThreshold {
            @limit(packets, bytes);
            /// What may wait before marking begins, whatever the limit is in; it has an effect only if a flow uses
            /// ECN.
            mark_above: MarkAbove,
        },
        /// CoDel (RFC 8289): packets are dropped, or marked, when they have waited for longer than a target for an interval. It
        /// acts where a link leaves a router; the interface of a host is drop-tail with the same limit.
        Codel {
            @limit(packets, bytes);
            /// The wait that is acceptable.
            #[serde(default = "codel_target")]
            #[schemars(extend("x-min" = "1 us", "x-max" = "10 s"))]
            target: Span,
            /// For how long the wait has to be above `target`: a round-trip time that is long for the path.
            #[serde(default = "codel_interval")]
            #[schemars(extend("x-min" = "1 us", "x-max" = "100 s"))]
            interval: Span,
            /// Whether packets that can carry a mark are marked instead of dropped; it has an effect only
            /// if a flow uses ECN.
            #[serde(default)]
            ecn: bool,
        },
        /// FQ-CoDel (RFC 8290): a CoDel queue for each flow, served in turn, those that have just begun first. It acts where a
        /// link leaves a router; the interface of a host is drop-tail with the same limit.
        FqCodel {
            @limit(packets, bytes);
            /// The wait that is acceptable.
            #[serde(default = "codel_target")]
            #[schemars(extend("x-min" = "1 us", "x-max" = "10 s"))]
            target: Span,
            /// For how long the wait has to be above `target`: a round-trip time that is long for the path.
            #[serde(default = "codel_interval")]
            #[schemars(extend("x-min" = "1 us", "x-max" = "100 s"))]
            interval: Span,
            /// Whether packets that can carry a mark are marked instead of dropped; it has an effect only
            /// if a flow uses ECN.
            #[serde(default = "yes")]
            ecn: bool,
            /// The number of queues, over which flows are spread by their hash.
            #[serde(default = "fq_flows")]
            #[schemars(range(min = 1, max = 65_536))]
            flows: u32,
            /// The bytes on the wire that a queue sends in its turn.
            #[serde(default = "fq_quantum")]
            #[schemars(extend("x-min" = "1 B", "x-max" = "1 MB"))]
            quantum: Bytes,
        },
        /// A queue for each flow, served in turn (deficit round robin, Shreedhar and Varghese 1996): flows that always have packets
        /// waiting get the same rate, and one that has few waits for a packet of each other. Where it is full the flow with the
        /// most bytes loses its first packet. It acts where a link leaves a router; the interface of a host is drop-tail with
        /// the same limit.
        Fair {
            @limit(packets, bytes);
            /// The bytes on the wire that a flow sends in its turn.
            #[serde(default = "fq_quantum")]
            #[schemars(extend("x-min" = "64 B", "x-max" = "1 MB"))]
            quantum: Bytes,
        },
        /// DualPI2 (RFC 9332): a queue for L4S traffic (`congestion = "prague"`) that is marked from a low threshold on, and one
        /// for all other, coupled so that flows of both share alike. It acts where a link leaves a router; the interface of a
        /// host is drop-tail with the same limit.
        #[serde(rename = "dualpi2")]
        DualPi2 {
            @limit(packets, bytes);
            /// The wait at which the Classic queue is held.
            #[serde(default = "dualpi2_target")]
            #[schemars(extend("x-min" = "1 us", "x-max" = "10 s"))]
            target: Span,
            /// How often the probability is updated (Tupdate).
            #[serde(default = "dualpi2_update")]
            #[schemars(extend("x-min" = "1 us", "x-max" = "10 s"))]
            update: Span,
            /// The gain of the difference from the target, in Hz.
            #[serde(default = "dualpi2_alpha")]
            #[schemars(range(min = 0, max = 1_000))]
            alpha: f64,
            /// The gain of the growth of the wait, in Hz.
            #[serde(default = "dualpi2_beta")]
            #[schemars(range(min = 0, max = 1_000))]
            beta: f64,
            /// How much more often L4S packets are marked than the square root of Classic losses is (k).
            #[serde(default = "dualpi2_coupling")]
            #[schemars(range(min = 0.1, max = 100))]
            coupling: f64,
            /// The wait from which L4S packets are marked by their own queue (minTh).
            #[serde(default = "dualpi2_threshold")]
            #[schemars(extend("x-max" = "10 s"))]
            threshold: Span,
            /// By how much longer waits are marked always; with 0 s the threshold is a step.
            #[serde(default = "dualpi2_range")]
            #[schemars(extend("x-max" = "10 s"))]
            range: Span,
            /// The share of Classic traffic where packets of both wait.
            #[serde(default = "dualpi2_weight")]
            #[schemars(range(min = 0, max = 0.9))]
            classic_weight: f64,
        },
        /// Drop-tail with packet trimming: a packet of a message transport that finds it full loses its data, and its header
        /// goes before all data, as packets without data do (M. Handley et al. 2017; UEC specification 1.0). It acts where a
        /// link leaves a router; the interface of a host is drop-tail with the same limit.
        Trimming {
            /// Its limit in packets with data (this or `bytes`).
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(range(min = 1, max = 10_000_000))]
            packets: Option<u32>,
            /// Its limit in bytes of packets with data (this or `packets`).
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
            bytes: Option<Bytes>,
            /// The bytes on the wire that are left of a packet.
            #[serde(default = "trimming_header")]
            #[schemars(extend("x-min" = "1 B", "x-max" = "65535 B"))]
            header: Bytes,
            /// The most packets without data that wait.
            #[serde(default = "trimming_headers")]
            #[schemars(range(min = 1, max = 10_000_000))]
            headers: u32,
            /// The share of the limit above which packets that can carry a mark are marked, the more likely the more wait; 1
            /// for never.
            #[serde(default = "trimming_mark_from")]
            #[schemars(range(min = 0, max = 1))]
            mark_from: f64,
            /// The share from which all are marked.
            #[serde(default = "trimming_mark_until")]
            #[schemars(range(min = 0, max = 1))]
            mark_until: f64,
        },
        /// First in, first out at the rate of a token bucket, if that is below the link's. It acts where a link leaves a
        /// router; the interface of a host is drop-tail with the same limit.
        Shaper {
            @limit(packets, bytes);
            /// The rate at which tokens come.
            #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
            rate: Rate,
            /// The most tokens, in bytes on the wire: they pass at the rate of the link.
            #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
            burst: Bytes,
        },
        /// Drop-tail behind a token-bucket policer: packets for which there are no tokens are dropped.
        Policer {
            @limit(packets, bytes);
            /// The rate at which tokens come.
            #[schemars(extend("x-min" = "1 kb/s", "x-max" = "100 Tb/s"))]
            rate: Rate,
            /// The most tokens, in bytes on the wire.
            #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
            burst: Bytes,
        },
    }
}

/// What may wait in a queue before it marks packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MarkAbove {
    /// A number is that of packets.
    Packets(#[schemars(range(min = 0, max = 10_000_000))] u32),
    /// A size is that of whole packets on the wire.
    Bytes(#[schemars(extend("x-max" = "100 GB"))] Bytes),
}

impl QueueSpec {
    /// Drop-tail with a limit in packets.
    pub const fn packets(packets: u32) -> Self {
        Self::DropTail { packets: Some(packets), bytes: None }
    }

    /// Drop-tail with a limit in bytes.
    pub const fn bytes(bytes: Bytes) -> Self {
        Self::DropTail { packets: None, bytes: Some(bytes) }
    }

    /// Whether it decides when a packet leaves, so that this is not known when it comes.
    pub fn is_managed(&self) -> bool {
        match self {
            Self::DropTail { .. }
            | Self::Red { .. }
            | Self::EcnThreshold { .. }
            | Self::Policer { .. } => false,
            Self::Codel { .. }
            | Self::FqCodel { .. }
            | Self::Fair { .. }
            | Self::DualPi2 { .. }
            | Self::Shaper { .. }
            | Self::Trimming { .. } => true,
        }
    }

    /// Whether it marks packets that can carry a mark.
    pub fn marks(&self) -> bool {
        self.marking_key().is_some()
    }

    /// The key by which it marks packets, if it does.
    pub fn marking_key(&self) -> Option<&'static str> {
        let (key, marks) = match *self {
            Self::EcnThreshold { .. } => ("mark-above", true),
            Self::DualPi2 { .. } => ("kind", true),
            Self::Trimming { mark_from, .. } => ("mark-from", mark_from < 1.0),
            Self::Red { ecn, .. } | Self::Codel { ecn, .. } | Self::FqCodel { ecn, .. } => {
                ("ecn", ecn)
            }
            Self::DropTail { .. }
            | Self::Fair { .. }
            | Self::Shaper { .. }
            | Self::Policer { .. } => return None,
        };
        marks.then_some(key)
    }

    /// The queue of a host's interface: drop-tail in place of one that decides when a packet leaves.
    #[must_use]
    pub fn of_interface(self) -> Self {
        if !self.is_managed() {
            return self;
        }
        let (packets, bytes) = self.limits();
        Self::DropTail { packets, bytes }
    }
}

fn codel_target() -> Span {
    Span::from_ms(5)
}

fn codel_interval() -> Span {
    Span::from_ms(100)
}

fn fq_flows() -> u32 {
    1024
}

fn fq_quantum() -> Bytes {
    Bytes(1514)
}

fn dualpi2_target() -> Span {
    Span::from_ms(15)
}

fn dualpi2_update() -> Span {
    Span::from_ms(16)
}

fn dualpi2_alpha() -> f64 {
    0.16
}

fn dualpi2_beta() -> f64 {
    3.2
}

fn dualpi2_coupling() -> f64 {
    2.0
}

fn dualpi2_threshold() -> Span {
    Span::from_us(800)
}

fn dualpi2_range() -> Span {
    Span::from_us(400)
}

fn dualpi2_weight() -> f64 {
    1.0 / 16.0
}

/// The headers of UEC and of NDP.
fn trimming_header() -> Bytes {
    Bytes(64)
}

fn trimming_headers() -> u32 {
    1_000
}

/// The marks of UEC's simulator, where the limit is what fills the path of an idle network.
fn trimming_mark_from() -> f64 {
    0.2
}

fn trimming_mark_until() -> f64 {
    0.8
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
