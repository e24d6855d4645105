//! Packets that wait, in a chain through themselves.

use units::Time;

use crate::packet::{NO_PACKET, PacketId, Packets};

/// Packets in the order in which they came. A packet that waits has the instant at which it came in
/// [`Transit::arrives`](crate::packet::Transit::arrives).
///
/// Packed, because two of them share the cache line of a rack's link.
#[derive(Debug, Clone, Copy)]
#[repr(C, packed(4))]
pub struct Chain {
    head: PacketId,
    tail: PacketId,
    len: u32,
    bytes: u64,
}

impl Chain {
    /// No packet.
    pub const EMPTY: Self = Self { head: NO_PACKET, tail: NO_PACKET, len: 0, bytes: 0 };

    /// Packets in it.
    #[inline]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether no packet is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Their bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The first one.
    #[inline]
    pub fn head(&self) -> Option<PacketId> {
        (self.len > 0).then_some(self.head)
    }

    /// How long the first one has waited; zero where there is none.
    #[inline]
    pub fn wait(&self, now: Time, packets: &Packets) -> units::Span {
        self.head().map_or(units::Span::ZERO, |id| now.since(packets.transit(id).arrives))
    }

    /// A packet joins at its end.
    #[inline]
    pub fn push(&mut self, packets: &mut Packets, id: PacketId) {
        packets.transit_mut(id).next = NO_PACKET;
        self.bytes += u64::from(packets.transit(id).bytes);
        if self.len == 0 {
            self.head = id;
        } else {
            packets.transit_mut(self.tail).next = id;
        }
        self.tail = id;
        self.len += 1;
    }

    /// The first packet leaves.
    #[inline]
    pub fn pop(&mut self, packets: &Packets) -> Option<PacketId> {
        let id = self.head()?;
        let transit = packets.transit(id);
        self.head = transit.next;
        self.len -= 1;
        self.bytes -= u64::from(transit.bytes);
        Some(id)
    }
}
