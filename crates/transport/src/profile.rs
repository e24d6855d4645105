//! Named sets of transport and host defaults. They affect published numbers more than any
//! mechanism does, so every value is listed with its reason: those of hosts here, those of TCP in
//! `tcp/config/defaults.rs`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

/// A named set of transport and host defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The current RFCs, with Linux's values of timers and windows. What only Linux has is in `linux`.
    #[default]
    #[serde(rename = "modern")]
    Modern,
    /// As `modern`, but with recovery from selective acknowledgments only (RFC 6675) and an unlimited
    /// receive window.
    #[serde(rename = "modern-sack")]
    ModernSack,
    /// Linux 6.12: as `modern`, with CUBIC as the kernel has it, `HyStart`, proportional rate reduction, the
    /// Eifel detection, quick acknowledgments, a slow start after an idle time, and the kernel's rule of when
    /// a window may grow.
    #[serde(rename = "linux")]
    Linux,
    /// The defaults of ns-2's one-way TCP agents in 2003.
    #[serde(rename = "ns2-2003")]
    Ns2_2003,
    /// The defaults of 2008, as far as they differ in loss recovery: a minimum RTO of 0.2 s, three
    /// blocks in a selective acknowledgment.
    #[serde(rename = "ns2-2008")]
    Ns2_2008,
    /// The defaults of INET 2.1 (2013), with NewReno, full-sized segments and an unlimited receive
    /// window.
    #[serde(rename = "inet-2.1")]
    Inet2_1,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 6] = [
        Self::Modern,
        Self::ModernSack,
        Self::Linux,
        Self::Ns2_2003,
        Self::Ns2_2008,
        Self::Inet2_1,
    ];

    /// Its name in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::ModernSack => "modern-sack",
            Self::Linux => "linux",
            Self::Ns2_2003 => "ns2-2003",
            Self::Ns2_2008 => "ns2-2008",
            Self::Inet2_1 => "inet-2.1",
        }
    }

    /// The queue of a host's interface in packets: 1000 in Linux (`txqueuelen`), 50 in ns-2
    /// (`Queue set limit_`), 100 in INET (`DropTailQueue.frameCapacity`, which does not count the
    /// frame on the wire, as here).
    pub const fn interface_queue_packets(self) -> u64 {
        match self {
            Self::Modern | Self::ModernSack | Self::Linux => 1000,
            Self::Ns2_2003 | Self::Ns2_2008 => 50,
            Self::Inet2_1 => 100,
        }
    }

    /// Octets that a UDP datagram adds on the wire: 28 B for IPv4 and UDP. ns-2 adds none, its packet
    /// size is the size on the wire; INET adds 7 B for the PPP frame.
    pub const fn udp_header(self) -> Bytes {
        match self {
            Self::Modern | Self::ModernSack | Self::Linux => Bytes(28),
            Self::Ns2_2003 | Self::Ns2_2008 => Bytes(0),
            Self::Inet2_1 => Bytes(35),
        }
    }
}
