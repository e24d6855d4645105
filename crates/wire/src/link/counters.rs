//! The counters of a link, always kept.

/// Counters of one direction of a link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Packets that were inside when counting began.
    pub packets_before: u64,
    /// Packets offered to the queue.
    pub packets_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Packets that reached the far end, as it takes them: with their last bit, or with their first one.
    pub packets_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Of these, those whose last bit is still on its way, less those of which it was when counting began.
    pub passing: i64,
    /// Their bytes.
    pub passing_bytes: i64,
    /// Packets dropped because the queue was full.
    pub dropped_queue: u64,
    /// Packets that RED dropped early.
    pub dropped_red: u64,
    /// Packets lost on the wire.
    pub dropped_loss: u64,
    /// Packets lost because the link was down.
    pub dropped_down: u64,
    /// Packets that found the link busy at a hybrid switch and could not be stored.
    pub dropped_contention: u64,
    /// Packets lost with a burst (optical links only).
    pub dropped_burst: u64,
    /// Packets rejected when they were offered: those dropped without being accepted.
    pub refused: u64,
    /// How long the transmitter has been busy, in picoseconds.
    pub busy: u64,
    /// Bytes dropped or cut off, for any cause.
    pub bytes_dropped: u64,
    /// The bytes of packets that had left, or started to leave, the transmitter when the wire or a
    /// failure lost them. Also included in those above.
    pub bytes_lost: u64,
    /// Packets whose data were cut off.
    pub trimmed: u64,
    /// Packets marked (ECN).
    pub marked: u64,
    /// The longest wait of an accepted packet, in picoseconds: as computed at acceptance, or in a queue in front of the link
    /// as far as it has gone.
    pub wait_max: u64,
    /// Whether a change of the link has changed computed waiting times: then the longest wait is unknown.
    pub waits_moved: bool,
    /// The packets whose waits are known: all that were accepted, or those that have left a queue in front of the link.
    pub waited: u64,
    /// The sum of their waits in picoseconds.
    pub wait_sum: i128,
    /// By how much changes of the link have changed waits of packets that were accepted before measuring began.
    pub moved_before: i128,
    /// The time that packets have spent waiting, in picoseconds: the integral of the queue.
    pub queue_time: i128,
}

impl LinkCounters {
    /// The longest wait in seconds, NaN if unknown.
    pub fn longest_wait(&self) -> f64 {
        if self.waits_moved { f64::NAN } else { self.wait_max as f64 * 1e-12 }
    }

    /// The mean wait in seconds of the packets whose waits are known, NaN without any.
    pub fn mean_wait(&self) -> f64 {
        self.wait_sum as f64 * 1e-12 / self.waited as f64
    }

    /// Packets whose last bit has reached the far end.
    pub fn passed(&self) -> u64 {
        self.packets_out.wrapping_add_signed(-self.passing)
    }

    /// Their bytes.
    pub fn passed_bytes(&self) -> u64 {
        self.bytes_out.wrapping_add_signed(-self.passing_bytes)
    }

    /// Packets inside, waiting or on the wire: those inside before and those that arrived, less those
    /// whose last bit reached the far end and those that were dropped.
    pub fn inside(&self) -> u64 {
        self.packets_before + self.packets_in - self.passed() - self.dropped()
    }

    /// Packets dropped, for any cause.
    pub fn dropped(&self) -> u64 {
        self.dropped_queue
            + self.dropped_red
            + self.dropped_loss
            + self.dropped_down
            + self.dropped_burst
            + self.dropped_contention
    }

    /// The counters in a fixed order, for a digest. A new one is in it, or is named here as one that is not.
    pub fn words(&self) -> [u64; 15] {
        let &Self {
            packets_in,
            bytes_in,
            packets_out,
            bytes_out,
            dropped_queue,
            dropped_red,
            dropped_loss,
            dropped_down,
            refused,
            busy,
            bytes_dropped,
            marked,
            wait_max,
            wait_sum,
            // Observations, and counters that came after the digests that are kept.
            packets_before: _,
            passing: _,
            passing_bytes: _,
            dropped_contention: _,
            dropped_burst: _,
            bytes_lost: _,
            trimmed: _,
            waits_moved: _,
            waited: _,
            moved_before: _,
            queue_time: _,
        } = self;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "halves")]
        let [low, high] = [wait_sum as u64, (wait_sum >> 64) as u64];
        let packets = [packets_in, bytes_in, packets_out, bytes_out];
        let dropped = [dropped_queue, dropped_red, dropped_loss, dropped_down];
        let others = [refused, busy, bytes_dropped, marked, wait_max, low, high];
        let mut words = packets.into_iter().chain(dropped).chain(others);
        std::array::from_fn(|_| words.next().expect("fifteen"))
    }

    /// What was counted since `earlier`; the maximum is that of the whole run.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            packets_before: earlier.inside(),
            packets_in: self.packets_in - earlier.packets_in,
            bytes_in: self.bytes_in - earlier.bytes_in,
            packets_out: self.packets_out - earlier.packets_out,
            bytes_out: self.bytes_out - earlier.bytes_out,
            passing: self.passing - earlier.passing,
            passing_bytes: self.passing_bytes - earlier.passing_bytes,
            dropped_queue: self.dropped_queue - earlier.dropped_queue,
            dropped_red: self.dropped_red - earlier.dropped_red,
            dropped_loss: self.dropped_loss - earlier.dropped_loss,
            dropped_down: self.dropped_down - earlier.dropped_down,
            dropped_burst: self.dropped_burst - earlier.dropped_burst,
            dropped_contention: self.dropped_contention - earlier.dropped_contention,
            refused: self.refused - earlier.refused,
            busy: self.busy - earlier.busy,
            bytes_dropped: self.bytes_dropped - earlier.bytes_dropped,
            bytes_lost: self.bytes_lost - earlier.bytes_lost,
            trimmed: self.trimmed - earlier.trimmed,
            marked: self.marked - earlier.marked,
            wait_max: self.wait_max,
            waits_moved: self.waits_moved,
            waited: self.waited - earlier.waited,
            wait_sum: self.wait_sum - earlier.wait_sum - self.moved_before,
            moved_before: 0,
            queue_time: self.queue_time - earlier.queue_time,
        }
    }
}
