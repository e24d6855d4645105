//! What a sender has in flight, what of it has arrived, what is lost and what was sent again:
//! the scoreboard of RFC 6675, with go-back-N as the case without selective acknowledgments.
//!
//! Three numbers and a set of ranges say it all, since RFC 6675's `IsLost` holds for every octet
//! below some bound and its `HighRxt` separates what was sent again from what was not:
//!
//! ```text
//!   una          HighRxt        lost_below              high
//!    |---resent----|----lost------|------in flight--------|      (less what is sacked)
//! ```
//!
//! So `pipe` costs a few additions, regardless of the window and the number of holes.
//!
//! `Deviation:` an octet once deemed lost stays so until it is acknowledged. RFC 6675 asks
//! `IsLost` anew each time, and two short ranges that grow together could take it back.

use super::ranges::Ranges;

/// The data between the oldest octet without acknowledgment and the next new one.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Scoreboard {
    una: u64,
    high: u64,
    lost_below: u64,
    resent_below: u64,
    sacked: Ranges,
    sacked_below_lost: u64,
    sacked_below_resent: u64,
}

impl Scoreboard {
    /// The oldest octet without acknowledgment (SND.UNA, `HighACK` + 1).
    pub(crate) fn una(&self) -> u64 {
        self.una
    }

    /// The next new octet (SND.MAX, `HighData` + 1).
    pub(crate) fn high(&self) -> u64 {
        self.high
    }

    /// Octets sent and not acknowledged (`FlightSize` of RFC 5681).
    pub(crate) fn flight(&self) -> u64 {
        self.high - self.una
    }

    /// Octets deemed to be in the network (`SetPipe` of RFC 6675): each octet that is not sacked
    /// counts once unless it is lost, and once if it was sent again.
    pub(crate) fn pipe(&self) -> u64 {
        let lost = self.lost_below.max(self.una);
        let resent = self.resent_below.max(self.una);
        let sacked_above_lost = self.sacked.octets() - self.sacked_below_lost;
        (self.high - lost - sacked_above_lost) + (resent - self.una - self.sacked_below_resent)
    }

    /// Whether all in flight was sent once, and nothing of it is known to have arrived or to be lost.
    pub(crate) fn is_in_order(&self) -> bool {
        self.sacked.is_empty() && self.lost_below.max(self.resent_below) <= self.una
    }

    /// Whether the oldest octet is lost.
    pub(crate) fn head_is_lost(&self) -> bool {
        self.lost_below > self.una
    }

    /// Octets below are lost unless they are sacked.
    pub(crate) fn lost_below(&self) -> u64 {
        self.lost_below
    }

    /// The end of the highest range that is sacked.
    pub(crate) fn sacked_up_to(&self) -> u64 {
        self.sacked.last().map_or(self.una, |range| range.1)
    }

    /// Octets that are lost and have not arrived, sent again or not, and those of them sent again.
    pub(crate) fn lost_and_resent(&self) -> (u64, u64) {
        let lost = self.lost_below.max(self.una) - self.una - self.sacked_below_lost;
        let resent = self.resent_below.max(self.una) - self.una - self.sacked_below_resent;
        (lost, resent)
    }

    /// Octets that have arrived out of order.
    pub(crate) fn sacked(&self) -> u64 {
        self.sacked.octets()
    }

    /// New data were sent.
    pub(crate) fn send(&mut self, octets: u64) {
        self.high += octets;
    }

    /// Everything below `ack` is acknowledged; returns how many octets of it were not sacked before.
    pub(crate) fn advance(&mut self, ack: u64) -> u64 {
        debug_assert!(ack >= self.una && ack <= self.high, "only what was sent is acknowledged");
        let octets = ack - self.una;
        self.una = ack;
        if self.sacked.is_empty() {
            return octets;
        }
        let (lost, resent) = (self.lost_below, self.resent_below);
        let (mut sacked, mut below_lost, mut below_resent) = (0, 0, 0);
        self.sacked.remove_below(ack, |start, end| {
            sacked += end - start;
            below_lost += overlap(start, end, lost);
            below_resent += overlap(start, end, resent);
        });
        self.sacked_below_lost -= below_lost;
        self.sacked_below_resent -= below_resent;
        octets - sacked
    }

    /// `start .. end` arrived out of order; returns how many octets of it are new (`Update` of
    /// RFC 6675).
    pub(crate) fn sack(&mut self, start: u64, end: u64) -> u64 {
        self.sack_parts(start, end, |_, _| ())
    }

