//! The options of a TCP connection, as a scenario gives them and as they are set.

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
use crate::window_size::{Limit, WindowSize};

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

/// Declares the options of a connection once: as a scenario gives them, each optional, and as they are when all overlays
/// have been merged. The type behind `=>` is that of the latter where it is another.
macro_rules! options {
    ($($(#[$meta:meta])* $name:ident: $Given:ty $(=> $(#[$set_meta:meta])* $Set:ty)?,)+) => {
        /// The options of a TCP connection. Each is optional: the profile sets those that are left out.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        #[schemars(extend("x-moved" = BTreeMap::from(MOVED), "x-section" = "transport: kind = \"tcp\""))]
        pub struct TcpOptions {
            $(
                $(#[$meta])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<$Given>,
            )+
        }

        /// Every setting of a TCP connection: [`TcpOptions`] on top of a preset and a profile. Sizes are in octets.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(rename_all = "kebab-case")]
        #[expect(missing_docs, reason = "`TcpOptions` describes each")]
        pub struct Config {
            $($($(#[$set_meta])*)? pub $name: set_type!($Given $(, $Set)?),)+
        }

        impl TcpOptions {
            /// These options, and those of `base` where these leave them out.
            #[must_use]
            pub fn over(&self, base: &Self) -> Self {
                Self { $($name: self.$name.clone().or_else(|| base.$name.clone()),)+ }
            }
        }

        impl Config {
            /// The settings of whole options; segments have so many octets.
            pub(super) fn of(options: TcpOptions, segment: u64) -> Self {
                Self { $($name: options.$name.set(segment),)+ }
            }
        }
    };
}

/// The type of a setting: that of the option, unless there is another.
macro_rules! set_type {
    ($Given:ty) => {
        $Given
    };
    ($Given:ty, $Set:ty) => {
        $Set
    };
}

/// An option that becomes a setting.
trait Settle<T> {
    fn set(self, segment: u64) -> T;
}

impl<T> Settle<T> for Option<T> {
    fn set(self, _: u64) -> T {
        self.expect("every profile has it")
    }
}

impl Settle<Limit> for Option<WindowSize> {
    fn set(self, segment: u64) -> Limit {
        Limit(self.expect("every profile has it").octets(segment))
    }
}

impl Settle<Self> for Option<circuits::Options> {
    fn set(self, _: u64) -> Self {
        self
    }
}

options! {
    /// The TCP variant by its name.
    preset: Preset,
    /// Loss recovery instead of the preset's: its name, or a table with its options. `bbr3` and `bbr1` need
    /// `rack`, which is the default with them.
    #[serde(with = "kinds::option::optional")]
    #[schemars(with = "Option<WordOrTable<recovery::Options>>")]
    recovery: recovery::Options,
    /// Window rule instead of the preset's: its name, or a table with its options.
    #[serde(with = "kinds::option::optional")]
    #[schemars(with = "Option<WordOrTable<congestion::Options>>")]
    congestion: congestion::Options,
    /// How slow start ends where no loss ends it: its name, or a table with its options. Default:
    /// `standard`; `hystart` in the profile `linux`.
    #[serde(with = "kinds::option::optional")]
    #[schemars(with = "Option<WordOrTable<slow_start::Options>>")]
    slow_start: slow_start::Options,
    /// Data octets of a full segment, 1 B to 65,535 B. Default in `modern`, `modern-sack` and `linux`: what fits
    /// into a packet of 1500 B with `header`, 1448 B with timestamps and 1460 B without (RFC 9293 section
    /// 3.7.1).
    #[schemars(extend("x-min" = "1 B", "x-max" = "65535 B"))]
    segment: Bytes,
    /// Octets that each segment adds on the wire, also the size of a segment without data (an
    /// acknowledgment, SYN or FIN); at most 65,535 B. Default: 40 B (IPv4 and TCP), 52 B with
    /// timestamps, plus the framing of the profile (7 B of PPP in `inet-2.1`). Blocks of selective
    /// acknowledgments are not counted.
    #[schemars(extend("x-max" = "65535 B"))]
    header: Bytes,
    /// The congestion window at the start, 1 to 65,535 segments.
    initial_window: WindowSize => Limit,
    /// The initial slow start threshold: the window at which the first slow start ends if there is no
    /// loss; at least one segment.
    initial_ssthresh: WindowSize => Limit,
    /// The maximum congestion window, at least one segment.
    max_window: WindowSize => Limit,
    /// The maximum window of the receiver: at least one segment and below 4.29 GB, or `unlimited`. The
    /// application reads data immediately, so the window never closes.
    receive_window: WindowSize => Limit,
    /// Whether the receiver offers its full window from the start (`fixed`) or increases it as data
    /// arrive (`dynamic`).
    receive_window_growth: ReceiveWindowGrowth,
    /// How the retransmission timeout is computed from the round-trip times. Default: `average` with the
    /// presets `maimd` and `msack`, otherwise `linux` in the profiles `modern`, `modern-sack` and `linux`, and
    /// `rfc6298` in the others.
    rto_law: RtoLaw,
    /// The factor by which `average` multiplies T when the timer expires, above 1. Default: 1.1.
    #[schemars(range(min = 1.0, max = 1000.0))]
    rto_backoff: f64,
    /// The weight of a new measurement in the T of `average`, between 0 and 1. Default: 0.5.
    #[schemars(range(min = 0.0, max = 1.0))]
    rto_weight: f64,
    /// By how much the timer of `average` is longer than T, in transmission times of a full packet on
    /// the sender's link. Default: 4, which Minakhmetov, Ware and Iannone (2018) found sufficient.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    rto_margin: f64,
    /// The minimum retransmission timeout, at most `max-rto`. With `rto-law = "linux"` it is added to the mean
    /// round-trip time, where the variance is less; `rto-law = "average"` has none.
    min_rto: Span,
    /// The maximum retransmission timeout, up to 24 h. Default with `rto-law = "average"`: 60 s in every
    /// profile.
    #[schemars(extend("x-min" = "1 us", "x-max" = "24 h"))]
    max_rto: Span,
    /// The retransmission timeout before the first measurement, between 1 us and `max-rto`. Default with
    /// `rto-law = "average"`: 1 ms in every profile.
    initial_rto: Span,
    /// The tick of the clock of the retransmission timer (G in RFC 6298), 1 ps to 10 s.
    #[schemars(extend("x-min" = "1 ps", "x-max" = "10 s"))]
    granularity: Span,
    /// Segments per acknowledgment: 1 acknowledges each segment, 2 is the delayed acknowledgment of
    /// RFC 5681; at most 255. A segment out of order is acknowledged immediately.
    #[schemars(range(min = 1, max = 255))]
    ack_every: u32,
    /// The maximum time that an acknowledgment waits for a further segment, up to 10 s (RFC 1122
    /// requires less than 500 ms).
    #[schemars(extend("x-max" = "10 s"))]
    ack_delay: Span,
    /// Acknowledgments that are not delayed, at the start of a connection and after data that had arrived
    /// before, as in Linux (quick acknowledgments); at most 65,535. Default: 0; 16 in the profile `linux`. Not
    /// modelled: Linux also has them after a pause longer than its retransmission timeout, and delays none while
    /// the receiver's window grows.
    #[schemars(range(max = 65_535))]
    quick_acks: u32,
    /// Timestamps (RFC 7323): every acknowledgment of new data measures the round-trip time.
    /// Without them one segment at a time is timed, never a retransmission (Karn's algorithm); with
    /// `rto-law = "linux"` and `recovery = "rack"` every acknowledgment of segments that were sent once measures.
    timestamps: bool,
    /// Window scaling (RFC 7323); without it the receiver's window is at most 65,535 B.
    window_scaling: bool,
    /// Whether a sender waits until the window permits a full segment (silly window syndrome avoidance, RFC
    /// 1122 section 4.2.3.4, RFC 9293 section 3.8.6.2.1). Otherwise an acknowledgment that advances, or a
    /// duplicate in a recovery, also sends part of a segment: where the window permits no full one, and after
    /// a partial acknowledgment in any case, as in INET since 2.1. Default in every profile: true.
    silly_window_avoidance: bool,
    /// Limited transmit (RFC 3042): each duplicate acknowledgment before a fast retransmit permits one
    /// new segment. With `recovery = "rack"` it always does.
    limited_transmit: bool,
    /// Duplicate acknowledgments that cause a fast retransmit, 1 to 255.
    #[schemars(range(min = 1, max = 255))]
    dup_acks: u32,
    /// The unit in which the window's growth is counted: `acks` or `bytes`.
    growth: Growth,
    /// Whether the window may grow while the application does not fill it: `rfc7661` and `linux` (no) or `none`
    /// (yes).
    window_validation: WindowValidation,
    /// Whether a timeout that proves to be spurious is undone (F-RTO, RFC 5682); not with `recovery = "rack"`, which
    /// learns it from reports of duplicates (`undo`) and from timestamps (`eifel`). Default: false.
    f_rto: bool,
    /// Whether the window shrinks before data that are written when nothing has been sent for longer than the
    /// retransmission timeout: by half for each timeout that has passed, down to `initial-window`
    /// (`tcp_slow_start_after_idle` of Linux, after RFC 2861). Default: false; true in the profile `linux`.
    slow_start_after_idle: bool,
    /// The quantity that is reduced after a loss: the data in `flight` (RFC 5681), the `window` in
    /// segments (ns-2), or `cwnd` in octets (INET).
    ssthresh_from: SsthreshFrom,
    /// Whether a connection opens with SYN, SYN-ACK, ACK; otherwise it is established from the start.
    handshake: bool,
    /// Whether a connection closes with FINs; otherwise it ends with the acknowledgment of the last
    /// octet.
    release: bool,
    /// The maximum number of blocks in a selective acknowledgment, 1 to 4. Default: 4, with timestamps 3
    /// (what fits into the TCP options, RFC 2018).
    #[schemars(range(min = 1, max = 4))]
    sack_blocks: u32,
    /// Explicit congestion notification (RFC 3168); it has an effect only where a queue marks packets.
    /// Default: that of the profile; on with `congestion = "dctcp"` and `"prague"`, which need it.
    ecn: bool,
    /// How the receiver tells the sender of marks. Default: `classic`; `dctcp` with `congestion = "dctcp"`,
    /// `accurate` with `"prague"`.
    ecn_feedback: EcnFeedback,
    /// Whether segments are spread over the round-trip time: at twice cwnd/SRTT while cwnd is
    /// below half of ssthresh, otherwise at 1.2 times (Linux, which does not pace the first ten segments). `bbr3`
    /// and `bbr1` have rates of their own, and need it: it is on with them.
    pacing: bool,
    /// What the sender does when a circuit to the rack of its receiver opens or closes: a name, or a table with
    /// options. Racks have to tell their hosts (`core.tell-hosts`). Default: nothing.
    #[serde(with = "kinds::option::optional")]
    #[schemars(with = "Option<WordOrTable<circuits::Options>>")]
    circuits: circuits::Options
        => #[serde(skip_serializing_if = "Option::is_none")] Option<circuits::Options>,
}
