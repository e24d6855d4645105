//! The queue of a link for short flows.

use wire::chain::Chain;
use wire::packet::{PacketId, Packets};

/// Packets of short flows that go by one link, those without data first.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct ShortQueue {
    /// Those without data.
    pub urgent: Chain,
    /// Those with data.
    pub data: Chain,
    /// When the slot of the circuit ends that they are to take, on the clock of the switch.
    pub closes: i64,
}

impl ShortQueue {
    pub(super) const EMPTY: Self =
        Self { urgent: Chain::EMPTY, data: Chain::EMPTY, closes: i64::MIN };

    /// How many there are.
    pub(super) fn packets(&self) -> u64 {
        u64::from(self.urgent.len()) + u64::from(self.data.len())
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.packets() == 0
    }

    /// Their bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.urgent.bytes() + self.data.bytes()
    }

    /// The next one.
    pub(super) fn head(&self) -> Option<PacketId> {
        self.urgent.head().or(self.data.head())
    }

    /// The next one leaves.
    pub(super) fn pop(&mut self, packets: &Packets) -> Option<PacketId> {
        self.urgent.pop(packets).or_else(|| self.data.pop(packets))
    }
}
