//! The retransmission timer, in picoseconds: SRTT and RTTVAR of RFC 6298. It does not double when it expires, as that of
//! UEC's simulator does not: its minimum covers full queues, so that it expires for packets that are lost.

use units::Span;

use crate::mean::toward;

/// SRTT, RTTVAR and the timeout that follows from them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    /// SRTT and RTTVAR, none before the first measurement.
    measured: Option<(Span, Span)>,
    initial: Span,
    min: Span,
    max: Span,
}

impl Timer {
    /// Without a measurement the timeout is `initial`.
    pub(super) fn new(initial: Span, (min, max): (Span, Span)) -> Self {
        Self { measured: None, initial, min, max }
    }

    /// SRTT.
    pub(super) fn srtt(&self) -> Option<Span> {
        self.measured.map(|(srtt, _)| srtt)
    }

    /// A packet was answered after this time (rules 2.2 and 2.3; a packet that tells when it was sent is measured
    /// after a retransmission, too). So many are measured in a round trip: their weights are less by that factor,
    /// rounded to a power of two, so that what counts is as long ago as with one (RFC 7323 appendix G).
    pub(super) fn sample(&mut self, rtt: Span, in_flight: u64) {
        let shift = in_flight.max(1).ilog2();
        self.measured = Some(match self.measured {
            None => (rtt, Span(rtt.0 / 2)),
            Some((srtt, rttvar)) => {
                let rttvar = Span(toward(rttvar.0, srtt.0.abs_diff(rtt.0), 2 + shift));
                (Span(toward(srtt.0, rtt.0, 3 + shift)), rttvar)
            }
        });
    }

    /// The timeout.
    pub(super) fn rto(&self) -> Span {
        let base = match self.measured {
            None => self.initial,
            Some((srtt, rttvar)) => Span(srtt.0 + 4 * rttvar.0),
        };
        base.max(self.min).min(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Span = Span::from_ms;

    fn timer() -> Timer {
        Timer::new(MS(30), (MS(1), Span::from_secs(1)))
    }

    /// RFC 6298 with samples of 16 and 24 ms: SRTT 16 and RTTVAR 8, then 17 and 8.
    #[test]
    fn the_timeout_follows_the_rfc() {
        let mut timer = timer();
        assert_eq!(timer.rto(), MS(30));
        timer.sample(MS(16), 1);
        assert_eq!(timer.rto(), MS(48));
        timer.sample(MS(24), 1);
        assert_eq!((timer.srtt(), timer.rto()), (Some(MS(17)), MS(49)));
        timer.sample(MS(17), 1);
        assert_eq!(timer.rto(), MS(17 + 24));
    }

    /// Sixteen equal samples with sixteen in flight weigh about what one does.
    #[test]
    fn many_samples_in_a_round_trip_weigh_as_one() {
        let (mut one, mut many) = (timer(), timer());
        for timer in [&mut one, &mut many] {
            timer.sample(MS(16), 1);
        }
        one.sample(MS(16), 1);
        (0..16).for_each(|_| many.sample(MS(16), 16));
        let (one, many) = (one.rto().0 as f64, many.rto().0 as f64);
        assert!((many / one - 1.0).abs() < 0.03, "{many} instead of {one}");
    }
}
