//! The options of a TCP connection as a scenario gives them, and the configuration that results.

mod check;
mod kinds;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span};

use crate::profile::{Profile, TcpDefaults};
use crate::stop_and_wait::StopAndWaitOptions;
use crate::window_size::{Limit, WindowSize};

pub(crate) use check::Mistakes;
pub use check::OptionError;
pub use kinds::{
    CongestionKind, Growth, Preset, ReceiveWindowGrowth, RecoveryExit, RecoveryKind, RecoveryTimer,
    RtoLaw, SsthreshFrom, WindowValidation,
};

/// The options of a TCP connection. Each is optional: the profile gives what is not set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TcpOptions {
    /// The TCP by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// Loss recovery instead of the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RecoveryKind>,
    /// Window rule instead of the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub congestion: Option<CongestionKind>,
    /// Data octets of a full segment, 1 B to 65,535 B. Default in `modern` and `modern-sack`: what a
    /// packet of 1500 B has room for beside `header`, 1448 B with timestamps and 1460 B without (RFC 6691).
    #[schemars(extend("x-min" = "1 B", "x-max" = "65535 B"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<Bytes>,
    /// Octets that each segment adds on the wire, also the size of a segment without data (an
    /// acknowledgment, SYN or FIN); at most 65,535 B. Default: 40 B (IPv4 and TCP), 52 B with
    /// timestamps, and what frames a packet in the profile (7 B of PPP in `inet-2.1`); blocks of
    /// selective acknowledgments are not counted.
    #[schemars(extend("x-max" = "65535 B"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<Bytes>,
    /// The congestion window at the start, 1 to 65,535 segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_window: Option<WindowSize>,
    /// Where the first slow start ends without a loss, at least a segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_ssthresh: Option<WindowSize>,
    /// The largest congestion window, at least a segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_window: Option<WindowSize>,
    /// The receiver's largest window, at least a segment and below 4.29 GB or `unlimited`. The
    /// application reads at once, so it never closes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_window: Option<WindowSize>,
    /// Whether the receiver's window is all there from the start (`fixed`) or grows with what arrives
    /// (`dynamic`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_window_growth: Option<ReceiveWindowGrowth>,
    /// The share of the window that is kept after a loss, with `congestion = "maimd"`, between 0 and
    /// 1. Default: 0.7, the gentlest decrease that is published and widely used (RFC 9438).
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aimd_decrease: Option<f64>,
    /// Segments a round trip by which the window grows after slow start, with
    /// `congestion = "maimd"`. Default: 1 (RFC 5681).
    #[schemars(range(min = 0.0, max = 1000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aimd_increase: Option<f64>,
    /// The weight of the latest window's share of marks in DCTCP's estimate (g of RFC 8257), above 0.
    /// Default: 1/16.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dctcp_gain: Option<f64>,
    /// The backlog in segments (γ) up to which the window that follows delay grows, with
    /// `congestion = "compound"`, above 0. Default: 30 (Tan et al. 2006).
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ctcp_gamma: Option<f64>,
    /// Whether that backlog is tuned at each loss to three quarters of what Reno's part of the window
    /// had queued, between 5 and 30 segments (draft-sridharan-tcpm-ctcp-02). Default: no, as in the
    /// paper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ctcp_gamma_tuning: Option<bool>,
    /// How the retransmission timer follows the round-trip times. Default: `average` with the presets
    /// `maimd` and `msack`, else `rfc6298`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_law: Option<RtoLaw>,
    /// What `average` multiplies T by when the timer expires, above 1. Default: 1.1.
    #[schemars(range(min = 1.0, max = 1000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_backoff: Option<f64>,
    /// The weight of a new measurement in the T of `average`, between 0 and 1. Default: 0.5.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_weight: Option<f64>,
    /// The times that a full packet takes on the sender's link by which the timer of `average` is
    /// longer than T. Default: 4, what Minakhmetov, Ware and Iannone (2018) found enough.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rto_margin: Option<f64>,
    /// The smallest retransmission timeout, at most `max-rto`; `rto-law = "average"` has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rto: Option<Span>,
    /// The largest retransmission timeout, up to 24 h. With `rto-law = "average"` 60 s where it is left
    /// out, whatever the profile.
    #[schemars(extend("x-min" = "1 us", "x-max" = "24 h"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rto: Option<Span>,
    /// The retransmission timeout before the first measurement, between 1 us and `max-rto`. With
    /// `rto-law = "average"` 1 ms where it is left out, whatever the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_rto: Option<Span>,
    /// The tick of the clock that the retransmission timer measures in (G in RFC 6298), 1 ps to
    /// 10 s.
    #[schemars(extend("x-min" = "1 ps", "x-max" = "10 s"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Span>,
    /// Segments for an acknowledgment: 1 acknowledges each, 2 is RFC 5681's delayed one; at most
    /// 255. What is out of order is acknowledged at once.
    #[schemars(range(min = 1, max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_every: Option<u32>,
    /// The longest that an acknowledgment waits for a further segment, up to 10 s (RFC 1122
    /// demands less than 500 ms).
    #[schemars(extend("x-max" = "10 s"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_delay: Option<Span>,
    /// Timestamps (RFC 7323): every acknowledgment of new data measures the round-trip time.
    /// Without them one segment at a time is timed, never a resent one (Karn's rule).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamps: Option<bool>,
    /// Window scaling (RFC 7323); without it the receiver's window is at most 65,535 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scaling: Option<bool>,
    /// Limited transmit (RFC 3042): the duplicate acknowledgments before a fast retransmit each
    /// let a new segment out. With `recovery = "rack"` they do so in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limited_transmit: Option<bool>,
    /// Duplicate acknowledgments that cause a fast retransmit, 1 to 255.
    #[schemars(range(min = 1, max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dup_acks: Option<u32>,
    /// Whether Reno may halve its window again for a further loss in the same window of data (BSD,
    /// RFC 2581). Otherwise the further loss waits for the timer (ns-2's `bugFix_`). The other
    /// recoveries never do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated_fast_retransmit: Option<bool>,
    /// The window of NewReno when a recovery is over: `ssthresh`, or no more than what is in `flight`
    /// and a segment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_exit: Option<RecoveryExit>,
    /// Which partial acknowledgments restart the retransmission timer of NewReno: the `first` of a
    /// recovery, or `each`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_timer: Option<RecoveryTimer>,
    /// With `recovery = "rack"`, whether a reduction of the window is taken back when all that was sent
    /// again is reported as duplicates (RFC 3708). Default: yes, as in Linux.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<bool>,
    /// What the window's growth is counted in: `acks` or `bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
    /// Whether a window may grow that the application does not fill: `rfc7661` (no) or `none`
    /// (yes).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_validation: Option<WindowValidation>,
    /// What is reduced after a loss: the data in `flight` (RFC 5681), the `window` in segments (ns-2),
    /// or `cwnd` in octets (INET).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssthresh_from: Option<SsthreshFrom>,
    /// Whether a connection opens with SYN, SYN-ACK, ACK; otherwise it is there from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshake: Option<bool>,
    /// Whether a connection closes with FINs; otherwise its end is the acknowledgment of the last
    /// octet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<bool>,
    /// The most blocks of a selective acknowledgment, 1 to 4. Default: 4, with timestamps 3 (what
    /// the TCP options have room for, RFC 2018).
    #[schemars(range(min = 1, max = 4))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sack_blocks: Option<u32>,
    /// Explicit congestion notification (RFC 3168); it has an effect where a queue marks. Default: what
    /// the profile says, on with `congestion = "dctcp"`, which needs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<bool>,
    /// Whether segments are spread over the round-trip time: at twice cwnd/SRTT while cwnd is
    /// below half of ssthresh, else at 1.2 times (Linux).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing: Option<bool>,
}

