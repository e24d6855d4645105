//! Counters of a hybrid switch.

use kinds::counters;
use units::Span;

counters! {
    /// The counters of a hybrid switch, always kept.
    pub struct HybridCounters {
        /// Packets that arrived.
        packets_in: sum u64,
        /// Packets that passed as light.
        packets_through: sum u64,
        /// Their bytes.
        bytes_through: sum u64,
        /// Packets that entered the buffer.
        packets_buffered: sum u64,
        /// Their bytes.
        bytes_buffered: sum u64,
        /// Packets that left the buffer.
        packets_released: sum u64,
        /// Packets lost because no electronic input was free.
        lost_ports: sum u64,
        /// Packets lost because the buffer was full.
        lost_full: sum u64,
        /// Packets lost because their azimuth was down.
        lost_down: sum u64,
        /// The maximum number of packets in the buffer.
        buffer_max: max u32,
        /// The maximum number of bytes.
        buffer_max_bytes: max u64,
        /// The longest time of a packet in the buffer, in picoseconds.
        wait_max: max u64,
        /// The sum of the times in the buffer of all packets that left it, from first bit in to first
        /// bit out.
        wait_sum: sum u128,
    }
}

impl HybridCounters {
    /// A packet leaves the buffer after this time.
    pub fn release(&mut self, stay: Span) {
        self.packets_released += 1;
        self.wait_max = self.wait_max.max(stay.0);
        self.wait_sum += u128::from(stay.0);
    }

    /// Packets lost, for any cause.
    pub fn lost(&self) -> u64 {
        self.lost_ports + self.lost_full + self.lost_down
    }
}
