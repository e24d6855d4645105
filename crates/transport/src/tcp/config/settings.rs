//! What follows from the settings of a TCP connection.

use units::{Rate, Span};

use super::kinds::{ReceiveWindowGrowth, RtoLaw, SsthreshFrom};
use super::options::Config;
use crate::tcp::congestion::{Ecn, Sizes};
use crate::tcp::recovery::Terms;

/// The maximum window of a receiver without window scaling (RFC 9293 section 3.1).
pub(super) const MAX_UNSCALED_WINDOW: u64 = 65_535;

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