/// Every setting of a TCP connection, resolved. Sizes are in octets.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Config {
    /// See [`TcpOptions::preset`].
    pub preset: Preset,
    /// See [`TcpOptions::recovery`].
    pub recovery: RecoveryKind,
    /// See [`TcpOptions::congestion`].
    pub congestion: CongestionKind,
    /// See [`TcpOptions::segment`].
    pub segment: Bytes,
    /// See [`TcpOptions::header`].
    pub header: Bytes,
    /// See [`TcpOptions::initial_window`].
    pub initial_window: Limit,
    /// See [`TcpOptions::initial_ssthresh`].
    pub initial_ssthresh: Limit,
    /// See [`TcpOptions::max_window`].
    pub max_window: Limit,
    /// See [`TcpOptions::receive_window`].
    pub receive_window: Limit,
    /// See [`TcpOptions::receive_window_growth`].
    pub receive_window_growth: ReceiveWindowGrowth,
    /// See [`TcpOptions::aimd_decrease`].
    pub aimd_decrease: f64,
    /// See [`TcpOptions::aimd_increase`].
    pub aimd_increase: f64,
    /// See [`TcpOptions::dctcp_gain`].
    pub dctcp_gain: f64,
    /// See [`TcpOptions::ctcp_gamma`].
    pub ctcp_gamma: f64,
    /// See [`TcpOptions::ctcp_gamma_tuning`].
    pub ctcp_gamma_tuning: bool,
    /// See [`TcpOptions::rto_law`].
    pub rto_law: RtoLaw,
    /// See [`TcpOptions::rto_backoff`].
    pub rto_backoff: f64,
    /// See [`TcpOptions::rto_weight`].
    pub rto_weight: f64,
    /// See [`TcpOptions::rto_margin`].
    pub rto_margin: f64,
    /// See [`TcpOptions::min_rto`].
    pub min_rto: Span,
    /// See [`TcpOptions::max_rto`].
    pub max_rto: Span,
    /// See [`TcpOptions::initial_rto`].
    pub initial_rto: Span,
    /// See [`TcpOptions::granularity`].
    pub granularity: Span,
    /// See [`TcpOptions::ack_every`].
    pub ack_every: u32,
    /// See [`TcpOptions::ack_delay`].
    pub ack_delay: Span,
    /// See [`TcpOptions::timestamps`].
    pub timestamps: bool,
    /// See [`TcpOptions::window_scaling`].
    pub window_scaling: bool,
    /// See [`TcpOptions::limited_transmit`].
    pub limited_transmit: bool,
    /// See [`TcpOptions::dup_acks`].
    pub dup_acks: u32,
    /// See [`TcpOptions::repeated_fast_retransmit`].
    pub repeated_fast_retransmit: bool,
    /// See [`TcpOptions::recovery_exit`].
    pub recovery_exit: RecoveryExit,
    /// See [`TcpOptions::recovery_timer`].
    pub recovery_timer: RecoveryTimer,
    /// See [`TcpOptions::undo`].
    pub undo: bool,
    /// See [`TcpOptions::growth`].
    pub growth: Growth,
    /// See [`TcpOptions::window_validation`].
    pub window_validation: WindowValidation,
    /// See [`TcpOptions::ssthresh_from`].
    pub ssthresh_from: SsthreshFrom,
    /// See [`TcpOptions::handshake`].
    pub handshake: bool,
    /// See [`TcpOptions::release`].
    pub release: bool,
    /// See [`TcpOptions::sack_blocks`].
    pub sack_blocks: u32,
    /// See [`TcpOptions::ecn`].
    pub ecn: bool,
    /// See [`TcpOptions::pacing`].
    pub pacing: bool,
}

