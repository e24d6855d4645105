//! Operations that wait for each other.
//!
//! A send is over twice: for its receiver when the last data are there, for its sender with the last acknowledgment. With
//! one instant for both, a graph would carry news faster than its network. Each send is a flow of its own, since marks of
//! operations in a kept connection would concern every transport, and message transports have no order for them. Who waits
//! for whom lies in one list (compressed sparse rows), so that a graph allocates nothing while it runs but its flows.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::prelude::*;

/// Operations that wait for each other: hosts send and compute. An operation starts at the instant at which all that
/// it waits for is over. A send is over for its receiver (and for all others) when the last data are there, for its
/// sender when they are acknowledged. Each send is a flow of its own. Hosts are among `from` and `to`; the graph
/// begins at `start`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Graph {
    /// A table in CSV or Parquet with an operation in each row and the columns `host`, `to` and `size` (of a send),
    /// `compute` (a number of seconds, or a text such as `1.5 ms`), `after` and, if needed, `after-start` (numbers of
    /// rows, the first is 0, with spaces between them) and `cpu`; instead of `operations`. A relative path starts at the
    /// folder of the file that names it, on the command line and in Python at the current directory.
    #[serde(default, skip_serializing)]
    #[schemars(
        length(min = 1, max = 4_096),
        extend("x-file" = { "content": "operations", "key": "operations" })
    )]
    pub file: Option<Box<str>>,
    /// The operations.
    #[serde(default)]
    #[schemars(length(max = 1_000_000))]
    pub operations: Arc<[ListedOperation]>,
    /// How often the graph is done: it begins again when all of its operations are over.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub repeat: u32,
}

impl Kind for Graph {
    fn facts(&self) -> Facts<'_> {
        Facts::of(Form::Graph(OfGraph::Listed(self)))
    }

    fn scale(&mut self, _: f64) {}

    fn check(&self, problems: &mut Problems) {
        // A file that gives none has an error of its own.
        let some = self.file.is_some() || !self.operations.is_empty();
        problems.demand(some, "file", "a graph needs a file, or operations");
        problems.demand(self.repeat > 0, "repeat", "must be at least 1");
        for (at, operation) in self.operations.iter().enumerate() {
            operation.check(at, self.operations.len(), problems);
        }
    }

    fn offers(&self, _: Bytes) -> Option<Offers> {
        None
    }
}

/// An operation of a scenario: a host sends data to another (`to` and `size`), or computes (`compute`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ListedOperation {
    /// The host that sends or computes.
    #[schemars(length(min = 1, max = 64))]
    pub host: Box<str>,
    /// The host that receives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64))]
    pub to: Option<Box<str>>,
    /// The data that it receives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-min" = "1 B", "x-max" = "1 TB"))]
    pub size: Option<Bytes>,
    /// How long the host computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-max" = "2400 h"))]
    pub compute: Option<Span>,
    /// Where it computes: computations of a host with the same number are one after the other, in the order in which
    /// they have nothing left to wait for.
    #[serde(default)]
    #[schemars(range(max = 255))]
    pub cpu: u32,
    /// The numbers, from 0, of the operations whose end it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100_000))]
    pub after: Vec<u32>,
    /// The numbers of the operations whose start it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100_000))]
    pub after_start: Vec<u32>,
}

impl ListedOperation {
    /// The errors of the operation with a number, of so many.
    fn check(&self, at: usize, of: usize, problems: &mut Problems) {
        let key = |end: &str| format!("operations.{at}{end}");
        match (&self.to, self.size, self.compute) {
            (Some(_), Some(size), None) => {
                problems.some_bytes(size, &key(".size"));
                problems.demand(self.cpu == 0, &key(".cpu"), "does not apply to a send");
            }
            (None, None, Some(_)) => {}
            _ => problems.demand(false, &key(""), "an operation has to and size, or compute"),
        }
        for (waits, end) in [(&self.after, "after"), (&self.after_start, "after-start")] {
            for (place, &earlier) in waits.iter().enumerate() {
                let problem = match earlier as usize {
                    earlier if earlier >= of => {
                        format!("no such operation: the last is {}", of - 1)
                    }
                    earlier if earlier == at => "an operation that waits for itself".to_owned(),
                    _ => continue,
                };
                problems.demand(false, &key(&format!(".{end}.{place}")), &problem);
            }
        }
    }
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Its host sends data to another.
    Send {
        /// The host that receives.
        to: u32,
        /// The data.
        bytes: u64,
    },
    /// Its host computes.
    Compute {
        /// Where: computations of a host on one processor are one after the other.
        cpu: u32,
        /// How long.
        span: Span,
    },
}

