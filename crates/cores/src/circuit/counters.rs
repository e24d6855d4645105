//! Counters of racks and of circuit switches.

use units::Span;

/// The counters of a rack, always kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RackCounters {
    /// Packets that arrived, from its hosts and from other racks.
    pub packets_in: u64,
    /// Packets for its own hosts.
    pub to_hosts: u64,
    /// Packets sent on a circuit to the rack of their destination.
    pub sent_on: u64,
    /// Packets sent on a circuit to a rack that passes them on.
    pub sent_over: u64,
    /// Packets of short flows sent on a circuit.
    pub sent_short: u64,
    /// Packets sent to electronic switches.
    pub sent_beside: u64,
    /// Packets of short flows that lost their data.
    pub trimmed: u64,
    /// Packets for which a queue had no room.
    pub lost_full: u64,
    /// Packets that were marked.
    pub marked: u64,
    /// The most bytes in all of its queues.
    pub queue_max: u64,
    /// The longest time of a packet in a queue, in picoseconds.
    pub wait_max: u64,
    /// The sum of the times in a queue of all packets that left one, but of short flows.
    pub wait_sum: u128,
    /// The longest time of a packet of a short flow in a rack, in picoseconds.
    pub short_wait_max: u64,
    /// The sum of those times.
    pub short_wait_sum: u128,
}

impl RackCounters {
    /// What was counted since `earlier`; the maxima are those of the whole run.
    #[must_use]
    pub(super) fn since(&self, earlier: &Self) -> Self {
        Self {
            packets_in: self.packets_in - earlier.packets_in,
            to_hosts: self.to_hosts - earlier.to_hosts,
            sent_on: self.sent_on - earlier.sent_on,
            sent_over: self.sent_over - earlier.sent_over,
            sent_short: self.sent_short - earlier.sent_short,
            sent_beside: self.sent_beside - earlier.sent_beside,
            trimmed: self.trimmed - earlier.trimmed,
            lost_full: self.lost_full - earlier.lost_full,
            marked: self.marked - earlier.marked,
            wait_sum: self.wait_sum - earlier.wait_sum,
            short_wait_sum: self.short_wait_sum - earlier.short_wait_sum,
            ..*self
        }
    }

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

    /// The counters in a fixed order, for a digest.
    pub(super) fn words(&self) -> [u64; 14] {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half; no run fills it")]
        let [wait_sum, short_wait_sum] = [self.wait_sum, self.short_wait_sum].map(|sum| sum as u64);
        [
            self.packets_in,
            self.to_hosts,
            self.sent_on,
            self.sent_over,
            self.lost_full,
            self.marked,
            self.queue_max,
            self.wait_max,
            wait_sum,
            self.sent_short,
            self.sent_beside,
            self.trimmed,
            self.short_wait_max,
            short_wait_sum,
        ]
    }
}

/// The counters of a circuit switch, always kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SwitchCounters {
    /// Packets whose first bit came.
    pub packets_in: u64,
    /// Packets that passed.
    pub packets_through: u64,
    /// Their bytes.
    pub bytes_through: u64,
    /// Packets lost because the switch was dark when they came, or went dark before they had passed.
    pub lost_dark: u64,
}

impl SwitchCounters {
    /// A packet passes.
    #[inline]
    pub(super) fn passes(&mut self, bytes: u32) {
        self.packets_in += 1;
        self.packets_through += 1;
        self.bytes_through += u64::from(bytes);
    }

    /// What was counted since `earlier`.
    #[must_use]
    pub(super) fn since(&self, earlier: &Self) -> Self {
        Self {
            packets_in: self.packets_in - earlier.packets_in,
            packets_through: self.packets_through - earlier.packets_through,
            bytes_through: self.bytes_through - earlier.bytes_through,
            lost_dark: self.lost_dark - earlier.lost_dark,
        }
    }

    /// The counters in a fixed order, for a digest.
    pub(super) fn words(&self) -> [u64; 4] {
        [self.packets_in, self.packets_through, self.bytes_through, self.lost_dark]
    }
}
