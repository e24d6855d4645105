//! Marks above a threshold of what waits (RFC 8257, section 3.1).

use plan::spec::queue::MarkAbove;

use super::{Arriving, Verdict};

/// The packets and the bytes above which it marks, one of them beyond any queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct EcnThreshold(u32, u64);

impl EcnThreshold {
    pub(super) fn new(above: MarkAbove) -> Self {
        match above {
            MarkAbove::Packets(packets) => Self(packets, u64::MAX),
            MarkAbove::Bytes(bytes) => Self(u32::MAX, bytes.0),
        }
    }

    #[inline]
    pub(super) fn judge(self, packet: &Arriving) -> Verdict {
        let is_above = packet.waiting.0 > self.0 || packet.waiting.1 > self.1;
        if packet.is_capable && is_above { Verdict::Mark } else { Verdict::Enqueue }
    }
}
