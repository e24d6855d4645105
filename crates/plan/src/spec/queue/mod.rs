//! Queues of electronic links: the list of their kinds, each a file of its own, and what others ask of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate};

pub use self::ecn_threshold::MarkAbove;
use crate::flaw::Flaw;

/// Declares the kinds: the module of each has its `Options`, whose doc comment describes the kind in the reference.
macro_rules! queues {
    ($(#[$about:meta])* pub enum $Name:ident { $(mod $module:ident; use $Kind:ident as $word:literal;)+ }) => {
        $(pub mod $module;)+

        $(#[$about])*
        pub enum $Name {
            $(
                #[expect(missing_docs, reason = "the type of its options describes it")]
                #[serde(rename = $word)]
                $Kind($module::Options),
            )+
        }

        impl $Name {
            fn rules(&self) -> &dyn Rules {
                match self {
                    $(Self::$Kind(options) => options,)+
                }
            }
        }
    };
}

/// Declares the `Options` of a kind: its limit, and its keys with a default for none or for each.
macro_rules! options {
    ($(#[$about:meta])* pub struct Options { $($(#[$key:meta])* $field:ident: $Value:ty,)* }) => {
        options! { [] $(#[$about])* { $($(#[$key])* $field: $Value,)* } }
    };
    ($(#[$about:meta])* pub struct Options { $($(#[$key:meta])* $field:ident: $Value:ty = $default:expr,)+ }) => {
        options! { [#[serde(default)]] $(#[$about])* { $($(#[$key])* $field: $Value,)+ } }

        impl Default for Options {
            fn default() -> Self {
                Self { limit: super::Limit::default(), $($field: $default,)+ }
            }
        }
    };
    ([$($default:tt)*] $(#[$about:meta])* { $($(#[$key:meta])* $field:ident: $Value:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        $($default)*
        pub struct Options {
            #[expect(missing_docs, reason = "its type describes it")]
            #[serde(flatten)]
            pub limit: super::Limit,
            $($(#[$key])* pub $field: $Value,)*
        }
    };
}

queues! {
    /// An output queue. Its limit applies to the waiting packets, either their number or their bytes; the
    /// packet on the wire is not counted. The links that leave a hybrid switch have no queue, because its
    /// buffer is shared.
    #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    pub enum QueueSpec {
        mod drop_tail; use DropTail as "drop-tail";
        mod red; use Red as "red";
        mod ecn_threshold; use EcnThreshold as "ecn-threshold";
        mod pie; use Pie as "pie";
        mod codel; use Codel as "codel";
        mod fq_codel; use FqCodel as "fq-codel";
        mod fair; use Fair as "fair";
        mod dualpi2; use DualPi2 as "dualpi2";
        mod trimming; use Trimming as "trimming";
        mod shaper; use Shaper as "shaper";
        mod policer; use Policer as "policer";
    }
}

/// What each kind answers for.
trait Rules {
    /// What others ask of it, with these options.
    fn facts(&self) -> QueueFacts;

    /// Options that contradict each other; its key is that of the option.
    fn flaw(&self) -> Option<Flaw> {
        None
    }
}

/// The limit of a queue; a checked scenario has exactly one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// Its limit in packets (this or `bytes`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub packets: Option<u32>,
    /// Its limit in bytes (this or `packets`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
    pub bytes: Option<Bytes>,
}

impl Limit {
    /// A number of packets.
    pub const fn packets(packets: u32) -> Self {
        Self { packets: Some(packets), bytes: None }
    }

    /// A number of bytes.
    pub const fn bytes(bytes: Bytes) -> Self {
        Self { packets: None, bytes: Some(bytes) }
    }
}

/// By what a queue does more than drop-tail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Acts {
    /// It does not.
    #[default]
    Never,
    /// By what waits when a packet comes: it takes in whatever comes when nothing waits.
    ByQueue,
    /// By how much has waited lately.
    ByAverage,
    /// Whether or not anything waits.
    Always,
    /// By deciding when a packet leaves, so that this is not known when it comes.
    OnDeparture,
}

/// What the rest of the house asks of a kind of queue.
#[derive(Debug, Clone, Copy, Default)]
pub struct QueueFacts {
    /// Its limit.
    pub limit: Limit,
    /// By what it does more than drop-tail.
    pub acts: Acts,
    /// Whether it marks packets that can carry a mark.
    pub marks: bool,
    /// The key that has no effect where no flow carries marks.
    pub marking_key: Option<&'static str>,
    /// What may wait before it marks all that comes.
    pub mark_above: Option<MarkAbove>,
    /// The most at which packets leave it, if it holds them back.
    pub rate: Option<Rate>,
    /// The queues that it has for flows.
    pub flow_queues: u32,
    /// How it cuts the data off packets, if it does.
    pub trimming: Option<trimming::Options>,
}

impl QueueFacts {
    /// Drop-tail, of which nothing special is known.
    fn plain(limit: Limit) -> Self {
        Self { limit, ..Self::default() }
    }

    /// A queue whose key `ecn` says whether it marks.
    fn with_ecn(limit: Limit, ecn: bool) -> Self {
        Self { marks: ecn, marking_key: ecn.then_some("ecn"), ..Self::plain(limit) }
    }
}

impl QueueSpec {
    /// Drop-tail with a limit in packets.
    pub const fn packets(packets: u32) -> Self {
        Self::DropTail(drop_tail::Options { limit: Limit::packets(packets) })
    }

    /// Drop-tail with a limit in bytes.
    pub const fn bytes(bytes: Bytes) -> Self {
        Self::DropTail(drop_tail::Options { limit: Limit::bytes(bytes) })
    }

    /// What others ask of its kind, with these options.
    pub fn facts(&self) -> QueueFacts {
        self.rules().facts()
    }

    /// Options of its kind that contradict each other; the key is that of the option.
    pub fn flaw(&self) -> Option<Flaw> {
        self.rules().flaw()
    }

    /// The limit in packets and the limit in bytes: a checked scenario has exactly one.
    pub fn limits(&self) -> (Option<u32>, Option<Bytes>) {
        let Limit { packets, bytes } = self.facts().limit;
        (packets, bytes)
    }

    /// Whether it decides when a packet leaves, so that this is not known when it comes.
    pub fn is_managed(&self) -> bool {
        self.facts().acts == Acts::OnDeparture
    }

    /// The queue of a host's interface: drop-tail in place of one that decides when a packet leaves.
    #[must_use]
    pub fn of_interface(self) -> Self {
        let QueueFacts { limit, acts, .. } = self.facts();
        match acts {
            Acts::OnDeparture => Self::DropTail(drop_tail::Options { limit }),
            Acts::Never | Acts::ByQueue | Acts::ByAverage | Acts::Always => self,
        }
    }
}
