//! What a scenario says about a source.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, MeanRate, Rate, Span};

use crate::{Algorithm, ListedFlow, ListedOperation, Size};

/// What a flow's application offers to its transport, and when.
///
/// Rates and sizes are those of the data offered: the headers of transport and network are added to
/// them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum Source {
    /// All data at the start: one file, or an endless supply.
    Bulk {
        /// The size of the file; without it the source never ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        size: Option<Bytes>,
    },
    /// A constant bit rate: the first packet at the start, each further one after the time that the
    /// bits of those before it take at the rate.
    Cbr {
        /// The bit rate of the data, headers not counted.
        #[schemars(extend("x-min" = "1e-15 b/s", "x-max" = "1000 Tb/s"))]
        rate: MeanRate,
        /// The data in a packet.
        packet: Size,
    },
    /// Packets at the instants of a Poisson process.
    PoissonPackets {
        /// The mean bit rate of the data, headers not counted; with the mean packet size it gives
        /// the rate of packets.
        #[schemars(extend("x-min" = "1e-15 b/s", "x-max" = "1000 Tb/s"))]
        rate: MeanRate,
        /// The data in a packet; its mean must be finite.
        packet: Size,
    },
    /// Packets in slots: in each of its slots a sender sends a packet with a given probability,
    /// independently of earlier slots (a Bernoulli process). That is the usual input of a switch in
    /// slotted time, with a packet that fills the slot (Karol, Hluchyj and Morgan 1987; McKeown
    /// 1999).
    ///
    /// All flows of a sender in the entry share its slots: at most one of them sends in a slot, each
    /// with the same probability. With the pattern `all` a sender thus chooses a receiver for each
    /// packet.
    Bernoulli {
        /// The length of a slot; the first slot begins at `start`.
        #[schemars(extend("x-min" = "1 ps", "x-max" = "1000 s"))]
        slot: Span,
        /// The probability that a slot has a packet, above 0: the load of an input whose link needs
        /// one slot for a packet.
        #[schemars(range(min = 1e-9, max = 1.0))]
        probability: f64,
        /// The data in a packet.
        packet: Size,
    },
    /// Many alternating sources in one (Willinger, Taqqu, Sherman and Wilson 1997): each of the
    /// components is ON for the time that a drawn number of bytes takes at the peak rate, sends its
    /// packets back to back during that time, and is then OFF for an exponential time. A Pareto
    /// distribution of ON periods with a shape α between 1 and 2 makes the sum self-similar over
    /// long times, with the Hurst parameter (3 − α) / 2.
    ///
    /// The source starts in its steady state. A component's packets form an endless train at the
    /// peak rate, of which those that begin while it is ON are sent completely: the mean amount
    /// that it sends in an ON period is the mean of `on`, so that `rate` is met for any packet
    /// sizes.
    OnOff {
        /// The total mean bit rate of the data of all components, headers not counted; below
        /// `components` times `peak`. It sets the mean of the OFF periods.
        #[schemars(extend("x-min" = "1e-15 b/s", "x-max" = "1000 Tb/s"))]
        rate: MeanRate,
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
        #[schemars(extend("x-min" = "1e-15 b/s", "x-max" = "1000 Tb/s"))]
        rate: MeanRate,
        /// The data in a write; one full segment by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        write: Option<Bytes>,
    },
    /// File transfers that begin at the instants of a Poisson process.
    Transfers {
        /// The mean number of transfers that begin in a second; with 0 there are only those under way.
        #[schemars(range(min = 0, max = 1e9))]
        per_second: f64,
        /// The size of a file.
        size: Size,
        /// The number of transfers after which the source ends; without it the source never ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 1_000_000_000))]
        limit: Option<u64>,
        /// Transfers in progress when the source starts, in addition to those that begin: the
        /// steady state from the start on. The remaining data of each are drawn from the
        /// residual-life distribution of `size` (density (1 − F(x)) / mean), which is exact if the
        /// rate of a transfer does not depend on its size; the mean size must be finite. Each draws
        /// its own `start`; `limit` does not count them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0, max = 10_000_000))]
        under_way: Option<u32>,
    },
    /// File transfers from a list, such as a trace: which host sends how much to which, and from when on.
    /// The flows of one instant start in the order of the list. Hosts are among `from` and `to`.
    Flows {
        /// A table in CSV or Parquet with the columns `start` (a number of seconds, or a text such as
        /// `1.5 ms`), `from`, `to` and `size` (a number of bytes, or a text such as `6 kB`), a flow in each
        /// row and in any order; instead of `flows`. Rows without a start are left out. A relative path
        /// starts at the folder of the file that names it, on the command line and in Python at the
        /// current directory.
        #[serde(default, skip_serializing)]
        #[schemars(
            length(min = 1, max = 4_096),
            extend("x-file" = { "content": "flows", "key": "flows" })
        )]
        file: Option<Box<str>>,
        /// The flows.
        #[serde(default)]
        #[schemars(length(max = 1_000_000))]
        flows: Arc<[ListedFlow]>,
    },
    /// All to all: each sender sends a block to each receiver except itself, in its own random
    /// order; the next block begins when one has been acknowledged completely. Needs the pattern
    /// `all`; each sender begins at its own `start`.
    Shuffle {
        /// The size of a block.
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        block: Bytes,
        /// The maximum number of blocks that a sender sends at a time.
        #[serde(default = "one")]
        #[schemars(range(min = 1, max = 100_000))]
        parallel: u32,
    },
    /// Reads that wait for all of their parts (Phanishayee et al. 2008): in each round several
    /// senders send a block to one receiver at the same instant, and the next round begins when the
    /// last block has been acknowledged completely, which is when a new request would reach that
    /// sender. Needs the pattern `all`; each receiver has its own rounds and its own `start`.
    Incast {
        /// The size of a block.
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        block: Bytes,
        /// The rounds of each receiver.
        #[schemars(range(min = 1, max = 1_000_000_000))]
        rounds: u32,
        /// The number of senders of a round, drawn for each round; by default all except the
        /// receiver itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 100_000))]
        senders: Option<u32>,
    },
    /// Operations that wait for each other: hosts send and compute. An operation starts at the instant at which all that
    /// it waits for is over. A send is over for its receiver (and for all others) when the last data are there, for its
    /// sender when they are acknowledged. Each send is a flow of its own. Hosts are among `from` and `to`; the graph
    /// begins at `start`.
    Graph {
        /// A table in CSV or Parquet with an operation in each row and the columns `host`, `to` and `size` (of a send),
        /// `compute` (a number of seconds, or a text such as `1.5 ms`), `after` and, if needed, `after-start` (numbers of
        /// rows, the first is 0, with spaces between them) and `cpu`; instead of `operations`. A relative path starts at the
        /// folder of the file that names it, on the command line and in Python at the current directory.
        #[serde(default, skip_serializing)]
        #[schemars(
            length(min = 1, max = 4_096),
            extend("x-file" = { "content": "operations", "key": "operations" })
        )]
        file: Option<Box<str>>,
        /// The operations.
        #[serde(default)]
        #[schemars(length(max = 1_000_000))]
        operations: Arc<[ListedOperation]>,
        /// How often the graph is done: it begins again when all of its operations are over.
        #[serde(default = "one")]
        #[schemars(range(min = 1, max = 1_000_000))]
        repeat: u32,
    },
    /// A collective operation of the hosts of `from`, which are also those of `to`, in that order: a graph that is made for
    /// them. A host starts a send when it has what it is to send, and each send is a flow of its own.
    Collective {
        /// Which operation, and by which sends.
        algorithm: Algorithm,
        /// The data of a host: what an all-reduce adds up, what each has in the end of an all-gather, and what it has at first
        /// of a reduce-scatter or an all-to-all (the sizes of NCCL's tests).
        #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
        size: Bytes,
        /// The hosts that do it together, the first so many, the next, …; by default all. Each group has its own repetitions
        /// and its own `start`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 2, max = 100_000))]
        group: Option<u32>,
        /// The equal parts in which the data go, each as if it were alone; a send starts when the same send of the
        /// part before is acknowledged.
        #[serde(default = "one")]
        #[schemars(range(min = 1, max = 10_000))]
        chunks: u32,
        /// How often it is done: again when all data of the group are there.
        #[serde(default = "one")]
        #[schemars(range(min = 1, max = 1_000_000))]
        repeat: u32,
        /// The time between one repetition and the next, in which hosts compute.
        #[serde(default)]
        #[schemars(extend("x-max" = "2400 h"))]
        compute: Span,
    },
}

