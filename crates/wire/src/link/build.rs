//! The construction of a link from the graph.

use plan::spec::{MarkAbove, QueueSpec};
use plan::topology::OneWayLink;
use random::{Seed, Stream};
use units::{Span, Time};

use super::across::Across;
use super::bucket::Bucket;
use super::managed::Managed;
use super::timing::Timing;
use super::{Discipline, Link, LinkCounters, Loss, Rare, Red, Traits};
use crate::packet::NO_PACKET;

impl Discipline {
    /// A queue that decides when a packet leaves; see [`Managed::new`].
    fn managed(spec: &QueueSpec, limit: (u64, bool), stream: Stream) -> Self {
        let managed = Managed::new(spec, limit, stream);
        Self::Managed(Box::new(managed.expect("it is such a queue")))
    }

    fn threshold(above: MarkAbove) -> Self {
        match above {
            MarkAbove::Packets(packets) => Self::Packets(packets),
            MarkAbove::Bytes(bytes) => Self::Bytes(bytes.0),
        }
    }
}

/// What is so of a link from the start.
fn traits(queue: &QueueSpec, discipline: &Discipline, loses: bool) -> u16 {
    let (_, bytes) = queue.limits();
    let traits = [
        (Traits::UP, true),
        (Traits::LIMITS_BYTES, bytes.is_some()),
        (Traits::MANAGED, matches!(discipline, Discipline::Managed(_))),
        (Traits::JUDGES, !matches!(discipline, Discipline::DropTail)),
        (Traits::MARKS, matches!(queue, QueueSpec::EcnThreshold { .. })),
        (Traits::LOSES, loses),
    ];
    traits.iter().filter(|(_, has)| *has).fold(0, |all, (bit, _)| all | bit)
}

impl Link {
    /// From now on nothing depends on when arrivals are processed.
    pub fn be_quiet(&mut self) {
        self.traits.0 |= Traits::QUIET;
    }

    /// From now on the agenda has its arrivals again; the link is empty.
    pub fn be_heard(&mut self) {
        debug_assert_eq!(self.len, 0, "the agenda does not know what is on it");
        self.traits.0 &= !Traits::QUIET;
    }

    /// Sets that its arrivals go before other events of their instant.
    #[must_use]
    pub fn with_distance(mut self) -> Self {
        self.traits.0 |= Traits::FAR;
        self
    }

    /// From now on its far end is in another part of the network.
    pub fn cut(&mut self) {
        self.traits.0 |= Traits::CUT;
    }

    /// Sets that packets arrive with their first bit: a switch at the far end cuts them through.
    #[must_use]
    pub fn with_first_bit(mut self) -> Self {
        self.traits.0 |= Traits::FIRST_BIT;
        self
    }

    /// The link of a graph; `name` names its random streams.
    pub fn new(link: &OneWayLink, name: &str, seed: Seed) -> Self {
        let (packets, bytes) = link.queue.limits();
        let limit = bytes.map_or(u64::from(packets.unwrap_or(u32::MAX)), |bytes| bytes.0);
        let discipline = match link.queue {
            QueueSpec::DropTail { .. } => Discipline::DropTail,
            QueueSpec::EcnThreshold { mark_above, .. } => Discipline::threshold(mark_above),
            QueueSpec::Red { min, max, max_probability, weight, gentle, ecn, .. } => {
                let stream = seed.stream(&format!("link/{name}/red"));
                let red = Red {
                    min,
                    max,
                    max_probability,
                    weight,
                    gentle,
                    ecn,
                    average: 0.0,
                    count: -1,
                    judged: Time::ZERO,
                    stream,
                };
                Discipline::Red(Box::new(red))
            }
            QueueSpec::Policer { rate, burst, .. } => Discipline::Policer(Bucket::new(rate, burst)),
            QueueSpec::Codel { .. }
            | QueueSpec::FqCodel { .. }
            | QueueSpec::Fair { .. }
            | QueueSpec::DualPi2 { .. }
            | QueueSpec::Shaper { .. }
            | QueueSpec::Trimming { .. } => {
                let stream = seed.stream(&format!("link/{name}/flows"));
                Discipline::managed(&link.queue, (limit, bytes.is_some()), stream)
            }
        };
        let stream = || seed.stream(&format!("link/{name}/loss"));
        let loss = link.loss.map(|spec| Loss::new(&spec, stream()));
        let traits = traits(&link.queue, &discipline, loss.is_some());
        Self {
            head: NO_PACKET,
            tail: NO_PACKET,
            len: 0,
            to: link.to,
            delay: link.delay,
            packets_out: 0,
            bytes_out: 0,
            packets_in: 0,
            bytes_in: 0,
            traits: Traits(traits),
            waiting: 0,
            free_at: Time::ZERO,
            next_start: Time::ZERO,
            timing: Timing::new(link.rate),
            first_waiting: NO_PACKET,
            waiting_bytes: 0,
            limit,
            idle: Span::ZERO,
            rare: Box::new(Rare {
                rate: link.rate,
                discipline,
                loss,
                counters: LinkCounters::default(),
                accepted_before: 0,
                latest: (Time::ZERO, 0),
                across: Across::default(),
            }),
        }
    }
}
