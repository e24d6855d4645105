//! What ideal switches require of a scenario.

use plan::check::Findings;
use plan::spec::IdealCoreSpec;
use plan::topology::Graph;

use crate::check::Around;
use crate::seam::Rules;

impl Rules for IdealCoreSpec {
    fn section(&self, _: &Around<'_>, _: &mut dyn Findings) {}

    fn network(&self, _: &Around<'_>, _: &Graph, _: &mut dyn Findings) {}

    /// The links that leave an ideal switch have no queue.
    fn effects(&self, around: &Around<'_>, _: &Graph, to: &mut dyn Findings) {
        for (key, _, joins) in around.queues() {
            if joins.leaves_cores() == [true, true] {
                to.no_effect(&key, "no packet waits at an ideal switch");
            }
        }
    }
}
