//! The forwarding equivalence class: packets that share an ingress and an egress edge, with the
//! queue in which they become bursts and the path that the bursts take.

use optics::{Assembly, AssemblySpec, Thresholds};
use random::Stream;
use units::{NodeId, Time};

use super::FecCounters;
use crate::packet::{NO_PACKET, PacketId, Packets};

/// A forwarding equivalence class.
#[derive(Debug)]
pub struct Fec {
    /// The edge where its packets are gathered.
    pub ingress: NodeId,
    /// The edge where its bursts are taken apart.
    pub egress: NodeId,
    /// The fibres from ingress to egress, by their numbers.
    pub path: Vec<u32>,
    /// When a burst is released.
    pub assembly: Assembly,
    /// When the agenda looks at the timer of the assembly queue.
    pub armed: Time,
    /// What happened.
    pub counters: FecCounters,
    /// The packets that wait.
    pub opened: Opened,
    loss: f64,
    stream: Stream,
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
    /// A class without packets.
    pub fn new(
        ends: (NodeId, NodeId),
        path: Vec<u32>,
        spec: &AssemblySpec,
        stream: Stream,
    ) -> Self {
        let (ingress, egress) = ends;
        let thresholds = Thresholds { max_size: spec.max_size, timeout: spec.timeout };
        Self {
            ingress,
            egress,
            path,
            assembly: Assembly::new(thresholds),
            armed: Time::NEVER,
            counters: FecCounters::default(),
            opened: Opened::EMPTY,
            loss: spec.loss,
            stream,
        }
    }

    /// Appends a packet to the burst that is being assembled.
    #[inline]
    pub fn append(&mut self, now: Time, packets: &mut Packets, packet: PacketId) {
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

    /// Takes the packets that wait.
    pub fn take(&mut self) -> Opened {
        std::mem::replace(&mut self.opened, Opened::EMPTY)
    }

    /// Whether chance takes the next burst. One draw a burst, whatever the probability.
    pub fn strikes(&mut self) -> bool {
        self.stream.chance(self.loss)
    }
}