impl Config {
    /// The receiver's window in octets before anything has arrived, [`u64::MAX`] without a limit: where it
    /// grows, what the window field of a SYN can say, which is never scaled (RFC 7323 section 2.2). Linux
    /// has memory for it (half of the 131,072 B of `tcp_rmem`).
    pub(crate) fn first_receive_window(&self) -> u64 {
        match self.receive_window_growth {
            ReceiveWindowGrowth::Fixed => self.receive_window.0,
            ReceiveWindowGrowth::Dynamic => self.receive_window.0.min(MAX_UNSCALED_WINDOW),
        }
    }

    /// The time that a full packet takes at a rate.
    pub fn packet_time(&self, rate: Rate) -> Span {
        rate.time_to_send(self.segment + self.header)
    }
}

/// The largest window of a receiver without window scaling (RFC 9293 section 3.1).
const MAX_UNSCALED_WINDOW: u64 = 65_535;

/// The share of its window that `maimd` keeps after a loss: our choice, since its authors' is not
/// public. RFC 9438's, the gentlest multiplicative decrease that is published and widely used.
const AIMD_DECREASE: f64 = 0.7;
/// Segments a round trip by which `maimd` grows: RFC 5681's.
const AIMD_INCREASE: f64 = 1.0;
/// g of RFC 8257, whose section 4 has 1/16.
const DCTCP_GAIN: f64 = 1.0 / 16.0;
/// γ of Tan et al. 2006: 30 packets, whatever the path.
const CTCP_GAMMA: f64 = 30.0;
/// α of Minakhmetov, Ware and Iannone 2018.
pub(crate) const RTO_BACKOFF: f64 = 1.1;
/// Their β.
pub(crate) const RTO_WEIGHT: f64 = 0.5;
/// The p above which they found no more throughput.
const RTO_MARGIN: f64 = 4.0;

/// The data of a full segment, and what each segment adds.
fn sizes(given: &TcpOptions, base: &TcpDefaults, timestamps: bool) -> (Bytes, Bytes) {
    let usual = base.framing + Bytes(if timestamps { 52 } else { 40 });
    let header = given.header.unwrap_or(usual);
    (given.segment.unwrap_or_else(|| base.segment.beside(header)), header)
}

