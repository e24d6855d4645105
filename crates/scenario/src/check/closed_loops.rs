//! Closed loops: transfers between all hosts, one after the other.

use std::collections::BTreeSet;

use plan::partners::Others;
use traffic::Source;
use units::NodeId;

use super::Check;
use crate::mistake::Flaw;
use crate::schema::{Pattern, TrafficSpec};

impl Check<'_> {
    /// A closed loop goes through all pairs itself.
    pub(super) fn closed_loop(&mut self, entry: &TrafficSpec, key: &str) {
        if !entry.source.is_closed_loop() {
            return;
        }
        if entry.pattern != Pattern::All {
            let key = format!("{key}.pattern");
            let flaw = Flaw::new(&key, "a shuffle or incast is between all senders and receivers")
                .found(self.written(&key))
                .accepted("\"all\"");
            self.say(flaw, &key);
        }
        if entry.count != 1 {
            let key = format!("{key}.count");
            let flaw =
                Flaw::new(&key, "a shuffle or incast decides itself which transfers are active")
                    .found(self.written(&key))
                    .accepted("1");
            self.say(flaw, &key);
        }
    }

    /// The maximum number of simultaneous transfers of a closed loop; ended transfers are removed.
    pub(super) fn at_a_time(
        &mut self,
        source: &Source,
        (from, to): (&[NodeId], &[NodeId]),
        key: &str,
    ) -> Option<u64> {
        for (hosts, end) in [(from, "from"), (to, "to")] {
            if hosts.iter().collect::<BTreeSet<_>>().len() < hosts.len() {
                self.note(&format!("{key}.{end}"), "a shuffle or incast needs each host once");
                return None;
            }
        }
        let sum = |hosts: &Others, most: u32| {
            (0..hosts.count()).map(|host| hosts.partners(host).min(most as usize) as u64).sum()
        };
        match *source {
            Source::Shuffle { parallel, .. } => Some(sum(&Others::new(from, to), parallel)),
            Source::Incast { senders, .. } => {
                let hosts = Others::new(to, from);
                let others = (0..hosts.count()).map(|host| hosts.partners(host));
                let fewest = others.filter(|&others| others > 0).min().unwrap_or(0);
                if senders.is_some_and(|senders| senders as usize > fewest) {
                    let key = format!("{key}.source.senders");
                    let flaw = Flaw::new(&key, "a receiver has fewer senders (other than itself)")
                        .found(self.written(&key))
                        .accepted(format!("at most {fewest}"));
                    self.say(flaw, &key);
                    return None;
                }
                Some(sum(&hosts, senders.unwrap_or(u32::MAX)))
            }
            _ => None,
        }
    }
}
