//! The construction of a link from the graph.

use plan::spec::queue::{Acts, Limit, QueueFacts};
use plan::topology::OneWayLink;
use random::Seed;
use units::{Span, Time};

use super::across::Across;
use super::timing::Timing;
use super::{Discipline, Link, LinkCounters, Loss, Rare, Traits};
use crate::packet::NO_PACKET;

/// What is so of a link from the start.
fn traits(acts: Acts, limits_bytes: bool, loses: bool) -> u16 {
    let traits = [
        (Traits::UP, true),
        (Traits::LIMITS_BYTES, limits_bytes),
        (Traits::MANAGED, acts == Acts::OnDeparture),
        (Traits::JUDGES, acts != Acts::Never),
        (Traits::MARKS, acts == Acts::ByQueue),
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
        let QueueFacts { limit: Limit { packets, bytes }, acts, .. } = link.queue.facts();
        let limit = bytes.map_or(u64::from(packets.unwrap_or(u32::MAX)), |bytes| bytes.0);
        let stream = |what: &str| seed.stream(&format!("link/{name}/{what}"));
        let discipline = Discipline::new(&link.queue, (limit, bytes.is_some()), stream);
        let loss = link.loss.map(|spec| Loss::new(&spec, stream("loss")));
        let traits = traits(acts, bytes.is_some(), loss.is_some());
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
