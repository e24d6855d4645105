//! Closed loops: transfers between all hosts, one after the other.

use std::collections::BTreeSet;

use traffic::ClosedLoop;
use units::NodeId;

use super::Check;
use crate::mistake::Flaw;
use crate::offered::processes;
use crate::schema::{Pattern, TrafficSpec};

impl Check<'_> {
    /// A closed loop goes through all pairs itself.
    pub(super) fn closed_loop(&mut self, entry: &TrafficSpec, key: &str) {
        if entry.source.closed_loop().is_none() {
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
        of: ClosedLoop<'_>,
        (from, to): (&[NodeId], &[NodeId]),
        key: &str,
    ) -> Option<u64> {
        for (hosts, end) in [(from, "from"), (to, "to")] {
            if hosts.iter().collect::<BTreeSet<_>>().len() < hosts.len() {
                self.note(&format!("{key}.{end}"), "a shuffle or incast needs each host once");
                return None;
            }
        }
        let hosts = processes(of, (from, to));
        let partners = (0..hosts.count()).map(|host| hosts.partners(host) as u64);
        let partners = partners.filter(|&partners| partners > 0);
        let fewest = partners.clone().min().unwrap_or(0);
        if of.blocks(fewest)[0] > fewest {
            let key = format!("{key}.source.senders");
            let flaw = Flaw::new(&key, "a receiver has fewer senders (other than itself)")
                .found(self.written(&key))
                .accepted(format!("at most {fewest}"));
            self.say(flaw, &key);
            return None;
        }
        Some(partners.map(|partners| of.blocks(partners)[0]).sum())
    }
}
