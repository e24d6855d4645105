//! Counters of a hybrid switch.

use units::Span;

/// The counters of a hybrid switch, always kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HybridCounters {
    /// Packets that arrived.
    pub packets_in: u64,
    /// Packets that passed as light.
    pub packets_through: u64,
    /// Their bytes.
    pub bytes_through: u64,
    /// Packets that entered the buffer.
    pub packets_buffered: u64,
    /// Their bytes.
    pub bytes_buffered: u64,
    /// Packets that left the buffer.
    pub packets_released: u64,
    /// Packets lost because no electronic input was free.
    pub lost_ports: u64,
    /// Packets lost because the buffer was full.
    pub lost_full: u64,
    /// Packets lost because their azimuth was down.
    pub lost_down: u64,
    /// The maximum number of packets in the buffer.
    pub buffer_max: u32,
    /// The maximum number of bytes.
    pub buffer_max_bytes: u64,
    /// The longest time of a packet in the buffer, in picoseconds.
    pub wait_max: u64,
    /// The sum of the times in the buffer of all packets that left it, from first bit in to first
    /// bit out.
    pub wait_sum: u128,
}

impl HybridCounters {
    /// What was counted since `earlier`; the maxima are those of the whole run.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            packets_in: self.packets_in - earlier.packets_in,
            packets_through: self.packets_through - earlier.packets_through,
            bytes_through: self.bytes_through - earlier.bytes_through,
            packets_buffered: self.packets_buffered - earlier.packets_buffered,
            bytes_buffered: self.bytes_buffered - earlier.bytes_buffered,
            packets_released: self.packets_released - earlier.packets_released,
            lost_ports: self.lost_ports - earlier.lost_ports,
            lost_full: self.lost_full - earlier.lost_full,
            lost_down: self.lost_down - earlier.lost_down,
            wait_sum: self.wait_sum - earlier.wait_sum,
            ..*self
        }
    }

    /// A packet leaves the buffer after this time.
    pub fn release(&mut self, stay: Span) {
        self.packets_released += 1;
        self.wait_max = self.wait_max.max(stay.0);
        self.wait_sum += u128::from(stay.0);
    }

    /// The counters in a fixed order, for a digest.
    pub fn words(&self) -> [u64; 13] {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half; no run fills it")]
        let wait_sum = self.wait_sum as u64;
        [
            self.packets_in,
            self.packets_through,
            self.bytes_through,
            self.packets_buffered,
            self.bytes_buffered,
            self.packets_released,
            self.lost_ports,
            self.lost_full,
            self.lost_down,
            u64::from(self.buffer_max),
            self.buffer_max_bytes,
            self.wait_max,
            wait_sum,
        ]
    }

    /// Packets lost, for any cause.
    pub fn lost(&self) -> u64 {
        self.lost_ports + self.lost_full + self.lost_down
    }
}
