//! What output-queued switches require of a scenario.

use optics::{AnycastPolicy, OutputQueuedCoreSpec};
use plan::check::Findings;
use plan::topology::Graph;

use crate::bundle_selection::check::{self, flowlets, policy, program};
use crate::check::Around;
use crate::seam::Rules;

impl Rules for OutputQueuedCoreSpec {
    fn section(&self, _: &Around<'_>, to: &mut dyn Findings) {
        section(self, to);
    }

    fn network(&self, _: &Around<'_>, _: &Graph, _: &mut dyn Findings) {}

    fn effects(&self, _: &Around<'_>, graph: &Graph, to: &mut dyn Findings) {
        check::effects(self.anycast, graph, to);
    }
}

/// A policy that reads only what the switch has.
fn section(core: &OutputQueuedCoreSpec, to: &mut dyn Findings) {
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
