//! The assembly of one forwarding equivalence class at its ingress edge: the queues in which packets
//! become bursts.

use optics::{Assembly, AssemblySpec, Policy, Thresholds};
use random::Stream;
use units::Time;
use wire::packet::{NO_PACKET, PacketId, Packets};

/// The assembly queues of a class.
#[derive(Debug, Clone)]
pub(super) struct Assembling {
    /// Which packets wait together.
    pub policy: Policy,
    /// The queues, created when first used.
    pub queues: Vec<Queue>,
    /// The number of non-empty queues, and its maximum.
    pub waiting_queues: (u32, u32),
    thresholds: Thresholds,
    loss: f64,
    stream: Stream,
}

/// An assembly queue.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    /// When its burst is released.
    pub assembly: Assembly,
    /// The agenda's alarm for its timer.
    pub armed: Time,
    /// The waiting packets.
    pub opened: Opened,
}

/// The packets of a burst that is being assembled, in a list through their `next`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opened {
    /// The first of them.
    pub first: PacketId,
    last: PacketId,
    /// How many there are.
    pub packets: u32,
    /// Their bytes.
    pub bytes: u64,
    /// When the first arrived.
    pub since: Time,
    /// The sum of the times by which each arrived after the first, in picoseconds.
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

    /// The sum of the waiting times of its packets, in picoseconds.
    pub(super) fn waited(&self, now: Time) -> u128 {
        u128::from(self.packets) * u128::from((now - self.since).0) - self.after_first
    }
}

impl Assembling {
    /// A class without packets. The random streams are for the losses and for the policy.
    pub(super) fn new(spec: &AssemblySpec, (loss, allocation): (Stream, Stream)) -> Self {
        Self {
            policy: Policy::new(spec, allocation),
            queues: Vec::new(),
            waiting_queues: (0, 0),
            thresholds: Thresholds::new(spec),
            loss: spec.loss,
            stream: loss,
        }
    }

    /// The queue of this number, created on first use.
    #[inline]
    pub(super) fn queue(&mut self, number: u32) -> &mut Queue {
        let at = number as usize;
        while self.queues.len() <= at {
            let assembly = Assembly::new(self.thresholds);
            self.queues.push(Queue { assembly, armed: Time::NEVER, opened: Opened::EMPTY });
        }
        &mut self.queues[at]
    }

    /// Appends a packet to the burst that a queue is assembling; the queue.
    #[inline]
    pub(super) fn append(
        &mut self,
        number: u32,
        now: Time,
        packets: &mut Packets,
        packet: PacketId,
    ) -> &mut Queue {
        let queue = &mut self.queues[number as usize];
        if queue.opened.first == NO_PACKET {
            let (now, most) = &mut self.waiting_queues;
            *now += 1;
            *most = (*most).max(*now);
        }
        queue.append(now, packets, packet);
        queue
    }

    /// Takes the packets waiting in a queue.
    pub(super) fn take(&mut self, number: u32) -> Opened {
        self.waiting_queues.0 -= 1;
        std::mem::replace(&mut self.queues[number as usize].opened, Opened::EMPTY)
    }

    /// Waiting packets.
    pub(super) fn waiting(&self) -> u64 {
        self.queues.iter().map(|queue| u64::from(queue.opened.packets)).sum()
    }

    /// Whether the next burst is lost at random. One draw per burst, for any probability.
    pub(super) fn strikes(&mut self) -> bool {
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
