//! What the parts have counted becomes that of the first.

use plan::partition::Partition;
use units::{FlowId, LinkId};
use wire::record::FlowCounts;

use super::super::{World, write_row};
use crate::host::Stage;
use crate::network::Network;

impl World {
    /// The first part takes what the others have counted: afterwards only their links and packets are still there.
    pub(super) fn gather(&mut self, others: &mut [Self], partition: &Partition) {
        self.gather_flows(others, partition);
        let twice = self.network.leaving().0
            + others.iter().map(|other| other.network.leaving().0).sum::<u64>();
        for (other, number) in others.iter_mut().zip(1..) {
            self.network.absorb(&mut other.network, partition, number);
            for (delays, more) in self.delays.iter_mut().zip(&other.delays) {
                delays.absorb(more);
            }
            self.course.absorb(&other.course);
            self.sampler.absorb(&mut other.sampler);
            if let (Some(baseline), Some(there)) = (&mut self.baseline, &other.baseline) {
                for (at, counters) in baseline.iter_mut().enumerate() {
                    if partition.part_of(LinkId::at(at)) == number {
                        *counters = there[at];
                    }
                }
            }
            self.looks += other.looks;
        }
        self.network.optical_mut().settle(twice);
    }

    /// Each flow is where its source is; what has happened at its sink is taken from where that is.
    fn gather_flows(&mut self, others: &mut [Self], partition: &Partition) {
        for at in 0..self.workload.flows.len() {
            if self.workload.flows[at].stage != Stage::Gone {
                self.gather_flow(others, partition, at);
            }
        }
    }

    fn gather_flow(&mut self, others: &mut [Self], partition: &Partition, at: usize) {
        let other = |part: u32| (part as usize).checked_sub(1);
        let flow = &mut self.workload.flows[at];
        let (source, sink) = (partition.part(flow.from), partition.part(flow.to));
        if let Some(other) = other(source) {
            std::mem::swap(flow, &mut others[other].workload.flows[at]);
        }
        if source != sink {
            // If it was here, it has been exchanged for the source.
            let there = other(sink).or(other(source)).expect("one of the two is not here");
            flow.take_sink(&mut others[there].workload.flows[at]);
        }
    }

    /// All parts remove the flows that have ended and of which nothing is left in any; the first keeps their rows.
    pub(super) fn reap_parts(&mut self, others: &mut [Self], partition: &Partition) {
        for other in &mut *others {
            self.workload.take_lingering(&mut other.workload);
        }
        let over = self.workload.take_over(|flow, id| {
            let sink = (partition.part(flow.to) as usize).checked_sub(1);
            let ends = sink.map_or(&flow.ends, |at| &others[at].workload.flows[id.index()].ends);
            count_in(&self.network, others, id).inside() == 0 && !ends.is_needed()
        });
        for id in over {
            self.gather_flow(others, partition, id.index());
            let flow = &self.workload.flows[id.index()];
            let counts = count_in(&self.network, others, id);
            let idle = (&*self.idle, &*self.plan);
            write_row(&mut self.ended, flow, &counts, (idle, &self.network));
            for part in std::iter::once(&mut *self).chain(&mut *others) {
                part.workload.free(id);
            }
        }
        for part in std::iter::once(self).chain(others) {
            part.workload.forget_removed();
        }
    }
}

/// The packets of a flow, counted in all parts.
fn count_in(first: &Network, others: &[World], id: FlowId) -> FlowCounts {
    let counts = others.iter().map(|other| other.network.count(id));
    counts.fold(*first.count(id), |sum, more| sum.plus(more))
}
