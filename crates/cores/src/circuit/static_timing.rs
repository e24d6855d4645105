//! What is known throughout a run of the links between racks and circuit switches.

use plan::spec::Until;
use plan::spec::queue::Acts;
use plan::{Plan, Shortcut};
use units::{LinkId, Span};

/// Whether links never change, and their queues take in whatever comes when nothing waits.
pub(super) fn are_plain(plan: &Plan, links: impl Iterator<Item = LinkId>) -> bool {
    let mut acts = links.map(|id| plan.graph.links[id.index()].queue.facts().acts);
    plan.changes.is_empty() && acts.all(|acts| matches!(acts, Acts::Never | Acts::ByQueue))
}

/// How long a first bit takes to a switch, the same on all links there, if packets may pass when they are sent: those links
/// and the ones behind, `[to switches, from them]`, let pass whatever comes, throughout the run.
pub(super) fn delay(
    plan: &Plan,
    [inputs, outputs]: [impl Iterator<Item = LinkId> + Clone; 2],
) -> Option<Span> {
    let link = |id: LinkId| &plan.graph.links[id.index()];
    let delay = link(inputs.clone().next()?).delay;
    let is_known = plan.until == Until::Duration
        && plan.max_events == u64::MAX
        && plan.takes(Shortcut::Passages)
        && are_plain(plan, inputs.clone().chain(outputs.clone()))
        && inputs.clone().chain(outputs).all(|id| link(id).loss.is_none());
    let mut alike = inputs.map(|id| link(id).delay == delay);
    (is_known && delay > Span::ZERO && alike.all(|is_alike| is_alike)).then_some(delay)
}
