//! Counters of racks, of pairs of racks and of fibres.

use units::Span;

/// The counters of a rack, always kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RackCounters {
    /// Packets that arrived, from its hosts and on lightpaths.
    pub packets_in: u64,
    /// Packets for its own hosts.
    pub to_hosts: u64,
    /// Packets sent on lightpaths.
    pub sent: u64,
    /// Packets that came on lightpaths.
    pub came: u64,
    /// Packets for which a queue had no room.
    pub lost_full: u64,
    /// Packets lost since a request was blocked.
    pub lost_blocked: u64,
    /// Packets of its lightpaths lost since a fibre was down.
    pub lost_down: u64,
    /// Packets that were marked.
    pub marked: u64,
    /// The most bytes in all of its queues.
    pub queue_max: u64,
    /// The longest time of a packet in a queue, in picoseconds.
    pub wait_max: u64,
    /// The sum of the times in a queue of all packets that left one on a lightpath.
    pub wait_sum: u128,
}

impl RackCounters {
    /// What was counted since `earlier`; the maxima are those of the whole run.
    #[must_use]
    pub(super) fn since(&self, earlier: &Self) -> Self {
        Self {
            packets_in: self.packets_in - earlier.packets_in,
            to_hosts: self.to_hosts - earlier.to_hosts,
            sent: self.sent - earlier.sent,
            came: self.came - earlier.came,
            lost_full: self.lost_full - earlier.lost_full,
            lost_blocked: self.lost_blocked - earlier.lost_blocked,
            lost_down: self.lost_down - earlier.lost_down,
            marked: self.marked - earlier.marked,
            wait_sum: self.wait_sum - earlier.wait_sum,
            ..*self
        }
    }

    /// A packet leaves a queue on a lightpath after this time.
    pub(super) fn leaves(&mut self, wait: Span) {
        self.sent += 1;
        self.wait_max = self.wait_max.max(wait.0);
        self.wait_sum += u128::from(wait.0);
    }

    /// The counters in a fixed order, for a digest.
    pub(super) fn words(&self) -> [u64; 11] {
        #[expect(clippy::cast_possible_truncation, reason = "the lower half; no run fills it")]
        let wait_sum = self.wait_sum as u64;
        [
            self.packets_in,
            self.to_hosts,
            self.sent,
            self.came,
            self.lost_full,
            self.lost_blocked,
            self.lost_down,
            self.marked,
            self.queue_max,
            self.wait_max,
            wait_sum,
        ]
    }
}

/// The counters of a rack that asks for lightpaths to another one, always kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PairCounters {
    /// Requests.
    pub requests: u64,
    /// Those that got a lightpath.
    pub granted: u64,
    /// Of these, those that got one by another route than the first.
    pub by_alternate: u64,
    /// The fibres of all lightpaths together.
    pub hops: u64,
    /// Requests blocked since no route had a channel.
    pub blocked_channel: u64,
    /// Requests blocked since a rack had no transmitter or no receiver.
    pub blocked_transceiver: u64,
    /// For how long lightpaths were held, in picoseconds.
    pub held: u64,
}

impl PairCounters {
    /// What was counted since `earlier`.
    #[must_use]
    pub(super) fn since(&self, earlier: &Self) -> Self {
        Self {
            requests: self.requests - earlier.requests,
            granted: self.granted - earlier.granted,
            by_alternate: self.by_alternate - earlier.by_alternate,
            hops: self.hops - earlier.hops,
            blocked_channel: self.blocked_channel - earlier.blocked_channel,
            blocked_transceiver: self.blocked_transceiver - earlier.blocked_transceiver,
            held: self.held - earlier.held,
        }
    }

    /// Those of several pairs together.
    #[must_use]
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            granted: self.granted + other.granted,
            by_alternate: self.by_alternate + other.by_alternate,
            hops: self.hops + other.hops,
            blocked_channel: self.blocked_channel + other.blocked_channel,
            blocked_transceiver: self.blocked_transceiver + other.blocked_transceiver,
            held: self.held + other.held,
        }
    }

    /// Requests that were blocked.
    pub(super) fn blocked(&self) -> u64 {
        self.blocked_channel + self.blocked_transceiver
    }

    /// The counters in a fixed order, for a digest.
    pub(super) fn words(&self) -> [u64; 7] {
        [
            self.requests,
            self.granted,
            self.by_alternate,
            self.hops,
            self.blocked_channel,
            self.blocked_transceiver,
            self.held,
        ]
    }
}

/// The counters of a fibre, always kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FibreCounters {
    /// Lightpaths that got a channel of it.
    pub lightpaths: u64,
    /// For how long its channels were held, in picoseconds.
    pub held: u64,
}

impl FibreCounters {
    /// What was counted since `earlier`.
    #[must_use]
    pub(super) fn since(&self, earlier: &Self) -> Self {
        Self { lightpaths: self.lightpaths - earlier.lightpaths, held: self.held - earlier.held }
    }

    /// The counters in a fixed order, for a digest.
    pub(super) fn words(&self) -> [u64; 2] {
        [self.lightpaths, self.held]
    }
}
