//! The output-queued switches of a world.

use optics::{AnycastPolicy, OutputQueuedCoreSpec};
use plan::topology::Graph;
use random::Seed;
use units::Time;

use crate::bundle_selection::{Outlets, Wired, Wiring};

/// An output-queued switch.
#[derive(Debug, Clone)]
pub(super) struct OutputQueuedNode {
    /// Its outputs.
    pub outlets: Outlets,
    /// By bundle: when the first bit of the last packet assigned leaves.
    pub last_first_bit: Box<[Time]>,
    /// Packets whose first bit leaves before that of one of their bundle that was assigned earlier.
    pub overtaking: u64,
}

impl OutputQueuedNode {
    /// A packet is assigned to an output, and its first bit leaves at this instant.
    #[inline]
    pub(super) fn assigned(&mut self, output: u32, first_bit: Time) {
        let last = &mut self.last_first_bit[self.outlets.bundle_of(output) as usize];
        self.overtaking += u64::from(first_bit < *last);
        *last = first_bit.max(*last);
    }
}

/// All output-queued switches.
#[derive(Debug, Clone)]
pub struct OutputQueuedSwitches {
    pub(super) wiring: Wiring,
    /// The switches, by their number.
    pub(super) nodes: Vec<OutputQueuedNode>,
    /// Whether first bits keep the order of assignment on each bundle, which is checked at the end.
    pub(super) keeps_order: bool,
}

impl OutputQueuedSwitches {
    /// The switches of a graph; `steady` says that its links do not change during the run.
    pub fn new(core: &OutputQueuedCoreSpec, graph: &Graph, seed: Seed, steady: bool) -> Self {
        let (wiring, wired) = Wiring::new(graph, core.anycast_rule(), seed);
        let nodes = wired.into_iter().map(|Wired { outlets, .. }| {
            let last_first_bit = vec![Time::ZERO; outlets.bundles()].into_boxed_slice();
            OutputQueuedNode { outlets, last_first_bit, overtaking: 0 }
        });
        let keeps_order = steady && core.anycast == AnycastPolicy::IdealJsq;
        Self { wiring, nodes: nodes.collect(), keeps_order }
    }
}

#[cfg(test)]
mod tests {
    use plan::shapes::Line;
    use plan::spec::{LinkSpec, NodeKind, QueueSpec};
    use units::Rate;
    use units::Span;

    use super::*;
    use crate::Core;

    /// Two switches with two lightpaths between them, after three packets at the first one.
    fn switches(
        anycast: AnycastPolicy,
        steady: bool,
        first_bits: [u64; 3],
    ) -> OutputQueuedSwitches {
        let access = LinkSpec::plain(Rate(1_000_000), Span::ZERO);
        let link = LinkSpec { lightpaths: Some(2), ..access };
        let queue = QueueSpec::packets(10);
        let topology = Line { routers: 2, link, access: Some(access) };
        let graph = Graph::new(&topology, queue, NodeKind::Core);
        let core = OutputQueuedCoreSpec { anycast, ..OutputQueuedCoreSpec::default() };
        let mut switches = OutputQueuedSwitches::new(&core, &graph, Seed(1), steady);
        let node = &mut switches.nodes[0];
        let bundle = (0..3).find(|&output| node.outlets.bundle_of(output + 1) == 1);
        let bundle = bundle.expect("a bundle after the host's link") + 1;
        for first_bit in first_bits {
            node.assigned(bundle, Time(first_bit));
        }
        switches
    }

    /// A violation of the order under ideal-JSQ would be noticed.
    #[test]
    fn a_first_bit_that_overtakes_another_fails_a_run_under_ideal_jsq() {
        let fails = |policy, steady, first_bits| {
            switches(policy, steady, first_bits).check_conservation().is_err()
        };
        assert!(fails(AnycastPolicy::IdealJsq, true, [5, 7, 6]));
        assert!(!fails(AnycastPolicy::IdealJsq, true, [5, 7, 7]));
        // Elsewhere it may happen.
        assert!(!fails(AnycastPolicy::RoundRobin, true, [5, 7, 6]));
        assert!(!fails(AnycastPolicy::IdealJsq, false, [5, 7, 6]));
    }
}
