//! Named sets of transport and host defaults. They affect published numbers more than any mechanism does, so a file of
//! `profiles/` lists every value with its reason.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

use crate::tcp::config::TcpOptions;
use crate::tcp::{congestion, recovery};

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

/// What a profile says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Defaults {
    /// The profile whose values hold where this one has none.
    #[serde(default)]
    extends: Option<Profile>,
    /// Packets in the queue of a host's interface.
    #[serde(default)]
    interface_queue: Option<u64>,
    /// Octets that a UDP datagram adds on the wire.
    #[serde(default)]
    udp_header: Option<Bytes>,
    /// The packet that a full segment fills; none if `tcp.segment` has the data of one.
    #[serde(default)]
    pub(crate) packet: Option<Bytes>,
    /// Octets that a link adds to each packet.
    #[serde(default)]
    framing: Option<Bytes>,
    /// What recoveries do where their options are left out, whichever a connection has: the first of a kind decides.
    #[serde(default)]
    pub(crate) recoveries: Vec<recovery::Options>,
    /// What window rules do where their options are left out.
    #[serde(default)]
    pub(crate) congestions: Vec<congestion::Options>,
    /// The options of TCP.
    #[serde(default)]
    pub(crate) tcp: TcpOptions,
}

/// Why every value is there.
const WHOLE: &str = "a profile that extends none has all values";

impl Defaults {
    /// Reads a profile of `profiles/`.
    fn read(text: &str) -> Self {
        let own: Self = toml::from_str(text).expect("a file of ours, which a test reads");
        let Some(base) = own.extends.map(Profile::defaults) else { return own };
        Self {
            extends: None,
            interface_queue: own.interface_queue.or(base.interface_queue),
            udp_header: own.udp_header.or(base.udp_header),
            packet: own.packet.or(base.packet),
            framing: own.framing.or(base.framing),
            recoveries: [own.recoveries, base.recoveries.clone()].concat(),
            congestions: [own.congestions, base.congestions.clone()].concat(),
            tcp: own.tcp.over(&base.tcp),
        }
    }

    /// Octets that a link adds to each packet.
    pub(crate) fn framing(&self) -> Bytes {
        self.framing.expect(WHOLE)
    }
}

/// The defaults of each profile, read once.
macro_rules! profiles {
    ($($Name:ident is $word:literal;)+) => {
        impl Profile {
            /// Every profile.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$Name),+];

            /// Its name in scenarios.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Name => $word,)+
                }
            }

            /// What it says.
            pub(crate) fn defaults(self) -> &'static Defaults {
                match self {
                    $(
                        Self::$Name => {
                            static READ: LazyLock<Defaults> = LazyLock::new(|| {
                                Defaults::read(include_str!(concat!("profiles/", $word, ".toml")))
                            });
                            &READ
                        }
                    )+
                }
            }
        }
    };
}

profiles! {
    Modern is "modern";
    ModernSack is "modern-sack";
    Linux is "linux";
    Ns2_2003 is "ns2-2003";
    Ns2_2008 is "ns2-2008";
    Inet2_1 is "inet-2.1";
}

impl Profile {
    /// The queue of a host's interface in packets.
    pub fn interface_queue_packets(self) -> u64 {
        self.defaults().interface_queue.expect(WHOLE)
    }

    /// Octets that a UDP datagram adds on the wire.
    pub fn udp_header(self) -> Bytes {
        self.defaults().udp_header.expect(WHOLE)
    }
}
