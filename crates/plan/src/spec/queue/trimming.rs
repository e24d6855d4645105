//! Packet trimming.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

use super::{Acts, Limit, QueueFacts, Rules};

/// Drop-tail with packet trimming: a packet of a message transport that finds it full loses its data, and its header
/// goes before all data, as packets without data do (M. Handley et al. 2017; UEC specification 1.0). It acts where a
/// link leaves a router; the interface of a host is drop-tail with the same limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Options {
    /// Its limit in packets with data (this or `bytes`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000_000))]
    pub packets: Option<u32>,
    /// Its limit in bytes of packets with data (this or `packets`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "100 GB"))]
    pub bytes: Option<Bytes>,
    /// The bytes on the wire that are left of a packet.
    #[schemars(extend("x-min" = "1 B", "x-max" = "65535 B"))]
    pub header: Bytes,
    /// The most packets without data that wait.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub headers: u32,
    /// The share of the limit above which packets that can carry a mark are marked, the more likely the more wait; 1
    /// for never.
    #[schemars(range(min = 0, max = 1))]
    pub mark_from: f64,
    /// The share from which all are marked.
    #[schemars(range(min = 0, max = 1))]
    pub mark_until: f64,
}

impl Default for Options {
    /// The headers of UEC and of NDP; the marks of UEC's simulator, where the limit is what fills the path of an idle
    /// network.
    fn default() -> Self {
        Self {
            packets: None,
            bytes: None,
            header: Bytes(64),
            headers: 1_000,
            mark_from: 0.2,
            mark_until: 0.8,
        }
    }
}

impl Rules for Options {
    fn facts(&self) -> QueueFacts {
        let marks = self.mark_from < 1.0;
        QueueFacts {
            acts: Acts::OnDeparture,
            marks,
            marking_key: marks.then_some("mark-from"),
            trimming: Some(*self),
            ..QueueFacts::plain(Limit { packets: self.packets, bytes: self.bytes })
        }
    }
}
