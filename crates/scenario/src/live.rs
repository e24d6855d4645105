//! A run that is watched while it goes on: window after window of its packets and bursts.

use std::sync::Arc;

use engine::observe::Sampler;
use engine::world::{Progress, World};
use random::Seed;
use units::{Span, Time};
use wire::trace::Trace;

use crate::assemble;
use crate::load::Checked;
use crate::mistake::Mistake;
use crate::report;
use crate::run::failure;
use crate::trace::{COUNTERS, TraceRequest, Traced, in_steps, spec};

/// The first interval of samples, if the scenario gives none.
const INTERVAL: Span = Span(1_000_000);
/// Samples after which it is doubled.
const STRETCH: usize = 5_000;

/// A run that is watched.
#[derive(Debug)]
pub struct Live {
    checked: Arc<Checked>,
    world: World,
    /// The most new rows of a window.
    limit: usize,
    /// The rows with which it began: of what was still on its way.
    kept: usize,
    /// Where the window begins.
    from: Time,
}

impl Checked {
    /// Sets a run up that is watched; it is the same run as [`Checked::start`] makes. The limit of rows
    /// is that of a window.
    pub fn start_live(&self, seed: u64, request: &TraceRequest) -> Result<Live, Vec<Mistake>> {
        let plan = assemble::plan(&self.scenario, Seed(seed));
        let (from, _, spec) = spec(request, &plan.graph, plan.duration)?;
        let limit = spec.limit;
        let spec = wire::trace::TraceSpec { limit: usize::MAX, ..spec };
        let record = &self.scenario.record;
        let sampler = if request.counters && record.series.is_empty() {
            Sampler::new(COUNTERS.to_vec(), INTERVAL).adapting(STRETCH)
        } else {
            Sampler::new(record.series.clone(), record.interval)
        };
        let mut world = World::new(plan, Seed(seed), sampler.only(spec.clone()));
        world.trace(spec);
        Ok(Live { checked: Arc::new(self.clone()), world, limit, kept: 0, from })
    }
}

impl Live {
    /// Continues for about this number of events; returns whether the window is full, or the run has
    /// ended. Where a window ends does not depend on the numbers of the calls.
    pub fn advance(&mut self, events: u64) -> (Progress, bool) {
        let full = self.kept + self.limit;
        in_steps(&mut self.world, events, |world| rows(world) >= full)
    }

    /// Why the run cannot go on, if so.
    pub fn failure(&self) -> Option<String> {
        failure(&self.world)
    }

    /// The digest of the current state of the run.
    pub fn digest(&self) -> u64 {
        self.world.digest()
    }

    /// Takes the window: what happened since the last one, with what was still on its way then. The tables
    /// are those of a trace.
    pub fn take_window(&mut self) -> Traced {
        self.world.catch_up_trace();
        let (from, to) = (self.from, self.world.now());
        let tables = report::trace(&self.checked, &self.world);
        self.world.forget_traced(to.since(from));
        (self.from, self.kept) = (to, rows(&self.world));
        Traced { tables, from, to, cut: None }
    }
}

/// The rows that are recorded.
fn rows(world: &World) -> usize {
    world.traced().map_or(0, Trace::len)
}
