//! The options of a stop-and-wait connection: the same in every profile.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span};

use super::rto::{Law, RTO_BACKOFF, RTO_WEIGHT};
use crate::mistake::{Mistakes, OptionError};
use crate::segment::Segment;

/// The copy of a packet from which a round-trip time is measured: from the first bit of that copy to the
/// full reception of the acknowledgment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TimedCopy {
    /// The latest. A late acknowledgment of an earlier copy then counts as a fast one of the latest.
    #[default]
    Latest,
    /// The one that the acknowledgment answers: it echoes the sending time of that copy, as a timestamp
    /// does (RFC 7323).
    Answered,
    /// The only one: a packet that was retransmitted is not measured (Karn's algorithm).
    Only,
}

/// The options of a stop-and-wait connection. The timeout is T′ = T + p τ. T starts at `initial-rto`, is
/// multiplied by `rto-backoff` at each expiry and moves towards each measured round-trip time by
/// `rto-weight`; τ is the transmission time of a full packet on the sender's link (Minakhmetov, Ware and
/// Iannone 2018).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StopAndWaitOptions {
    /// Data octets of a full packet.
    #[schemars(extend("x-min" = "1 B", "x-max" = "16 MB"))]
    pub packet: Bytes,
    /// Octets that a packet with data adds on the wire.
    #[schemars(extend("x-max" = "65535 B"))]
    pub header: Bytes,
    /// Octets on the wire of a packet without data: SYN, FIN, acknowledgment.
    #[schemars(extend("x-min" = "1 B", "x-max" = "65535 B"))]
    pub control: Bytes,
    /// T at the start of a connection, at most `max-rto`; also the initial timeout of the receiver,
    /// after which it repeats the answer to a FIN.
    #[schemars(extend("x-min" = "1 ns", "x-max" = "24 h"))]
    pub initial_rto: Span,
    /// The maximum of T.
    #[schemars(extend("x-min" = "1 ns", "x-max" = "24 h"))]
    pub max_rto: Span,
    /// α: the factor by which T is multiplied when the timer expires, above 1.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub rto_backoff: f64,
    /// β: the weight of a new measurement in T, between 0 and 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub rto_weight: f64,
    /// p: the packet times by which the timeout is longer than T, so that a packet may wait in that many
    /// buffers and still be acknowledged in time (stop-and-wait longer); need not be an integer.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub rto_margin: f64,
    /// Whether the next update of T starts from the longer timeout T′: in the steady state the timeout is
    /// then longer than the round-trip time by p τ/β instead of p τ.
    pub feedback: bool,
    /// The copy of a packet from which a round-trip time is measured after a retransmission.
    pub timed_copy: TimedCopy,
    /// Whether a connection opens with SYN, SYN-ACK, ACK; otherwise it is established from the start.
    pub handshake: bool,
    /// Whether a connection closes with FIN, FIN-ACK, ACK; otherwise it ends with the acknowledgment
    /// of the last octet.
    pub release: bool,
}

/// Minakhmetov, Ware and Iannone 2018, sections 2 and 3; the 9 kB have no additional header, and the
/// timer is that of plain stop-and-wait.
impl Default for StopAndWaitOptions {
    fn default() -> Self {
        Self {
            packet: Bytes(9000),
            header: Bytes(0),
            control: Bytes(64),
            initial_rto: Span::from_ms(1),
            max_rto: Span::from_secs(60),
            rto_backoff: RTO_BACKOFF,
            rto_weight: RTO_WEIGHT,
            rto_margin: 0.0,
            feedback: false,
            timed_copy: TimedCopy::Latest,
            handshake: true,
            release: true,
        }
    }
}

impl StopAndWaitOptions {
    /// Everything that is wrong with the options, beyond what the schema says.
    pub fn check(&self) -> Vec<OptionError> {
        let mut found = Mistakes::default();
        found.span("initial-rto", self.initial_rto, (Span::from_ns(1), self.max_rto));
        found.rto(self.rto_backoff, self.rto_weight, self.rto_margin);
        found.all()
    }

    /// The transmission time of a full packet at a rate: τ.
    pub fn packet_time(&self, rate: Rate) -> Span {
        rate.time_to_send(self.packet + self.header)
    }

    /// Octets of a segment on the wire.
    ///
    /// # Panics
    ///
    /// Where the options are none that [`Self::check`] and the schema let pass.
    pub fn wire_size(&self, segment: &Segment) -> u32 {
        segment.wire_size_or(self.header, self.control)
    }

    /// The law of the timer with a margin of p τ.
    pub(super) fn law(&self, margin: Span) -> Law {
        Law {
            backoff: self.rto_backoff,
            weight: self.rto_weight,
            max: self.max_rto,
            margin,
            feedback: self.feedback,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_in_order() {
        assert_eq!(StopAndWaitOptions::default().check(), []);
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let options = StopAndWaitOptions {
            initial_rto: Span::from_secs(61),
            rto_backoff: 1.0,
            rto_weight: 1.0,
            rto_margin: -1.0,
            ..StopAndWaitOptions::default()
        };
        let found: Vec<String> = options.check().iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "initial-rto: out of range; found 61 s; accepted 1 ns to 60 s",
                "rto-backoff: out of range; found 1; accepted a number above 1",
                "rto-weight: out of range; found 1; accepted a number between 0 and 1",
                "rto-margin: out of range; found -1; accepted a number of packet times from 0",
            ]
        );
    }

    #[test]
    fn a_full_packet_takes_7_2_microseconds_at_10_gigabits() {
        let options = StopAndWaitOptions::default();
        assert_eq!(options.packet_time(Rate(10_000_000_000)), Span::from_ns(7200));
        let headed = StopAndWaitOptions { header: Bytes(1000), ..options };
        assert_eq!(headed.packet_time(Rate(10_000_000_000)), Span::from_us(8));
    }
}