/// An operation of a graph. Hosts are numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// The host that sends or computes.
    pub host: u32,
    /// What it does.
    pub act: Act,
}

/// An instant of an operation for which others wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Milestone {
    /// It starts.
    Start,
    /// Its host knows that it is over: all data of a send are acknowledged.
    Known,
    /// It is over: the last data of a send are there.
    End,
}

/// One operation waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The one that waits.
    pub later: u32,
    /// The one for which it waits.
    pub earlier: u32,
    /// Whether it waits for its start instead of its end.
    pub start: bool,
}

/// Operations that wait for each other.
///
/// The lists of those that wait lie behind each other in one list (compressed sparse rows).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationGraph {
    operations: Vec<Operation>,
    /// By operation and milestone: where those that wait for it begin in `waiting`.
    first: Vec<u32>,
    waiting: Vec<u32>,
    /// By operation: for how much it waits.
    missing: Vec<u32>,
    /// The processors on which something is computed, by host and number.
    processors: BTreeMap<(u32, u32), u32>,
}

const MILESTONES: usize = 3;

impl OperationGraph {
    /// A graph of these operations. One that waits for the end of a send from its own host waits until that host knows
    /// of it, others until the data are there.
    pub fn new(operations: Vec<Operation>, waits: &[Wait]) -> Self {
        let milestone = |wait: &Wait| {
            let (earlier, later) =
                (operations[wait.earlier as usize], operations[wait.later as usize]);
            match earlier.act {
                _ if wait.start => Milestone::Start,
                Act::Send { .. } if earlier.host == later.host => Milestone::Known,
                Act::Send { .. } | Act::Compute { .. } => Milestone::End,
            }
        };
        let slot = |wait: &Wait| place(wait.earlier, milestone(wait));
        let mut first = vec![0u32; operations.len() * MILESTONES + 1];
        let mut missing = vec![0; operations.len()];
        for wait in waits {
            first[slot(wait) + 1] += 1;
            missing[wait.later as usize] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut next = first.clone();
        let mut waiting = vec![0; waits.len()];
        for wait in waits {
            let place = &mut next[slot(wait)];
            waiting[*place as usize] = wait.later;
            *place += 1;
        }
        let mut processors = BTreeMap::new();
        for operation in &operations {
            if let Act::Compute { cpu, .. } = operation.act {
                let number = u32::try_from(processors.len()).expect("no more than operations");
                processors.entry((operation.host, cpu)).or_insert(number);
            }
        }
        Self { operations, first, waiting, missing, processors }
    }

    /// Its operations.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Its sends: both hosts and the data of each, in the order of the operations.
    pub fn sends(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        self.operations.iter().filter_map(|operation| match operation.act {
            Act::Send { to, bytes } => Some((operation.host, to, bytes)),
            Act::Compute { .. } => None,
        })
    }

    /// The operations that wait for a milestone of one; one that waits twice is there twice.
    pub fn waiting(&self, operation: u32, milestone: Milestone) -> &[u32] {
        let slot = place(operation, milestone);
        &self.waiting[self.first[slot] as usize..self.first[slot + 1] as usize]
    }

    /// By operation: for how many milestones it waits.
    pub fn missing(&self) -> &[u32] {
        &self.missing
    }

    /// The number of a processor among all that compute.
    pub fn processor(&self, host: u32, cpu: u32) -> usize {
        self.processors[&(host, cpu)] as usize
    }

    /// How many processors compute.
    pub fn processors(&self) -> usize {
        self.processors.len()
    }

    /// An operation that waits for itself, if one does, by way of others or not.
    pub fn cycle(&self) -> Option<u32> {
        let mut missing = self.missing.clone();
        let mut ready: Vec<u32> =
            (0u32..).zip(&missing).filter(|&(_, &n)| n == 0).map(|(at, _)| at).collect();
        let mut done = 0;
        while let Some(operation) = ready.pop() {
            done += 1;
            for &later in self.all_waiting(operation) {
                missing[later as usize] -= 1;
                if missing[later as usize] == 0 {
                    ready.push(later);
                }
            }
        }
        if done == missing.len() {
            return None;
        }
        // Each of those that are left waits for one of them: backwards all ways lead onto a cycle.
        let mut before = vec![0; missing.len()];
        let left = |operation: u32| missing[operation as usize] > 0;
        for operation in (0u32..).take(missing.len()).filter(|&operation| left(operation)) {
            for &later in self.all_waiting(operation) {
                before[later as usize] = operation;
            }
        }
        let mut at = (0u32..).zip(&missing).find(|&(_, &n)| n > 0)?.0;
        for _ in 0..missing.len() {
            at = before[at as usize];
        }
        Some(at)
    }

    fn all_waiting(&self, operation: u32) -> &[u32] {
        let slot = place(operation, Milestone::Start);
        &self.waiting[self.first[slot] as usize..self.first[slot + MILESTONES] as usize]
    }
}

fn place(operation: u32, milestone: Milestone) -> usize {
    operation as usize * MILESTONES + milestone as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn send(host: u32, to: u32) -> Operation {
        Operation { host, act: Act::Send { to, bytes: 1 } }
    }

    fn compute(host: u32) -> Operation {
        Operation { host, act: Act::Compute { cpu: 0, span: Span::from_us(1) } }
    }

    fn after(later: u32, earlier: u32) -> Wait {
        Wait { later, earlier, start: false }
    }

    #[test]
    fn a_sender_waits_for_the_acknowledgment_and_others_for_the_data() {
        let operations = vec![send(0, 1), compute(0), compute(1), compute(2), compute(1)];
        let start = Wait { later: 4, earlier: 0, start: true };
        let graph = OperationGraph::new(
            operations,
            &[after(1, 0), after(2, 0), after(3, 0), start, after(3, 2)],
        );
        assert_eq!(graph.waiting(0, Milestone::Known), [1]);
        assert_eq!(graph.waiting(0, Milestone::End), [2, 3]);
        assert_eq!(graph.waiting(0, Milestone::Start), [4]);
        assert_eq!(graph.waiting(2, Milestone::End), [3]);
        assert_eq!(graph.missing(), [0, 1, 1, 2, 1]);
        assert_eq!((graph.processors(), graph.cycle()), (3, None));
    }

    #[test]
    fn an_operation_on_a_cycle_is_found() {
        let operations = vec![compute(0); 5];
        // 0 leads onto the cycle of 1, 2 and 3, and 4 waits for it.
        let waits = [after(1, 0), after(1, 3), after(2, 1), after(3, 2), after(4, 3)];
        let found = OperationGraph::new(operations.clone(), &waits).cycle().unwrap();
        assert!((1..=3).contains(&found), "{found}");
        assert_eq!(OperationGraph::new(operations, &[after(2, 2)]).cycle(), Some(2));
    }

    proptest! {
        /// Waits for earlier operations alone make no cycle; with one that leads back there is one, and whoever is
        /// named reaches itself.
        #[test]
        fn a_graph_has_a_cycle_where_a_wait_leads_back(
            pairs in prop::collection::vec((0..20u32, 0..20u32), 1..60),
            back in any::<prop::sample::Index>(),
        ) {
            let forward = |&(a, b): &(u32, u32)| (a != b).then(|| after(a.max(b), a.min(b)));
            let mut waits: Vec<Wait> = pairs.iter().filter_map(forward).collect();
            prop_assume!(!waits.is_empty());
            prop_assert_eq!(OperationGraph::new(vec![compute(0); 20], &waits).cycle(), None);
            let one = waits[back.index(waits.len())];
            waits.push(after(one.earlier, one.later));
            let found = OperationGraph::new(vec![compute(0); 20], &waits).cycle().unwrap();
            let mut reached = vec![found];
            let mut at = 0;
            while at < reached.len() {
                for wait in &waits {
                    if wait.earlier == reached[at] && !reached[at..].contains(&wait.later)
                        && (wait.later == found || !reached.contains(&wait.later))
                    {
                        prop_assert!(reached.len() < 1000);
                        if wait.later == found {
                            return Ok(());
                        }
                        reached.push(wait.later);
                    }
                }
                at += 1;
            }
            prop_assert!(false, "operation {} does not wait for itself", found);
        }
    }
}
