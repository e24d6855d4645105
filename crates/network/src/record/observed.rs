//! Optional observations of a flow's data packets.

use transport::tcp::Segment;
use units::Time;

use super::{FirstSent, Study};

/// Observers of a flow's data packets; flows without observers have no cost.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// When its segments were first sent.
    pub first_sent: Option<FirstSent>,
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
