//! Surpluses: by how much what a run has drawn exceeds its expectation, given the rest of the run.
//!
//! The expectation of a surplus is 0, whatever the network does, so it can serve as a control variate (Lavenberg and
//! Welch 1981): measures that depend on it are known better when that is taken out. Each is a sum over draws whose
//! outcome the network learns when they are counted, of the outcome less its expectation; such a sum keeps its
//! expectation when the run ends at an instant that depends on its course (optional stopping).

use engine::observe::Totals;
use engine::world::World;
use plan::spec::LossSpec;
use plan::{Between, Plan, TrafficPlan};
use serde_json::{Value as Json, json};
use traffic::{Start, StartLaw, Variation};
use units::{Span, Time};
use wire::optical::{FecCounters, Lost};

/// The bytes that the sources of an entry have offered in the measured period, beyond what they offer on average. NaN
/// where the average is not known exactly: without random data, or if the entry starts at random in the measured period.
pub(super) fn offered(world: &World, entry: usize, sum: &Totals) -> f64 {
    let plan = world.plan();
    let traffic = &plan.traffic[entry];
    let limited = traffic.source.transfers().filter(|of| of.limit.is_some());
    let expected = match limited {
        // The sizes alone: how many files there are is no chance.
        Some(transfers) => sum.begun as f64 * transfers.size.mean(),
        None if is_steady(plan, traffic) => {
            rate(traffic).unwrap_or(f64::NAN) / 8.0 * offering(world, traffic).as_secs_f64()
        }
        None => f64::NAN,
    };
    let has = if traffic.source.starts_flows() { sum.offered } else { sum.offered_since };
    if expected.is_finite() { has as f64 - expected } else { f64::NAN }
}

/// Whether an entry offers data at its mean rate from its start on, and at random.
fn is_steady(plan: &Plan, traffic: &TrafficPlan) -> bool {
    let is_random = match traffic.source.facts().variation {
        Variation::Memoryless => true,
        Variation::Correlated => plan.until.is_duration(),
        Variation::Unknown | Variation::Constant => false,
    };
    is_random && (latest(traffic.start) <= plan.warmup || matches!(traffic.start, Start::At(_)))
}

/// The mean rate of all sources of an entry in b/s, each with the whole number that its weight makes of it.
fn rate(traffic: &TrafficPlan) -> Option<f64> {
    let Between::Pairs(pairs) = &traffic.between else { return traffic.source.mean_rate() };
    let rates = (0..pairs.len()).map(|pair| traffic.source_of(pair).mean_rate());
    rates.sum::<Option<f64>>().map(|sum| sum * f64::from(traffic.count))
}

fn latest(start: Start) -> Span {
    match start {
        Start::At(start) => start,
        Start::Drawn(StartLaw::Uniform { from, to }) => from.max(to),
    }
}

/// How much of the measured period an entry is between its start and its stop.
fn offering(world: &World, traffic: &TrafficPlan) -> Span {
    let begin = Time::ZERO + latest(traffic.start).max(world.plan().warmup);
    let end = traffic.stop.map_or(world.now(), |stop| world.now().min(Time::ZERO + stop));
    end.since(begin.min(end))
}

/// Bursts that were lost at random when they were released, beyond their probability.
pub(super) fn lost_at_random(plan: &Plan, fec: &FecCounters) -> f64 {
    let p = plan.optical.as_ref().map_or(0.0, |optical| optical.assembly.loss);
    fec.lost(Lost::Random) as f64 - p * fec.bursts as f64
}

/// Packets that wires have lost at random, beyond their probability. Nothing where no wire loses packets, or where
/// the probability depends on a state.
pub(super) fn wires(world: &World) -> Option<Json> {
    let (mut lost, mut expected) = (0, 0.0);
    let mut any = false;
    for (link, counters) in world.plan().graph.links.iter().zip(world.link_counters()) {
        match link.loss {
            None => {}
            Some(LossSpec::Bernoulli { p, .. }) => {
                any = true;
                lost += counters.dropped_loss;
                expected += p * (counters.packets_out + counters.dropped_loss) as f64;
            }
            Some(LossSpec::GilbertElliott { .. }) => return None,
        }
    }
    any.then(|| json!({ "lost-wire": lost, "lost-wire-surplus": lost as f64 - expected }))
}
