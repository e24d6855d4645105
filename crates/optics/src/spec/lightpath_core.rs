//! Lightpaths on demand over a mesh of fibres: a scenario's words for them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

/// A wavelength-routed network (I. Chlamtac, A. Ganz and G. Karmi, *Lightpath communications*, IEEE
/// Transactions on Communications 40(7), 1992): racks, and cross-connects that light passes, joined by
/// fibres of several channels. A rack has a queue for each other rack. When something waits in one it asks
/// for a lightpath: a channel of each fibre of a route, which is its own until nothing waits any more.
///
/// A request is decided on at once, by the channels that are free at that moment (as if every rack knew of
/// all). If a route has a channel it is reserved on all of its fibres, and the request travels along the
/// route: each node takes `signalling` to process it and then `reconfiguration` to set its switch, which
/// delays only the last one. When the answer is back the rack sends: over h fibres that take D together it has waited for 2 D +
/// (h + 1) · `signalling` + `reconfiguration`. What it sends is at the other rack D after it has left, and
/// the channels are free again D + (h + 1) · `signalling` after the rack has closed the lightpath.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LightpathCoreSpec {
    /// Channels (wavelengths) of each fibre in each direction, each with the rate of the link. In an explicit
    /// topology a link may have its own number, `channels`.
    #[schemars(range(min = 1, max = 1_024))]
    pub channels: u32,
    /// How many routes between two racks are tried, the shortest one first: by the number of fibres, or by
    /// their delay as `routing.metric` has it (fixed-alternate routing; with 1 the shortest alone).
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 64))]
    pub routes: u32,
    /// Which of several free channels a lightpath gets.
    #[serde(default)]
    pub assignment: WavelengthAssignment,
    /// Whether a lightpath may change its wavelength on the way.
    #[serde(default)]
    pub conversion: LightConversion,
    /// How long a node of a route takes to process a request, and the end of a lightpath.
    #[serde(default)]
    #[schemars(extend("x-max" = "1 h"))]
    pub signalling: Span,
    /// How long it takes to set a cross-connect.
    #[serde(default)]
    #[schemars(extend("x-max" = "1 h"))]
    pub reconfiguration: Span,
    /// How long a lightpath stays after the last packet, for others that may come.
    #[serde(default)]
    #[schemars(extend("x-max" = "1 h"))]
    pub hold: Span,
    /// The lightpaths that a rack may send on at once, and those on which it may receive, from the request
    /// until the channels are free again. By default as many as its fibres have channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub transceivers: Option<u32>,
    /// When a rack whose request was blocked asks again. Without it what waits is lost: blocked calls are
    /// cleared, as in Erlang's formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 ns", "x-max" = "1 h"))]
    pub retry: Option<Span>,
    /// The capacity of each queue of a rack, one for each other rack; a packet that does not fit is lost.
    #[serde(default = "rack_queue")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub rack_queue: Bytes,
    /// A packet with ECN that finds more bytes than this in its queue is marked; none is by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "1 TB"))]
    pub mark_above: Option<Bytes>,
}

fn one() -> u32 {
    1
}

/// Some thousand packets for each other rack.
fn rack_queue() -> Bytes {
    Bytes(1_500_000)
}

/// Which of several free channels a lightpath gets (H. Zang, J. P. Jue and B. Mukherjee, *A review of
/// routing and wavelength assignment approaches for wavelength-routed optical WDM networks*, Optical
/// Networks Magazine 1(1), 2000, section 3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WavelengthAssignment {
    /// The one with the lowest number.
    #[default]
    FirstFit,
    /// The one that is in use on the most fibres of the network, and of several such the lowest.
    MostUsed,
    /// Each with the same probability.
    Random,
}

/// Whether a lightpath may change its wavelength on the way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LightConversion {
    /// It has one wavelength: the channels of all of its fibres have the same number (the continuity
    /// constraint).
    #[default]
    None,
    /// At each node it may go on with any other.
    Full,
}
