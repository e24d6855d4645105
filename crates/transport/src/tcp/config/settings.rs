//! Every setting of a TCP connection.

use serde::Serialize;
use units::{Bytes, Rate, Span};

use super::kinds::{
    EcnFeedback, Preset, ReceiveWindowGrowth, RtoLaw, SsthreshFrom, WindowValidation,
};
use crate::tcp::circuits;
use crate::tcp::congestion::{self, Ecn, Growth, Sizes, slow_start};
use crate::tcp::recovery::{self, Terms};
use crate::window_size::Limit;

/// The maximum window of a receiver without window scaling (RFC 9293 section 3.1).
pub(super) const MAX_UNSCALED_WINDOW: u64 = 65_535;

/// Every setting of a TCP connection, resolved. Sizes are in octets.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent switch")]
pub struct Config {
    /// See [`TcpOptions::preset`](super::TcpOptions::preset).
    pub preset: Preset,
    /// See [`TcpOptions::recovery`](super::TcpOptions::recovery).
    pub recovery: recovery::Options,
    /// See [`TcpOptions::congestion`](super::TcpOptions::congestion).
    pub congestion: congestion::Options,
    /// See [`TcpOptions::slow_start`](super::TcpOptions::slow_start).
    pub slow_start: slow_start::Options,
    /// See [`TcpOptions::segment`](super::TcpOptions::segment).
    pub segment: Bytes,
    /// See [`TcpOptions::header`](super::TcpOptions::header).
    pub header: Bytes,
    /// See [`TcpOptions::initial_window`](super::TcpOptions::initial_window).
    pub initial_window: Limit,
    /// See [`TcpOptions::initial_ssthresh`](super::TcpOptions::initial_ssthresh).
    pub initial_ssthresh: Limit,
    /// See [`TcpOptions::max_window`](super::TcpOptions::max_window).
    pub max_window: Limit,
    /// See [`TcpOptions::receive_window`](super::TcpOptions::receive_window).
    pub receive_window: Limit,
    /// See [`TcpOptions::receive_window_growth`](super::TcpOptions::receive_window_growth).
    pub receive_window_growth: ReceiveWindowGrowth,
    /// See [`TcpOptions::rto_law`](super::TcpOptions::rto_law).
    pub rto_law: RtoLaw,
    /// See [`TcpOptions::rto_backoff`](super::TcpOptions::rto_backoff).
    pub rto_backoff: f64,
    /// See [`TcpOptions::rto_weight`](super::TcpOptions::rto_weight).
    pub rto_weight: f64,
    /// See [`TcpOptions::rto_margin`](super::TcpOptions::rto_margin).
    pub rto_margin: f64,
    /// See [`TcpOptions::min_rto`](super::TcpOptions::min_rto).
    pub min_rto: Span,
    /// See [`TcpOptions::max_rto`](super::TcpOptions::max_rto).
    pub max_rto: Span,
    /// See [`TcpOptions::initial_rto`](super::TcpOptions::initial_rto).
    pub initial_rto: Span,
    /// See [`TcpOptions::granularity`](super::TcpOptions::granularity).
    pub granularity: Span,
    /// See [`TcpOptions::ack_every`](super::TcpOptions::ack_every).
    pub ack_every: u32,
    /// See [`TcpOptions::ack_delay`](super::TcpOptions::ack_delay).
    pub ack_delay: Span,
    /// See [`TcpOptions::quick_acks`](super::TcpOptions::quick_acks).
    pub quick_acks: u32,
    /// See [`TcpOptions::timestamps`](super::TcpOptions::timestamps).
    pub timestamps: bool,
    /// See [`TcpOptions::window_scaling`](super::TcpOptions::window_scaling).
    pub window_scaling: bool,
    /// See [`TcpOptions::silly_window_avoidance`](super::TcpOptions::silly_window_avoidance).
    pub silly_window_avoidance: bool,
    /// See [`TcpOptions::limited_transmit`](super::TcpOptions::limited_transmit).
    pub limited_transmit: bool,
    /// See [`TcpOptions::dup_acks`](super::TcpOptions::dup_acks).
    pub dup_acks: u32,
    /// See [`TcpOptions::growth`](super::TcpOptions::growth).
    pub growth: Growth,
    /// See [`TcpOptions::window_validation`](super::TcpOptions::window_validation).
    pub window_validation: WindowValidation,
    /// See [`TcpOptions::f_rto`](super::TcpOptions::f_rto).
    pub f_rto: bool,
    /// See [`TcpOptions::slow_start_after_idle`](super::TcpOptions::slow_start_after_idle).
    pub slow_start_after_idle: bool,
    /// See [`TcpOptions::ssthresh_from`](super::TcpOptions::ssthresh_from).
    pub ssthresh_from: SsthreshFrom,
    /// See [`TcpOptions::handshake`](super::TcpOptions::handshake).
    pub handshake: bool,
    /// See [`TcpOptions::release`](super::TcpOptions::release).
    pub release: bool,
    /// See [`TcpOptions::sack_blocks`](super::TcpOptions::sack_blocks).
    pub sack_blocks: u32,
    /// See [`TcpOptions::ecn`](super::TcpOptions::ecn).
    pub ecn: bool,
    /// See [`TcpOptions::ecn_feedback`](super::TcpOptions::ecn_feedback).
    pub ecn_feedback: EcnFeedback,
    /// See [`TcpOptions::pacing`](super::TcpOptions::pacing).
    pub pacing: bool,
    /// See [`TcpOptions::circuits`](super::TcpOptions::circuits).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub circuits: Option<circuits::Options>,
}

