//! Graphs of operations: each starts when all for which it waits are over.

use plan::{GraphPlan, Plan, TrafficPlan};
use traffic::{Act, Milestone};
use units::{FlowId, Time};
use wire::event::Event;

use crate::network::Network;
use crate::workload::{Owner, Process, Workload};

/// The operations of a group of hosts.
#[derive(Debug, Clone)]
pub(super) struct Running {
    traffic: u32,
    /// Its number among the groups of the entry.
    group: usize,
    /// By operation: the milestones for which it still waits.
    missing: Vec<u32>,
    /// By operation of the present repetition, or the last one: its start and its end.
    times: Vec<(Time, Time)>,
    /// By processor: when it is free.
    free: Vec<Time>,
    /// Operations that start at the next event.
    ready: Vec<u32>,
    /// Operations of the present repetition that are not over; none before it begins.
    left: usize,
    /// The starts and the ends of repetitions; the last one may not have ended.
    repetitions: Vec<(Time, Time)>,
    /// When the next one begins; [`Time::NEVER`] while one goes on, and after the last.
    next: Time,
}

/// What a group has done.
#[derive(Debug, Clone, Copy)]
pub struct GraphRow<'a> {
    /// The entry of the scenario's traffic.
    pub traffic: u32,
    /// The group.
    pub group: usize,
    /// The start and the end of each repetition; [`Time::NEVER`] for the end of one that goes on.
    pub repetitions: &'a [(Time, Time)],
    /// By operation of the last of them: its start and its end, each [`Time::NEVER`] if there was none.
    pub operations: &'a [(Time, Time)],
}

impl Running {
    /// How many operations start at the next event.
    pub(super) fn ready(&self) -> usize {
        self.ready.len()
    }

    /// A milestone is reached: operations that have waited for it alone are ready. Returns whether there are any where there
    /// were none.
    fn reach(&mut self, plan: &GraphPlan, operation: u32, milestone: Milestone) -> bool {
        let before = self.ready.len();
        for &later in plan.graph.waiting(operation, milestone) {
            let missing = &mut self.missing[later as usize];
            *missing -= 1;
            if *missing == 0 {
                self.ready.push(later);
            }
        }
        before == 0 && !self.ready.is_empty()
    }

    fn begin(&mut self, plan: &GraphPlan, now: Time) {
        self.missing.copy_from_slice(plan.graph.missing());
        self.times.fill((Time::NEVER, Time::NEVER));
        self.left = self.missing.len();
        self.next = Time::NEVER;
        self.repetitions.push((now, Time::NEVER));
        let first = (0u32..).zip(&self.missing).filter(|&(_, &missing)| missing == 0);
        self.ready.extend(first.map(|(operation, _)| operation));
    }

    /// The instant at which a computation that is ready starts: its processor has those that were ready before.
    fn turn(&mut self, plan: &GraphPlan, operation: u32, now: Time) -> Time {
        let of = plan.graph.operations()[operation as usize];
        let Act::Compute { cpu, span } = of.act else { return now };
        let free = &mut self.free[plan.graph.processor(of.host, cpu)];
        let start = now.max(*free);
        *free = start.saturating_add(span);
        start
    }
}

impl Workload {
    /// The groups of a graph, each with its start.
    pub(super) fn enter_graph(
        &mut self,
        network: &mut Network,
        traffic: &TrafficPlan,
        plan: &GraphPlan,
        entry: u32,
    ) {
        let operations = plan.graph.operations().len();
        for group in 0..plan.groups() {
            let of = (entry, group as u64);
            let at = Time::ZERO + traffic.start.draw(&mut self.stream(of, "start"));
            let running = Running {
                traffic: entry,
                group,
                missing: vec![0; operations],
                times: vec![(Time::NEVER, Time::NEVER); operations],
                free: vec![Time::ZERO; plan.graph.processors()],
                ready: Vec::new(),
                left: 0,
                repetitions: Vec::new(),
                next: at,
            };
            self.process(network, at, entry, Process::Graph(Box::new(running)));
        }
    }

