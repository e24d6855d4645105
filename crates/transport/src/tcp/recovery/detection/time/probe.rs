//! The tail loss probe (RFC 8985 section 7): where no acknowledgment comes for two round trips, a segment
//! is sent whose acknowledgment shows what of the last ones is lost, long before the retransmission timer.

use units::{Span, Time};

use crate::tcp::recovery::state::Quiet;

/// What an acknowledgment says of a probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// The octet acknowledged.
    pub(super) ack: u64,
    /// Whether it advanced.
    pub(super) advances: bool,
    /// The end of the duplicate that it reports; zero for none.
    pub(super) duplicate_end: u64,
    /// Whether it has any block of a selective acknowledgment.
    pub(super) has_sack: bool,
}

/// The state of the probe.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    deadline: Time,
    /// One is to be sent now.
    due: bool,
    /// The end of what was sent when the last probe was, zero once it is settled (`TLP.end_seq`).
    end: u64,
    /// The first octet of the segment that it repeated, if it was no new one (`TLP.is_retrans`).
    repeats: Option<u64>,
    /// The round-trip time was measured since the last probe.
    measured: bool,
}

impl Probe {
    pub(super) fn new() -> Self {
        Self { deadline: Time::NEVER, due: false, end: 0, repeats: None, measured: false }
    }

    /// The segment that was sent again to probe, by its first octet, until that is settled.
    pub(super) fn repeated(&self) -> Option<u64> {
        (self.end != 0).then_some(self.repeats).flatten()
    }

    pub(super) fn deadline(&self) -> Time {
        self.deadline
    }

    /// Starts the timer anew (`TLP_calc_PTO`), unless a probe is out. `ack_delay` is how long the
    /// acknowledgment of a single segment may wait, zero where there are more in flight
    /// (`TLP.max_ack_delay`).
    pub(super) fn arm(&mut self, quiet: &Quiet, ack_delay: Span) {
        let Quiet { now, srtt, rto_at } = *quiet;
        if self.end != 0 {
            return;
        }
        let after = Span((2 * srtt.0).saturating_add(ack_delay.0));
        self.deadline = now.saturating_add(after).min(rto_at);
    }

    /// No probe is needed now.
    pub(super) fn disarm(&mut self) {
        self.deadline = Time::NEVER;
    }

    /// A recovery begins: no probe is needed, and none is out any more.
    pub(super) fn stop(&mut self) {
        (self.deadline, self.due, self.end) = (Time::NEVER, false, 0);
    }

    /// The round-trip time was measured.
    pub(super) fn on_measured(&mut self) {
        self.measured = true;
    }

    /// Whether the timer expires now. A probe is due then, if none is out and the last one was answered.
    pub(super) fn expires(&mut self, now: Time) -> bool {
        if now < self.deadline {
            return false;
        }
        self.deadline = Time::NEVER;
        self.due = self.end == 0 && self.measured;
        true
    }

    /// Whether a probe is to be sent now.
    pub(super) fn take_due(&mut self) -> bool {
        std::mem::take(&mut self.due)
    }

    /// A probe was sent, and with it everything below `end` (`TLP_send_probe`).
    pub(super) fn on_sent(&mut self, end: u64, repeats: Option<u64>) {
        (self.end, self.repeats, self.measured) = (end, repeats, false);
    }

    /// An acknowledgment has come (section 7.4.2, `TLP_process_ack`). Says up to where the data are of which
    /// it shows that the probe made up for a loss, which is congestion.
    pub(super) fn on_ack(&mut self, answer: &Answer) -> Option<u64> {
        let Answer { ack, advances, duplicate_end, has_sack } = *answer;
        if self.end == 0 || ack < self.end {
            return None;
        }
        let end = self.end;
        if self.repeats.is_none() || duplicate_end == end {
            self.end = 0;
        } else if ack > end {
            self.end = 0;
            return Some(end);
        } else if !advances && !has_sack {
            self.end = 0;
        }
        None
    }
}
