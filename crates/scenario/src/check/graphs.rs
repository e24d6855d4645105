//! Graphs of operations: hosts that exist and have a path, and no operation that waits for itself.

use plan::topology::Graph;
use traffic::{Collective, ListedOperation, OfGraph};
use units::NodeId;

use super::Check;
use super::reach::Reach;
use crate::endpoints::Hosts;
use crate::graphs;
use crate::mistake::Flaw;
use crate::schema::TrafficSpec;

impl Check<'_> {
    /// The number of operations of an entry whose source is a graph, in a repetition; none if it has an error.
    pub(super) fn graph(
        &mut self,
        (hosts, graph, reach): (&Hosts<'_>, &Graph, Option<&Reach>),
        (entry, of): (&TrafficSpec, OfGraph<'_>),
        [from, to]: [&[NodeId]; 2],
        key: &str,
    ) -> Option<u64> {
        let before = self.mistakes.count();
        self.says_pairs(entry, ("graph", "sends"), key);
        if !entry.source.check().is_empty() {
            return None;
        }
        let operations = match of {
            OfGraph::Listed(graph) => {
                self.operations((hosts, reach), &graph.operations, [from, to], key)
            }
            OfGraph::Collective(source) => self.collective((graph, reach), source, [from, to], key),
        };
        operations.filter(|_| self.mistakes.count() == before)
    }

    fn operations(
        &mut self,
        (hosts, reach): (&Hosts<'_>, Option<&Reach>),
        operations: &[ListedOperation],
        [from, to]: [&[NodeId]; 2],
        key: &str,
    ) -> Option<u64> {
        let before = self.mistakes.count();
        let [senders, receivers] = [from, to].map(|ids| ids.iter().copied().collect());
        for (at, operation) in operations.iter().enumerate() {
            if self.mistakes.is_full() {
                break;
            }
            let key = format!("{key}.source.operations.{at}");
            let from = self.listed_host(hosts, &senders, &operation.host, (&key, "host", "from"));
            let Some(name) = &operation.to else { continue };
            let to = self.listed_host(hosts, &receivers, name, (&key, "to", "to"));
            let (Some(from), Some(to)) = (from, to) else { continue };
            self.listed_pair(reach, [from, to], ("send", [&operation.host, name]), &key);
        }
        if self.mistakes.count() > before {
            return None;
        }
        if let Some(operation) = graphs::listed(operations, hosts).0.cycle() {
            let key = format!("{key}.source.operations.{operation}");
            let problem = "the operation waits for itself, by way of others: it never starts";
            self.say(Flaw::new(&key, problem).accepted("operations without a cycle"), &key);
        }
        Some(operations.len() as u64)
    }

    fn collective(
        &mut self,
        (graph, reach): (&Graph, Option<&Reach>),
        &Collective { algorithm, size, group, chunks, repeat, .. }: &Collective,
        [from, to]: [&[NodeId]; 2],
        key: &str,
    ) -> Option<u64> {
        if from != to {
            let key = format!("{key}.to");
            let flaw = Flaw::new(&key, "a collective operation is among the hosts of from");
            self.say(flaw.found(self.written(&key)).accepted("the same as from"), &key);
        }
        let mut sorted = from.to_vec();
        sorted.sort_unstable();
        if sorted.windows(2).any(|two| two[0] == two[1]) {
            self.note(&format!("{key}.from"), "a collective operation needs each host once");
        }
        let members = group.map_or(from.len(), |group| group as usize);
        if !from.len().is_multiple_of(members.max(1)) {
            let key = format!("{key}.source.group");
            let flaw = Flaw::new(&key, format!("does not divide the {} hosts of from", from.len()));
            self.say(flaw.found(self.written(&key)), &key);
        }
        if let Some(problem) = algorithm.problem(members) {
            let flaw = Flaw::new(format!("{key}.source.algorithm"), problem);
            let found = flaw.found(format!(
                "{} of {members}",
                self.written(&format!("{key}.source.algorithm"))
            ));
            self.say(found, &format!("{key}.source.algorithm"));
            return None;
        }
        let least = algorithm.blocks(members as u64) * u64::from(chunks);
        if size.0 < least {
            let key = format!("{key}.source.size");
            let flaw = Flaw::new(&key, "some sends would have no data").found(self.written(&key));
            self.say(flaw.accepted(format!("{least} B or more")), &key);
        }
        if repeat == 1 {
            self.silent(&format!("{key}.source.compute"), "there is one repetition");
        }
        if let Some(reach) = reach {
            for group in from.chunks(members) {
                self.apart(graph, reach, group, &format!("{key}.from"));
            }
        }
        let groups = (from.len() / members) as u64;
        Some(algorithm.sends(members as u64, u64::from(chunks)).saturating_mul(groups))
    }

    /// Two hosts of a group without a path.
    fn apart(&mut self, graph: &Graph, reach: &Reach, group: &[NodeId], key: &str) {
        // Hosts that reach the same hosts are equivalent.
        let some = reach.samples(group);
        let pairs = some.iter().flat_map(|&from| some.iter().map(move |&to| (from, to)));
        let mut lost = pairs.filter(|&(from, to)| from != to && !reach.reaches(from, to));
        if let Some((from, to)) = lost.next() {
            let [from, to] = [from, to].map(|id| graph.node_name(id));
            self.note(key, format!("no path leads from \"{from}\" to \"{to}\""));
        }
    }
}
