//! The options of a TCP connection as a scenario gives them.

use std::collections::BTreeMap;

use kinds::WordOrTable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

use super::kinds::{
    EcnFeedback, Preset, ReceiveWindowGrowth, RtoLaw, SsthreshFrom, WindowValidation,
};
use crate::tcp::circuits;
use crate::tcp::congestion::{self, Growth, slow_start};
use crate::tcp::recovery;
use crate::window_size::WindowSize;

/// Keys from before each kind had its own options: for each the key that contains it now, the kind and the
/// option. A scenario with an old key gets a message that names the new one.
const MOVED: [(&str, [&str; 3]); 9] = [
    ("aimd-decrease", ["congestion", "maimd", "decrease"]),
    ("aimd-increase", ["congestion", "maimd", "increase"]),
    ("dctcp-gain", ["congestion", "dctcp", "gain"]),
    ("ctcp-gamma", ["congestion", "compound", "gamma"]),
    ("ctcp-gamma-tuning", ["congestion", "compound", "gamma-tuning"]),
    ("repeated-fast-retransmit", ["recovery", "reno", "repeated-fast-retransmit"]),
    ("recovery-exit", ["recovery", "newreno", "exit"]),
    ("recovery-timer", ["recovery", "newreno", "timer"]),
    ("undo", ["recovery", "rack", "undo"]),
];

