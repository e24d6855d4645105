//! A world whose packets are recorded one by one.

use units::{FlowId, Span};
use wire::optical::BurstLog;
use wire::trace::{Trace, TraceSpec, TracedFlow};

use super::World;

impl World {
    /// Records packets and bursts one by one: to be called before the run advances. It does not change
    /// the run.
    pub fn trace(&mut self, spec: TraceSpec) {
        self.hear_routers();
        self.network.optical_mut().log = BurstLog::within(spec.limit, spec.from, spec.to);
        let mut trace = Trace::new(spec);
        for (at, flow) in self.workload.flows.iter().enumerate() {
            let (number, traffic, from, to) = (flow.number, flow.traffic, flow.from, flow.to);
            trace.begin(FlowId::at(at), TracedFlow { number, traffic, from, to });
        }
        self.network.set_trace(trace);
    }

    /// What was recorded.
    pub fn traced(&self) -> Option<&Trace> {
        self.network.trace()
    }

    /// Whether nothing more will be recorded. If links change, this is unknown before the end.
    pub fn trace_is_over(&mut self) -> bool {
        let now = self.network.now();
        let is_over = |world: &Self| world.traced().is_some_and(|trace| trace.is_over(now));
        if !self.plan.changes.is_empty() || !is_over(self) {
            return false;
        }
        // A packet that is reported late, but was offered before the end of the span, may be on a
        // link for longer.
        self.catch_up();
        is_over(self)
    }

    /// Brings what is recorded up to date.
    pub fn catch_up_trace(&mut self) {
        self.catch_up();
    }

    /// Drops the rows of what has ended, and the samples, which are those of a span, so that recording
    /// can go on without end; what is recorded is to be up to date.
    pub fn forget_traced(&mut self, span: Span) {
        let now = self.network.now();
        let longest = self.plan.graph.links.iter().map(|link| link.delay).max();
        if let Some(trace) = self.network.trace_mut() {
            trace.forget(now);
        }
        self.network.optical_mut().log.forget(now, longest.unwrap_or(Span::ZERO));
        self.sampler.forget(span);
    }

    /// The number of flows so far.
    pub fn flows_created(&self) -> u64 {
        self.workload.created
    }
}
