//! What happened to the bursts of a class and on the channels of a fibre, counted always.

use units::Span;

use super::Lost;

/// Counters of a forwarding equivalence class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FecCounters {
    /// Bursts released.
    pub bursts: u64,
    /// Of these, because they were full.
    pub by_size: u64,
    /// Of these, because the timer ran out.
    pub by_timer: u64,
    /// Packets in them.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The time that their packets waited in the assembly queue, in picoseconds.
    pub wait: u128,
    /// Bursts lost, by cause, in the order of [`Lost`].
    pub lost: [u64; 6],
    /// Packets lost with them.
    pub packets_lost: u64,
    /// Bursts that reached their egress edge.
    pub delivered: u64,
    /// Packets in them.
    pub packets_delivered: u64,
    /// Their bytes.
    pub bytes_delivered: u64,
}

impl FecCounters {
    /// Counts a lost burst.
    pub fn lose(&mut self, cause: Lost, packets: u32) {
        self.lost[cause as usize] += 1;
        self.packets_lost += u64::from(packets);
    }

    /// Bursts lost for a cause.
    pub fn lost(&self, cause: Lost) -> u64 {
        self.lost[cause as usize]
    }

    /// Bursts on their way.
    pub fn bursts_inside(&self) -> u64 {
        self.bursts - self.delivered - self.lost.iter().sum::<u64>()
    }

    /// Packets on their way in bursts.
    pub fn packets_inside(&self) -> u64 {
        self.packets - self.packets_delivered - self.packets_lost
    }

    /// What was counted since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            bursts: self.bursts - earlier.bursts,
            by_size: self.by_size - earlier.by_size,
            by_timer: self.by_timer - earlier.by_timer,
            packets: self.packets - earlier.packets,
            bytes: self.bytes - earlier.bytes,
            wait: self.wait - earlier.wait,
            lost: std::array::from_fn(|at| self.lost[at] - earlier.lost[at]),
            packets_lost: self.packets_lost - earlier.packets_lost,
            delivered: self.delivered - earlier.delivered,
            packets_delivered: self.packets_delivered - earlier.packets_delivered,
            bytes_delivered: self.bytes_delivered - earlier.bytes_delivered,
        }
    }

    /// The sum with the counters of another class.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            bursts: self.bursts + other.bursts,
            by_size: self.by_size + other.by_size,
            by_timer: self.by_timer + other.by_timer,
            packets: self.packets + other.packets,
            bytes: self.bytes + other.bytes,
            wait: self.wait + other.wait,
            lost: std::array::from_fn(|at| self.lost[at] + other.lost[at]),
            packets_lost: self.packets_lost + other.packets_lost,
            delivered: self.delivered + other.delivered,
            packets_delivered: self.packets_delivered + other.packets_delivered,
            bytes_delivered: self.bytes_delivered + other.bytes_delivered,
        }
    }

    /// The counters in a fixed order, for a digest.
    pub fn words(&self) -> impl Iterator<Item = u64> {
        #[expect(clippy::cast_possible_truncation, reason = "halves")]
        let halves = [self.wait as u64, (self.wait >> 64) as u64];
        let counts = [self.bursts, self.by_size, self.by_timer, self.packets, self.bytes];
        let delivered = [self.delivered, self.packets_delivered, self.bytes_delivered];
        counts
            .into_iter()
            .chain(halves)
            .chain(self.lost)
            .chain([self.packets_lost])
            .chain(delivered)
    }
}

/// Counters of one channel of a fibre.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChannelCounters {
    /// Bursts (on a control channel: headers) that were given it.
    pub bursts: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How long it has been busy, in picoseconds.
    pub busy: u64,
}

impl ChannelCounters {
    /// Counts so many bytes that last so long.
    pub fn add(&mut self, bytes: u64, length: Span) {
        self.bursts += 1;
        self.bytes += bytes;
        self.busy += length.0;
    }

    /// What was counted since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            bursts: self.bursts - earlier.bursts,
            bytes: self.bytes - earlier.bytes,
            busy: self.busy - earlier.busy,
        }
    }
}