/// The options on top of a profile, or everything that is wrong with them.
pub fn resolve(profile: Profile, options: &TcpOptions) -> Result<Config, Vec<OptionError>> {
    let given = options;
    let base = profile.tcp();
    let preset = given.preset.unwrap_or(base.preset);
    let timestamps = given.timestamps.unwrap_or(base.timestamps);
    let window_scaling = given.window_scaling.unwrap_or(base.window_scaling);
    let (segment, header) = sizes(given, &base, timestamps);
    let octets = |size: WindowSize| Limit(size.octets(segment.0));
    let max_window = given.max_window.unwrap_or(base.max_window);
    let unscaled = if window_scaling { u64::MAX } else { MAX_UNSCALED_WINDOW };
    let receive_window =
        given.receive_window.or(base.receive_window).map_or(octets(max_window), octets);
    let congestion = given.congestion.unwrap_or(preset.congestion());
    let rto_law = given.rto_law.unwrap_or(preset.rto_law());
    // Where the timer is that of stop-and-wait, so is where it starts.
    let average = (rto_law == RtoLaw::Average).then(StopAndWaitOptions::default);
    let average = average.as_ref();
    let config = Config {
        preset,
        recovery: given.recovery.unwrap_or(preset.recovery(base.recovery)),
        congestion,
        segment,
        header,
        initial_window: octets(given.initial_window.unwrap_or(base.initial_window)),
        initial_ssthresh: octets(
            given.initial_ssthresh.or(base.initial_ssthresh).unwrap_or(max_window),
        ),
        max_window: octets(max_window),
        receive_window: receive_window.min(Limit(unscaled)),
        receive_window_growth: given.receive_window_growth.unwrap_or(base.receive_window_growth),
        aimd_decrease: given.aimd_decrease.unwrap_or(AIMD_DECREASE),
        aimd_increase: given.aimd_increase.unwrap_or(AIMD_INCREASE),
        dctcp_gain: given.dctcp_gain.unwrap_or(DCTCP_GAIN),
        ctcp_gamma: given.ctcp_gamma.unwrap_or(CTCP_GAMMA),
        ctcp_gamma_tuning: given.ctcp_gamma_tuning.unwrap_or(false),
        rto_law,
        rto_backoff: given.rto_backoff.unwrap_or(RTO_BACKOFF),
        rto_weight: given.rto_weight.unwrap_or(RTO_WEIGHT),
        rto_margin: given.rto_margin.unwrap_or(RTO_MARGIN),
        min_rto: given.min_rto.unwrap_or(base.min_rto),
        max_rto: given.max_rto.unwrap_or(average.map_or(base.max_rto, |average| average.max_rto)),
        initial_rto: given
            .initial_rto
            .unwrap_or(average.map_or(base.initial_rto, |average| average.initial_rto)),
        granularity: given.granularity.unwrap_or(base.granularity),
        ack_every: given.ack_every.unwrap_or(base.ack_every),
        ack_delay: given.ack_delay.unwrap_or(base.ack_delay),
        timestamps,
        window_scaling,
        limited_transmit: given.limited_transmit.unwrap_or(base.limited_transmit),
        dup_acks: given.dup_acks.unwrap_or(base.dup_acks),
        repeated_fast_retransmit: given
            .repeated_fast_retransmit
            .unwrap_or(base.repeated_fast_retransmit),
        recovery_exit: given.recovery_exit.unwrap_or(base.recovery_exit),
        recovery_timer: given.recovery_timer.unwrap_or(base.recovery_timer),
        undo: given.undo.unwrap_or(true),
        growth: given.growth.unwrap_or(base.growth),
        window_validation: given.window_validation.unwrap_or(base.window_validation),
        ssthresh_from: given.ssthresh_from.unwrap_or(base.ssthresh_from),
        handshake: given.handshake.unwrap_or(base.handshake),
        release: given.release.unwrap_or(base.release),
        sack_blocks: given.sack_blocks.or(base.sack_blocks).unwrap_or(if timestamps {
            3
        } else {
            4
        }),
        ecn: given.ecn.unwrap_or(base.ecn || congestion == CongestionKind::Dctcp),
        pacing: given.pacing.unwrap_or(base.pacing),
    };
    let errors = check::mistakes(&config, given.segment.is_some());
    if errors.is_empty() { Ok(config) } else { Err(errors) }
}

#[cfg(test)]
mod tests;
