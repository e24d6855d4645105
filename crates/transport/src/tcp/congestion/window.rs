//! What all window rules share: the window, its bounds, slow start, and the events.
//!
//! Windows are octets in `f64`, since equation 3 of RFC 5681 adds less than an octet to a large
//! window; what is in flight is compared with the whole octets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Span, Time};

use super::delivered::Delivered;
use super::slow_start::{self, Present, SlowStart};

/// New data were acknowledged outside of a recovery.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// The instant.
    pub now: Time,
    /// Octets newly delivered: each octet counts once in the life of a connection, with the
    /// acknowledgment that first says that it has arrived, or the next one that advances. What arrives
    /// during a recovery, or is sacked while data are sent again after a timeout, never counts.
    ///
    /// RFC 3465 section 2.1 counts "previously unacknowledged bytes", and a selective acknowledgment
    /// acknowledges. Linux counts the increase of `tp->delivered` too, but of an acknowledgment that advances
    /// alone (`tcp_may_raise_cwnd`), as here with `WindowValidation::Linux`.
    pub octets: u64,
    /// The smoothed round-trip time, zero before the first measurement.
    pub srtt: Span,
    /// Whether data from before a timeout are outstanding: an acknowledgment then counts for no more
    /// than one segment, since it may jump over what was sent long before (RFC 3465 section 2.3, here
    /// in congestion avoidance too).
    pub after_timeout: bool,
    /// Whether the window was used and so may grow.
    pub may_grow: bool,
}

/// What has shown congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A loss detected by duplicate acknowledgments; recovery continues from the reduced window.
    Loss,
    /// A loss detected by duplicate acknowledgments; recovery restarts from one segment (Tahoe).
    LossRestart,
    /// The retransmission timer expired.
    Timeout,
    /// The timer expired again for the same segment: ssthresh is unchanged (RFC 5681 section 3.1).
    RepeatedTimeout,
    /// An explicit notification (RFC 3168).
    Notification,
}

/// The network showed congestion.
#[derive(Clone, Copy, Debug)]
pub struct Congested {
    /// The instant.
    pub now: Time,
    /// What has shown it.
    pub signal: Signal,
    /// The octets of which ssthresh is a share: those in flight (RFC 5681 equation 4), or the quantity
    /// in the configuration.
    pub basis: u64,
}

/// What a window rule requires of explicit notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ecn {
    /// Nothing. If a connection has it, a mark is echoed until the sender signals that it has reduced its
    /// window (RFC 3168 section 6.1.3).
    Optional,
    /// Required, and the receiver reports for every octet whether it was marked (RFC 8257 section 3.2).
    EveryMark,
    /// Required, with AccECN feedback (RFC 9768); data are sent as ECT(1) (RFC 9331).
    L4s,
}

/// The unit in which the window's growth is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// One step for each acknowledgment that advances, regardless of the octets that it covers (RFC 5681
    /// equations 2 and 3; ns-2).
    Acks,
    /// Steps in proportion to the octets newly delivered (RFC 3465): per acknowledgment at most two
    /// segments in slow start (with `hystart` any number, as in Linux; with `hystart++` eight, or any if paced), a
    /// window in congestion avoidance, and one segment after a timeout. Octets that a selective acknowledgment has
    /// counted are not counted again.
    Bytes,
}

/// The initial values of a window, in octets; [`u64::MAX`] is no limit.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// A full segment.
    pub segment: u64,
    /// The congestion window.
    pub initial: u64,
    /// The slow start threshold.
    pub ssthresh: u64,
    /// The maximum window.
    pub max: u64,
    /// The unit of growth.
    pub growth: Growth,
    /// Whether ssthresh is rounded down to whole segments, while cwnd keeps the fraction (ns-2).
    pub whole_ssthresh: bool,
    /// Whether the sender is paced.
    pub paced: bool,
}

/// What all rules share: the window, its bounds and slow start.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// The congestion window in octets.
    pub(super) cwnd: f64,
    /// The slow start threshold in octets, infinite at first where it has no limit.
    pub(super) ssthresh: f64,
    /// A full segment in octets, the minimum window.
    pub(super) segment: f64,
    /// The maximum window in octets.
    max: f64,
    growth: Growth,
    whole_ssthresh: bool,
    /// How slow start ends, if not as in RFC 5681.
    slow_start: Option<Box<SlowStart>>,
}

impl Window {
    pub(super) fn new(sizes: &Sizes, slow_start: &slow_start::Options) -> Self {
        let octets = |limit: u64| if limit == u64::MAX { f64::INFINITY } else { limit as f64 };
        let max = octets(sizes.max);
        Self {
            cwnd: octets(sizes.initial).min(max).min(1e15),
            ssthresh: octets(sizes.ssthresh),
            segment: sizes.segment as f64,
            max,
            growth: sizes.growth,
            whole_ssthresh: sizes.whole_ssthresh,
            slow_start: SlowStart::new(slow_start, sizes.paced),
        }
    }

    /// Whether it is larger than an initial window was before RFC 6928.
    pub(super) fn is_of_rfc_6928(&self) -> bool {
        self.cwnd > 4.0 * self.segment
    }

    /// The congestion window in whole octets.
    #[inline]
    pub(super) fn whole_cwnd(&self) -> u64 {
        whole(self.cwnd)
    }

    /// The slow start threshold in whole octets.
    #[inline]
    pub(super) fn whole_ssthresh(&self) -> u64 {
        whole(self.ssthresh)
    }

    pub(super) fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// The usual rate of a paced connection, as a multiple of cwnd/SRTT (Linux, `tcp_update_pacing_rate`).
    #[inline]
    pub(super) fn pacing(&self) -> f64 {
        if self.whole_cwnd() < self.whole_ssthresh() / 2 { 2.0 } else { 1.2 }
    }

