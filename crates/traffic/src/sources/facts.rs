//! What others ask of a source, whatever its kind.

use std::borrow::Cow;

use units::{Bytes, MeanRate};

use super::{Collective, Graph, Incast, Shuffle, Transfers};
use crate::{ListedFlow, Size};

/// What others ask of a source.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    /// How its data become flows.
    pub form: Form<'a>,
    /// The key that sets its mean rate, if it has one.
    pub rate: Option<RateKey<'a>>,
    /// What it offers at a time where a flow has data again and again; none of writes of a segment.
    pub packet: Option<Cow<'a, Size>>,
    /// Whether the flows of a sender share its slots: at most one of them offers at a time.
    pub is_shared_by_flows: bool,
    /// How the data that it offers in some time vary.
    pub variation: Variation,
    /// The memory that one takes while it runs, in bytes, beyond what all take.
    pub bytes: f64,
}

impl<'a> Facts<'a> {
    /// A source of this form of which nothing else is known.
    pub(crate) fn of(form: Form<'a>) -> Self {
        let (rate, packet, variation) = (None, None, Variation::Unknown);
        Self { form, rate, packet, is_shared_by_flows: false, variation, bytes: 0.0 }
    }

    /// A source of packets at a rate.
    pub(crate) fn packets(rate: RateKey<'a>, size: &'a Size, variation: Variation) -> Self {
        let (rate, packet) = (Some(rate), Some(Cow::Borrowed(size)));
        Self { rate, packet, variation, ..Self::of(Form::Stream) }
    }
}

/// How the data of a source become flows.
#[derive(Debug, Clone, Copy)]
pub enum Form<'a> {
    /// All data of a flow at its start: one file, or an endless supply.
    File(Option<Bytes>),
    /// A flow, in which data are offered again and again, no faster than the source makes them.
    Stream,
    /// A flow for each offer.
    Transfers(&'a Transfers),
    /// A flow for each entry of a list, which says its hosts, too.
    List(&'a [ListedFlow]),
    /// Flows that begin when others have ended: the network runs them.
    ClosedLoop(ClosedLoop<'a>),
    /// A flow for each send of a graph of operations, which says its hosts, too: the network runs it.
    Graph(OfGraph<'a>),
}

/// The kinds of closed loops, in which hosts have processes that start blocks.
#[derive(Debug, Clone, Copy)]
pub enum ClosedLoop<'a> {
    /// Each sender has a process.
    Shuffle(&'a Shuffle),
    /// Each receiver has a process, whose blocks start at one instant.
    Incast(&'a Incast),
}

impl ClosedLoop<'_> {
    /// The size of a block.
    pub fn block(self) -> Bytes {
        match self {
            Self::Shuffle(shuffle) => shuffle.block,
            Self::Incast(incast) => incast.block,
        }
    }

    /// Of a process with so many partners, the most blocks at a time and the blocks in all.
    pub fn blocks(self, partners: u64) -> [u64; 2] {
        match self {
            Self::Shuffle(shuffle) => [partners.min(shuffle.parallel.into()), partners],
            Self::Incast(incast) => {
                let senders = incast.senders.map_or(partners, u64::from);
                [senders, senders * u64::from(incast.rounds)]
            }
        }
    }

    /// Whether receivers have the processes.
    pub fn is_of_receivers(self) -> bool {
        match self {
            Self::Shuffle(_) => false,
            Self::Incast(_) => true,
        }
    }
}

/// The kinds of graphs of operations.
#[derive(Debug, Clone, Copy)]
pub enum OfGraph<'a> {
    /// Operations that are listed.
    Listed(&'a Graph),
    /// Operations that are made.
    Collective(&'a Collective),
}

/// The key that sets the mean rate of a source.
#[derive(Debug, Clone, Copy)]
pub struct RateKey<'a> {
    /// The key.
    pub key: &'static str,
    /// Its value: a bit rate in b/s, or the number of `each`.
    pub value: f64,
    /// A value that passes all checks wherever the rate does not matter.
    pub least: f64,
    /// What is counted, where it is no bit rate: packets or files of this size, in so many seconds.
    pub each: Option<(&'a Size, f64)>,
}

impl RateKey<'_> {
    pub(crate) fn bits(rate: MeanRate) -> Self {
        Self { key: "rate", value: rate.0, least: 1e-15, each: None }
    }

    /// The mean rate in b/s.
    pub fn mean_rate(&self) -> f64 {
        self.each.map_or(self.value, |(size, seconds)| self.value * size.mean() * 8.0 / seconds)
    }

    /// The value at which the mean rate is this one, in b/s; none if the mean size is infinite.
    pub fn value_at(&self, rate: f64) -> Option<f64> {
        let Some((size, seconds)) = self.each else { return Some(rate) };
        let bits = 8.0 * size.mean();
        bits.is_finite().then_some(rate * seconds / bits)
    }
}

/// How the data that a source offers in some time vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variation {
    /// In none of the other manners: it has no mean rate, or another one at its start, or shares it.
    Unknown,
    /// Not at all: it offers no more than its mean rate.
    Constant,
    /// Independently of the past: on average its mean rate, up to any instant that depends on the past.
    Memoryless,
    /// As in the past: on average its mean rate, over a fixed time alone.
    Correlated,
}
