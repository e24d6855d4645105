//! The list of all kinds of sources, each in a file of its own, and what others ask of any of them.

mod facts;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

pub use self::facts::{ClosedLoop, Facts, Form, OfGraph, RateKey, Variation};
use crate::ListedFlow;
use crate::check::{Problem, Problems};
use crate::generator::Offers;

/// What the file of a kind uses.
mod prelude {
    pub(super) use std::borrow::Cow;

    pub(super) use random::Stream;
    pub(super) use schemars::JsonSchema;
    pub(super) use serde::{Deserialize, Serialize};
    pub(super) use units::{Bytes, MeanRate, Rate, Span, Time};

    pub(super) use super::{ClosedLoop, Facts, Form, Kind, OfGraph, RateKey, Variation, one};
    pub(super) use crate::check::Problems;
    pub(super) use crate::generator::Offers;
    pub(super) use crate::{Offer, Size};
}

/// What a kind of source decides. There are no defaults: who adds a kind answers each question.
pub(crate) trait Kind {
    /// What others ask of it.
    fn facts(&self) -> Facts<'_>;

    /// Multiplies its mean rate; does nothing where there is none.
    fn scale(&mut self, by: f64);

    /// Every error that the schema does not catch.
    fn check(&self, problems: &mut Problems);

    /// Its offers, with the data of a write where it leaves them open. None of a closed loop or a graph: what these offer
    /// depends on the network, which runs them.
    fn offers(&self, default_write: Bytes) -> Option<Offers>;
}

/// Declares the kinds: a module with a struct of the keys of each, whose doc comment users read, and its word.
macro_rules! sources {
    ($(#[$about:meta])* $(mod $module:ident; use $Name:ident as $word:literal;)+) => {
        $(pub(crate) mod $module;)+
        $(pub use self::$module::$Name;)+

        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum Source {
            $(
                #[expect(missing_docs, reason = "the type of its keys describes it")]
                #[serde(rename = $word)]
                $Name($Name),
            )+
        }

        impl Source {
            /// The words of all kinds, in the order of the reference.
            const WORDS: &'static [&'static str] = &[$($word),+];

            /// A source of a kind with nothing in its keys: it can be asked what all of the kind have in common.
            pub fn blank(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$Name($Name::default())),)+
                    _ => None,
                }
            }

            fn kind(&self) -> &dyn Kind {
                match self {
                    $(Self::$Name(source) => source,)+
                }
            }

            fn kind_mut(&mut self) -> &mut dyn Kind {
                match self {
                    $(Self::$Name(source) => source,)+
                }
            }
        }
    };
}

sources! {
    /// What a flow's application offers to its transport, and when.
    ///
    /// Rates and sizes are those of the data offered: the headers of transport and network are added to
    /// them.
    mod bulk; use Bulk as "bulk";
    mod cbr; use Cbr as "cbr";
    mod poisson_packets; use PoissonPackets as "poisson-packets";
    mod bernoulli; use Bernoulli as "bernoulli";
    mod on_off; use OnOff as "on-off";
    mod mmpp; use Mmpp as "mmpp";
    mod poisson_writes; use PoissonWrites as "poisson-writes";
    mod transfers; use Transfers as "transfers";
    mod flows; use Flows as "flows";
    mod shuffle; use Shuffle as "shuffle";
    mod incast; use Incast as "incast";
    mod graph; use Graph as "graph";
    mod collective; use Collective as "collective";
}

/// How often something is done by default.
fn one() -> u32 {
    1
}

impl Source {
    /// The words of the kinds of which something is true, quoted.
    pub fn words(is_one: impl Fn(&Self) -> bool) -> Vec<String> {
        let is_one = |word: &&&str| Self::blank(word).is_some_and(|source| is_one(&source));
        Self::WORDS.iter().filter(is_one).map(|word| format!("\"{word}\"")).collect()
    }

    /// What others ask of its kind, with these keys.
    pub fn facts(&self) -> Facts<'_> {
        self.kind().facts()
    }

    /// How its data become flows.
    pub fn form(&self) -> Form<'_> {
        self.facts().form
    }

    /// The mean rate of the data offered in b/s (by all flows of a sender together where they share its
    /// slots), if it has one. Infinite where the mean size is.
    pub fn mean_rate(&self) -> Option<f64> {
        self.facts().rate.map(|rate| rate.mean_rate())
    }

    /// The same with a mean rate so many times as large. A source without a mean rate stays as it is.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Self {
        let mut scaled = self.clone();
        scaled.kind_mut().scale(by);
        scaled
    }

    /// Every error that the schema does not catch; empty when the source can be used.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        self.kind().check(&mut problems);
        problems.found
    }

    /// Its offers, unless the network runs it.
    pub(crate) fn offers(&self, default_write: Bytes) -> Option<Offers> {
        self.kind().offers(default_write)
    }

    /// The closed loop that it is. No [`Generator`](crate::Generator) knows when earlier transfers end: the network runs it.
    pub fn closed_loop(&self) -> Option<ClosedLoop<'_>> {
        if let Form::ClosedLoop(of) = self.form() { Some(of) } else { None }
    }

    /// The list of its flows, which says their hosts, too.
    pub fn list(&self) -> Option<&[ListedFlow]> {
        if let Form::List(flows) = self.form() { Some(flows) } else { None }
    }

    /// The graph of operations that it is, which says the hosts of its sends, too. The network runs it.
    pub fn graph(&self) -> Option<OfGraph<'_>> {
        if let Form::Graph(of) = self.form() { Some(of) } else { None }
    }

    /// The transfers that it makes, between hosts that it does not say.
    pub fn transfers(&self) -> Option<&Transfers> {
        if let Form::Transfers(of) = self.form() { Some(of) } else { None }
    }

    /// Whether it says which hosts send to which.
    pub fn has_pairs(&self) -> bool {
        self.list().is_some() || self.graph().is_some()
    }

    /// Whether the flows of a sender share its slots: at most one of them offers at a time.
    pub fn is_shared_by_flows(&self) -> bool {
        self.facts().is_shared_by_flows
    }

    /// Whether it offers files, whose data are sent as fast as the transport permits.
    pub fn sends_files(&self) -> bool {
        !matches!(self.form(), Form::Stream)
    }

    /// Whether it offers data without end at once.
    pub fn is_endless(&self) -> bool {
        matches!(self.form(), Form::File(None))
    }

    /// Whether it starts a flow for each of its offers.
    pub fn starts_flows(&self) -> bool {
        self.list().is_some() || self.transfers().is_some()
    }

    /// Whether it starts flows after those that are in progress when it starts.
    pub fn starts_more(&self) -> bool {
        self.list().is_some() || self.transfers().is_some_and(|of| of.per_second > 0.0)
    }

    /// Transfers in progress when the source starts.
    pub fn under_way(&self) -> u32 {
        self.transfers().and_then(|of| of.under_way).unwrap_or(0)
    }
}
