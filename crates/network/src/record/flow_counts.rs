//! Packets of a flow: sent, delivered, lost; each way apart.

use crate::packet::{Marks, Transit};

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

    /// What was counted since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self { packets: self.packets - earlier.packets, bytes: self.bytes - earlier.bytes }
    }
}

/// The counts of a flow; index 0 is from the source to the sink, index 1 the way back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlowCounts {
    /// Packets that the hosts put out.
    pub sent: [Count; 2],
    /// Packets that reached the other host.
    pub delivered: [Count; 2],
    /// Packets dropped or lost on the way, the host's own interface included.
    pub lost: [Count; 2],
}

fn way(packet: &Transit) -> usize {
    usize::from(packet.marks.has(Marks::BACKWARD))
}

impl FlowCounts {
    /// Counts a packet that a host puts out.
    #[inline]
    pub fn sent(&mut self, packet: &Transit) {
        self.sent[way(packet)].add(packet.bytes);
    }

    /// Counts a packet that reaches its host.
    #[inline]
    pub fn delivered(&mut self, packet: &Transit) {
        self.delivered[way(packet)].add(packet.bytes);
    }

    /// Counts a packet that is lost.
    pub fn lost(&mut self, packet: &Transit) {
        self.lost[way(packet)].add(packet.bytes);
    }

    /// Packets still on their way: sent − delivered − lost, both ways.
    pub fn inside(&self) -> u64 {
        (0..2)
            .map(|way| {
                self.sent[way].packets - self.delivered[way].packets - self.lost[way].packets
            })
            .sum()
    }

    /// What was counted since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let less =
            |now: [Count; 2], then: [Count; 2]| [now[0].since(then[0]), now[1].since(then[1])];
        Self {
            sent: less(self.sent, earlier.sent),
            delivered: less(self.delivered, earlier.delivered),
            lost: less(self.lost, earlier.lost),
        }
    }
}