/// The options of a TCP connection. Each is optional: the profile sets those that are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(extend("x-moved" = BTreeMap::from(MOVED)))]
pub struct TcpOptions {
    /// The TCP variant by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// Loss recovery instead of the preset's: its name, or a table with its options. `bbr3` and `bbr1` need
    /// `rack`, which is the default with them.
    #[serde(skip_serializing_if = "Option::is_none", with = "kinds::option::optional")]
    #[schemars(with = "Option<WordOrTable<recovery::Options>>")]
    pub recovery: Option<recovery::Options>,
    /// Window rule instead of the preset's: its name, or a table with its options.
    #[serde(skip_serializing_if = "Option::is_none", with = "kinds::option::optional")]
    #[schemars(with = "Option<WordOrTable<congestion::Options>>")]
    pub congestion: Option<congestion::Options>,
    /// How slow start ends where no loss ends it: its name, or a table with its options. Default:
    /// `standard`; `hystart` in the profile `linux`.
    #[serde(skip_serializing_if = "Option::is_none", with = "kinds::option::optional")]
    #[schemars(with = "Option<WordOrTable<slow_start::Options>>")]
    pub slow_start: Option<slow_start::Options>,
    /// Data octets of a full segment, 1 B to 65,535 B. Default in `modern`, `modern-sack` and `linux`: what fits
    /// into a packet of 1500 B with `header`, 1448 B with timestamps and 1460 B without (RFC 9293 section
    /// 3.7.1).
    #[schemars(extend("x-min" = "1 B", "x-max" = "65535 B"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<Bytes>,
    /// Octets that each segment adds on the wire, also the size of a segment without data (an
    /// acknowledgment, SYN or FIN); at most 65,535 B. Default: 40 B (IPv4 and TCP), 52 B with
    /// timestamps, plus the framing of the profile (7 B of PPP in `inet-2.1`). Blocks of selective
    /// acknowledgments are not counted.
    #[schemars(extend("x-max" = "65535 B"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<Bytes>,
    /// The congestion window at the start, 1 to 65,535 segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_window: Option<WindowSize>,
    /// The initial slow start threshold: the window at which the first slow start ends if there is no
    /// loss; at least one segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_ssthresh: Option<WindowSize>,
    /// The maximum congestion window, at least one segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_window: Option<WindowSize>,
    /// The maximum window of the receiver: at least one segment and below 4.29 GB, or `unlimited`. The
    /// application reads data immediately, so the window never closes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_window: Option<WindowSize>,
    /// Whether the receiver offers its full window from the start (`fixed`) or increases it as data
    /// arrive (`dynamic`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_window_growth: Option<ReceiveWindowGrowth>,
    /// How the retransmission timeout is computed from the round-trip times. Default: `average` with the
    /// presets `maimd` and `msack`, otherwise `linux` in the profiles `modern`, `modern-sack` and `linux`, and
    /// `rfc6298` in the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_law: Option<RtoLaw>,
    /// The factor by which `average` multiplies T when the timer expires, above 1. Default: 1.1.
    #[schemars(range(min = 1.0, max = 1000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_backoff: Option<f64>,
    /// The weight of a new measurement in the T of `average`, between 0 and 1. Default: 0.5.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_weight: Option<f64>,
    /// By how much the timer of `average` is longer than T, in transmission times of a full packet on
    /// the sender's link. Default: 4, which Minakhmetov, Ware and Iannone (2018) found sufficient.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_margin: Option<f64>,
    /// The minimum retransmission timeout, at most `max-rto`. With `rto-law = "linux"` it is added to the mean
    /// round-trip time, where the variance is less; `rto-law = "average"` has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rto: Option<Span>,
    /// The maximum retransmission timeout, up to 24 h. Default with `rto-law = "average"`: 60 s in every
    /// profile.
    #[schemars(extend("x-min" = "1 us", "x-max" = "24 h"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rto: Option<Span>,
    /// The retransmission timeout before the first measurement, between 1 us and `max-rto`. Default with
    /// `rto-law = "average"`: 1 ms in every profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_rto: Option<Span>,
    /// The tick of the clock of the retransmission timer (G in RFC 6298), 1 ps to 10 s.
    #[schemars(extend("x-min" = "1 ps", "x-max" = "10 s"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Span>,
    /// Segments per acknowledgment: 1 acknowledges each segment, 2 is the delayed acknowledgment of
    /// RFC 5681; at most 255. A segment out of order is acknowledged immediately.
    #[schemars(range(min = 1, max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_every: Option<u32>,
    /// The maximum time that an acknowledgment waits for a further segment, up to 10 s (RFC 1122
    /// requires less than 500 ms).
    #[schemars(extend("x-max" = "10 s"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_delay: Option<Span>,
    /// Acknowledgments that are not delayed, at the start of a connection and after data that had arrived
    /// before, as in Linux (quick acknowledgments); at most 65,535. Default: 0; 16 in the profile `linux`. Not
    /// modelled: Linux also has them after a pause longer than its retransmission timeout, and delays none while
    /// the receiver's window grows.
    #[schemars(range(max = 65_535))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quick_acks: Option<u32>,
    /// Timestamps (RFC 7323): every acknowledgment of new data measures the round-trip time.
    /// Without them one segment at a time is timed, never a retransmission (Karn's algorithm); with
    /// `rto-law = "linux"` and `recovery = "rack"` every acknowledgment of segments that were sent once measures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<bool>,
    /// Window scaling (RFC 7323); without it the receiver's window is at most 65,535 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scaling: Option<bool>,
    /// Whether a sender waits until the window permits a full segment (silly window syndrome avoidance, RFC
    /// 1122 section 4.2.3.4, RFC 9293 section 3.8.6.2.1). Otherwise an acknowledgment that advances, or a
    /// duplicate in a recovery, also sends part of a segment: where the window permits no full one, and after
    /// a partial acknowledgment in any case, as in INET since 2.1. Default in every profile: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silly_window_avoidance: Option<bool>,
    /// Limited transmit (RFC 3042): each duplicate acknowledgment before a fast retransmit permits one
    /// new segment. With `recovery = "rack"` it always does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_transmit: Option<bool>,
    /// Duplicate acknowledgments that cause a fast retransmit, 1 to 255.
    #[schemars(range(min = 1, max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dup_acks: Option<u32>,
    /// The unit in which the window's growth is counted: `acks` or `bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
    /// Whether the window may grow while the application does not fill it: `rfc7661` and `linux` (no) or `none`
    /// (yes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_validation: Option<WindowValidation>,
    /// Whether a timeout that proves to be spurious is undone (F-RTO, RFC 5682); not with `recovery = "rack"`, which
    /// learns it from reports of duplicates (`undo`) and from timestamps (`eifel`). Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f_rto: Option<bool>,
    /// Whether the window shrinks before data that are written when nothing has been sent for longer than the
    /// retransmission timeout: by half for each timeout that has passed, down to `initial-window`
    /// (`tcp_slow_start_after_idle` of Linux, after RFC 2861). Default: false; true in the profile `linux`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slow_start_after_idle: Option<bool>,
    /// The quantity that is reduced after a loss: the data in `flight` (RFC 5681), the `window` in
    /// segments (ns-2), or `cwnd` in octets (INET).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssthresh_from: Option<SsthreshFrom>,
    /// Whether a connection opens with SYN, SYN-ACK, ACK; otherwise it is established from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshake: Option<bool>,
    /// Whether a connection closes with FINs; otherwise it ends with the acknowledgment of the last
    /// octet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<bool>,
    /// The maximum number of blocks in a selective acknowledgment, 1 to 4. Default: 4, with timestamps 3
    /// (what fits into the TCP options, RFC 2018).
    #[schemars(range(min = 1, max = 4))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sack_blocks: Option<u32>,
    /// Explicit congestion notification (RFC 3168); it has an effect only where a queue marks packets.
    /// Default: that of the profile; on with `congestion = "dctcp"` and `"prague"`, which need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<bool>,
    /// How the receiver tells the sender of marks. Default: `classic`; `dctcp` with `congestion = "dctcp"`,
    /// `accurate` with `"prague"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn_feedback: Option<EcnFeedback>,
    /// Whether segments are spread over the round-trip time: at twice cwnd/SRTT while cwnd is
    /// below half of ssthresh, otherwise at 1.2 times (Linux, which does not pace the first ten segments). `bbr3`
    /// and `bbr1` have rates of their own, and need it: it is on with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing: Option<bool>,
    /// What the sender does when a circuit to the rack of its receiver opens or closes: a name, or a table with
    /// options. Racks have to tell their hosts (`core.tell-hosts`). Default: nothing.
    #[serde(skip_serializing_if = "Option::is_none", with = "kinds::option::optional")]
    #[schemars(with = "Option<WordOrTable<circuits::Options>>")]
    pub circuits: Option<circuits::Options>,
}
