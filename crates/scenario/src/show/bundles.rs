//! The bundles of a network: the lightpaths of each, and the load offered to it.

use plan::routing::Routing;
use plan::shapes::Topology;
use plan::topology::Bundles;
use plan::{Between, Plan};
use serde_json::{Value as Json, json};
use units::{LinkId, NodeId};

use crate::offered::unit_rate;

/// Bundles that are shown.
const BUNDLES_SHOWN: usize = 16;

/// The maximum number of pairs of hosts whose paths are examined.
const MOST_PAIRS: usize = 1_000_000;

/// Adds the overview of bundles: the first of them, sub-networks, and drawn round-trip times.
pub(super) fn add(shown: &mut Json, topology: &Topology, plan: &Plan) {
    let graph = &plan.graph;
    // Channels of a link to a circuit switch are no choice.
    let has_circuits = plan.facts().circuit.is_some();
    if !has_circuits && graph.links.iter().any(|link| link.lightpath.is_some()) {
        shown["bundles"] = bundles(plan);
    }
    let Some(networks) = topology.facts().sub_networks else { return };
    shown["sub-networks-a-side"] = json!(networks);
    let name = |link: LinkId| &graph.nodes[graph.links[link.index()].from.index()].name;
    let drawn = graph.rtts.iter().map(|rtt| {
        json!({
            "from": name(rtt.links[0]),
            "to": name(rtt.links[2]),
            "min": rtt.range.min.to_string(),
            "max": rtt.range.max.to_string(),
        })
    });
    shown["drawn-rtts"] = drawn.collect();
}

fn bundles(plan: &Plan) -> Json {
    let graph = &plan.graph;
    let bundles = Bundles::new(graph);
    let offered = offered(plan, &bundles);
    let name = |id: NodeId| &graph.nodes[id.index()].name;
    let first = graph.links.iter().enumerate().filter(|(_, link)| link.lightpath == Some(0));
    let row = |(at, link): (usize, &plan::topology::OneWayLink)| {
        let bundle = bundles.of(LinkId::at(at));
        let lightpaths = bundles.links(bundle).len();
        let offered = offered.as_ref().map(|offered| offered[bundle as usize]);
        json!({
            "from": name(link.from),
            "to": name(link.to),
            "lightpaths": lightpaths,
            "rate": link.rate.to_string(),
            "offered": offered,
            "load": offered.map(|offered| offered / (lightpaths as f64 * link.rate.as_f64())),
        })
    };
    first.take(BUNDLES_SHOWN).map(row).collect()
}

/// What sources with a mean rate offer to each bundle, in b/s of data; none if a part of it is not
/// known beforehand: drawn partners, or a choice between equal-cost paths over several nodes.
fn offered(plan: &Plan, bundles: &Bundles) -> Option<Vec<f64>> {
    let graph = &plan.graph;
    let routing = Routing::new(graph, plan.metric, 0);
    let mut offered = vec![0.0; bundles.len()];
    let mut left = MOST_PAIRS;
    for traffic in &plan.traffic {
        let Some(rate) = unit_rate(plan, traffic) else { continue };
        let Between::Pairs(pairs) = &traffic.between else { return None };
        left = left.checked_sub(pairs.len())?;
        for (at_pair, &(from, to)) in pairs.iter().enumerate() {
            let rate = rate * traffic.weight(at_pair);
            for link in routing.path(graph, from, to, 0)? {
                let bundle = bundles.of(link);
                let at = graph.links[link.index()].from;
                if graph.forwards(at)
                    && routing.links(at, to).any(|link| bundles.of(link) != bundle)
                {
                    return None;
                }
                offered[bundle as usize] += rate * f64::from(traffic.count);
            }
        }
    }
    Some(offered)
}
