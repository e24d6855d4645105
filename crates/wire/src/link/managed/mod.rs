//! Queues that decide when a packet leaves: which packet, whether it is dropped or marked first, and when.
//!
//! Ordinary links compute at once when a packet will reach the far end. Here this is not known before it leaves, so
//! that the packets wait in front of the link, and an event ([`Event::Serve`](crate::event::Event::Serve)) is due each
//! time that the transmitter becomes free and some wait.

mod codel;
mod dualpi2;
mod fair;
mod fq_codel;
mod trimming;

#[cfg(test)]
mod tests;

use codel::Codel;
use dualpi2::DualPi2;
use fair::Fair;
use fq_codel::FqCodel;
use plan::spec::QueueSpec;
use random::Stream;
use units::{Span, Time};

use super::bucket::Bucket;
use crate::chain::Chain;
use crate::packet::{Marks, PacketId, Packets};
pub(super) use trimming::Room;
use trimming::Trimming;

/// The kinds.
#[derive(Debug, Clone)]
enum Kind {
    Codel(Chain, Codel, codel::Terms),
    FqCodel(FqCodel),
    Fair(Fair),
    DualPi2(Box<DualPi2>),
    Shaper(Chain, Bucket),
    Trimming(Box<Trimming>),
}

/// What tells a packet's flow from others, and its two directions from each other. The hash by which paths are chosen
/// would not do: with spraying, packets of a flow differ in it.
fn flow_of(packets: &Packets, id: PacketId) -> u64 {
    let backward = u64::from(packets.transit(id).marks.has(Marks::BACKWARD));
    u64::from(packets.body(id).flow.0) << 1 | backward
}

/// Packets that are dropped, for whoever owns them.
#[derive(Debug, Clone)]
pub(super) struct Discarded(Chain);

impl Discarded {
    fn push(&mut self, packets: &mut Packets, id: PacketId) {
        self.0.push(packets, id);
    }
}

/// What the queue lets go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Next {
    /// Nothing waits.
    Nothing,
    /// A packet may leave at this instant, which is later.
    Later(Time),
    /// A packet, whether it is marked, and how long it has waited.
    Packet(PacketId, bool, Span),
}

/// A queue in front of a link.
#[derive(Debug, Clone)]
pub(super) struct Managed {
    kind: Kind,
    /// Its limit, and whether that is in bytes.
    limit: (u64, bool),
    len: u32,
    bytes: u64,
    discarded: Discarded,
    /// When an event is due, [`Time::NEVER`] for none.
    pub(super) wake: Time,
}

impl Managed {
    /// The queue of a scenario with its limit, if it is one that decides when a packet leaves. It takes from `stream`
    /// an input of the hash that spreads flows over queues, or what it draws by chance.
    pub(super) fn new(spec: &QueueSpec, limit: (u64, bool), mut stream: Stream) -> Option<Self> {
        let kind = match *spec {
            QueueSpec::DropTail { .. }
            | QueueSpec::Red { .. }
            | QueueSpec::EcnThreshold { .. }
            | QueueSpec::Policer { .. } => return None,
            QueueSpec::Codel { target, interval, ecn, .. } => {
                let terms = codel::Terms { target, interval, ecn };
                Kind::Codel(Chain::EMPTY, Codel::default(), terms)
            }
            QueueSpec::FqCodel { target, interval, ecn, flows, quantum, .. } => {
                let terms = codel::Terms { target, interval, ecn };
                let quantum = i64::try_from(quantum.0).expect("limited by the schema");
                Kind::FqCodel(FqCodel::new(flows, quantum, terms, stream.next_u64()))
            }
            QueueSpec::Fair { quantum, .. } => {
                Kind::Fair(Fair::new(i64::try_from(quantum.0).expect("limited by the schema")))
            }
            QueueSpec::DualPi2 {
                target,
                update,
                alpha,
                beta,
                coupling,
                threshold,
                range,
                classic_weight,
                ..
            } => Kind::DualPi2(Box::new(DualPi2::new(dualpi2::Terms {
                target,
                update,
                alpha,
                beta,
                coupling,
                threshold,
                range,
                classic_weight,
            }))),
            QueueSpec::Shaper { rate, burst, .. } => {
                Kind::Shaper(Chain::EMPTY, Bucket::new(rate, burst))
            }
            QueueSpec::Trimming { header, headers, mark_from, mark_until, .. } => {
                let header = u32::try_from(header.0).expect("limited by the schema");
                let terms = trimming::Terms { header, headers, mark: (mark_from, mark_until) };
                Kind::Trimming(Box::new(Trimming::new(terms, stream)))
            }
        };
        let discarded = Discarded(Chain::EMPTY);
        Some(Self { kind, limit, len: 0, bytes: 0, discarded, wake: Time::NEVER })
    }

    /// From now on what is decided by chance is drawn anew.
    pub(super) fn branch(&mut self, key: u64) {
        match &mut self.kind {
            Kind::Trimming(queue) => queue.branch(key),
            Kind::Codel(..)
            | Kind::FqCodel(_)
            | Kind::Fair(_)
            | Kind::DualPi2(_)
            | Kind::Shaper(..) => {}
        }
    }