    /// What the groups of graphs have done, in the order of entries.
    pub fn graphs(&self) -> impl Iterator<Item = GraphRow<'_>> {
        self.processes.iter().filter_map(|process| match process {
            Process::Graph(running) => Some(GraphRow {
                traffic: running.traffic,
                group: running.group,
                repetitions: &running.repetitions,
                operations: &running.times,
            }),
            Process::Poisson(_) | Process::Shuffle(_) | Process::Incast(_) => None,
        })
    }

    /// A group and its plan.
    fn graph<'a>(&mut self, plan: &'a Plan, process: u32) -> (&mut Running, &'a GraphPlan) {
        let Process::Graph(running) = &mut self.processes[process as usize] else {
            unreachable!("the process of a graph")
        };
        let graph = plan.traffic[running.traffic as usize].graph.as_deref();
        (running, graph.expect("a graph has its plan"))
    }

    /// The operations of a group that are ready start, in the order of their numbers; the first ones if a repetition
    /// begins.
    pub(super) fn on_ready(&mut self, plan: &Plan, network: &mut Network, process: u32) {
        let now = network.now();
        let (running, graph) = self.graph(plan, process);
        if now >= running.next {
            running.begin(graph, now);
        }
        let mut ready = std::mem::take(&mut running.ready);
        while !ready.is_empty() {
            ready.sort_unstable();
            for operation in ready.drain(..) {
                let (running, graph) = self.graph(plan, process);
                let start = running.turn(graph, operation, now);
                if start > now {
                    network.wake(start, Event::Compute(process, operation));
                } else {
                    self.start(plan, network, (process, operation));
                }
            }
            // Those that have waited for the start of these.
            std::mem::swap(&mut ready, &mut self.graph(plan, process).0.ready);
        }
        self.graph(plan, process).0.ready = ready;
    }

    fn start(&mut self, plan: &Plan, network: &mut Network, (process, operation): (u32, u32)) {
        let now = network.now();
        let (running, graph) = self.graph(plan, process);
        running.times[operation as usize].0 = now;
        running.reach(graph, operation, Milestone::Start);
        let (entry, group) = (running.traffic, running.group);
        let of = graph.graph.operations()[operation as usize];
        match of.act {
            Act::Compute { span, .. } => {
                network.wake(now.saturating_add(span), Event::Compute(process, operation));
            }
            Act::Send { to, bytes } => {
                let pair = (graph.host(group, of.host), graph.host(group, to));
                let traffic = &plan.traffic[entry as usize];
                let id = self.transfer(network, traffic, entry, Some(pair));
                self.own(id, Owner { process, operation, delivered: false });
                self.flows[id.index()].offer(network, id, bytes, true);
            }
        }
    }

    /// A computation starts, or is over.
    pub fn on_compute(&mut self, plan: &Plan, network: &mut Network, which: (u32, u32)) {
        let (process, operation) = which;
        let (running, _) = self.graph(plan, process);
        if running.times[operation as usize].0 == Time::NEVER {
            let none = running.ready.is_empty();
            self.start(plan, network, which);
            if none && self.graph(plan, process).0.ready() > 0 {
                let now = network.now();
                network.wake(now, Event::Transfer(process));
            }
        } else {
            network.file_delivered();
            self.on_end(plan, network, which);
        }
    }

    /// All data of a flow of a graph are there.
    pub fn on_delivered(&mut self, plan: &Plan, network: &mut Network, id: FlowId) {
        let Some(owner) = &mut self.owners[id.index()] else { return };
        owner.delivered = true;
        let which = (owner.process, owner.operation);
        self.on_end(plan, network, which);
    }

    /// All data of a flow of a graph are acknowledged.
    pub(super) fn on_acknowledged(&mut self, plan: &Plan, network: &mut Network, owner: Owner) {
        let Owner { process, operation, delivered } = owner;
        if !delivered {
            self.on_end(plan, network, (process, operation));
        }
        let (running, graph) = self.graph(plan, process);
        if running.reach(graph, operation, Milestone::Known) {
            let now = network.now();
            network.wake(now, Event::Transfer(process));
        }
    }

    /// An operation is over; the next repetition begins after the last.
    fn on_end(&mut self, plan: &Plan, network: &mut Network, (process, operation): (u32, u32)) {
        let now = network.now();
        let (running, graph) = self.graph(plan, process);
        running.times[operation as usize].1 = now;
        running.left -= 1;
        if running.reach(graph, operation, Milestone::End) {
            network.wake(now, Event::Transfer(process));
        }
        if running.left > 0 {
            return;
        }
        let entry = running.traffic;
        running.repetitions.last_mut().expect("one has begun").1 = now;
        if running.repetitions.len() < graph.repeat as usize {
            running.next = now.saturating_add(graph.pause);
            network.wake(running.next, Event::Transfer(process));
        } else {
            self.open[entry as usize] -= 1;
        }
    }
}
