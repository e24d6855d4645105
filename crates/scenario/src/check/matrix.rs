//! Traffic matrices: sources that can follow demands, and pairs that have a path.

use plan::topology::Graph;
use traffic::Source;
use transport::Transport;
use units::NodeId;

use super::reach::Reach;
use super::{Check, Parts};
use crate::matrix::{MatrixSpec, Pairs};
use crate::mistake::Flaw;
use crate::schema::TrafficSpec;

/// The greatest rate of a source in b/s.
const MOST_RATE: f64 = 1e15;

impl Check<'_> {
    /// The number of pairs of an entry with a matrix; none if it has an error.
    pub(super) fn matrix(
        &mut self,
        (parts, graph, reach): (&Parts, &Graph, Option<&Reach>),
        (entry, matrix): (&TrafficSpec, &MatrixSpec),
        ends: [&[NodeId]; 2],
        key: &str,
    ) -> Option<u64> {
        let before = self.mistakes.count();
        let pattern = format!("{key}.pattern");
        if self.root.at(&pattern).is_some_and(|node| node.text() != "\"pairs\"") {
            self.note(&pattern, "does not apply: the matrix says who sends to whom");
        }
        self.of_rate(&entry.source, key);
        let pairs = match matrix.pairs((parts.topology.as_ref()?, graph), ends) {
            Ok(pairs) => pairs,
            Err(flaws) => {
                for flaw in flaws {
                    let flaw = flaw.below(&format!("{key}.matrix"));
                    let at = flaw.key.clone();
                    self.say(flaw, &at);
                }
                return None;
            }
        };
        if self.mistakes.count() > before {
            return None;
        }
        for &at in &pairs.own {
            let key = format!("{key}.matrix.demands.{at}");
            self.warn(Flaw::new(&key, "left out: a demand from a place to itself"), &key);
        }
        self.largest(entry, &pairs, &format!("{key}.matrix"));
        if let Some(reach) = reach {
            let back = !matches!(entry.transport, Transport::Udp(_));
            let lost = |&&(a, b): &&(NodeId, NodeId)| {
                !reach.reaches(a, b) || (back && !reach.reaches(b, a))
            };
            if let Some(&(from, to)) = pairs.hosts.iter().find(lost) {
                let name = |id: NodeId| &graph.nodes[id.index()].name;
                self.no_path(parts, (name(from), name(to)), &format!("{key}.matrix"));
            }
        }
        Some(pairs.hosts.len() as u64)
    }

    /// A source with a rate of its own in each pair.
    fn of_rate(&mut self, source: &Source, key: &str) {
        let key = format!("{key}.source");
        let has_rate = |of: &Source| of.facts().rate.is_some() && !of.is_shared_by_flows();
        if !has_rate(source) {
            let flaw = Flaw::new(&key, "a source without a rate that a demand could multiply");
            let flaw = flaw.found(self.written(&format!("{key}.kind")));
            let kinds = Source::words(has_rate).join(", ");
            self.say(flaw.accepted(format!("{kinds} with a matrix")), &key);
        }
        if source.under_way() > 0 {
            let problem = "does not apply with a matrix: all pairs would have as many";
            self.note(&format!("{key}.under-way"), problem);
        }
    }

    /// The source at the greatest demand of a pair.
    fn largest(&mut self, entry: &TrafficSpec, pairs: &Pairs, key: &str) {
        let most = pairs.weights.iter().copied().fold(0.0, f64::max);
        let rate = entry.source.mean_rate().unwrap_or(0.0) * most;
        if rate.is_finite() && rate > MOST_RATE {
            let flaw = Flaw::new(key, "a demand beyond every rate").found(format!("{rate} b/s"));
            return self.say(flaw.accepted("at most 1000 Tb/s"), key);
        }
        for (_, problem) in entry.source.scaled(most).check() {
            let flaw = Flaw::new(key, format!("{problem}, at the greatest demand of a pair"));
            self.say(flaw.found(format!("{most} times the source's rate")), key);
        }
    }
}
