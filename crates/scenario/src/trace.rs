//! A run whose packets and bursts are recorded one by one, within bounds.

use std::sync::Arc;

use engine::observe::Sampler;
use engine::world::{Progress, World};
use plan::spec::SeriesKind;
use plan::topology::Graph;
use random::Seed;
use units::{Span, Time};
use wire::trace::TraceSpec;

use crate::assemble;
use crate::load::Checked;
use crate::mistake::Mistake;
use crate::report::{self, Table};
use crate::run::failure;

/// What is to be recorded, as given by the user.
#[derive(Debug, Clone)]
pub struct TraceRequest {
    /// From when on: a time such as `"10 ms"`; the start by default.
    pub from: Option<String>,
    /// Until when; the end of the run by default.
    pub to: Option<String>,
    /// Flows by their number; all by default.
    pub flows: Vec<u64>,
    /// Nodes by their name, whose links are recorded; all by default.
    pub nodes: Vec<String>,
    /// The maximum number of rows.
    pub limit: u64,
    /// Whether congestion windows and queues are sampled.
    pub counters: bool,
}

/// A run that is recorded.
#[derive(Debug)]
pub struct Tracing {
    checked: Arc<Checked>,
    world: World,
    span: (Time, Time),
    flows: Vec<u64>,
}

/// What was recorded.
#[derive(Debug)]
pub struct Traced {
    /// The tables.
    pub tables: Vec<Table>,
    /// The time span: from this instant on,
    pub from: Time,
    /// and before this one.
    pub to: Time,
    /// Where the limit of rows was reached: later offers are not recorded, and perhaps not all of this
    /// instant.
    pub cut: Option<Time>,
}

/// Samples in the span of a trace by default.
const SAMPLES: u64 = 1_000;

/// What is sampled for the counters.
pub(crate) const COUNTERS: [SeriesKind; 2] = [SeriesKind::Cwnd, SeriesKind::Queue];

/// Events after which it is checked whether nothing more will be recorded.
const STEP: u64 = 1_000;

impl Checked {
    /// Sets a run up that is recorded; it is the same run as [`Checked::start`] makes.
    pub fn start_trace(&self, seed: u64, request: &TraceRequest) -> Result<Tracing, Vec<Mistake>> {
        let plan = assemble::plan(&self.scenario, Seed(seed));
        let (from, to, spec) = spec(request, &plan.graph, plan.duration)?;
        let record = &self.scenario.record;
        let mut kinds = record.series.clone();
        let mut interval = record.interval;
        if request.counters && kinds.is_empty() {
            kinds = COUNTERS.to_vec();
            interval = Span(((to - from).0 / SAMPLES).max(1));
        }
        let sampler = Sampler::new(kinds, interval).only(spec.clone());
        let mut world = World::new(plan, Seed(seed), sampler);
        let flows = request.flows.clone();
        world.trace(spec);
        Ok(Tracing { checked: Arc::new(self.clone()), world, span: (from, to), flows })
    }
}

/// The request, resolved, or all of its errors.
pub(crate) fn spec(
    request: &TraceRequest,
    graph: &Graph,
    duration: Span,
) -> Result<(Time, Time, TraceSpec), Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let end = Time::ZERO + duration;
    let mut time = |option: &str, text: &Option<String>, otherwise: Time| match text {
        None => otherwise,
        Some(text) => match text.parse::<Span>() {
            Ok(span) if Time::ZERO + span <= end => Time::ZERO + span,
            Ok(_) => {
                mistakes.push(outside(&format!("{option} {text}"), duration));
                otherwise
            }
            Err(error) => {
                let accepted = "a time such as \"10 ms\"".to_owned();
                let mistake = Mistake::of_file(&format!("{option} {text}"), error.to_string());
                mistakes.push(Mistake { accepted, ..mistake });
                otherwise
            }
        },
    };
    let from = time("--from", &request.from, Time::ZERO);
    let to = time("--to", &request.to, end);
    if mistakes.is_empty() && from >= to {
        let problem = "the span is empty: it ends where it begins, or before";
        mistakes.push(Mistake::of_file(
            &format!("--from {} --to {}", from.since(Time::ZERO), to.since(Time::ZERO)),
            problem,
        ));
    }
    let mut wanted = vec![request.nodes.is_empty(); graph.nodes.len()];
    for name in &request.nodes {
        match graph.nodes.iter().position(|node| node.name == *name) {
            Some(at) => wanted[at] = true,
            None => mistakes.push(unknown_node(name, graph)),
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let links = graph.links.iter().map(|l| wanted[l.from.index()] || wanted[l.to.index()]);
    let mut flows = request.flows.clone();
    flows.sort_unstable();
    let spec = TraceSpec {
        from,
        to,
        flows: (!flows.is_empty()).then_some(flows),
        links: (!request.nodes.is_empty()).then(|| links.collect()),
        limit: usize::try_from(request.limit).unwrap_or(usize::MAX),
    };
    Ok((from, to, spec))
}

fn outside(option: &str, duration: Span) -> Mistake {
    Mistake {
        accepted: format!("0 s to {duration}"),
        ..Mistake::of_file(option, "outside the run")
    }
}

fn unknown_node(name: &str, graph: &Graph) -> Mistake {
    const SHOWN: usize = 20;
    let mut names: Vec<_> = graph.nodes.iter().take(SHOWN).map(|node| node.name.as_str()).collect();
    if graph.nodes.len() > SHOWN {
        names.push("…");
    }
    Mistake {
        accepted: names.join(", "),
        ..Mistake::of_file(&format!("--node {name}"), "no node has this name")
    }
}

/// Continues for about this number of events in steps, after each of which `is_over` is asked; returns
/// whether it says so, or the run has ended.
pub(crate) fn in_steps(
    world: &mut World,
    events: u64,
    is_over: impl Fn(&mut World) -> bool,
) -> (Progress, bool) {
    let mut done = 0;
    loop {
        let progress = world.advance(STEP);
        let over = progress.stop.is_some() || is_over(world);
        done += STEP;
        if over || done >= events {
            return (progress, over);
        }
    }
}

impl Tracing {
    /// Continues for about this number of events; returns whether nothing more will be recorded.
    /// Where it ends, and so what its tables count, does not depend on the numbers of the calls.
    pub fn advance(&mut self, events: u64) -> (Progress, bool) {
        in_steps(&mut self.world, events, World::trace_is_over)
    }

    /// Why the run cannot go on, if so.
    pub fn failure(&self) -> Option<String> {
        failure(&self.world)
    }

    /// The digest of the current state of the run.
    pub fn digest(&self) -> u64 {
        self.world.digest()
    }

    /// The tables: `hops`, `packets`, `flows`, `nodes`, `links` and `series`; of an optical network also
    /// `channels`, `bursts` and `reservations`. An error for each requested flow that never
    /// existed.
    pub fn finish(self) -> Result<Traced, Vec<Mistake>> {
        let created = self.world.flows_created();
        let mistakes: Vec<Mistake> = self
            .flows
            .iter()
            .filter(|&&flow| flow >= created)
            .map(|flow| Mistake {
                accepted: format!("0 to {}", created.saturating_sub(1)),
                ..Mistake::of_file(&format!("--flow {flow}"), "no flow has this number")
            })
            .collect();
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let cut = self.world.traced().and_then(|trace| trace.cut);
        let (from, to) = self.span;
        Ok(Traced { tables: report::trace(&self.checked, &self.world), from, to, cut })
    }
}
