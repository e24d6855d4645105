//! What the parts have counted becomes that of the first.

use units::LinkId;

use super::super::World;
use crate::partition::Partition;

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
        let other = |part: u32| (part as usize).checked_sub(1);
        for (at, flow) in self.workload.flows.iter_mut().enumerate() {
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
    }
}
