//! Optional observations of a flow's packets.

use transport::tcp::Segment;
use units::{Span, Time};

use super::{Delays, FirstSent, Study};

/// Observers of a flow's packets; flows without observers have no cost.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// When its segments were first sent.
    pub first_sent: Option<FirstSent>,
    /// The delays of its acknowledgments, from sending to the last bit at the source.
    pub acknowledgments: Option<Delays>,
    /// Its reordering.
    pub reordering: Option<Study>,
}

impl Observed {
    /// A segment is sent into the network, its first bit on the wire at an instant.
    pub fn sent(&mut self, segment: &Segment, first_bit: Time) {
        if segment.len == 0 {
            return;
        }
        if let Some(first) = &mut self.first_sent {
            first.sent(segment.seq, first_bit);
        }
        self.datagram_sent(segment);
    }

    /// The same of a datagram, which is sent once.
    pub fn datagram_sent(&mut self, segment: &Segment) {
        if let Some(study) = &mut self.reordering {
            study.sent(segment.ts_val, segment.seq);
        }
    }

    /// An acknowledgment has reached the source, this long after it was sent.
    pub fn acknowledged(&mut self, delay: Span) {
        if let Some(delays) = &mut self.acknowledgments {
            delays.add(delay);
        }
    }

    /// Reordering counts from here on; delays are separated by their sums.
    pub fn begin_measuring(&mut self) {
        if let Some(study) = &mut self.reordering {
            study.forget();
        }
    }

    /// A segment has reached its host.
    pub fn arrived(&mut self, segment: &Segment, now: Time) {
        if let Some(first) = &mut self.first_sent {
            first.arrived(segment.seq, segment.len, now);
        }
        if let Some(study) = self.reordering.as_mut().filter(|_| segment.len > 0) {
            study.arrived(segment.ts_val, segment.seq);
        }
    }
}
