//! The words of the options: what each chooses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The TCP that users know by one name: a recovery and a window rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Fast retransmit, then slow start from one segment and go-back-N; Reno's window.
    Tahoe,
    /// Fast retransmit and fast recovery, ended by the first partial acknowledgment (RFC 2581).
    Reno,
    /// Fast recovery that resends one segment for each partial acknowledgment (RFC 6582).
    Newreno,
    /// Recovery from selective acknowledgments (RFC 6675); Reno's window.
    Sack,
    /// CUBIC's window (RFC 9438); recovery from selective acknowledgments as the profile has it: by
    /// time (RACK-TLP, RFC 8985) in `modern`, by counting (RFC 6675) in the others.
    Cubic,
    /// NewReno's recovery, the window `maimd` and the timer `average`: for paths without buffers that
    /// hold more than a packet.
    Maimd,
    /// The same with recovery from selective acknowledgments (RFC 6675).
    Msack,
    /// DCTCP's window (RFC 8257) and explicit congestion notification; the recovery of `cubic`.
    Dctcp,
    /// The window of Compound TCP; the recovery of `cubic`.
    Compound,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 9] = [
        Self::Tahoe,
        Self::Reno,
        Self::Newreno,
        Self::Sack,
        Self::Cubic,
        Self::Maimd,
        Self::Msack,
        Self::Dctcp,
        Self::Compound,
    ];

    /// Its recovery; `usual` is that of the profile for presets that are named by their window alone.
    pub const fn recovery(self, usual: RecoveryKind) -> RecoveryKind {
        match self {
            Self::Tahoe => RecoveryKind::Tahoe,
            Self::Reno => RecoveryKind::Reno,
            Self::Newreno | Self::Maimd => RecoveryKind::Newreno,
            Self::Sack | Self::Msack => RecoveryKind::Sack,
            Self::Cubic | Self::Dctcp | Self::Compound => usual,
        }
    }

    /// Its window rule.
    pub const fn congestion(self) -> CongestionKind {
        match self {
            Self::Cubic => CongestionKind::Cubic,
            Self::Maimd | Self::Msack => CongestionKind::Maimd,
            Self::Dctcp => CongestionKind::Dctcp,
            Self::Compound => CongestionKind::Compound,
            Self::Tahoe | Self::Reno | Self::Newreno | Self::Sack => CongestionKind::Reno,
        }
    }

    /// Its retransmission timer.
    pub const fn rto_law(self) -> RtoLaw {
        match self {
            Self::Maimd | Self::Msack => RtoLaw::Average,
            _ => RtoLaw::Rfc6298,
        }
    }
}

/// How losses are found and repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryKind {
    /// Fast retransmit, then slow start from one segment and go-back-N.
    Tahoe,
    /// Fast retransmit and fast recovery, ended by the first partial acknowledgment (RFC 2581).
    Reno,
    /// Fast recovery that resends one segment for each partial acknowledgment (RFC 6582).
    Newreno,
    /// Recovery from selective acknowledgments (RFC 6675).
    Sack,
    /// Losses found by time from selective acknowledgments, with a probe where the last ones may be lost
    /// (RACK-TLP, RFC 8985); duplicates are reported (RFC 2883).
    Rack,
}

impl RecoveryKind {
    /// Whether it has selective acknowledgments.
    pub const fn has_sack(self) -> bool {
        matches!(self, Self::Sack | Self::Rack)
    }
}

/// How the congestion window grows and shrinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CongestionKind {
    /// Slow start and congestion avoidance (RFC 5681).
    Reno,
    /// CUBIC (RFC 9438).
    Cubic,
    /// Slow start, then additive increase and multiplicative decrease by `aimd-increase` and
    /// `aimd-decrease`. A timeout reduces the window as any other loss does: a loss by contention in a
    /// network without buffers is no sign of a full queue. After Argibay-Losada et al. 2016, whose
    /// constants are not public.
    Maimd,
    /// Data Center TCP (RFC 8257): reductions in proportion to the share of marked octets. Needs
    /// `ecn`.
    Dctcp,
    /// Compound TCP (Tan et al. 2006): Reno's window and beside it one that grows fast while the round
    /// trip is not much longer than the shortest, and gives way when it is.
    Compound,
}

/// How the retransmission timer follows the round-trip times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtoLaw {
    /// From their mean and variance, at least `min-rto`, doubled at each expiry (RFC 6298).
    #[serde(rename = "rfc6298")]
    Rfc6298,
    /// That of stop-and-wait: T moves towards each measurement by `rto-weight` and is multiplied by
    /// `rto-backoff` at each expiry, the timer is T and `rto-margin` packet times. `min-rto` is no
    /// bound to it.
    Average,
}

/// How large the receiver's window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiveWindowGrowth {
    /// All of `receive-window` from the start.
    Fixed,
    /// At first 65,535 B, then twice what is delivered in a round trip and some more, up to
    /// `receive-window` (Linux's dynamic right-sizing, after Fisk and Feng 2001).
    Dynamic,
}

/// What the window's growth is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// One step for each acknowledgment that advances, however much it covers (RFC 5681 equations
    /// 2 and 3; ns-2).
    Acks,
    /// Steps in proportion to the octets newly delivered (RFC 3465): in slow start at most two
    /// segments an acknowledgment, in congestion avoidance a window, one segment after a timeout. What
    /// a selective acknowledgment has counted is not counted again.
    Bytes,
}

/// Whether a window may grow that the application does not fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowValidation {
    /// The window grows only while at least half of it is used, and shrinks after five minutes in
    /// which it is not (RFC 7661).
    Rfc7661,
    /// The window grows on every acknowledgment (ns-2).
    None,
}

/// What the window of NewReno is when a recovery is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryExit {
    /// ssthresh (RFC 6582 section 3.2 step 3, option 2; ns-2).
    Ssthresh,
    /// At most a segment more than is in flight, so that nothing leaves in a burst (RFC 3782 section 3
    /// step 5, option 1; INET).
    Flight,
}

/// Which partial acknowledgments of a recovery by NewReno restart the retransmission timer (RFC 6582
/// section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryTimer {
    /// The first: a long series of holes ends in a timeout and slow start ("impatient").
    First,
    /// Each: a hole a round trip, however many there are ("slow-but-steady"; INET).
    Each,
}

/// What is reduced to give ssthresh after a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SsthreshFrom {
    /// The data in flight (RFC 5681 equation 4); a repeated timeout of a segment holds ssthresh.
    Flight,
    /// The smaller of cwnd and `max-window`, at every loss and timeout; ssthresh is rounded down to
    /// whole segments, cwnd is not (ns-2).
    Window,
    /// The smallest of cwnd, `max-window` and `receive-window`, at every loss and timeout, in octets
    /// (INET).
    Cwnd,
}
