//! The sender's half of AccECN (RFC 9768): how much was marked, from three bits of the receiver's counter.
//!
//! `Deviation:` the TCP option with counters of octets is not modelled (it is optional, section 3.2.3): a marked packet
//! counts for a full segment. Where an acknowledgment is for more than seven packets the counter may have gone round
//! unseen; then as many packets are taken to be marked as may have been (section 3.2.2.5.2 and appendix A.1).

use crate::segment::Flags;
use crate::tcp::receiver::FIRST_MARKS;

/// What was told so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// The counter, modulo 8 (`s.cep`).
    counter: u8,
    /// Octets told to be marked that no acknowledgment which advances has counted.
    octets: u64,
}

impl Default for Marks {
    fn default() -> Self {
        Self { counter: FIRST_MARKS % 8, octets: 0 }
    }
}

impl Marks {
    /// An acknowledgment has come that says of `octets` that they have arrived; whether any were marked.
    pub(super) fn on_ack(&mut self, flags: Flags, octets: u64, segment: u64) -> bool {
        let more = u64::from(flags.ace().wrapping_sub(self.counter) % 8);
        let packets = octets.div_ceil(segment);
        let marked = if packets > 7 { packets - (packets - more.min(packets)) % 8 } else { more };
        self.counter = flags.ace();
        self.octets = self.octets.saturating_add(marked.saturating_mul(segment));
        marked > 0
    }

    /// Of an acknowledgment of so many octets, those that were marked.
    pub(super) fn take(&mut self, octets: u64) -> u64 {
        let marked = self.octets.min(octets);
        self.octets -= marked;
        marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(marks: &mut Marks, counter: u8, packets: u64) -> u64 {
        marks.on_ack(Flags::of_ace(counter), packets * 1000, 1000);
        marks.take(u64::MAX) / 1000
    }

    #[test]
    fn the_counter_starts_from_five_and_goes_round() {
        let mut marks = Marks::default();
        assert_eq!([on(&mut marks, 5, 2), on(&mut marks, 6, 2), on(&mut marks, 0, 2)], [0, 1, 2]);
        assert_eq!(on(&mut marks, 7, 7), 7);
    }

    /// Appendix A.1: ten packets, and the counter one further: nine were marked, to be safe.
    #[test]
    fn as_many_as_may_be_are_taken_where_acknowledgments_were_lost() {
        let mut marks = Marks::default();
        assert_eq!(on(&mut marks, 6, 10), 9);
        assert_eq!(on(&mut marks, 6, 10), 8);
        assert_eq!(on(&mut marks, 7, 7), 1);
    }

    #[test]
    fn no_more_is_marked_than_was_acknowledged_and_the_rest_waits() {
        let mut marks = Marks::default();
        assert!(marks.on_ack(Flags::of_ace(0), 0, 1000));
        assert_eq!([marks.take(2000), marks.take(2000), marks.take(2000)], [2000, 1000, 0]);
    }
}
