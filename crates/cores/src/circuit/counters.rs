//! Counters of racks and of circuit switches.

use kinds::counters;
use units::Span;

counters! {
    /// The counters of a rack, always kept.
    pub(super) struct RackCounters {
        /// Packets that arrived, from its hosts and from other racks.
        packets_in: sum u64,
        /// Packets for its own hosts.
        to_hosts: sum u64,
        /// Packets sent on a circuit to the rack of their destination.
        sent_on: sum u64,
        /// Packets sent on a circuit to a rack that passes them on.
        sent_over: sum u64,
        /// Packets for which a queue had no room.
        lost_full: sum u64,
        /// Packets that were marked.
        marked: sum u64,
        /// The most bytes in all of its queues.
        queue_max: max u64,
        /// The longest time of a packet in a queue, in picoseconds.
        wait_max: max u64,
        /// The sum of the times in a queue of all packets that left one, but of short flows.
        wait_sum: sum u128,
        /// Packets of short flows sent on a circuit.
        sent_short: sum u64,
        /// Packets sent to electronic switches.
        sent_beside: sum u64,
        /// Packets of short flows that lost their data.
        trimmed: sum u64,
        /// The longest time of a packet of a short flow in a rack, in picoseconds.
        short_wait_max: max u64,
        /// The sum of those times.
        short_wait_sum: sum u128,
    }
}

impl RackCounters {
    /// Notes the bytes that are in all of its queues.
    pub(super) fn holds(&mut self, bytes: u64) {
        self.queue_max = self.queue_max.max(bytes);
    }

    /// A packet leaves a queue after this time.
    pub(super) fn leaves(&mut self, wait: Span) {
        self.wait_max = self.wait_max.max(wait.0);
        self.wait_sum += u128::from(wait.0);
    }

    /// A packet of a short flow leaves the rack after this time.
    pub(super) fn short_leaves(&mut self, wait: Span) {
        self.sent_short += 1;
        self.short_wait_max = self.short_wait_max.max(wait.0);
        self.short_wait_sum += u128::from(wait.0);
    }

    /// Packets that left a queue, but of short flows.
    pub(super) fn sent(&self) -> u64 {
        self.sent_on + self.sent_over
    }
}

counters! {
    /// The counters of a circuit switch, always kept.
    pub(super) struct SwitchCounters {
        /// Packets whose first bit came.
        packets_in: sum u64,
        /// Packets that passed.
        packets_through: sum u64,
        /// Their bytes.
        bytes_through: sum u64,
        /// Packets lost because the switch was dark when they came, or went dark before they had passed.
        lost_dark: sum u64,
    }
}

impl SwitchCounters {
    /// A packet passes.
    #[inline]
    pub(super) fn passes(&mut self, bytes: u32) {
        self.packets_in += 1;
        self.packets_through += 1;
        self.bytes_through += u64::from(bytes);
    }
}
