//! Packets of a flow: sent, delivered, lost; separately for each direction.
//!
//! A packet counts as sent, as delivered and as lost by the instant at which it was sent. So the
//! counters of the measured period balance, sent = delivered + lost + still inside, and shares are
//! between 0 and 1, regardless of how many packets of the warm-up are lost after it.

use units::Time;

use crate::packet::{Marks, Packet, Transit};

/// Packets and bytes on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// Bytes, headers included.
    pub bytes: u64,
}

impl Count {
    #[inline]
    fn add(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }

    fn plus(self, other: Self) -> Self {
        Self { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

/// The counts of a flow's packets that were sent since measuring began; index 0 is from the source to the
/// sink, index 1 the opposite direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlowCounts {
    /// Packets that the hosts sent.
    pub sent: [Count; 2],
    /// Packets that reached the other host.
    pub delivered: [Count; 2],
    /// Packets dropped or lost on the path, the host's own interface included.
    pub lost: [Count; 2],
    /// Packets in flight that were sent before measuring began, in both directions. In a part of a network it wraps:
    /// they are delivered or lost in others, and only the sum counts.
    early: u64,
}

fn way(packet: &Transit) -> usize {
    usize::from(packet.marks.has(Marks::BACKWARD))
}

impl FlowCounts {
    /// Counts a packet that a host sends, if measuring has begun.
    #[inline]
    pub fn sent(&mut self, packet: &Packet, measured: Time) {
        if packet.body.sent < measured {
            self.early = self.early.wrapping_add(1);
        } else {
            self.sent[way(&packet.transit)].add(packet.transit.bytes);
        }
    }

    /// Counts a packet that reaches its host.
    #[inline]
    pub fn delivered(&mut self, packet: &Packet, measured: Time) {
        if packet.body.sent < measured {
            self.early = self.early.wrapping_sub(1);
        } else {
            self.delivered[way(&packet.transit)].add(packet.transit.bytes);
        }
    }

    /// Counts a packet that is lost.
    pub fn lost(&mut self, packet: &Packet, measured: Time) {
        if packet.body.sent < measured {
            self.early = self.early.wrapping_sub(1);
        } else {
            self.lost[way(&packet.transit)].add(packet.transit.bytes);
        }
    }

    /// Counts bytes that are cut off from a packet as lost; the packet goes on.
    pub fn trimmed(&mut self, packet: &Packet, cut: u32, measured: Time) {
        if packet.body.sent >= measured {
            self.lost[way(&packet.transit)].bytes += u64::from(cut);
        }
    }

    /// The sums of two.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let sum =
            |one: &[Count; 2], other: &[Count; 2]| [0, 1].map(|way| one[way].plus(other[way]));
        Self {
            sent: sum(&self.sent, &other.sent),
            delivered: sum(&self.delivered, &other.delivered),
            lost: sum(&self.lost, &other.lost),
            early: self.early.wrapping_add(other.early),
        }
    }

    /// Packets still in flight in one direction: sent − delivered − lost.
    pub fn on_the_way(&self, way: usize) -> u64 {
        self.sent[way].packets - self.delivered[way].packets - self.lost[way].packets
    }

    /// Packets still in flight in both directions, including those sent before measuring began.
    pub fn inside(&self) -> u64 {
        self.on_the_way(0) + self.on_the_way(1) + self.early
    }
}

#[cfg(test)]
mod tests {
    use transport::tcp::{Flags, Segment};
    use units::{FlowId, NodeId};

    use super::*;

    fn sent_at(ps: u64) -> Packet {
        let segment = Segment::empty(Time(ps), Flags::NONE);
        Packet::of_segment(&segment, FlowId(0), NodeId(0), 1500)
    }

    #[test]
    fn a_packet_of_the_warm_up_that_is_lost_after_it_is_in_no_account() {
        let (measured, mut counts) = (Time(10), FlowCounts::default());
        let (early, late) = (sent_at(9), sent_at(10));
        counts.sent(&early, measured);
        counts.sent(&early, measured);
        counts.sent(&late, measured);
        assert_eq!((counts.sent[0].packets, counts.inside()), (1, 3));
        counts.lost(&early, measured);
        counts.delivered(&early, measured);
        assert_eq!((counts.lost[0], counts.delivered[0]), (Count::default(), Count::default()));
        assert_eq!((counts.on_the_way(0), counts.inside()), (1, 1));
        counts.lost(&late, measured);
        assert_eq!(counts.lost[0], counts.sent[0]);
        assert_eq!((counts.on_the_way(0), counts.inside()), (0, 0));
    }
}
