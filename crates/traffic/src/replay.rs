//! Transfers that are listed, each with its start.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Span};

use crate::Offer;

/// A transfer of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ListedFlow {
    /// When it starts, after the start of the source.
    #[schemars(extend("x-max" = "2400 h"))]
    pub start: Span,
    /// The host that sends.
    #[schemars(length(min = 1, max = 64))]
    pub from: Box<str>,
    /// The host that receives.
    #[schemars(length(min = 1, max = 64))]
    pub to: Box<str>,
    /// The size of the file.
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub size: Bytes,
}

/// Offers the transfers of a list that is in the order of starts.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    flows: Arc<[ListedFlow]>,
    next: usize,
    /// When the last one started.
    last: Span,
}

impl Replay {
    pub(crate) fn new(flows: Arc<[ListedFlow]>) -> Self {
        Self { flows, next: 0, last: Span::ZERO }
    }

    pub(crate) fn next(&mut self) -> Option<Offer> {
        let flow = self.flows.get(self.next)?;
        self.next += 1;
        let after = flow.start.saturating_sub(self.last);
        self.last = flow.start;
        Some(Offer { after, bytes: flow.size.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(start_ms: u64, size: u64) -> ListedFlow {
        let (from, to) = ("a".into(), "b".into());
        ListedFlow { start: Span::from_ms(start_ms), from, to, size: Bytes(size) }
    }

    #[test]
    fn each_flow_is_offered_once_at_its_start() {
        let mut replay = Replay::new([flow(2, 10), flow(2, 20), flow(7, 30)].into());
        let offers: Vec<Offer> = std::iter::from_fn(|| replay.next()).collect();
        let offer = |after, bytes| Offer { after: Span::from_ms(after), bytes };
        assert_eq!(offers, [offer(2, 10), offer(0, 20), offer(5, 30)]);
        assert_eq!(Replay::new([].into()).next(), None);
    }
}
