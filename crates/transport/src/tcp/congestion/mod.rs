//! How much may be in flight: the congestion window and its rules.
//!
//! A rule is a value that is told what happened ([`Acked`], [`Congested`]) and answers with cwnd
//! and ssthresh. It knows neither segments nor timers; what is lost is `recovery`'s
//! business. To add one, write its file, add a variant here and in
//! [`CongestionKind`]: the conformance suite covers it from then on.
//!
//! Windows are octets in `f64`, since equation 3 of RFC 5681 adds less than an octet to a large
//! window; what is in flight is compared with the whole octets.
//!
//! Not modelled: `HyStart++` (RFC 9406), and waiting for the timer when a notification meets a window of
//! one segment (RFC 3168 section 6.1.2).

mod compound;
mod cubic;
mod dctcp;
mod maimd;
mod reno;

#[cfg(test)]
mod conformance;

use units::{Span, Time};

use crate::config::{Config, CongestionKind, Growth, SsthreshFrom};

pub use compound::Compound;
pub use cubic::Cubic;
pub use dctcp::Dctcp;
pub use maimd::Maimd;
pub use reno::Reno;

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
    /// acknowledges; Linux counts so (`tp->delivered`, which `tcp_cong_avoid` gets the increase of).
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

/// What an acknowledgment that advances says of marks.
#[derive(Clone, Copy, Debug)]
pub struct Echo {
    /// Octets acknowledged.
    pub octets: u64,
    /// Whether congestion was experienced (ECE).
    pub marked: bool,
    /// The acknowledgment (SEG.ACK).
    pub ack: u64,
    /// The next octet to be sent for the first time (SND.NXT).
    pub next: u64,
}

/// What has shown congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A loss seen by duplicate acknowledgments; recovery goes on from the reduced window.
    Loss,
    /// A loss seen by duplicate acknowledgments; recovery begins anew from one segment (Tahoe).
    LossRestart,
    /// The retransmission timer expired.
    Timeout,
    /// The timer expired for a segment that it had resent before: ssthresh holds (RFC 5681
    /// section 3.1).
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
    /// The octets that ssthresh is a share of: those in flight (RFC 5681 equation 4), or what the
    /// configuration says instead.
    pub basis: u64,
}

/// A window rule.
#[derive(Clone, Debug)]
pub enum Congestion {
    /// Slow start and congestion avoidance (RFC 5681).
    Reno(Reno),
    /// CUBIC (RFC 9438).
    Cubic(Cubic),
    /// Additive increase and multiplicative decrease, also by timeouts.
    Maimd(Maimd),
    /// Data Center TCP (RFC 8257).
    Dctcp(Dctcp),
    /// Compound TCP (Tan et al. 2006).
    Compound(Compound),
}

impl Congestion {
    /// Every rule.
    pub const ALL: [CongestionKind; 5] = [
        CongestionKind::Reno,
        CongestionKind::Cubic,
        CongestionKind::Maimd,
        CongestionKind::Dctcp,
        CongestionKind::Compound,
    ];

    /// The rule of a configuration, with its initial window.
    pub fn new(config: &Config) -> Self {
        let window = Window::new(config);
        match config.congestion {
            CongestionKind::Reno => Self::Reno(Reno::new(window)),
            CongestionKind::Cubic => Self::Cubic(Cubic::new(window)),
            CongestionKind::Maimd => Self::Maimd(Maimd::new(window, config)),
            CongestionKind::Dctcp => Self::Dctcp(Dctcp::new(window, config)),
            CongestionKind::Compound => Self::Compound(Compound::new(window, config)),
        }
    }

    /// The congestion window in octets, at least a segment.
    #[inline]
    pub fn cwnd(&self) -> u64 {
        whole(self.window().cwnd)
    }

    /// The slow start threshold in octets, at least a segment; without a limit [`u64::MAX`].
    #[inline]
    pub fn ssthresh(&self) -> u64 {
        whole(self.window().ssthresh)
    }

    /// New data were acknowledged.
    #[inline]
    pub fn on_acked(&mut self, acked: &Acked) {
        match self {
            Self::Reno(rule) => rule.on_acked(acked),
            Self::Cubic(rule) => rule.on_acked(acked),
            Self::Maimd(rule) => rule.on_acked(acked),
            Self::Dctcp(rule) => rule.on_acked(acked),
            Self::Compound(rule) => rule.on_acked(acked),
        }
    }

    /// An acknowledgment advanced, whatever state the connection is in: what it says of marks, for
    /// rules that count them.
    #[inline]
    pub fn on_echo(&mut self, echo: &Echo) {
        if let Self::Dctcp(rule) = self {
            rule.on_echo(echo);
        }
    }

    /// The round-trip time of a segment with data was measured, for rules that look at delays.
    #[inline]
    pub fn on_rtt(&mut self, rtt: Span) {
        if let Self::Compound(rule) = self {
            rule.on_rtt(rtt);
        }
    }

    /// The network showed congestion.
    pub fn on_congested(&mut self, congested: &Congested) {
        match self {
            Self::Reno(rule) => rule.on_congested(congested),
            Self::Cubic(rule) => rule.on_congested(congested),
            Self::Maimd(rule) => rule.on_congested(congested),
            Self::Dctcp(rule) => rule.on_congested(congested),
            Self::Compound(rule) => rule.on_congested(congested),
        }
    }

    /// The SYN was lost: the initial window is one segment (RFC 5681 section 3.1), but for a rule to
    /// which a timeout is a loss like any other.
    pub fn on_lost_syn(&mut self) {
        if let Self::Maimd(rule) = self {
            return rule.on_lost_syn();
        }
        self.restart();
        let window = self.window_mut();
        window.cwnd = window.segment;
    }