    /// The same; `part` is called with each new part, ascending.
    pub(crate) fn sack_parts(
        &mut self,
        start: u64,
        end: u64,
        mut part: impl FnMut(u64, u64),
    ) -> u64 {
        let (start, end) = (start.max(self.una), end.min(self.high));
        let (lost, resent) = (self.lost_below, self.resent_below);
        let (mut news, mut below_lost, mut below_resent) = (0, 0, 0);
        self.sacked.insert(start, end, |start, end| {
            news += end - start;
            below_lost += overlap(start, end, lost);
            below_resent += overlap(start, end, resent);
            part(start, end);
        });
        self.sacked_below_lost += below_lost;
        self.sacked_below_resent += below_resent;
        news
    }

    /// Deems lost what has `ranges` sacked ranges above it, or more than `octets` sacked octets
    /// (`IsLost` of RFC 6675 with `DupThresh` and (`DupThresh` − 1) · SMSS).
    pub(crate) fn find_lost(&mut self, ranges: u32, octets: u64) {
        let mut sum = 0;
        for (n, (start, end)) in (1..).zip(self.sacked.iter().rev()) {
            sum += end - start;
            if n >= ranges || sum > octets {
                if start > self.lost_below {
                    self.sacked_below_lost += self.sacked_between(self.lost_below, start);
                    self.lost_below = start;
                }
                return;
            }
        }
    }

    /// Deems everything lost and nothing sent again: go-back-N, less what is sacked.
    ///
    /// `Deviation:` RFC 2018 section 8 has a sender forget after a timeout what was sacked, since
    /// a receiver may renege. Receivers here never do, so it is kept, as in Linux.
    pub(crate) fn lose_all(&mut self) {
        self.lost_below = self.high;
        self.resent_below = self.una;
        self.sacked_below_lost = self.sacked.octets();
        self.sacked_below_resent = 0;
    }

    /// Deems nothing lost, and nothing sent again.
    pub(crate) fn lose_nothing(&mut self) {
        (self.lost_below, self.sacked_below_lost) = (self.una, 0);
        self.forget_resent();
    }

    /// The first hole below `limit` that was not sent again (`NextSeg` rules 1 and 3).
    pub(crate) fn next_hole(&self, limit: u64) -> Option<(u64, u64)> {
        let mut start = self.resent_below.max(self.una);
        if start >= limit {
            return None;
        }
        let mut end = self.high;
        for range in self.sacked.from(start) {
            if range.0 > start {
                end = range.0;
                break;
            }
            start = range.1;
        }
        let end = end.min(limit);
        (start < end).then_some((start, end))
    }

    /// The oldest hole, sent again or not.
    pub(crate) fn head(&self) -> (u64, u64) {
        (self.una, self.sacked.first_ending_above(self.una).map_or(self.high, |range| range.0))
    }

    /// The last `octets` (or fewer) of the highest hole (`NextSeg` rule 4).
    pub(crate) fn last_hole(&self, octets: u64) -> Option<(u64, u64)> {
        let (mut start, mut end) = (self.una, self.high);
        for range in self.sacked.iter().rev() {
            if range.1 < end {
                start = range.1;
                break;
            }
            end = range.0;
        }
        let start = start.max(end.saturating_sub(octets));
        (start < end).then_some((start, end))
    }

    /// Everything below `octet` that is not sacked was sent again (`HighRxt` of RFC 6675).
    pub(crate) fn resend_up_to(&mut self, octet: u64) {
        let from = self.resent_below.max(self.una);
        if octet > from {
            self.sacked_below_resent += self.sacked_between(from, octet);
            self.resent_below = octet;
        }
    }

    /// Nothing in flight counts as sent again.
    pub(crate) fn forget_resent(&mut self) {
        self.resent_below = self.una;
        self.sacked_below_resent = 0;
    }

    pub(crate) fn sacked_between(&self, from: u64, to: u64) -> u64 {
        if self.sacked.is_empty() {
            return 0;
        }
        self.sacked
            .from(from)
            .take_while(|range| range.0 < to)
            .map(|(start, end)| end.min(to) - start.max(from))
            .sum()
    }
}

/// How much of `start .. end` lies below `bound`.
fn overlap(start: u64, end: u64, bound: u64) -> u64 {
    end.min(bound).saturating_sub(start)
}

#[cfg(test)]
mod tests;
