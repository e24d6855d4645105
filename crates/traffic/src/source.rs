//! What a scenario says about a source.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span};

use crate::Size;

/// What a flow's application offers to its transport, and when.
///
/// Rates and sizes are those of the data offered: the headers that transport and network add come on
/// top.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum Source {
    /// Everything at the start: one file, or without end.
    Bulk {
        /// The size of the file; without it the source never ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        size: Option<Bytes>,
    },
    /// A constant bit rate: the first packet at the start, each further one when the bits of those
    /// before it have passed at the rate.
    Cbr {
        /// The bit rate of the data, headers not counted.
        #[schemars(extend("x-min" = "1 b/s", "x-max" = "1000 Tb/s"))]
        rate: Rate,
        /// The data in a packet.
        packet: Size,
    },
    /// Packets at the instants of a Poisson process.
    PoissonPackets {
        /// The mean bit rate of the data, headers not counted; with the mean packet size it gives
        /// the rate of packets.
        #[schemars(extend("x-min" = "1 b/s", "x-max" = "1000 Tb/s"))]
        rate: Rate,
        /// The data in a packet; its mean must be finite.
        packet: Size,
    },
    /// Packets in slots: in each slot of its own time a sender sends a packet with a given probability,
    /// whatever it did before (a Bernoulli process). That is the usual input of a switch in slotted time,
    /// with a packet that fills the slot (Karol, Hluchyj and Morgan 1987; McKeown 1999).
    ///
    /// All flows of a sender in the entry share its slots: at most one of them sends in a slot, each
    /// with the same probability. With the pattern `all` a sender so chooses a receiver for each
    /// packet.
    Bernoulli {
        /// The length of a slot, counted from `start`; the first begins there.
        #[schemars(extend("x-min" = "1 ps", "x-max" = "1000 s"))]
        slot: Span,
        /// The probability that a slot has a packet, above 0: the load of an input whose link takes
        /// a slot for a packet.
        #[schemars(range(min = 1e-9, max = 1.0))]
        probability: f64,
        /// The data in a packet.
        packet: Size,
    },
    /// Many alternating sources in one (Willinger, Taqqu, Sherman and Wilson 1997): each of the
    /// components is ON for as long as a drawn number of bytes takes at the peak rate, sends its
    /// packets back to back meanwhile, and is then OFF for an exponential time. A Pareto law of ON
    /// periods with a shape α between 1 and 2 makes the sum self-similar over long times, with the
    /// Hurst parameter (3 − α) / 2.
    ///
    /// The source starts in its steady state. A component's packets are an endless train at the peak
    /// rate, of which those are sent that begin while it is ON, each of them whole: the mean of what
    /// it sends in an ON period is the mean of `on`, so that `rate` is met whatever the packets.
    OnOff {
        /// The mean bit rate of the data of all components together, headers not counted; below
        /// `components` times `peak`. It sets the mean of the OFF periods.
        #[schemars(extend("x-min" = "1 b/s", "x-max" = "1000 Tb/s"))]
        rate: Rate,
        /// The bit rate of a component while it is ON.
        #[schemars(extend("x-min" = "1 b/s", "x-max" = "1000 Tb/s"))]
        peak: Rate,
        /// The number of components, independent of each other.
        #[schemars(range(min = 1, max = 100_000))]
        components: u32,
        /// The length of an ON period in bytes at the peak rate; its mean must be finite.
        on: Size,
        /// The data in a packet; its mean must be finite.
        packet: Size,
    },
    /// Writes of one size into the connection at the instants of a Poisson process.
    PoissonWrites {
        /// The mean bit rate of the data, headers not counted.
        #[schemars(extend("x-min" = "1 b/s", "x-max" = "1000 Tb/s"))]
        rate: Rate,
        /// The data in a write; one full segment unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        write: Option<Bytes>,
    },
    /// File transfers that begin at the instants of a Poisson process.
    Transfers {
        /// The mean number of transfers that begin in a second.
        #[schemars(range(min = 1e-9, max = 1e9))]
        per_second: f64,
        /// The size of a file.
        size: Size,
        /// The number of transfers after which the source ends; without it the source never ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 1_000_000_000))]
        limit: Option<u64>,
        /// Transfers in progress when the source starts, beside those that begin: the steady state
        /// from the start on. What each still has to send is drawn from the residual-life law of
        /// `size` (density (1 − F(x)) / mean), as it is where each transfer goes on at a rate that
        /// does not depend on its size; the mean size must be finite. Each draws a `start` of its
        /// own; `limit` does not count them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0, max = 10_000_000))]
        under_way: Option<u32>,
    },
    /// Everyone to everyone: each sender sends a block to each receiver but itself, in a random
    /// order of its own; the next block begins when one is over, all of it acknowledged. Needs the
    /// pattern `all`; each sender begins at a `start` of its own.
    Shuffle {
        /// The size of a block.
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        block: Bytes,
        /// The blocks that a sender sends at a time, at most.
        #[serde(default = "one")]
        #[schemars(range(min = 1, max = 100_000))]
        parallel: u32,
    },
    /// Reads that wait for all of their parts (Phanishayee et al. 2008): in each round several
    /// senders send a block to one receiver at the same instant, and the next round begins when the
    /// last block is over, all of it acknowledged, which is when a new request would reach that
    /// sender. Needs the pattern `all`; each receiver has rounds of its own and a `start` of its
    /// own.
    Incast {
        /// The size of a block.
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        block: Bytes,
        /// The rounds of each receiver.
        #[schemars(range(min = 1, max = 1_000_000_000))]
        rounds: u32,
        /// The senders of a round, drawn for each round; all but the receiver itself where it is
        /// left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 100_000))]
        senders: Option<u32>,
    },
}

fn one() -> u32 {
    1
}

impl Source {
    /// The mean rate of the data offered in b/s (by all flows of a sender together where they share its
    /// slots); `None` for a bulk source and a closed loop, which
    /// have none. Infinite where the mean size is.
    pub fn mean_rate(&self) -> Option<f64> {
        match self {
            Self::Bulk { .. } | Self::Shuffle { .. } | Self::Incast { .. } => None,
            Self::Cbr { rate, .. }
            | Self::PoissonPackets { rate, .. }
            | Self::OnOff { rate, .. }
            | Self::PoissonWrites { rate, .. } => Some(rate.as_f64()),
            Self::Bernoulli { slot, probability, packet } => {
                Some(probability * packet.mean() * 8.0 / slot.as_secs_f64())
            }
            Self::Transfers { per_second, size, .. } => Some(per_second * 8.0 * size.mean()),
        }
    }

    /// Whether what it offers next hangs on when earlier transfers end. No [`Generator`] knows that:
    /// such a source is run by the network.
    ///
    /// [`Generator`]: crate::Generator
    pub fn is_closed_loop(&self) -> bool {
        matches!(self, Self::Shuffle { .. } | Self::Incast { .. })
    }

    /// Whether the flows of a sender take turns: at most one of them offers at a time.
    pub fn is_shared_by_flows(&self) -> bool {
        matches!(self, Self::Bernoulli { .. })
    }

    /// Whether it offers files, whose data go as fast as the transport lets them.
    pub fn sends_files(&self) -> bool {
        self.is_closed_loop() || matches!(self, Self::Bulk { .. } | Self::Transfers { .. })
    }

    /// Transfers in progress when the source starts.
    pub fn under_way(&self) -> u32 {
        match self {
            Self::Transfers { under_way, .. } => under_way.unwrap_or(0),
            _ => 0,
        }
    }
}