impl Config {
    /// The receiver's initial window in octets, [`u64::MAX`] without a limit. A window that grows starts at
    /// the maximum of the window field of a SYN, which is never scaled (RFC 7323 section 2.2); Linux has
    /// memory for it (half of the 131,072 B of `tcp_rmem`).
    pub(crate) fn first_receive_window(&self) -> u64 {
        match self.receive_window_growth {
            ReceiveWindowGrowth::Fixed => self.receive_window.0,
            ReceiveWindowGrowth::Dynamic => self.receive_window.0.min(MAX_UNSCALED_WINDOW),
        }
    }

    /// Whether its window rule is that of its preset or program only where queues mark packets.
    pub fn needs_marks(&self) -> bool {
        self.congestion.ecn() != Ecn::Optional
    }

    /// Whether its data are sent as ECT(1), the codepoint of L4S (RFC 9331).
    pub fn is_l4s(&self) -> bool {
        self.ecn && self.congestion.ecn() == Ecn::L4s
    }

    /// The transmission time of a full packet at a rate.
    pub fn packet_time(&self, rate: Rate) -> Span {
        rate.time_to_send(self.segment + self.header)
    }

    /// The options that recovery reads.
    pub(crate) fn recovery_terms(&self) -> Terms {
        Terms {
            segment: self.segment.0,
            dup_acks: self.dup_acks,
            limited_transmit: self.limited_transmit,
            timestamps: self.timestamps,
            f_rto: self.f_rto,
            ack_delay: self.longest_ack_delay(),
        }
    }

    /// How long the acknowledgment of a single segment may wait; Linux does not know what the other end does,
    /// and counts with its minimum timeout (`tcp_schedule_loss_probe`).
    fn longest_ack_delay(&self) -> Span {
        match self.rto_law {
            RtoLaw::Linux => self.min_rto,
            _ if self.ack_every > 1 => self.ack_delay,
            _ => Span::ZERO,
        }
    }

    /// The initial values of the congestion window.
    pub(crate) fn window_sizes(&self) -> Sizes {
        Sizes {
            segment: self.segment.0,
            initial: self.initial_window.0,
            ssthresh: self.initial_ssthresh.0,
            max: self.max_window.0,
            growth: self.growth,
            whole_ssthresh: self.ssthresh_from == SsthreshFrom::Window,
            paced: self.pacing,
        }
    }
}
