//! The events of an entry's packets, which they share in bursts, and of its flows.

use optics::PolicyFacts;
use plan::spec::NodeKind;
use plan::{Plan, TrafficPlan, TransportPlan};
use units::NodeId;

use super::entry;
use super::links::{is_fibre, narrowest};

/// The least part of a way that counts.
const LEAST: f64 = 1e-6;

/// The events of an entry.
pub(super) struct Events {
    /// For a packet that arrives, and for a burst of such packets.
    per_packet: f64,
    per_burst: f64,
    pub(super) bursts: Option<Bursts>,
    /// For a flow in addition: with its handshake, and after it.
    per_opening: f64,
    /// The hops of a first packet that is lost behind the first link: half of the way.
    pub(super) per_lost_opening: f64,
    /// What the first links let through, in b/s.
    pub(super) enters: f64,
    pub(super) per_flow: f64,
}

impl Events {
    /// Those of an entry whose packets go on a way between `ends`.
    pub(super) fn new(
        plan: &Plan,
        entry: &TrafficPlan,
        way: &[(usize, f64)],
        ends: &[(NodeId, NodeId, f64)],
        rates: &[f64],
    ) -> Self {
        let (data, header) = entry::packet_bits(entry);
        let hops = way.iter().map(|&(_, share)| share).sum::<f64>().max(1.0);
        let bursts = Bursts::new(plan, way, ends, data + header);
        let fibres = bursts.as_ref().map_or(0.0, |bursts| bursts.hops);
        let [_, per_opening, per_flow] = entry::events(entry, hops);
        let [mut per_packet, ..] = entry::events(entry, hops - fibres);
        let is_answered = !matches!(entry.transport, TransportPlan::Udp { .. });
        if is_answered && hops - fibres < LEAST {
            // Nothing of a packet is its own: timers are those of flows.
            per_packet = 0.0;
        }
        // A burst has an event more than hops, and those that wait for answers have one back.
        let per_burst = (fibres + 1.0) * if is_answered { 2.0 } else { 1.0 };
        let begins = |link: usize| ends.iter().any(|end| plan.graph.links[link].from == end.0);
        let enters = narrowest(way.iter().copied().filter(|&(at, _)| begins(at)), rates);
        let per_lost_opening = hops / 2.0;
        Self { per_packet, per_burst, bursts, per_opening, per_lost_opening, enters, per_flow }
    }

    /// Those of a packet, if `per_second` of them come and each of `flows` of a pair that are together sends `at_once`.
    pub(super) fn of_packet(&self, per_second: f64, at_once: f64, flows: f64) -> f64 {
        let of_burst =
            |bursts: &Bursts| self.per_burst / bursts.packets(per_second, at_once, flows);
        self.per_packet + self.bursts.as_ref().map_or(0.0, of_burst)
    }

    /// What a handshake takes, if `flows` of a pair begin together.
    pub(super) fn of_opening(&self, flows: f64) -> f64 {
        self.per_opening
            * self.bursts.as_ref().map_or(1.0, |bursts| 1.0 / bursts.packets(0.0, 1.0, flows))
    }
}

/// How packets of an entry share bursts.
pub(super) struct Bursts {
    /// The fibres of a way.
    hops: f64,
    /// For how long an edge collects packets for each of the others, as a share of all that the entry sends, in seconds.
    collects: f64,
    /// The queues among which the flows of a pair of edges are divided; infinite if each flow has its own.
    queues: f64,
    /// Whether all that a flow sends at once comes to the edge at once: it has no link to it.
    is_at_edge: bool,
    /// The most packets of a burst.
    most: f64,
}

impl Bursts {
    /// How packets of `wire` bits between `ends` share bursts on a way; `None` if it has no fibres.
    pub(super) fn new(
        plan: &Plan,
        way: &[(usize, f64)],
        ends: &[(NodeId, NodeId, f64)],
        wire: f64,
    ) -> Option<Self> {
        let assembly = &plan.optical.as_ref()?.assembly;
        let links = &plan.graph.links;
        let fibres = way.iter().filter(|&&(at, _)| is_fibre(plan, &links[at]));
        let hops: f64 = fibres.map(|&(_, share)| share).sum();
        if hops == 0.0 {
            return None;
        }
        let is_edge = |node: NodeId| plan.graph.nodes[node.index()].kind == NodeKind::Edge;
        let edges = plan.graph.edges().count() as f64;
        let classes = (ends.len() as f64).min(edges * edges).max(1.0);
        let timeout = assembly.timeout().as_secs_f64();
        let PolicyFacts { aggregates, is_per_flow, .. } = assembly.policy.facts();
        let shares = aggregates && !is_per_flow;
        let queues = if shares { f64::from(assembly.queues.unwrap_or(1)) } else { f64::INFINITY };
        let most = assembly.max_size.map_or(f64::INFINITY, |most| most.as_f64() * 8.0 / wire);
        Some(Self {
            hops,
            collects: timeout / classes / queues,
            queues,
            is_at_edge: ends.iter().all(|&(from, to, _)| is_edge(from) && is_edge(to)),
            most: if aggregates { most.max(1.0) } else { 1.0 },
        })
    }

    /// The packets of a burst, of which `per_second` come; each of `flows` of a pair that are together sends `at_once`.
    fn packets(&self, per_second: f64, at_once: f64, flows: f64) -> f64 {
        let at_once = if self.is_at_edge { at_once * (flows / self.queues).max(1.0) } else { 1.0 };
        (per_second * self.collects).max(at_once).max(1.0).min(self.most)
    }
}