    /// A reduction proves to have been for nothing: all is as it was before, but the window no smaller than
    /// now.
    pub fn restore(&mut self, before: Self) {
        let cwnd = self.window().cwnd;
        match self {
            // What it knows of marks is of now.
            Self::Dctcp(rule) => *rule.window_mut() = before.window().clone(),
            _ => *self = before,
        }
        let window = self.window_mut();
        window.set(window.cwnd.max(cwnd));
    }

    /// A recovery is over, and the window may be no more than `most` octets.
    pub fn on_exit(&mut self, most: u64) {
        let most = most as f64;
        if self.window().cwnd > most {
            self.restart();
            self.window_mut().set(most);
        }
    }

    /// The window went unused for the whole non-validated period: half of it goes, down to
    /// `initial` octets (RFC 7661 section 4.4.3).
    pub fn on_unused(&mut self, initial: u64) {
        self.restart();
        let window = self.window_mut();
        window.ssthresh = window.ssthresh.max(0.75 * window.cwnd);
        window.set((window.cwnd / 2.0).max(initial as f64).min(window.cwnd));
    }

    /// The window is set anew below ssthresh: slow start goes on from there.
    fn restart(&mut self) {
        if let Self::Compound(rule) = self {
            rule.restart();
        }
    }

    fn window(&self) -> &Window {
        match self {
            Self::Reno(rule) => rule.window(),
            Self::Cubic(rule) => rule.window(),
            Self::Maimd(rule) => rule.window(),
            Self::Dctcp(rule) => rule.window(),
            Self::Compound(rule) => rule.window(),
        }
    }

    fn window_mut(&mut self) -> &mut Window {
        match self {
            Self::Reno(rule) => rule.window_mut(),
            Self::Cubic(rule) => rule.window_mut(),
            Self::Maimd(rule) => rule.window_mut(),
            Self::Dctcp(rule) => rule.window_mut(),
            Self::Compound(rule) => rule.window_mut(),
        }
    }
}

/// What every rule has: the window, its bounds and slow start.
#[derive(Clone, Debug)]
pub struct Window {
    /// The congestion window in octets.
    cwnd: f64,
    /// The slow start threshold in octets, infinite at first where it has no limit.
    ssthresh: f64,
    /// A full segment in octets, the least window.
    segment: f64,
    /// The largest window in octets.
    max: f64,
    growth: Growth,
    /// Whether ssthresh is rounded down to whole segments, while cwnd keeps the fraction (ns-2).
    whole_ssthresh: bool,
}

impl Window {
    fn new(config: &Config) -> Self {
        let octets = |limit: u64| if limit == u64::MAX { f64::INFINITY } else { limit as f64 };
        let segment = config.segment.0 as f64;
        let max = octets(config.max_window.0);
        Self {
            cwnd: octets(config.initial_window.0).min(max).min(1e15),
            ssthresh: octets(config.initial_ssthresh.0),
            segment,
            max,
            growth: config.growth,
            whole_ssthresh: config.ssthresh_from == SsthreshFrom::Window,
        }
    }

    fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Sets cwnd within its bounds.
    #[inline]
    fn set(&mut self, cwnd: f64) {
        self.cwnd = cwnd.min(self.max).max(self.segment);
    }

    /// Slow start: RFC 5681 equation 2, or RFC 3465 section 2.2 with L = 2. It ends at ssthresh, as
    /// in Linux; the RFCs let the last step pass it.
    #[inline]
    fn slow_start(&mut self, acked: &Acked) {
        let most = match self.growth {
            Growth::Bytes if !acked.after_timeout => 2.0 * self.segment,
            Growth::Bytes | Growth::Acks => self.segment,
        };
        self.set((self.cwnd + (acked.octets as f64).min(most)).min(self.ssthresh));
    }

    /// The segments that an acknowledgment counts for in congestion avoidance.
    ///
    /// By octets it counts for a window at most, so that one acknowledgment never grows the window more
    /// than the rule lets it grow in a round trip (RFC 5681 section 3.1: no more than a segment; RFC 3465
    /// section 2.1: a segment when a window is acknowledged). Without selective acknowledgments nothing
    /// else bounds one that jumps over what the receiver held ahead of a gap.
    #[inline]
    fn segments(&self, acked: &Acked) -> f64 {
        match self.growth {
            Growth::Acks => 1.0,
            Growth::Bytes => {
                let most = if acked.after_timeout { self.segment } else { self.cwnd };
                (acked.octets as f64).min(most) / self.segment
            }
        }
    }

    /// Slow start, then `increase` segments a round trip: RFC 5681 equation 3, for each segment that
    /// the acknowledgment counts for.
    #[inline]
    fn grow(&mut self, acked: &Acked, increase: f64) {
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

    /// Reduces ssthresh to `share` of the basis (at least two segments, RFC 5681 equation 4), and
    /// cwnd to it or to one segment.
    fn reduce(&mut self, congested: &Congested, share: f64) {
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
            // No sign of congestion widens a window that is below the least ssthresh.
            Signal::Loss | Signal::Notification => self.set(reduced.min(self.cwnd)),
            Signal::LossRestart | Signal::Timeout | Signal::RepeatedTimeout => {
                self.set(self.segment);
            }
        }
    }
}

/// Whole octets; infinity is [`u64::MAX`].
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
#[inline]
fn whole(octets: f64) -> u64 {
    octets as u64
}
