//! The row of a flow: its final results.

use plan::Plan;
use plan::routing::Routing;
use units::{NodeId, Time};
use wire::record::{Delays, FlowCounts, ReorderingCounts};

use super::IdleNetwork;
use crate::host::{Flow, TransportCounts};

/// The results of a flow, counted since measuring began.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowRow {
    /// Its number in the order of creation.
    pub number: u64,
    /// The entry of the scenario's traffic.
    pub traffic: u32,
    /// The source host.
    pub from: NodeId,
    /// The sink host.
    pub to: NodeId,
    /// When its first data was offered.
    pub started: Option<Time>,
    /// When all of its data was acknowledged.
    pub finished: Option<Time>,
    /// The time in seconds that it would have taken in an idle network, if it is a finished file.
    pub alone: Option<f64>,
    /// Whether it has begun, has an end, and is not finished; never with UDP, which does not know.
    pub under_way: bool,
    /// When all of its data was delivered.
    pub delivered: Option<Time>,
    /// All data offered in bytes, `None` without end.
    pub offered: Option<u64>,
    /// Of these, those offered since measuring began; 0 without end.
    pub offered_since: u64,
    /// Packets.
    pub counts: FlowCounts,
    /// Delays of its data packets.
    pub delays: Delays,
    /// The same from the first bit on the source's wire.
    pub wire_delays: Delays,
    /// The same from the first transmission of the data, if requested.
    pub first_delays: Delays,
    /// Delays of its acknowledgments, if requested.
    pub ack_delays: Delays,
    /// Data packets that arrived after one sent later.
    pub reordered: u64,
    /// Their displacement, if requested.
    pub reordering: Option<Box<ReorderingCounts>>,
    /// Its fast retransmits of segments that were not lost.
    pub spurious: u64,
    /// The counters of its transport.
    pub transport: TransportCounts,
}

impl FlowRow {
    /// The current row of a flow.
    pub fn new(
        flow: &Flow,
        counts: &FlowCounts,
        (idle, plan, routing): (&IdleNetwork, &Plan, &Routing),
    ) -> Self {
        let baseline = flow.baseline.as_deref().cloned().unwrap_or_default();
        let offered = flow.offered;
        let finished = flow.finished.get().and(offered);
        let alone = finished.and_then(|data| {
            idle.completion((plan, routing), (flow.from, flow.to), flow.traffic, data)
        });
        Self {
            number: flow.number,
            traffic: flow.traffic,
            from: flow.from,
            to: flow.to,
            started: flow.started.get(),
            finished: flow.finished.get(),
            under_way: flow.is_under_way(),
            delivered: flow.delivered.get(),
            offered,
            offered_since: offered.map_or(0, |bytes| bytes.saturating_sub(baseline.offered)),
            alone,
            counts: *counts,
            delays: flow.delays.since(&baseline.delays),
            wire_delays: flow.wire_delays.since(&baseline.wire_delays),
            first_delays: flow.first_delays().since(&baseline.first_delays),
            ack_delays: flow.ack_delays().since(&baseline.ack_delays),
            reordered: flow.reordering.count - baseline.reordered,
            reordering: flow.reordering_counts(),
            spurious: flow.spurious.count - baseline.spurious,
            transport: flow.transport_counts().since(&baseline.transport),
        }
    }

    /// Its completion time over that in an idle network, if it is a finished file.
    pub fn slowdown(&self) -> Option<f64> {
        let taken = self.finished? - self.started?;
        Some(taken.as_secs_f64() / self.alone?)
    }

    /// Its numbers in a fixed order, for a digest. Reordered packets and what was offered since measuring began are
    /// excluded: they are observations, and digests must not depend on observations.
    pub fn words(&self) -> Vec<u64> {
        let time = |time: Option<Time>| time.map_or(u64::MAX, |time| time.0);
        let mut words = vec![
            self.number,
            u64::from(self.traffic),
            time(self.started),
            time(self.finished),
            self.offered.unwrap_or(u64::MAX),
            self.transport.delivered,
            self.transport.retransmissions,
            self.transport.timeouts,
            self.transport.fast_retransmits,
            self.delays.count,
            self.delays.sum.to_bits(),
        ];
        for count in [self.counts.sent, self.counts.delivered, self.counts.lost].as_flattened() {
            words.extend([count.packets, count.bytes]);
        }
        words
    }
}
