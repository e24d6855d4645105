//! The options of a message transport: the same in every profile.

use kinds::WordOrTable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span};

use super::{spraying, window};
use crate::mistake::{Mistakes, OptionError};
use crate::segment::Segment;

/// The options of a message transport: packets are accepted in any order, each takes a path of its own, and the
/// receiver tells by a bitmap which have come (after UEC specification 1.0).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MessageOptions {
    /// Data octets of a full packet.
    #[schemars(extend("x-min" = "1 B", "x-max" = "16 MB"))]
    pub packet: Bytes,
    /// Octets that a packet with data adds on the wire.
    #[schemars(extend("x-max" = "65535 B"))]
    pub header: Bytes,
    /// Octets on the wire of a packet without data: feedback, NACK, credit.
    #[schemars(extend("x-min" = "1 B", "x-max" = "65535 B"))]
    pub control: Bytes,
    /// How the entropy of a packet is chosen, which decides on its path: its name, or a table with its options. It
    /// counts where several paths have the same cost, and replaces `network.spread` for these packets.
    #[serde(with = "kinds::option::required")]
    #[schemars(with = "WordOrTable<spraying::Options>")]
    pub spraying: spraying::Options,
    /// The number of entropies of a flow, a power of two from 1 to 65,536.
    #[schemars(range(min = 1, max = 65_536))]
    pub entropies: u32,
    /// How much may be in flight: the name of a rule, or a table with its options.
    #[serde(with = "kinds::option::required")]
    #[schemars(with = "WordOrTable<window::Options>")]
    pub window: window::Options,
    /// Whether the receiver decides when data are sent: what is beyond the first window needs its credit, which it
    /// grants to all flows of its host in turn, at the rate of the host's link (V. Olteanu et al., "An edge-queued datagram
    /// service for all datacenter traffic", NSDI 2022).
    pub credits: bool,
    /// Packets after which the receiver answers, 1 to 64; one that is marked, asks, or comes again is answered at once.
    #[schemars(range(min = 1, max = 64))]
    pub answer_every: u32,
    /// The round-trip time of an idle network for a full packet and its answer. Default: that of the first path of
    /// each flow. The smallest one measured counts if it is less.
    #[schemars(extend("x-min" = "1 ns", "x-max" = "100 s"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_rtt: Option<Span>,
    /// How late a packet may come: it is lost when packets of so many windows that were sent after it have come (and
    /// at least five packets), 0.1 to 1,000.
    #[schemars(range(min = 0.1, max = 1000.0))]
    pub reordering: f64,
    /// The minimum of the retransmission timeout, which follows the round-trip times (RFC 6298) and does not double when
    /// it expires. Default: `base-rtt` and the time in which full queues of the first path empty, so that none expires
    /// for a packet that waits, as in UEC's simulator; at least 100 µs.
    #[schemars(extend("x-min" = "1 ns", "x-max" = "24 h"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rto: Option<Span>,
    /// Its maximum.
    #[schemars(extend("x-min" = "1 ns", "x-max" = "24 h"))]
    pub max_rto: Span,
    /// What a sender does when its rack tells of circuits to that of the receiver (`core.tell-hosts`); by default
    /// nothing.
    #[schemars(extend("x-none" = "nothing"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub circuits: Option<MessageCircuits>,
}

/// What a sender of messages does when a circuit to the rack of its receiver opens or closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MessageCircuits {
    /// No data are sent while there is none, neither for the first time nor again: they wait in the host, as in c-Through
    /// (Wang et al. 2010) and in `RotorNet` (Mellette et al. 2017). Timers run on, so `min-rto` should be longer than
    /// what a packet or its answer waits in a rack.
    Hold,
}

/// Those of UEC's simulator, but that each packet is answered, as the paper of REPS has it.
impl Default for MessageOptions {
    fn default() -> Self {
        Self {
            packet: Bytes(4096),
            header: Bytes(64),
            control: Bytes(64),
            spraying: spraying::Options::Reps(spraying::reps::Options::default()),
            entropies: 256,
            window: window::Options::Nscc(window::nscc::Options::default()),
            credits: false,
            answer_every: 1,
            base_rtt: None,
            reordering: 1.5,
            min_rto: None,
            max_rto: Span::from_secs(60),
            circuits: None,
        }
    }
}

impl MessageOptions {
    /// Everything that is wrong with the options, beyond what the schema says.
    pub fn check(&self) -> Vec<OptionError> {
        let mut found = Mistakes::default();
        if !self.entropies.is_power_of_two() || self.entropies > 1 << 16 {
            let accepted = "a power of two from 1 to 65536";
            found.add("entropies", "not a power of two", self.entropies, accepted);
        }
        if let Some(min_rto) = self.min_rto {
            found.span("min-rto", min_rto, (Span::from_ns(1), self.max_rto));
        }
        found.count("answer-every", self.answer_every, 64);
        let fits = (0.1..=1000.0).contains(&self.reordering);
        found.number("reordering", self.reordering, fits, "0.1 to 1000");
        self.spraying.check(&mut found);
        self.window.check(&mut found);
        found.all()
    }

    /// Octets of a full packet on the wire.
    pub fn full(&self) -> Bytes {
        self.packet + self.header
    }

    /// The transmission time of a full packet at a rate.
    pub fn packet_time(&self, rate: Rate) -> Span {
        rate.time_to_send(self.full())
    }

    /// Octets of a segment on the wire.
    ///
    /// # Panics
    ///
    /// Where the options are none that [`Self::check`] and the schema let pass.
    pub fn wire_size(&self, segment: &Segment) -> u32 {
        segment.wire_size_or(self.header, self.control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_in_order() {
        assert_eq!(MessageOptions::default().check(), []);
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let options = MessageOptions {
            entropies: 48,
            min_rto: Some(Span::from_secs(61)),
            answer_every: 65,
            reordering: 0.0,
            window: window::Options::Fixed(window::fixed::Options { paths: 0.0 }),
            spraying: spraying::Options::Reps(spraying::reps::Options {
                buffer: 0,
                ..Default::default()
            }),
            ..MessageOptions::default()
        };
        let found: Vec<String> = options.check().iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "entropies: not a power of two; found 48; accepted a power of two from 1 to 65536",
                "min-rto: out of range; found 61 s; accepted 1 ns to 60 s",
                "answer-every: out of range; found 65; accepted 1 to 64",
                "reordering: out of range; found 0; accepted 0.1 to 1000",
                "spraying.buffer: out of range; found 0; accepted 1 to 1024",
                "window.paths: out of range; found 0; accepted 0.01 to 1000",
            ]
        );
    }
}
