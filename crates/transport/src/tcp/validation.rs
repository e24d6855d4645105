//! Congestion window validation (RFC 7661): a window that is not used does not grow.
//!
//! `Deviation:` RFC 7661 measures use by `pipeACK`, the octets acknowledged in a round trip, and
//! takes the largest of several samples. Here it is the largest amount in flight in this round
//! trip and the last: the same in the steady state, and right in slow start, where `pipeACK` lags
//! behind a window that doubles. The reduction after a loss is that of the data in flight; the
//! further reduction of section 4.4.2 at the end of recovery is left out.

use units::{Span, Time};

use crate::tcp::config::WindowValidation;

/// How long a window outlives its use: the non-validated period of RFC 7661 section 4.4.
const NON_VALIDATED_PERIOD: Span = Span::from_secs(300);

/// How the use of the window is watched.
#[derive(Clone, Debug)]
pub(crate) enum Usage {
    /// Not at all.
    Unwatched,
    /// As in RFC 7661.
    Rfc7661(Validation),
    /// As in Linux.
    Linux(Limitation),
}

impl Usage {
    pub(crate) fn new(validation: WindowValidation) -> Self {
        match validation {
            WindowValidation::None => Self::Unwatched,
            WindowValidation::Rfc7661 => Self::Rfc7661(Validation::default()),
            WindowValidation::Linux => Self::Linux(Limitation::default()),
        }
    }

    /// New data were sent, `flight` octets are in flight.
    #[inline]
    pub(crate) fn on_sent(&mut self, flight: u64) {
        match self {
            Self::Unwatched => {}
            Self::Rfc7661(validation) => validation.on_sent(flight),
            Self::Linux(limitation) => limitation.on_sent(),
        }
    }

    /// Everything below `una` is acknowledged, `flight` octets up to `high` are in flight. Whether it is to be asked
    /// if the window [has expired](Self::has_expired).
    #[inline]
    pub(crate) fn on_acked(&mut self, una: u64, high: u64, flight: u64) -> bool {
        match self {
            Self::Rfc7661(validation) => validation.on_acked(una, high, flight),
            Self::Unwatched | Self::Linux(_) => false,
        }
    }

    /// All that may be sent has been, see [`Limitation::on_all_sent`].
    pub(crate) fn on_all_sent(&mut self, una: u64, high: u64, fills: bool) {
        if let Self::Linux(limitation) = self {
            limitation.on_all_sent(una, high, fills);
        }
    }

    /// Whether a window of `cwnd` octets may grow.
    #[inline]
    pub(crate) fn permits_growth(&self, cwnd: u64, ssthresh: impl FnOnce() -> u64) -> bool {
        match self {
            Self::Unwatched => true,
            Self::Rfc7661(validation) => validation.is_valid(cwnd),
            Self::Linux(limitation) => limitation.permits_growth(cwnd, cwnd < ssthresh()),
        }
    }

    /// Whether a window of `cwnd` octets must shrink, having gone unused for long.
    pub(crate) fn has_expired(&mut self, now: Time, cwnd: u64) -> bool {
        match self {
            Self::Rfc7661(validation) => validation.has_expired(now, cwnd),
            Self::Unwatched | Self::Linux(_) => false,
        }
    }
}

/// The use of the window over the last two round trips.
#[derive(Clone, Debug, Default)]
pub(crate) struct Validation {
    peak: u64,
    previous_peak: u64,
    round_end: u64,
    valid_at: Time,
}

impl Validation {
    /// Data were sent, `flight` octets are in flight.
    #[inline]
    pub(crate) fn on_sent(&mut self, flight: u64) {
        self.peak = self.peak.max(flight);
    }

    /// Everything below `una` is acknowledged, `flight` octets up to `high` are in flight. Whether
    /// a round trip has ended.
    #[inline]
    pub(crate) fn on_acked(&mut self, una: u64, high: u64, flight: u64) -> bool {
        let round_ends = una >= self.round_end;
        if round_ends {
            self.previous_peak = self.peak;
            self.peak = flight;
            self.round_end = high;
        }
        round_ends
    }

    /// Whether at least half of a window of `cwnd` octets is used (RFC 7661 section 4.3).
    #[inline]
    pub(crate) fn is_valid(&self, cwnd: u64) -> bool {
        2 * self.peak.max(self.previous_peak) >= cwnd
    }

    /// Whether the window must shrink, having gone unused for the whole non-validated period
    /// (RFC 7661 section 4.4.3). True once a period.
    pub(crate) fn has_expired(&mut self, now: Time, cwnd: u64) -> bool {
        if self.is_valid(cwnd) {
            self.valid_at = now;
        }
        let expired = now.since(self.valid_at) > NON_VALIDATED_PERIOD;
        if expired {
            self.valid_at = now;
        }
        expired
    }
}

/// Whether the window is used as Linux has it (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`): for a window of data
/// it is remembered whether the congestion window limited what was sent, or else the most that was in flight.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limitation {
    /// `is_cwnd_limited`.
    limited: bool,
    /// `max_packets_out`, in octets.
    most: u64,
    /// `cwnd_usage_seq`.
    until: u64,
    /// Something was sent since it was looked at last.
    sent: bool,
}

impl Limitation {
    /// New data were sent.
    pub(crate) fn on_sent(&mut self) {
        self.sent = true;
    }

    /// All that may be sent has been: octets `una .. high` are out, and `fills` says whether what is in flight
    /// fills the window.
    pub(crate) fn on_all_sent(&mut self, una: u64, high: u64, fills: bool) {
        if !std::mem::take(&mut self.sent) && !fills {
            return;
        }
        let out = high - una;
        if una >= self.until || fills || (!self.limited && out > self.most) {
            (self.limited, self.most, self.until) = (fills, out, high);
        }
    }

    /// Whether a window of `cwnd` octets may grow.
    pub(crate) fn permits_growth(&self, cwnd: u64, slow_start: bool) -> bool {
        self.limited || (slow_start && cwnd < 2 * self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_start_grows_to_twice_what_was_in_flight_where_the_window_limits_nothing() {
        let mut limitation = Limitation::default();
        limitation.on_sent();
        limitation.on_all_sent(0, 6, false);
        assert!(limitation.permits_growth(11, true));
        assert!(!limitation.permits_growth(12, true), "12 is twice 6");
        assert!(!limitation.permits_growth(11, false), "not in congestion avoidance");
        limitation.on_sent();
        limitation.on_all_sent(2, 12, true);
        assert!(limitation.permits_growth(100, false), "the window was full");
        limitation.on_sent();
        limitation.on_all_sent(3, 13, false);
        assert!(limitation.permits_growth(100, false), "for the whole window of data");
        limitation.on_sent();
        limitation.on_all_sent(12, 13, false);
        assert!(!limitation.permits_growth(100, false), "the next one");
    }
}
