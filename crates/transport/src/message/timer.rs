//! The retransmission timer of RFC 6298, in picoseconds.

use units::Span;

/// SRTT, RTTVAR and the timeout that follows from them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    /// SRTT and RTTVAR, none before the first measurement.
    measured: Option<(Span, Span)>,
    initial: Span,
    min: Span,
    max: Span,
    backoffs: u32,
}

impl Timer {
    /// Without a measurement the timeout is `initial`.
    pub(super) fn new(initial: Span, (min, max): (Span, Span)) -> Self {
        Self { measured: None, initial, min, max, backoffs: 0 }
    }

    /// SRTT.
    pub(super) fn srtt(&self) -> Option<Span> {
        self.measured.map(|(srtt, _)| srtt)
    }

    /// A packet was answered after this time (rules 2.2 and 2.3; a packet that tells when it was sent is measured
    /// after a retransmission, too).
    pub(super) fn sample(&mut self, rtt: Span) {
        self.backoffs = 0;
        self.measured = Some(match self.measured {
            None => (rtt, Span(rtt.0 / 2)),
            Some((srtt, rttvar)) => {
                let rttvar = Span((3 * rttvar.0 + srtt.0.abs_diff(rtt.0)) / 4);
                (Span((7 * srtt.0 + rtt.0) / 8), rttvar)
            }
        });
    }

    /// The timer expired (rule 5.5).
    pub(super) fn back_off(&mut self) {
        self.backoffs += 1;
    }

    /// The timeout.
    pub(super) fn rto(&self) -> Span {
        let base = match self.measured {
            None => self.initial,
            Some((srtt, rttvar)) => Span(srtt.0 + 4 * rttvar.0),
        };
        let doubled = base.max(self.min).0.saturating_mul(1 << self.backoffs.min(32));
        Span(doubled).min(self.max)
    }
}
