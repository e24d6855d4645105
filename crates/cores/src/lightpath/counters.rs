//! Counters of racks, of pairs of racks and of fibres.

use kinds::counters;
use units::Span;

counters! {
    /// The counters of a rack, always kept.
    pub(super) struct RackCounters {
        /// Packets that arrived, from its hosts and on lightpaths.
        packets_in: sum u64,
        /// Packets for its own hosts.
        to_hosts: sum u64,
        /// Packets sent on lightpaths.
        sent: sum u64,
        /// Packets that came on lightpaths.
        came: sum u64,
        /// Packets for which a queue had no room.
        lost_full: sum u64,
        /// Packets lost since a request was blocked.
        lost_blocked: sum u64,
        /// Packets of its lightpaths lost since a fibre was down.
        lost_down: sum u64,
        /// Packets that were marked.
        marked: sum u64,
        /// The most bytes in all of its queues.
        queue_max: max u64,
        /// The longest time of a packet in a queue, in picoseconds.
        wait_max: max u64,
        /// The sum of the times in a queue of all packets that left one on a lightpath.
        wait_sum: sum u128,
    }
}

impl RackCounters {
    /// A packet leaves a queue on a lightpath after this time.
    pub(super) fn leaves(&mut self, wait: Span) {
        self.sent += 1;
        self.wait_max = self.wait_max.max(wait.0);
        self.wait_sum += u128::from(wait.0);
    }
}

counters! {
    /// The counters of a rack that asks for lightpaths to another one, always kept.
    pub(super) struct PairCounters {
        /// Requests.
        requests: sum u64,
        /// Those that got a lightpath.
        granted: sum u64,
        /// Of these, those that got one by another route than the first.
        by_alternate: sum u64,
        /// The fibres of all lightpaths together.
        hops: sum u64,
        /// Requests blocked since no route had a channel.
        blocked_channel: sum u64,
        /// Requests blocked since a rack had no transmitter or no receiver.
        blocked_transceiver: sum u64,
        /// For how long lightpaths were held, in picoseconds.
        held: sum u64,
    }
}

impl PairCounters {
    /// Requests that were blocked.
    pub(super) fn blocked(&self) -> u64 {
        self.blocked_channel + self.blocked_transceiver
    }
}

counters! {
    /// The counters of a fibre, always kept.
    pub(super) struct FibreCounters {
        /// Lightpaths that got a channel of it.
        lightpaths: sum u64,
        /// For how long its channels were held, in picoseconds.
        held: sum u64,
    }
}
