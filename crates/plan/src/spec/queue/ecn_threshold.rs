//! Marks above a threshold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::Bytes;

use super::{Acts, Limit, QueueFacts, Rules};
use crate::flaw::Flaw;

options! {
    /// Drop-tail that marks each packet that finds more than `mark-above` waiting (the threshold of
    /// DCTCP, RFC 8257).
    pub struct Options {
        /// What may wait before marking begins, whatever the limit is in; it has an effect only if a flow uses
        /// ECN.
        mark_above: MarkAbove,
    }
}

/// What may wait in a queue before it marks packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MarkAbove {
    /// A number is that of packets.
    Packets(#[schemars(range(min = 0, max = 10_000_000))] u32),
    /// A size is that of whole packets on the wire.
    Bytes(#[schemars(extend("x-max" = "100 GB"))] Bytes),
}

impl Rules for Options {
    fn facts(&self) -> QueueFacts {
        QueueFacts {
            acts: Acts::ByQueue,
            marks: true,
            marking_key: Some("mark-above"),
            mark_above: Some(self.mark_above),
            ..QueueFacts::plain(self.limit)
        }
    }

    fn flaw(&self) -> Option<Flaw> {
        let (found, accepted) = match (self.mark_above, self.limit) {
            (MarkAbove::Packets(above), Limit { packets: Some(packets), .. })
                if above >= packets =>
            {
                (above.to_string(), format!("less than packets, {packets}"))
            }
            (MarkAbove::Bytes(above), Limit { bytes: Some(bytes), .. }) if above >= bytes => {
                (above.to_string(), format!("less than bytes, {bytes}"))
            }
            _ => return None,
        };
        Some(Flaw::new("mark-above", "never reached").found(found).accepted(accepted))
    }
}
