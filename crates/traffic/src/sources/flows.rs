//! File transfers from a list, each with its start.

use std::sync::Arc;

use super::prelude::*;

/// File transfers from a list, such as a trace: which host sends how much to which, and from when on.
/// The flows of one instant start in the order of the list. Hosts are among `from` and `to`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Flows {
    /// A table in CSV or Parquet with the columns `start` (a number of seconds, or a text such as
    /// `1.5 ms`), `from`, `to` and `size` (a number of bytes, or a text such as `6 kB`), a flow in each
    /// row and in any order; instead of `flows`. Rows without a start are left out. A relative path
    /// starts at the folder of the file that names it, on the command line and in Python at the
    /// current directory.
    #[serde(default, skip_serializing)]
    #[schemars(
        length(min = 1, max = 4_096),
        extend("x-file" = { "content": "flows", "key": "flows" })
    )]
    pub file: Option<Box<str>>,
    /// The flows.
    #[serde(default)]
    #[schemars(length(max = 1_000_000))]
    pub flows: Arc<[ListedFlow]>,
}

impl Kind for Flows {
    fn facts(&self) -> Facts<'_> {
        Facts::of(Form::List(&self.flows))
    }

    fn scale(&mut self, _: f64) {}

    fn check(&self, problems: &mut Problems) {
        // A file that gives none has an error of its own.
        let some = self.file.is_some() || !self.flows.is_empty();
        problems.demand(some, "file", "a source of flows needs a file, or flows");
        for (at, flow) in self.flows.iter().enumerate() {
            problems.some_bytes(flow.size, &format!("flows.{at}.size"));
        }
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        Some(Offers::Replay(Replay::new(&self.flows)))
    }
}

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

impl ListedFlow {
    /// The flows of a list in the order of their starts; those of one instant keep their order.
    pub fn in_order(flows: &[Self]) -> Vec<&Self> {
        let mut sorted: Vec<&Self> = flows.iter().collect();
        sorted.sort_by_key(|flow| flow.start);
        sorted
    }
}

/// Offers the transfers of a list in the order of their starts.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    /// The start and the size of each.
    flows: Arc<[(Span, Bytes)]>,
    next: usize,
    /// When the last one started.
    last: Span,
}

impl Replay {
    fn new(flows: &[ListedFlow]) -> Self {
        let sorted = ListedFlow::in_order(flows);
        let flows = sorted.iter().map(|flow| (flow.start, flow.size)).collect();
        Self { flows, next: 0, last: Span::ZERO }
    }

    pub(crate) fn next(&mut self) -> Option<Offer> {
        let &(start, size) = self.flows.get(self.next)?;
        self.next += 1;
        let after = start.saturating_sub(self.last);
        self.last = start;
        Some(Offer { after, bytes: size.0 })
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
        let mut replay = Replay::new(&[flow(2, 10), flow(7, 30), flow(2, 20)]);
        let offers: Vec<Offer> = std::iter::from_fn(|| replay.next()).collect();
        let offer = |after, bytes| Offer { after: Span::from_ms(after), bytes };
        assert_eq!(offers, [offer(2, 10), offer(0, 20), offer(5, 30)]);
        assert_eq!(Replay::new(&[]).next(), None);
    }
}
