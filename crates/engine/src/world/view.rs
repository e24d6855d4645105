//! Read access to a world, during a run and at its end.

use cores::edge::Edges;
use cores::{BurstCores, Cores, Device};
use plan::{Period, Plan};
use units::{FlowId, LinkId, NodeId, Span, Time};
use wire::context::Failure;
use wire::link::{Link, LinkCounters};
use wire::optical::Optical;
use wire::record::{Quantiles, Synchronization};

use super::World;
use crate::host::Stage;
use crate::observe::{Course, FlowRow, Sampler, Totals};
use crate::workload::GraphRow;

impl World {
    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Why the run cannot go on, if so.
    pub fn failure(&self) -> Option<&Failure> {
        self.network.failure()
    }

    /// The measured time: from the end of the warm-up until now.
    pub fn measured(&self) -> Span {
        self.network.now().since(Time::ZERO + self.plan.warmup)
    }

    /// The clock.
    pub fn now(&self) -> Time {
        self.network.now()
    }

    /// Data channels of a link: one if it is electronic.
    pub fn channels(&self, link: LinkId) -> usize {
        self.plan.graph.links[link.index()].data_channels() as usize
    }

    /// What the groups of graphs have done, in the order of entries of traffic.
    pub fn graphs(&self) -> impl Iterator<Item = GraphRow<'_>> {
        self.workload.graphs()
    }

    /// A link.
    pub fn link(&self, id: LinkId) -> &Link {
        self.where_is(id).network.link(id)
    }

    /// The counters of the links since measuring began.
    pub fn link_counters(&self) -> Vec<LinkCounters> {
        let mut counters = self.counters_now();
        for (counters, baseline) in counters.iter_mut().zip(self.baseline.iter().flatten()) {
            *counters = counters.since(baseline);
        }
        counters
    }

    /// The rows of all flows except those that were taken out, in the order of their creation,
    /// without those that ended before measuring began.
    pub fn flow_rows(&self) -> Vec<FlowRow> {
        let mut rows = self.present_rows();
        rows.extend_from_slice(self.ended.rows());
        rows.sort_by_key(|row| row.number);
        rows
    }

    /// The rows of the flows that have not been removed, in the order of their creation.
    pub(super) fn present_rows(&self) -> Vec<FlowRow> {
        let warmup = Time::ZERO + self.plan.warmup;
        let flows = self.workload.flows.iter().enumerate();
        let present = flows
            .filter(|(_, flow)| flow.stage != Stage::Gone && !flow.ended_before(warmup))
            .map(|(at, flow)| {
                let counts = self.network.count(FlowId::at(at));
                FlowRow::new(flow, counts, (&self.idle, &self.plan, self.network.routing()))
            });
        let mut rows: Vec<FlowRow> = present.collect();
        rows.sort_by_key(|row| row.number);
        rows
    }

    /// The number of places of flows: existing ones, and the free places of removed ones.
    pub fn flow_places(&self) -> usize {
        self.workload.flows.len()
    }

    /// The number of rows of ended flows held.
    pub fn ended_rows(&self) -> usize {
        self.ended.rows().len()
    }

    /// Takes out the rows of removed flows, in the order of their removal; the rest of the report
    /// stays the same.
    pub fn take_ended_rows(&mut self) -> Vec<FlowRow> {
        self.ended.take()
    }

    /// The sums over all flows of each entry of traffic, whether or not their rows were taken out.
    pub fn totals(&self) -> Vec<Totals> {
        let mut totals = self.ended.totals().to_vec();
        let period = Period { end: self.now(), ..self.plan.period() };
        for row in self.present_rows() {
            totals[row.traffic as usize].add(&row, period);
        }
        for (entry, totals) in totals.iter_mut().enumerate() {
            totals.open = self.workload.is_open(entry);
        }
        totals
    }

    /// Delays of data packets of an entry of traffic.
    pub fn delays(&self, traffic: usize) -> &Quantiles {
        &self.delays[traffic]
    }

    /// The data delivered over the measured period.
    pub fn course(&self) -> &Course {
        &self.course
    }

    /// The series sampled.
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// Packets that crossed a link since the start, without those that the wire lost.
    pub fn packet_hops(&self) -> u64 {
        let links = (0..self.network.links().len()).map(LinkId::at);
        let electronic: u64 = links.map(|id| self.link(id).packets_out()).sum();
        electronic
            + self.network.optical().fibres.iter().map(|fibre| fibre.packets_out).sum::<u64>()
    }

    /// What flows share, if it is recorded.
    pub fn synchronization(&self) -> Option<&Synchronization> {
        self.network.synchronization()
    }

    /// The optical part.
    pub fn optical(&self) -> &Optical {
        self.network.optical()
    }

    /// The device at a node.
    pub fn device(&self, node: NodeId) -> Device {
        let device = self.all_parts().find_map(|part| part.network.device(node));
        device.expect("each node is in one part")
    }

    /// The core nodes that switch packets one by one.
    pub fn cores(&self) -> &Cores {
        self.network.cores()
    }

    /// The core nodes of a network with edges.
    pub fn burst_cores(&self) -> Option<&BurstCores> {
        self.network.burst_cores()
    }

    /// The edge routers, if there are any.
    pub fn edges(&self) -> Option<&Edges> {
        self.network.edges()
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.events_of_parts().unwrap_or_else(|| self.own_events())
    }

    /// Looks at cores so far, which are not counted as events: their number depends on other observations.
    pub fn looks(&self) -> u64 {
        self.looks
    }

    /// Events that have happened without their own entry in the agenda.
    pub fn events_beside(&self) -> u64 {
        self.beside_events + self.network.events_beside()
    }

    /// Packets in the network.
    pub fn packets_inside(&self) -> usize {
        self.all_parts().map(|part| part.network.packets().len()).sum::<usize>() - self.copies()
    }
}
