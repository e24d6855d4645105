//! What links do with a fluid: the ways that it takes, what they let through, what they lose and what they hold.

use optics::WhenBusy;
use plan::Plan;
use plan::spec::{LossSpec, NodeKind};
use plan::topology::OneWayLink;
use units::Rate;

/// Of packets without data that come within `seconds`, those for which there is room in the queues of a way. They pass fibres
/// in bursts, for which a core router has no queue.
pub(super) fn openings(
    plan: &Plan,
    way: &[(usize, f64)],
    rates: &[f64],
    header: f64,
    seconds: f64,
) -> f64 {
    let header = header.max(1.0);
    let at_link = |&(at, share): &(usize, f64)| {
        // One is on the wire.
        let room = room(plan, &plan.graph.links[at], header) + 1.0;
        (room + seconds * rates[at] / header) / share
    };
    let has_queue = |&&(at, _): &&(usize, f64)| !is_fibre(plan, &plan.graph.links[at]);
    way.iter().filter(has_queue).map(at_link).fold(f64::INFINITY, f64::min)
}

/// Whether packets pass a link in bursts.
pub(super) fn is_fibre(plan: &Plan, link: &OneWayLink) -> bool {
    plan.optical.is_some() && link.channels.is_some()
}

/// The links that have a share, each with it.
pub(super) fn way(shares: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    shares.iter().copied().enumerate().filter(|&(_, share)| share > 0.0)
}

/// The rate that the narrowest of some links with shares lets through.
pub(super) fn narrowest(way: impl Iterator<Item = (usize, f64)>, rates: &[f64]) -> f64 {
    way.map(|(at, share)| rates[at] / share).fold(f64::INFINITY, f64::min)
}

/// The links of a way that let through hardly more than the narrowest.
pub(super) fn narrow(way: &[(usize, f64)], rates: &[f64]) -> Vec<usize> {
    let most = narrowest(way.iter().copied(), rates) * 1.01;
    way.iter().filter(|&&(at, share)| rates[at] / share <= most).map(|&(at, _)| at).collect()
}

/// How long a packet of `bits` takes over a way on which none waits, in seconds.
pub(super) fn time(plan: &Plan, way: &[(usize, f64)], rates: &[f64], bits: f64) -> f64 {
    let delay = |at: usize| plan.graph.links[at].delay.as_secs_f64();
    way.iter().map(|&(at, share)| share * (delay(at) + bits / rates[at])).sum()
}

/// The share of packets that a link loses; of a fibre that leaves an edge, that of the bursts.
pub(super) fn loss(plan: &Plan, link: &OneWayLink) -> f64 {
    match link.loss {
        None if is_fed_by_edge(plan, link) => {
            plan.optical.as_ref().map_or(0.0, |optical| optical.assembly.loss)
        }
        None => 0.0,
        Some(LossSpec::Bernoulli { p, .. }) => p,
        Some(LossSpec::GilbertElliott {
            good_to_bad, bad_to_good, loss_good, loss_bad, ..
        }) => {
            let both = good_to_bad + bad_to_good;
            let bad = if both > 0.0 { good_to_bad / both } else { 0.0 };
            bad * loss_bad + (1.0 - bad) * loss_good
        }
    }
}

/// The rate at which what waits leaves a link whose channels have the rate `channel`, in b/s.
pub(super) fn rate(plan: &Plan, link: &OneWayLink, channel: Rate) -> f64 {
    if plan.never_waits(link) {
        return f64::INFINITY;
    }
    let all = link.bits_per_second_at(channel);
    link.queue.facts().rate.map_or(all, |rate| all.min(rate.as_f64()))
}

/// Whether a link is a fibre that leaves an edge.
fn is_fed_by_edge(plan: &Plan, link: &OneWayLink) -> bool {
    link.channels.is_some() && plan.graph.nodes[link.from.index()].kind == NodeKind::Edge
}

/// The packets of `bits` that the queue of a link holds. What waits for a fibre is in the assembly queues of an edge,
/// which have no limit.
pub(super) fn room(plan: &Plan, link: &OneWayLink, bits: f64) -> f64 {
    let waits = plan.optical.as_ref().is_none_or(|it| it.assembly.when_busy == WhenBusy::Wait);
    match link.queue.limits() {
        _ if is_fed_by_edge(plan, link) && waits => f64::INFINITY,
        _ if link.channels.is_some() => 0.0,
        (Some(packets), _) => f64::from(packets),
        (None, Some(bytes)) => bytes.as_f64() * 8.0 / bits,
        (None, None) => 0.0,
    }
}
