//! The forwarding equivalence class: packets that share an ingress and an egress edge, with the
//! queues in which they become bursts and the path that the bursts take.

use optics::{AbstractPath, Assembly, AssemblySpec, Policy, Thresholds};
use random::Stream;
use units::{NodeId, Span, Time};

use super::{Burst, FecCounters};
use crate::packet::{NO_PACKET, PacketId, Packets};
use crate::record::Spans;

/// A forwarding equivalence class.
#[derive(Debug)]
pub struct Fec {
    /// The edge where its packets are gathered.
    pub ingress: NodeId,
    /// The edge where its bursts are taken apart.
    pub egress: NodeId,
    /// The shortest way: the fibres from ingress to egress, by their numbers.
    pub path: Vec<u32>,
    /// The delay of the shortest way, in a packet-switched network.
    pub delay: Span,
    /// Where deflected optical packets go, if that is not another way of the network.
    pub beside: Option<AbstractPath>,
    /// Which packets wait together.
    pub policy: Policy,
    /// Where they wait, made when the first packet asks for it.
    pub queues: Vec<Queue>,
    /// In how many of them packets wait, and in how many they did at once at most.
    pub waiting_queues: (u32, u32),
    /// What happened to the bursts released since measuring began.
    pub counters: FecCounters,
    /// What happened to those released before.
    earlier: FecCounters,
    /// The number of the first burst that is measured.
    first_measured: u64,
    /// The bytes of its bursts at the end of the first fibre, where they are counted.
    pub spans: Option<Spans>,
    thresholds: Thresholds,
    loss: f64,
    stream: Stream,
}

/// An assembly queue.
#[derive(Debug)]
pub struct Queue {
    /// When its burst is released.
    pub assembly: Assembly,
    /// When the agenda looks at its timer.
    pub armed: Time,
    /// The packets that wait.
    pub opened: Opened,
}

/// The packets of a burst that is being assembled, in a list through their `next`.
#[derive(Debug, Clone, Copy)]
pub struct Opened {
    /// The first of them.
    pub first: PacketId,
    last: PacketId,
    /// How many there are.
    pub packets: u32,
    /// Their bytes.
    pub bytes: u64,
    /// When the first came.
    pub since: Time,
    /// How long after the first each came, summed, in picoseconds.
    after_first: u128,
}

impl Opened {
    const EMPTY: Self = Self {
        first: NO_PACKET,
        last: NO_PACKET,
        packets: 0,
        bytes: 0,
        since: Time::ZERO,
        after_first: 0,
    };

    /// The time that its packets have waited, summed, in picoseconds.
    pub fn waited(&self, now: Time) -> u128 {
        u128::from(self.packets) * u128::from((now - self.since).0) - self.after_first
    }
}

impl Fec {
    /// A class without packets. Its random streams are for the losses and for the policy.
    pub fn new(
        (ingress, egress): (NodeId, NodeId),
        path: Vec<u32>,
        spec: &AssemblySpec,
        (loss, allocation): (Stream, Stream),
        span: Option<Span>,
    ) -> Self {
        Self {
            ingress,
            egress,
            path,
            delay: Span::ZERO,
            beside: None,
            policy: Policy::new(spec, allocation),
            queues: Vec::new(),
            waiting_queues: (0, 0),
            counters: FecCounters::default(),
            earlier: FecCounters::default(),
            first_measured: 0,
            spans: span.map(Spans::new),
            thresholds: Thresholds::new(spec),
            loss: spec.loss,
            stream: loss,
        }
    }

    /// The queue of this number, made if it is not there yet.
    #[inline]
    pub fn queue(&mut self, number: u32) -> &mut Queue {
        let at = number as usize;
        while self.queues.len() <= at {
            let assembly = Assembly::new(self.thresholds);
            self.queues.push(Queue { assembly, armed: Time::NEVER, opened: Opened::EMPTY });
        }
        &mut self.queues[at]
    }

    /// Appends a packet to the burst that a queue is assembling.
    #[inline]
    pub fn append(&mut self, number: u32, now: Time, packets: &mut Packets, packet: PacketId) {
        let queue = &mut self.queues[number as usize];
        if queue.opened.first == NO_PACKET {
            let (now, most) = &mut self.waiting_queues;
            *now += 1;
            *most = (*most).max(*now);
        }
        queue.append(now, packets, packet);
    }

    /// Takes the packets that wait in a queue.
    pub fn take(&mut self, number: u32) -> Opened {
        self.waiting_queues.0 -= 1;
        std::mem::replace(&mut self.queues[number as usize].opened, Opened::EMPTY)
    }

    /// A burst reaches the end of its first fibre with its first bit.
    #[inline]
    pub fn end_first_link(&mut self, at: Time, bytes: u64) {
        if let Some(spans) = &mut self.spans {
            spans.add(at, bytes);
        }
    }

    /// Bursts from this number on are measured. What happens to one counts where its release does, so that
    /// the account of the measured period closes by itself.
    pub fn begin_measuring(&mut self, first_measured: u64) {
        self.earlier = self.earlier.plus(&std::mem::take(&mut self.counters));
        self.first_measured = first_measured;
    }

    /// The counters that a burst belongs to.
    #[inline]
    pub fn counters_of(&mut self, burst: &Burst) -> &mut FecCounters {
        if burst.number < self.first_measured { &mut self.earlier } else { &mut self.counters }
    }

    /// What happened to all bursts of the run.
    pub fn counters_of_all(&self) -> FecCounters {
        self.earlier.plus(&self.counters)
    }

    /// Packets that wait.
    pub fn waiting(&self) -> u64 {
        self.queues.iter().map(|queue| u64::from(queue.opened.packets)).sum()
    }

    /// Whether chance takes the next burst. One draw a burst, whatever the probability.
    pub fn strikes(&mut self) -> bool {
        self.stream.chance(self.loss)
    }
}

impl Queue {
    #[inline]
    fn append(&mut self, now: Time, packets: &mut Packets, packet: PacketId) {
        let transit = packets.transit_mut(packet);
        transit.next = NO_PACKET;
        self.opened.bytes += u64::from(transit.bytes);
        self.opened.packets += 1;
        if self.opened.first == NO_PACKET {
            self.opened.first = packet;
            self.opened.since = now;
        } else {
            packets.transit_mut(self.opened.last).next = packet;
        }
        self.opened.last = packet;
        self.opened.after_first += u128::from((now - self.opened.since).0);
    }
}
