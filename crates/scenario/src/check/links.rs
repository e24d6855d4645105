//! Topologies: what their shapes check, and queues that can hold a packet.

use plan::shapes::Topology;
use plan::spec::QueueSpec;
use units::Bytes;

use super::Check;
use crate::mistake::Flaw;

impl Check<'_> {
    /// Collects the errors of a topology and returns whether it can be built. `packet` is the
    /// largest that its queues must hold, and `switched` says whether its cores need no edges.
    pub(super) fn topology(&mut self, topology: &Topology, packet: Bytes, switched: bool) -> bool {
        let before = self.mistakes.count();
        let shape = topology.shape();
        let links = shape.links();
        shape.check(switched, self);
        for link in &links {
            link.delay(self);
            if let Some((key, queue)) = &link.queue {
                self.queue(key, *queue, packet);
            }
        }
        shape.limits(self);
        for link in &links {
            link.bundle(self);
        }
        self.mistakes.count() == before
    }

    fn queue(&mut self, key: &str, queue: QueueSpec, packet: Bytes) {
        match queue.limits() {
            (None, None) => self.note(key, "has no limit: packets or bytes is missing"),
            (Some(_), Some(_)) => self.note(key, "has two limits: packets or bytes, not both"),
            (None, Some(bytes)) if bytes < packet => {
                let key = format!("{key}.bytes");
                let flaw = Flaw::new(&key, "less than a packet").found(bytes.to_string());
                self.say(flaw.accepted(format!("at least {packet}")), &key);
            }
            _ => {}
        }
        if let Some(flaw) = queue.flaw() {
            let flaw = flaw.below(key);
            let key = flaw.key.clone();
            self.say(flaw, &key);
        }
    }
}