    /// Sets cwnd within its bounds.
    #[inline]
    pub(super) fn set(&mut self, cwnd: f64) {
        self.cwnd = cwnd.at_most(self.max).at_least(self.segment);
    }

    /// Slow start: RFC 5681 equation 2, or RFC 3465 section 2.2 with L = 2. It ends at ssthresh, as
    /// in Linux; the RFCs let the last step pass it.
    #[inline]
    pub(super) fn slow_start(&mut self, acked: &Acked) {
        let kind = self.slow_start.as_deref();
        let most = match self.growth {
            Growth::Bytes if !acked.after_timeout => {
                kind.map_or(2.0, |kind| kind.most_segments(&self.present())) * self.segment
            }
            Growth::Bytes | Growth::Acks => self.segment,
        };
        let octets = (acked.octets as f64).min(most);
        let step = kind.map_or(octets, |kind| kind.step(&self.present(), octets));
        self.set((self.cwnd + step).at_most(self.ssthresh));
    }

    /// What slow start sees of it.
    fn present(&self) -> Present {
        Present { cwnd: self.cwnd, ssthresh: self.ssthresh, segment: self.segment }
    }

    /// An acknowledgment advanced: slow start may end.
    #[inline]
    pub(super) fn on_delivered(&mut self, delivered: &Delivered) {
        let present = self.present();
        if let Some(slow_start) = &mut self.slow_start
            && slow_start.on_delivered(&present, delivered)
        {
            self.ssthresh = self.cwnd;
        }
    }

    /// The segments that an acknowledgment counts for in congestion avoidance.
    ///
    /// Counted in octets, it counts for at most a window, so that one acknowledgment never grows the window
    /// by more than the rule permits per round trip (RFC 5681 section 3.1: at most a segment; RFC 3465
    /// section 2.1: a segment when a window is acknowledged). Without selective acknowledgments nothing
    /// else bounds an acknowledgment that covers data which the receiver held ahead of a gap.
    #[inline]
    pub(super) fn segments(&self, acked: &Acked) -> f64 {
        match self.growth {
            Growth::Acks => 1.0,
            Growth::Bytes => {
                let most = if acked.after_timeout { self.segment } else { self.cwnd };
                (acked.octets as f64).min(most) / self.segment
            }
        }
    }

    /// Slow start, then `increase` segments per round trip: RFC 5681 equation 3, for each segment that
    /// the acknowledgment counts for.
    #[inline]
    pub(super) fn grow(&mut self, acked: &Acked, increase: f64) {
        if !acked.may_grow {
            return;
        }
        if self.in_slow_start() {
            self.slow_start(acked);
        } else {
            let step = increase * self.segment * self.segment / self.cwnd;
            self.set(self.cwnd + step * self.segments(acked));
        }
    }

    /// Reduces both by half of `alpha`, the share of what was marked (RFC 8257 section 3.3 step 9); ssthresh is at least
    /// two segments, as after a loss.
    pub(super) fn reduce_by_marks(&mut self, alpha: f64) {
        let reduced = self.cwnd * (1.0 - alpha / 2.0);
        self.ssthresh = reduced.max(2.0 * self.segment);
        self.set(self.ssthresh.min(self.cwnd));
    }

    /// Reduces ssthresh to `share` of the basis (at least two segments, RFC 5681 equation 4), and
    /// cwnd to it or to one segment.
    pub(super) fn reduce(&mut self, congested: &Congested, share: f64) {
        if let (Signal::Timeout, Some(slow_start)) = (congested.signal, &mut self.slow_start) {
            slow_start.on_timeout();
        }
        let mut reduced = share * congested.basis as f64;
        if congested.signal != Signal::RepeatedTimeout {
            let segments = reduced / self.segment;
            let ssthresh =
                if self.whole_ssthresh { segments.floor() * self.segment } else { reduced };
            self.ssthresh = ssthresh.max(2.0 * self.segment);
        }
        if !self.whole_ssthresh {
            reduced = self.ssthresh;
        }
        match congested.signal {
            // Congestion never increases a window that is below the minimum of ssthresh.
            Signal::Loss | Signal::Notification => self.set(reduced.min(self.cwnd)),
            Signal::LossRestart | Signal::Timeout | Signal::RepeatedTimeout => {
                self.set(self.segment);
            }
        }
    }
}

/// The larger and the smaller of two numbers of which none is NaN, in an instruction: `f64::max` and `f64::min` look for
/// NaN, and an acknowledgment needs many of them.
pub(super) trait Bounded {
    /// The larger one.
    fn at_least(self, least: Self) -> Self;
    /// The smaller one.
    fn at_most(self, most: Self) -> Self;
}

impl Bounded for f64 {
    #[inline]
    fn at_least(self, least: Self) -> Self {
        if self > least { self } else { least }
    }

    #[inline]
    fn at_most(self, most: Self) -> Self {
        if self < most { self } else { most }
    }
}

/// Whole octets; infinity is [`u64::MAX`].
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
#[inline]
pub(super) fn whole(octets: f64) -> u64 {
    octets as u64
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::slow_start::{Options, standard};
    use super::{Growth, Sizes};

    /// The slow start of RFC 5681.
    pub(in super::super) const STANDARD: Options = Options::Standard(standard::Options {});

    /// Segments of 1000 octets, a window of so many of them, no limits; growth by acknowledgments.
    pub(in super::super) fn sizes(segments: u64) -> Sizes {
        Sizes {
            segment: 1000,
            initial: 1000 * segments,
            ssthresh: u64::MAX,
            max: u64::MAX,
            growth: Growth::Acks,
            whole_ssthresh: false,
            paced: false,
        }
    }
}