fn one() -> u32 {
    1
}

impl Source {
    /// The mean rate of the data offered in b/s (by all flows of a sender together where they share its
    /// slots); `None` for a bulk source, a list of flows, a graph and a closed loop, which have none. Infinite where the mean size is.
    pub fn mean_rate(&self) -> Option<f64> {
        match self {
            Self::Bulk { .. }
            | Self::Flows { .. }
            | Self::Shuffle { .. }
            | Self::Incast { .. }
            | Self::Graph { .. }
            | Self::Collective { .. } => None,
            Self::Cbr { rate, .. }
            | Self::PoissonPackets { rate, .. }
            | Self::OnOff { rate, .. }
            | Self::PoissonWrites { rate, .. } => Some(rate.0),
            Self::Bernoulli { slot, probability, packet } => {
                Some(probability * packet.mean() * 8.0 / slot.as_secs_f64())
            }
            Self::Transfers { per_second, size, .. } => Some(per_second * 8.0 * size.mean()),
        }
    }

    /// The same with a mean rate so many times as large. A source without a mean rate stays as it is.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Self {
        let mut scaled = self.clone();
        match &mut scaled {
            Self::Cbr { rate, .. }
            | Self::PoissonPackets { rate, .. }
            | Self::OnOff { rate, .. }
            | Self::PoissonWrites { rate, .. } => *rate = rate.scaled(by),
            Self::Bernoulli { probability, .. } => *probability *= by,
            Self::Transfers { per_second, .. } => *per_second *= by,
            Self::Bulk { .. }
            | Self::Flows { .. }
            | Self::Shuffle { .. }
            | Self::Incast { .. }
            | Self::Graph { .. }
            | Self::Collective { .. } => {}
        }
        scaled
    }

    /// Whether its next offer depends on the end of earlier transfers. No [`Generator`] knows that:
    /// such a source is run by the network.
    ///
    /// [`Generator`]: crate::Generator
    pub fn is_closed_loop(&self) -> bool {
        matches!(self, Self::Shuffle { .. } | Self::Incast { .. })
    }

    /// Whether its flows are from a list, which says their hosts, too.
    pub fn is_list(&self) -> bool {
        matches!(self, Self::Flows { .. })
    }

    /// Whether it is a graph of operations, which says the hosts of its sends, too. The network runs it.
    pub fn is_graph(&self) -> bool {
        matches!(self, Self::Graph { .. } | Self::Collective { .. })
    }

    /// Whether it says which hosts send to which.
    pub fn has_pairs(&self) -> bool {
        self.is_list() || self.is_graph()
    }

    /// Whether the flows of a sender share its slots: at most one of them offers at a time.
    pub fn is_shared_by_flows(&self) -> bool {
        matches!(self, Self::Bernoulli { .. })
    }

    /// Whether it offers files, whose data are sent as fast as the transport permits.
    pub fn sends_files(&self) -> bool {
        self.is_closed_loop()
            || self.is_graph()
            || self.starts_flows()
            || matches!(self, Self::Bulk { .. })
    }

    /// Whether it offers data without end at once.
    pub fn is_endless(&self) -> bool {
        matches!(self, Self::Bulk { size: None })
    }

    /// Whether it starts a flow for each of its offers.
    pub fn starts_flows(&self) -> bool {
        matches!(self, Self::Transfers { .. } | Self::Flows { .. })
    }

    /// Whether it starts flows after those that are in progress when it starts.
    pub fn starts_more(&self) -> bool {
        match self {
            Self::Transfers { per_second, .. } => *per_second > 0.0,
            _ => self.starts_flows(),
        }
    }

    /// Transfers in progress when the source starts.
    pub fn under_way(&self) -> u32 {
        match self {
            Self::Transfers { under_way, .. } => under_way.unwrap_or(0),
            _ => 0,
        }
    }
}
