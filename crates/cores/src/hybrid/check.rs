//! What hybrid switches require of a scenario.

use optics::HybridCoreSpec;
use plan::check::Findings;
use plan::spec::queue::Acts;
use plan::topology::Graph;

use crate::check::Around;
use crate::seam::Rules;

impl Rules for HybridCoreSpec {
    fn section(&self, _: &Around<'_>, _: &mut dyn Findings) {}

    fn network(&self, _: &Around<'_>, _: &Graph, _: &mut dyn Findings) {}

    fn effects(&self, around: &Around<'_>, _: &Graph, to: &mut dyn Findings) {
        effects(around, to);
    }
}

/// The links that leave a hybrid switch have no queue: its buffer is shared.
fn effects(around: &Around<'_>, to: &mut dyn Findings) {
    let alone = "hybrid switches have a shared buffer, and no queues on their links";
    let shared = "hybrid switches mark nothing: only the links' ends at hosts do";
    for (key, queue, joins) in around.queues() {
        let facts = queue.facts();
        let at_hosts = match facts.acts {
            // It acts on packets that leave the buffer, too.
            Acts::Always => continue,
            Acts::ByQueue => facts.marking_key,
            Acts::ByAverage => Some("kind"),
            // Those that decide when a packet leaves are mistakes already.
            Acts::Never | Acts::OnDeparture => None,
        };
        match (joins.leaves_cores(), at_hosts) {
            ([true, true], _) => to.no_effect(&key, alone),
            ([true, false] | [false, true], Some(below)) => {
                to.no_effect(&format!("{key}.{below}"), shared);
            }
            ([true | false, false] | [false, true], _) => {}
        }
    }
}
