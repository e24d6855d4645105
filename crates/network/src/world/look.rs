//! What can be seen of a world, while it runs and when it is over.

use units::{FlowId, LinkId, NodeId, Span, Time};

use super::World;
use crate::device::Device;
use crate::device::cores::Cores;
use crate::device::edge::Edges;
use crate::host::Stage;
use crate::link::{Link, LinkCounters};
use crate::observe::{FlowRow, Sampler, Totals};
use crate::optical::Optical;
use crate::plan::Plan;
use crate::record::{Quantiles, Synchronization};

impl World {
    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How long has been measured: from the end of the warm-up until now.
    pub fn measured(&self) -> Span {
        self.network.now().since(Time::ZERO + self.plan.warmup)
    }

    /// The clock.
    pub fn now(&self) -> Time {
        self.network.now()
    }

    /// Data channels of a link: one where it is electronic.
    pub fn channels(&self, link: LinkId) -> usize {
        let fibre = self.network.optical().fibre_of(link);
        fibre.map_or(1, |fibre| self.network.optical().fibres[fibre as usize].data_channels())
    }

    /// The links.
    pub fn links(&self) -> &[Link] {
        self.network.links()
    }

    /// What was counted on the links since measuring began.
    pub fn link_counters(&self) -> Vec<LinkCounters> {
        let mut counters = self.counters_now();
        for (counters, baseline) in counters.iter_mut().zip(self.baseline.iter().flatten()) {
            *counters = counters.since(baseline);
        }
        counters
    }

    /// The rows of all flows but those that were taken out, in the order of their creation, without
    /// those that ended before measuring began.
    pub fn flow_rows(&self) -> Vec<FlowRow> {
        let mut rows = self.present_rows();
        rows.extend_from_slice(self.ended.rows());
        rows.sort_by_key(|row| row.number);
        rows
    }

    /// The rows of the flows that are not gone, in the order of their creation.
    pub(super) fn present_rows(&self) -> Vec<FlowRow> {
        let warmup = Time::ZERO + self.plan.warmup;
        let flows = self.workload.flows.iter().enumerate();
        let present = flows
            .filter(|(_, flow)| flow.stage != Stage::Gone && !flow.ended_before(warmup))
            .map(|(at, flow)| FlowRow::new(flow, self.network.count(FlowId::at(at))));
        let mut rows: Vec<FlowRow> = present.collect();
        rows.sort_by_key(|row| row.number);
        rows
    }

    /// How many flows have a place: those that are there, and the empty places of those that were.
    pub fn flow_places(&self) -> usize {
        self.workload.flows.len()
    }

    /// How many rows of ended flows are held.
    pub fn ended_rows(&self) -> usize {
        self.ended.rows().len()
    }

    /// Takes out the rows of flows that are gone, in the order in which they went; what else is said
    /// of the run stays the same.
    pub fn take_ended_rows(&mut self) -> Vec<FlowRow> {
        self.ended.take()
    }

    /// The sums over all flows of each entry of traffic, whether or not their rows were taken out.
    pub fn totals(&self) -> Vec<Totals> {
        let mut totals = self.ended.totals().to_vec();
        for row in self.present_rows() {
            totals[row.traffic as usize].add(&row);
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

    /// The series sampled.
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// Packets that crossed a link since the start, those that the wire lost not counted.
    pub fn packet_hops(&self) -> u64 {
        let electronic: u64 = self.network.links().iter().map(Link::packets_out).sum();
        electronic
            + self.network.optical().fibres.iter().map(|fibre| fibre.packets_out).sum::<u64>()
    }

    /// What flows share, where it is recorded.
    pub fn synchronization(&self) -> Option<&Synchronization> {
        self.network.synchronization()
    }

    /// The optical part.
    pub fn optical(&self) -> &Optical {
        self.network.optical()
    }

    /// What stands at a node.
    pub fn device(&self, node: NodeId) -> Device {
        self.network.device(node)
    }

    /// The core nodes.
    pub fn cores(&self) -> &Cores {
        self.network.cores()
    }

    /// The edge routers, where there are some.
    pub fn edges(&self) -> Option<&Edges> {
        self.network.edges()
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.watch.events + self.beside_events
    }

    /// Looks at cores so far, which count for no events: how many there are depends on who else has looked.
    pub fn looks(&self) -> u64 {
        self.looks
    }

    /// Events that have happened without an entry in the agenda of their own.
    pub fn events_beside(&self) -> u64 {
        self.beside_events
    }

    /// Packets that are somewhere.
    pub fn packets_inside(&self) -> usize {
        self.network.packets().len()
    }
}
