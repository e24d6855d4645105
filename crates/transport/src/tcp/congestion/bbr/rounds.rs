//! Round trips counted by packets: one ends with the first acknowledgment of a packet that was sent after it
//! began (draft-ietf-ccwg-bbr section 5.5.1).

use super::super::sample::RateSample;

/// The rounds of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Rounds {
    /// What was delivered when the current one began (`BBR.next_round_delivered`).
    next_delivered: u64,
    /// How many have ended (`BBR.round_count`).
    pub(in super::super) count: u64,
    /// Whether the last acknowledgment ended one (`BBR.round_start`).
    pub(in super::super) starts: bool,
}

impl Rounds {
    /// An acknowledgment has come (`UpdateRound`).
    pub(in super::super) fn update(&mut self, sample: &RateSample) {
        self.starts = sample.prior_delivered >= self.next_delivered;
        if self.starts {
            self.begin(sample.total_delivered);
            self.count += 1;
        }
    }

    /// A round begins now, when so much is delivered (`StartRound`).
    pub(in super::super) fn begin(&mut self, total_delivered: u64) {
        self.next_delivered = total_delivered;
    }
}
