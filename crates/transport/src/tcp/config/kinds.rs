//! The options that are one of several words, and what each word selects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tcp::{congestion, recovery};

/// A TCP variant known by one name: a loss recovery and a window rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Fast retransmit, then slow start from one segment and go-back-N; Reno's window.
    Tahoe,
    /// Fast retransmit and fast recovery, ended by the first partial acknowledgment (RFC 2581).
    Reno,
    /// Fast recovery that retransmits one segment for each partial acknowledgment (RFC 6582).
    Newreno,
    /// Recovery from selective acknowledgments (RFC 6675); Reno's window.
    Sack,
    /// CUBIC's window (RFC 9438; that of Linux in the profile `linux`); recovery from selective acknowledgments as
    /// in the profile: loss detection by time (RACK-TLP, RFC 8985) in `modern` and `linux`, by counting (RFC 6675)
    /// in the others.
    Cubic,
    /// NewReno's recovery, the window `maimd` and the timer `average`: for paths without buffers that
    /// hold more than one packet.
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

    /// Its recovery, where its name is not that of its window alone: then it is that of the profile.
    pub fn recovery(self) -> Option<recovery::Options> {
        use recovery::Options;
        Some(match self {
            Self::Tahoe => Options::Tahoe(recovery::tahoe::Options::default()),
            Self::Reno => Options::Reno(recovery::reno::Options::default()),
            Self::Newreno | Self::Maimd => Options::NewReno(recovery::newreno::Options::default()),
            Self::Sack | Self::Msack => Options::Sack(recovery::sack::Options::default()),
            Self::Cubic | Self::Dctcp | Self::Compound => return None,
        })
    }

    /// Its window rule.
    pub fn congestion(self) -> congestion::Options {
        use congestion::Options;
        match self {
            Self::Cubic => Options::Cubic(congestion::cubic::Options::default()),
            Self::Maimd | Self::Msack => Options::Maimd(congestion::maimd::Options::default()),
            Self::Dctcp => Options::Dctcp(congestion::dctcp::Options::default()),
            Self::Compound => Options::Compound(congestion::compound::Options::default()),
            Self::Tahoe | Self::Reno | Self::Newreno | Self::Sack => {
                Options::Reno(congestion::reno::Options::default())
            }
        }
    }

    /// Its retransmission timer, where it is not that of the profile.
    pub const fn rto_law(self) -> Option<RtoLaw> {
        match self {
            Self::Maimd | Self::Msack => Some(RtoLaw::Average),
            _ => None,
        }
    }
}

/// How the retransmission timeout is computed from the round-trip times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtoLaw {
    /// From their mean and variance, at least `min-rto`, doubled at each expiry (RFC 6298).
    #[serde(rename = "rfc6298")]
    Rfc6298,
    /// The same as in Linux (`tcp_rtt_estimator`): `min-rto` is the least that the variance adds to the mean;
    /// the variance is the largest of a round trip, and a round-trip time that falls hardly raises it; each
    /// measurement has the same weight, however many a round trip has. Without timestamps each acknowledgment
    /// measures the round-trip time, where recovery knows when each segment was sent, and a probe for losses at the
    /// tail counts with an acknowledgment delayed by `min-rto`.
    Linux,
    /// As in stop-and-wait: T moves towards each measurement by `rto-weight` and is multiplied by
    /// `rto-backoff` at each expiry; the timeout is T plus `rto-margin` packet times. `min-rto` has no
    /// effect on it.
    Average,
}

/// How large the receiver's window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiveWindowGrowth {
    /// The full `receive-window` from the start.
    Fixed,
    /// Initially 65,535 B, then more than twice the data delivered in a round trip, up to
    /// `receive-window` (dynamic right-sizing as in Linux, after Fisk and Feng 2001).
    Dynamic,
}

/// How the receiver tells the sender of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EcnFeedback {
    /// A mark is echoed until the sender signals that it has reduced its window (RFC 3168).
    Classic,
    /// Every acknowledgment says whether the data that it is for were marked (RFC 8257).
    Dctcp,
    /// Every acknowledgment has three bits of the number of packets that arrived marked (AccECN, RFC 9768).
    Accurate,
}

impl EcnFeedback {
    /// Its word in a scenario.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Dctcp => "dctcp",
            Self::Accurate => "accurate",
        }
    }
}

/// Whether the window may grow while the application does not fill it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WindowValidation {
    /// The window grows only while at least half of it is used, and shrinks after five minutes without
    /// such use (RFC 7661).
    Rfc7661,
    /// The window grows only while it limits what is sent, and in slow start up to twice what was in flight;
    /// an acknowledgment counts for what it brings alone, not for what was reported out of order before it.
    /// As in Linux (`tcp_is_cwnd_limited`).
    Linux,
    /// The window grows on every acknowledgment (ns-2).
    None,
}

/// The quantity from which ssthresh is computed after a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SsthreshFrom {
    /// The data in flight (RFC 5681 equation 4); a repeated timeout of a segment leaves ssthresh
    /// unchanged.
    Flight,
    /// The minimum of cwnd and `max-window`, at every loss and timeout; ssthresh is rounded down to
    /// whole segments, cwnd is not (ns-2).
    Window,
    /// The minimum of cwnd, `max-window` and `receive-window`, at every loss and timeout, in octets
    /// (INET).
    Cwnd,
}
