//! Lists of flows: hosts that exist and have a path, flows that start within the run.

use std::collections::BTreeSet;

use traffic::ListedFlow;
use units::NodeId;

use super::reach::Reach;
use super::{Check, Parts};
use crate::endpoints::Hosts;
use crate::mistake::{Flaw, nearest};
use crate::schema::TrafficSpec;

impl Check<'_> {
    /// The number of flows of an entry with a list of them; none if it has an error.
    pub(super) fn listed_flows(
        &mut self,
        (parts, hosts, reach): (&Parts, &Hosts<'_>, Option<&Reach>),
        (entry, flows): (&TrafficSpec, &[ListedFlow]),
        [from, to]: [&[NodeId]; 2],
        key: &str,
    ) -> Option<u64> {
        let before = self.mistakes.count();
        self.says_pairs(entry, ("list", "flows"), key);
        let [senders, receivers] = [from, to].map(|ids| ids.iter().copied().collect());
        for (at, flow) in flows.iter().enumerate() {
            if self.mistakes.is_full() {
                break;
            }
            let key = format!("{key}.source.flows.{at}");
            let from = self.listed_host(hosts, &senders, &flow.from, (&key, "from", "from"));
            let to = self.listed_host(hosts, &receivers, &flow.to, (&key, "to", "to"));
            let (Some(from), Some(to)) = (from, to) else { continue };
            self.listed_pair(reach, [from, to], ("flow", [&flow.from, &flow.to]), &key);
        }
        if self.mistakes.count() > before {
            return None;
        }
        self.after_the_end(parts, (entry, flows), key);
        Some(flows.len() as u64)
    }

    /// An entry whose source has its own pairs of hosts, and says what it sends between them.
    pub(super) fn says_pairs(
        &mut self,
        entry: &TrafficSpec,
        (source, sent): (&str, &str),
        key: &str,
    ) {
        let pattern = format!("{key}.pattern");
        if self.root.at(&pattern).is_some_and(|node| node.text() != "\"pairs\"") {
            self.note(&pattern, format!("does not apply: the {source} says who sends to whom"));
        }
        if entry.count != 1 {
            let key = format!("{key}.count");
            let flaw = Flaw::new(&key, format!("a {source} says itself which {sent} there are"));
            self.say(flaw.found(self.written(&key)).accepted("1"), &key);
        }
    }

    /// Two hosts between which something at a key is sent, with their names: they differ, and paths lead both ways.
    pub(super) fn listed_pair(
        &mut self,
        reach: Option<&Reach>,
        [from, to]: [NodeId; 2],
        (sent, names): (&str, [&str; 2]),
        key: &str,
    ) {
        let lost = |reach: &Reach| !reach.reaches(from, to) || !reach.reaches(to, from);
        if from == to {
            self.say(Flaw::new(key, format!("a {sent} from a host to itself")), key);
        } else if reach.is_some_and(lost) {
            let [from, to] = names;
            let problem = format!("no path leads from \"{from}\" to \"{to}\"");
            self.say(Flaw::new(key, problem), key);
        }
    }

    /// The host that a list has at its own key, among those that the entry has at an end.
    pub(super) fn listed_host(
        &mut self,
        hosts: &Hosts<'_>,
        among: &BTreeSet<NodeId>,
        name: &str,
        (key, own, end): (&str, &str, &str),
    ) -> Option<NodeId> {
        let key = format!("{key}.{own}");
        let found = hosts.named(name);
        let problem = match found {
            Some(id) if among.contains(&id) => return found,
            Some(_) => format!("no host of the entry's {end}"),
            None => match nearest(name, hosts.names().take(200)) {
                Some(meant) => format!("no host has this name (did you mean \"{meant}\"?)"),
                None => "no host has this name".to_owned(),
            },
        };
        self.say(Flaw::new(&key, problem).found(format!("\"{name}\"")), &key);
        None
    }

    /// Flows that the run does not see.
    fn after_the_end(
        &mut self,
        parts: &Parts,
        (entry, flows): (&TrafficSpec, &[ListedFlow]),
        key: &str,
    ) {
        let Some(run) = parts.run else { return };
        let left = run.duration.saturating_sub(entry.start.earliest());
        let Some(last) = flows.iter().map(|flow| flow.start).max().filter(|&last| last >= left)
        else {
            return;
        };
        let late = flows.iter().filter(|flow| flow.start >= left).count();
        let key = format!("{key}.source");
        let problem = format!("{late} of {} flows start after the end of the run", flows.len());
        let flaw = Flaw::new(&key, problem).found(format!("the last at {last}"));
        self.warn(flaw.accepted(format!("before {left}")), &key);
    }
}
