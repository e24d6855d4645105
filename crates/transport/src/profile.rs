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

/// What a profile says. Keys that it leaves out have the values of the profile that it extends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(rename = "ProfileValues")]
pub struct Defaults {
    /// The profile that it extends. Default in a file: `modern`.
    #[serde(skip_serializing_if = "Option::is_none")]
    extends: Option<Profile>,
    /// Packets in the queue of a host's interface.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000_000))]
    interface_queue: Option<u32>,
    /// Octets that a UDP datagram adds on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "65535 B"))]
    udp_header: Option<Bytes>,
    /// The packet that a full segment of TCP fills, where `tcp.segment` does not say its data.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "65535 B"))]
    pub(crate) packet: Option<Bytes>,
    /// Octets that a link adds to each packet of TCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "65535 B"))]
    framing: Option<Bytes>,
    /// What recoveries do where their options are left out, whichever a connection has: the first of a kind decides. A file
    /// has `tcp.recovery` instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub(crate) recoveries: Vec<recovery::Options>,
    /// What window rules do where their options are left out. A file has `tcp.congestion` instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub(crate) congestions: Vec<congestion::Options>,
    /// The options of TCP.
    pub(crate) tcp: TcpOptions,
}

/// The set of transport and host defaults: a name, or a table with a set that is not built in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ProfileSpec {
    /// One that is built in.
    Named(Profile),
    /// One of a file.
    Custom(#[schemars(with = "Given")] CustomProfile),
}

/// A profile that is not built in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Given", into = "Given")]
pub struct CustomProfile {
    given: Given,
    /// With the values of the profile that it extends.
    whole: Box<Defaults>,
}

/// A profile of a file: what differs from the one that it extends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(rename = "CustomProfile")]
struct Given {
    /// A file in TOML, `extends = "linux"` and the values that differ, instead of `values`. A relative path starts at the
    /// folder of the file that names it, on the command line and in Python at the current directory.
    #[serde(default, skip_serializing)]
    #[schemars(
        length(min = 1, max = 4_096),
        extend("x-file" = { "content": "profile", "key": "values", "document": true })
    )]
    file: Option<Box<str>>,
    /// What the file has.
    #[serde(default)]
    values: Box<Defaults>,
}

impl From<Given> for CustomProfile {
    fn from(given: Given) -> Self {
        let extends = given.values.extends.unwrap_or_default();
        let whole = Defaults { extends: Some(extends), ..(*given.values).clone() }.whole();
        Self { given, whole: Box::new(whole) }
    }
}

impl From<CustomProfile> for Given {
    fn from(profile: CustomProfile) -> Self {
        profile.given
    }
}

impl Default for ProfileSpec {
    fn default() -> Self {
        Self::Named(Profile::default())
    }
}

impl AsRef<Defaults> for Profile {
    fn as_ref(&self) -> &Defaults {
        self.defaults()
    }
}

impl AsRef<Defaults> for ProfileSpec {
    fn as_ref(&self) -> &Defaults {
        match self {
            Self::Named(profile) => profile.defaults(),
            Self::Custom(profile) => &profile.whole,
        }
    }
}

impl AsRef<Self> for Defaults {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// Why every value is there.
const WHOLE: &str = "a profile that extends none has all values";

impl Defaults {
    /// Reads a profile of `profiles/`.
    fn read(text: &str) -> Self {
        toml::from_str::<Self>(text).expect("a file of ours, which a test reads").whole()
    }

    /// With the values of the profile that it extends.
    fn whole(self) -> Self {
        let Some(base) = self.extends.map(Profile::defaults) else { return self };
        Self {
            extends: None,
            interface_queue: self.interface_queue.or(base.interface_queue),
            udp_header: self.udp_header.or(base.udp_header),
            packet: self.packet.or(base.packet),
            framing: self.framing.or(base.framing),
            recoveries: [self.recoveries, base.recoveries.clone()].concat(),
            congestions: [self.congestions, base.congestions.clone()].concat(),
            tcp: self.tcp.over(&base.tcp),
        }
    }

    /// The queue of a host's interface in packets.
    pub fn interface_queue_packets(&self) -> u32 {
        self.interface_queue.expect(WHOLE)
    }

    /// Octets that a UDP datagram adds on the wire.
    pub fn udp_header(&self) -> Bytes {
        self.udp_header.expect(WHOLE)
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
            pub fn defaults(self) -> &'static Defaults {
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
