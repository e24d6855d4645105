//! Proportional rate reduction (RFC 9937): while the window is reduced, as much is sent as arrives, in
//! proportion, so that at the end as much is in flight as the reduced window permits.
//!
//! The names in brackets are those of RFC 9937 section 6. It acts in fast recovery, and after an explicit
//! notification until what was outstanding then is acknowledged (`CWR` in Linux).

/// A reduction under way. Everything is in octets.
#[derive(Clone, Debug)]
pub(crate) struct Prr {
    /// The data in flight when it began, without what had arrived before (`RecoverFS`).
    before: u64,
    /// What has arrived since (`prr_delivered`), and what was sent (`prr_out`).
    delivered: u64,
    out: u64,
    /// What may be in flight (`cwnd`).
    window: u64,
    /// The acknowledgment that began it is being handled.
    begins: bool,
    /// The losses that were known at the last one.
    losses: u64,
    /// Where it ends, if it is no recovery: what was outstanding when it began.
    end: u64,
}

/// An acknowledgment during a reduction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    /// Octets that it acknowledges and that no selective acknowledgment had.
    pub(crate) acked: u64,
    /// Octets that it says to have arrived out of order, which was not known.
    pub(crate) sacked: u64,
    /// Whether it advances.
    pub(crate) advances: bool,
    /// The window to which it is reduced (`ssthresh`).
    pub(crate) target: u64,
}

impl Prr {
    /// A reduction that begins with so many octets outstanding that have not arrived, and so many in flight, and
    /// ends where `end` is acknowledged.
    pub(super) fn new(outstanding: u64, in_flight: u64, end: u64, losses: u64) -> Self {
        Self {
            before: outstanding,
            delivered: 0,
            out: 0,
            window: in_flight,
            begins: true,
            losses,
            end,
        }
    }

    /// Where it ends.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// What may be in flight.
    pub(super) fn window(&self) -> u64 {
        self.window
    }

    /// Octets were sent, for the first time or again.
    pub(super) fn on_sent(&mut self, octets: u64) {
        self.out += octets;
    }

    /// The next acknowledgment has come: it is not the one that began it, if one did and no timer.
    pub(super) fn on_next_ack(&mut self) {
        self.begins = false;
    }

    /// The acknowledgment that may have begun it is booked: what it reports is a part of what was in flight, and
    /// `outstanding` octets are left of that.
    pub(super) fn on_booked(&mut self, arrived: &Arrived, outstanding: u64) {
        if std::mem::take(&mut self.begins) {
            self.before = outstanding + arrived.acked + arrived.sacked;
        }
    }

