//! Named sets of transport and host defaults. They decide published numbers more than any
//! mechanism does, so every value is listed with its reason: those of hosts here, those of TCP in
//! `tcp/config/defaults.rs`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// A named set of transport and host defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The RFCs in force and what Linux does where they leave a choice.
    #[default]
    #[serde(rename = "modern")]
    Modern,
    /// The same with recovery from selective acknowledgments alone (RFC 6675) and a receiver's window
    /// without a limit.
    #[serde(rename = "modern-sack")]
    ModernSack,
    /// The defaults of ns-2's one-way TCP agents in 2003.
    #[serde(rename = "ns2-2003")]
    Ns2_2003,
    /// The same as of 2008, as far as it differs where data is lost: a minimum RTO of 0.2 s, three
    /// blocks in a selective acknowledgment.
    #[serde(rename = "ns2-2008")]
    Ns2_2008,
    /// The defaults of INET 2.1 (2013), with NewReno, full-sized segments and a window
    /// that the receiver does not limit.
    #[serde(rename = "inet-2.1")]
    Inet2_1,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 5] =
        [Self::Modern, Self::ModernSack, Self::Ns2_2003, Self::Ns2_2008, Self::Inet2_1];

    /// As scenarios spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::ModernSack => "modern-sack",
            Self::Ns2_2003 => "ns2-2003",
            Self::Ns2_2008 => "ns2-2008",
            Self::Inet2_1 => "inet-2.1",
        }
    }

    /// Packets that a host's own interface queues: 1000 in Linux (`txqueuelen`), 50 in ns-2
    /// (`Queue set limit_`), 100 in INET (`DropTailQueue.frameCapacity`, which does not count the
    /// frame on the wire, as here).
    pub const fn interface_queue_packets(self) -> u64 {
        match self {
            Self::Modern | Self::ModernSack => 1000,
            Self::Ns2_2003 | Self::Ns2_2008 => 50,
            Self::Inet2_1 => 100,
        }
    }

    /// Octets that a UDP datagram adds on the wire: IPv4 and UDP, 28 B; ns-2 adds none, its packet
    /// size is the size on the wire; INET frames each packet by PPP, 7 B more.
    pub const fn udp_header(self) -> Bytes {
        match self {
            Self::Modern | Self::ModernSack => Bytes(28),
            Self::Ns2_2003 | Self::Ns2_2008 => Bytes(0),
            Self::Inet2_1 => Bytes(35),
        }
    }
}
