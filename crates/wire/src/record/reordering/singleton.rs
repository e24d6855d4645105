//! Packets that arrive after one that was sent later.

use units::Time;

/// Counts reordered packets as RFC 4737, section 3.3, does (type-P-reordered): a packet is reordered
/// when one that was sent after it has arrived before it.
///
/// The order of sending is that of the instants, and at one instant that of the sequence numbers. A
/// retransmitted segment is a new packet, so a loss alone does not cause reordering; if sent at the
/// same instant as new data, which may have left first, it counts as in order.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reordering {
    /// The packet sent last among those that have arrived.
    latest: (Time, u64),
    /// Packets that arrived after one sent later.
    pub count: u64,
}

impl Reordering {
    /// A packet with data has arrived.
    #[inline]
    pub fn arrived(&mut self, sent: Time, seq: u64, resent: bool) {
        if (sent, seq) >= self.latest {
            self.latest = (sent, seq);
        } else if sent < self.latest.0 || !resent {
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reordered(arrivals: &[(u64, u64)]) -> u64 {
        let mut reordering = Reordering::default();
        for &(sent, seq) in arrivals {
            reordering.arrived(Time(sent), seq, false);
        }
        reordering.count
    }

    #[test]
    fn what_comes_behind_a_later_packet_is_counted() {
        assert_eq!(reordered(&[(0, 0), (1, 1), (2, 2), (3, 3)]), 0);
        // One late packet or one early packet: of the two views, that of RFC 4737.
        assert_eq!(reordered(&[(0, 0), (2, 2), (3, 3), (1, 1), (4, 4)]), 1);
        assert_eq!(reordered(&[(0, 0), (3, 3), (1, 1), (2, 2), (4, 4)]), 2);
    }

    #[test]
    fn a_segment_sent_again_is_in_order() {
        // The second is lost and retransmitted after the third.
        assert_eq!(reordered(&[(0, 0), (2, 2000), (9, 1000), (10, 3000)]), 0);
        // Its copy overtakes what was sent before it.
        assert_eq!(reordered(&[(0, 0), (9, 1000), (2, 2000)]), 1);
    }

    #[test]
    fn at_one_instant_sequence_numbers_tell() {
        assert_eq!(reordered(&[(5, 0), (5, 1000), (5, 2000)]), 0);
        assert_eq!(reordered(&[(5, 1000), (5, 0)]), 1);
        assert_eq!(reordered(&[(5, 0), (5, 0)]), 0);
    }

    /// Two acknowledgments of one burst: the second duplicate permits new data (limited transmit), the
    /// third retransmits.
    #[test]
    fn a_segment_sent_again_behind_new_data_of_its_instant_is_in_order() {
        let mut reordering = Reordering::default();
        reordering.arrived(Time(5), 9_000, false);
        reordering.arrived(Time(5), 1_000, true);
        assert_eq!(reordering.count, 0);
        reordering.arrived(Time(4), 2_000, true);
        assert_eq!(reordering.count, 1);
    }
}