    /// An acknowledgment is booked, after which so many octets are in flight and so many losses are known.
    pub(super) fn on_ack(&mut self, arrived: &Arrived, in_flight: u64, losses: u64, segment: u64) {
        let Arrived { acked, sacked, advances, target } = *arrived;
        // `SafeACK`.
        let is_safe = advances && losses == self.losses;
        self.losses = losses;
        let news = acked + sacked;
        self.delivered += news;
        let mut count = if in_flight > target {
            let share = u128::from(self.delivered) * u128::from(target);
            let share = share.div_ceil(u128::from(self.before.max(1)));
            u64::try_from(share).unwrap_or(u64::MAX).saturating_sub(self.out)
        } else {
            let count = self.delivered.saturating_sub(self.out).max(news);
            (count + u64::from(is_safe) * segment).min(target - in_flight)
        };
        if self.out == 0 && count == 0 {
            count = segment;
        }
        self.window = in_flight + count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 1000;

    /// A reduction from 20 segments, one of them lost, to `target`.
    fn reduction(target: u64) -> (Prr, u64) {
        let mut prr = Prr::new(17 * SEGMENT, 17 * SEGMENT, 0, 1);
        // The third duplicate: 20 segments less one lost and three that have arrived.
        let arrived = ack(0, 1, target);
        prr.on_booked(&arrived, 17 * SEGMENT);
        prr.on_ack(&arrived, 16 * SEGMENT, 1, SEGMENT);
        (prr, 16)
    }

    fn ack(acked: u64, sacked: u64, target: u64) -> Arrived {
        let (acked, sacked, target) = (acked * SEGMENT, sacked * SEGMENT, target * SEGMENT);
        Arrived { acked, sacked, advances: acked > 0, target }
    }

    #[test]
    fn every_second_acknowledgment_sends_a_segment_on_the_way_to_half() {
        let (mut prr, mut in_flight) = reduction(10);
        let mut sent = Vec::new();
        for duplicate in 0..16 {
            if duplicate > 0 {
                in_flight -= 1;
                prr.on_ack(&ack(0, 1, 10), in_flight * SEGMENT, 1, SEGMENT);
            }
            // The lost segment itself is sent at once.
            while duplicate == 0 && sent.is_empty() || (in_flight + 1) * SEGMENT <= prr.window() {
                prr.on_sent(SEGMENT);
                in_flight += 1;
                sent.push(duplicate);
            }
        }
        // 10 / 18 of what has arrived: with these acknowledgments it is a segment more. With the 13th ten
        // segments are in flight, the target, and each one after it sends one.
        assert_eq!(sent, [0, 3, 5, 7, 8, 10, 13, 14, 15]);
        assert!((9..=11).contains(&in_flight), "{in_flight}");
    }

    #[test]
    fn only_the_acknowledgment_that_begins_it_adds_to_what_was_in_flight() {
        let mut prr = Prr::new(15 * SEGMENT, 15 * SEGMENT, 0, 1);
        // It acknowledges two segments and reports three, after which fifteen are outstanding.
        prr.on_booked(&ack(2, 3, 10), 15 * SEGMENT);
        assert_eq!(prr.before, 20 * SEGMENT);
        prr.on_next_ack();
        prr.on_booked(&ack(1, 1, 10), 13 * SEGMENT);
        assert_eq!(prr.before, 20 * SEGMENT);
        // A timer began this one.
        let mut prr = Prr::new(15 * SEGMENT, 15 * SEGMENT, 0, 1);
        prr.on_next_ack();
        prr.on_booked(&ack(1, 1, 10), 13 * SEGMENT);
        assert_eq!(prr.before, 15 * SEGMENT);
    }

    #[test]
    fn below_the_target_what_arrives_is_sent_and_a_segment_more_if_nothing_else_is_lost() {
        let mut prr = Prr::new(20 * SEGMENT, 4 * SEGMENT, 0, 1);
        prr.on_ack(&ack(0, 1, 10), 4 * SEGMENT, 1, SEGMENT);
        assert_eq!(prr.window(), 5 * SEGMENT);
        prr.on_sent(SEGMENT);
        // It advances and shows no loss.
        prr.on_ack(&ack(1, 0, 10), 4 * SEGMENT, 1, SEGMENT);
        assert_eq!(prr.window(), 6 * SEGMENT);
        prr.on_sent(2 * SEGMENT);
        // It advances and shows another one.
        prr.on_ack(&ack(1, 0, 10), 5 * SEGMENT, 2, SEGMENT);
        assert_eq!(prr.window(), 6 * SEGMENT);
        // Never above the target.
        prr.on_ack(&ack(9, 0, 10), 9 * SEGMENT, 2, SEGMENT);
        assert_eq!(prr.window(), 10 * SEGMENT);
    }

    #[test]
    fn the_first_acknowledgment_sends_a_segment_in_any_case() {
        let mut prr = Prr::new(20 * SEGMENT, 20 * SEGMENT, 0, 1);
        prr.on_ack(&ack(0, 0, 10), 19 * SEGMENT, 1, SEGMENT);
        assert_eq!(prr.window(), 20 * SEGMENT);
        prr.on_sent(SEGMENT);
        prr.on_ack(&ack(0, 0, 10), 20 * SEGMENT, 1, SEGMENT);
        assert_eq!(prr.window(), 20 * SEGMENT);
    }
}