    /// Packets that wait.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// Their bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A packet comes in, for which there is room.
    pub(super) fn put(&mut self, now: Time, packets: &mut Packets, id: PacketId) {
        packets.transit_mut(id).arrives = now;
        self.len += 1;
        self.bytes += u64::from(packets.transit(id).bytes);
        match &mut self.kind {
            Kind::Codel(queue, ..) | Kind::Shaper(queue, _) => queue.push(packets, id),
            Kind::FqCodel(queues) => queues.put(packets, id),
            Kind::Fair(queues) => queues.put(packets, id),
            Kind::DualPi2(queues) => queues.put(now, packets, id),
            Kind::Trimming(queues) => queues.put(packets, id),
        }
    }

    /// Whether there is room for a packet; a queue that makes room has some for each.
    pub(super) fn room(&self, packets: &Packets, id: PacketId) -> Room {
        let transit = packets.transit(id);
        if let Kind::Trimming(queues) = &self.kind {
            return queues.room(transit.marks, transit.bytes, self.limit);
        }
        if self.makes_room() || !self.is_above((1, u64::from(transit.bytes))) {
            Room::Whole
        } else {
            Room::None
        }
    }

    /// Whether it cuts the data of packets off, and lets packets without data go first.
    pub(super) fn trims(&self) -> bool {
        matches!(self.kind, Kind::Trimming(_))
    }

    /// Whether more packets, and bytes, are above its limit.
    pub(super) fn is_above(&self, (packets, bytes): (u64, u64)) -> bool {
        let (limit, counts_bytes) = self.limit;
        if counts_bytes {
            self.bytes + bytes > limit
        } else {
            u64::from(self.len) + packets > limit
        }
    }

    /// Whether it makes room for a packet by dropping others.
    fn makes_room(&self) -> bool {
        matches!(self.kind, Kind::FqCodel(_) | Kind::Fair(_))
    }

    /// It drops others, if it does so where it is above its limit.
    pub(super) fn make_room(&mut self, packets: &mut Packets) {
        while self.is_above((0, 0)) {
            let before = (self.discarded.0.len(), self.discarded.0.bytes());
            match &mut self.kind {
                Kind::FqCodel(queues) => queues.make_room(packets, &mut self.discarded),
                Kind::Fair(queues) => queues.make_room(packets, &mut self.discarded),
                Kind::Codel(..) | Kind::DualPi2(_) | Kind::Shaper(..) | Kind::Trimming(_) => return,
            }
            self.forget_discarded(before);
        }
    }

    fn forget_discarded(&mut self, before: (u32, u64)) {
        self.len -= self.discarded.0.len() - before.0;
        self.bytes -= self.discarded.0.bytes() - before.1;
    }

    /// The transmitter is free: what leaves.
    pub(super) fn take(&mut self, now: Time, packets: &mut Packets) -> Next {
        let before = (self.discarded.0.len(), self.discarded.0.bytes());
        let taken = match &mut self.kind {
            Kind::Codel(queue, codel, terms) => {
                codel.take(terms, now, (queue, packets), &mut self.discarded)
            }
            Kind::FqCodel(queues) => queues.take(now, packets, &mut self.discarded),
            Kind::Fair(queues) => queues.take(packets).map(|id| (id, false)),
            Kind::DualPi2(queues) => queues.take(now, packets, &mut self.discarded),
            Kind::Trimming(queues) => queues.take(packets, self.limit),
            Kind::Shaper(queue, bucket) => {
                let Some(id) = queue.head() else { return Next::Nothing };
                let bytes = packets.transit(id).bytes;
                let ready = bucket.ready(now, bytes);
                if ready > now {
                    return Next::Later(ready);
                }
                bucket.spend(bytes);
                queue.pop(packets).map(|id| (id, false))
            }
        };
        self.forget_discarded(before);
        let Some((id, marked)) = taken else { return Next::Nothing };
        let transit = packets.transit(id);
        self.len -= 1;
        self.bytes -= u64::from(transit.bytes);
        Next::Packet(id, marked, now.since(transit.arrives))
    }

    /// The next packet that was dropped, with how long it had waited.
    pub(super) fn take_discarded(
        &mut self,
        now: Time,
        packets: &Packets,
    ) -> Option<(PacketId, Span)> {
        let id = self.discarded.0.pop(packets)?;
        Some((id, now.since(packets.transit(id).arrives)))
    }

    /// How long the packets that wait have waited so far, in picoseconds: all together, and the one that has waited
    /// longest.
    pub(super) fn waits(&self, now: Time, packets: &Packets) -> (i128, u64) {
        let (mut sum, mut longest) = (0, 0);
        let mut add = |chain: &Chain| {
            let ids = std::iter::successors(chain.head(), |&id| Some(packets.transit(id).next));
            for id in ids.take(chain.len() as usize) {
                let Span(wait) = now.since(packets.transit(id).arrives);
                sum += i128::from(wait);
                longest = longest.max(wait);
            }
        };
        match &self.kind {
            Kind::Codel(queue, ..) | Kind::Shaper(queue, _) => add(queue),
            Kind::FqCodel(queues) => queues.chains().for_each(add),
            Kind::Fair(queues) => queues.chains().for_each(add),
            Kind::DualPi2(queues) => queues.chains().into_iter().for_each(add),
            Kind::Trimming(queues) => queues.chains().into_iter().for_each(add),
        }
        (sum, longest)
    }
}
