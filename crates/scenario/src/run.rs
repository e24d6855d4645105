//! A run: a scenario with a seed, simulated in slices.

use std::sync::Arc;

use engine::observe::Sampler;
use engine::world::{Progress, World};
use plan::Plan;
use plan::partition::Partition;
use random::Seed;
use units::{NodeId, Span};
use wire::context::{Controlled, Failure};

use crate::load::Checked;
use crate::report::{Report, Table};
use crate::{assemble, report};

/// A run of a scenario with a seed.
#[derive(Debug)]
pub struct Run {
    checked: Arc<Checked>,
    world: World,
    seed: u64,
}

impl Checked {
    /// Sets a run up; the same scenario and seed give the same run on any machine.
    pub fn start(&self, seed: u64) -> Run {
        Run::new(Arc::new(self.clone()), seed)
    }

    /// Runs from start to end.
    pub fn run(&self, seed: u64) -> Report {
        let mut run = self.start(seed);
        while run.advance(SLICE).stop.is_none() {}
        run.finish()
    }
}

/// Events of a slice if nothing observes the run between slices.
const SLICE: u64 = 10_000_000;

impl Run {
    /// [`Checked::start`] of a scenario that is shared.
    pub fn new(checked: Arc<Checked>, seed: u64) -> Self {
        let threads = checked.scenario.run.threads.number();
        Self::with(checked, seed, |plan| Partition::for_run(plan, threads).ok())
    }

    /// The same on so many threads, if it can be divided at all, even if one would be faster: for tests.
    pub fn divided(checked: Arc<Checked>, seed: u64, threads: usize) -> Option<Self> {
        let run = Self::with(checked, seed, |plan| Partition::new(plan, threads).ok());
        (run.world.threads() > 1).then_some(run)
    }

    fn with(
        checked: Arc<Checked>,
        seed: u64,
        partition: impl FnOnce(&Plan) -> Option<Partition>,
    ) -> Self {
        let plan = assemble::plan(&checked.scenario, Seed(seed));
        let record = &checked.scenario.record;
        let sampler = Sampler::new(record.series.clone(), record.interval);
        let world = match partition(&plan) {
            Some(partition) => World::in_parts(plan, Seed(seed), &sampler, partition),
            None => World::new(plan, Seed(seed), sampler),
        };
        Self { checked, world, seed }
    }

    /// Continues for about this number of events.
    pub fn advance(&mut self, events: u64) -> Progress {
        self.world.advance(events)
    }

    /// Sets whether the parts of a network that is divided advance from now on side by side, each on its own thread; else
    /// one after the other. No result depends on it; [`Sharing`](crate::Sharing) says which is faster.
    pub fn advance_side_by_side(&mut self, side_by_side: bool) {
        self.world.advance_side_by_side(side_by_side);
    }

    /// The number of rows of ended flows held.
    pub fn ended_flows(&self) -> usize {
        self.world.ended_rows()
    }

    /// Takes the rows of flows that have ended out of the run: a table like the report's `flows`,
    /// in the order of their removal. The report has the remaining rows and does not change
    /// otherwise.
    pub fn take_ended_flows(&mut self) -> Table {
        let rows = self.world.take_ended_rows();
        report::flows(&self.checked, &self.world, &rows)
    }

    /// Why the run cannot go on, if so: its results are none.
    pub fn failure(&self) -> Option<String> {
        failure(&self.world)
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Checks conservation and reports, on a failed run as far as it came.
    ///
    /// Panics if a packet was lost without being counted: that is a bug of this program, and the
    /// message gives the seed that reproduces it.
    pub fn finish(mut self) -> Report {
        let progress = self.world.advance(0);
        if let Err(astray) = self.world.check_conservation() {
            panic!("conservation is violated with seed {}: {astray}", self.seed);
        }
        report::of(&self.checked, &self.world, self.seed, &progress)
    }
}

/// Why a run cannot go on, if so: which flow, when, and where in the program.
pub(crate) fn failure(world: &World) -> Option<String> {
    let Failure { of, at, fault } = world.failure()?;
    let name = |node: NodeId| world.plan().graph.nodes[node.index()].name.as_str();
    let (key, who) = match *of {
        Controlled::Window { flow, traffic } => {
            (format!("traffic.{traffic}.transport.congestion"), format!("flow {flow}"))
        }
        Controlled::Queues(from, to) => {
            ("assembly.program".to_owned(), format!("class {} -> {}", name(from), name(to)))
        }
        Controlled::Lightpaths(node) => {
            ("core.program".to_owned(), format!("switch {}", name(node)))
        }
    };
    let at = Span(at.0);
    Some(format!("{key}.source: {fault}; {who} at {at} of the run"))
}
