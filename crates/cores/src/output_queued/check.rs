//! What output-queued switches require of a scenario.

use optics::{AnycastPolicy, OutputQueuedCoreSpec};
use plan::check::Findings;
use plan::topology::Graph;

use crate::lightpaths::check::{self, flowlets, policy, program};

/// A policy that reads only what the switch has.
pub fn section(core: &OutputQueuedCoreSpec, to: &mut dyn Findings) {
    match core.anycast {
        AnycastPolicy::Jsvoq => {
            let problem = "looks at queues of inputs, which this switch does not have";
            policy("jsvoq", problem, "another policy, or kind = \"cioq\"", to);
        }
        AnycastPolicy::Program => {
            if core
                .anycast_rule()
                .compiled()
                .is_some_and(|hooks| hooks.looks_at_queues() || hooks.shares_queue())
            {
                let problem = "has to do with queues of inputs (lightpaths.queued, shares_queue), which this \
                               switch does not have";
                program(problem, "lightpaths.wait, or kind = \"cioq\"", to);
            }
        }
        AnycastPolicy::Ecmp
        | AnycastPolicy::Destination
        | AnycastPolicy::Random
        | AnycastPolicy::RoundRobin
        | AnycastPolicy::EJsq
        | AnycastPolicy::Flowlet
        | AnycastPolicy::IdealJsq => {}
    }
    flowlets(core.anycast, core.flowlet_gap, to);
}

/// Keys without effect.
pub fn effects(core: &OutputQueuedCoreSpec, graph: &Graph, to: &mut dyn Findings) {
    check::effects(core.anycast, graph, to);
}
