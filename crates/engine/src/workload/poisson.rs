//! Flows that exist from the start, and transfers at the instants of a Poisson process, or of a list.

use plan::{Plan, TrafficPlan};
use traffic::{Bulk, Generator, Source, Transfers};
use units::{Bytes, NodeId, Span, Time};
use wire::event::Event;

use crate::host::Application;
use crate::network::Network;
use crate::workload::{Process, Workload, default_write};

/// Opens a connection for each file.
#[derive(Debug, Clone)]
pub(super) struct Poisson {
    traffic: u32,
    /// From one host to another; `None` for new partners each time.
    pair: Option<(NodeId, NodeId)>,
    application: Application,
    /// Whether there has been a transfer.
    begun: bool,
}

impl Poisson {
    /// From now on other transfers are drawn; the time to the next one, unless it stays.
    pub(super) fn branch(&mut self, key: u64) -> Option<Span> {
        if self.begun { self.application.branch(key) } else { None }
    }
}

/// The position of a flow among those of its sender that share its slots, and their number.
pub(super) type Share = (u64, u64);

impl Workload {
    /// Sets up flow (or process) `index` of an entry.
    pub(super) fn begin(
        &mut self,
        network: &mut Network,
        traffic: &TrafficPlan,
        (pair, share): (Option<(NodeId, NodeId)>, Option<Share>),
        of: (u32, u64),
    ) {
        self.under_way(network, traffic, pair, of);
        let shared = pair.zip(share);
        // Shared values are drawn from equal streams.
        let stream = |what: &str| match shared {
            Some(((from, _), _)) => {
                self.seed.stream(&format!("traffic/{}/sender/{}/{what}", of.0, from.0))
            }
            None => self.stream(of, what),
        };
        let start = Time::ZERO + traffic.start.draw(&mut stream("start"));
        let pair_of = usize::try_from(of.1 / u64::from(traffic.count)).unwrap_or(usize::MAX);
        let mut generator = Generator::new(&traffic.source_of(pair_of), default_write(traffic));
        if let Some((_, (which, of))) = shared {
            generator = generator.sharing(which, of);
        }
        if let Some(stop) = traffic.stop {
            generator = generator.stopping_after((Time::ZERO + stop).since(start));
        }
        let Some((application, after)) = Application::new(generator, stream("arrivals")) else {
            return;
        };
        let at = start.saturating_add(after);
        if traffic.source.starts_flows() {
            let process = Poisson { traffic: of.0, pair, application, begun: false };
            self.process(network, at, of.0, Process::Poisson(process));
        } else {
            let pair = pair.expect("only transfers have random partners");
            let id = self.create(network, traffic, of.0, pair);
            if !network.is_here(pair.0) {
                return;
            }
            self.flows[id.index()].run(network, id, at, application);
        }
    }

    /// The transfers of a process that are in progress when it starts: each has its own start, and
    /// sends its remaining data. They have their own streams, so that they do not shift others.
    fn under_way(
        &mut self,
        network: &mut Network,
        traffic: &TrafficPlan,
        pair: Option<(NodeId, NodeId)>,
        of: (u32, u64),
    ) {
        let Some(Transfers { size, .. }) = traffic.source.transfers() else { return };
        let mut starts = self.stream(of, "under-way/start");
        let mut sizes = self.stream(of, "under-way/size");
        for _ in 0..traffic.source.under_way() {
            let at = Time::ZERO + traffic.start.draw(&mut starts);
            let left = Bulk { size: Some(Bytes(size.residual(&mut sizes))) };
            let generator = Generator::new(&Source::Bulk(left), default_write(traffic));
            // A file needs no draws.
            let Some((application, _)) = Application::new(generator, sizes.clone()) else { return };
            let id = self.transfer(network, traffic, of.0, pair);
            if network.is_here(self.flows[id.index()].from) {
                self.flows[id.index()].run(network, id, at, application);
            }
        }
    }

    /// A process starts the next of its transfers.
    pub(super) fn on_arrival(&mut self, plan: &Plan, network: &mut Network, process: u32) {
        let Process::Poisson(poisson) = &mut self.processes[process as usize] else { return };
        let Poisson { traffic: entry, pair, application, begun } = poisson;
        *begun = true;
        let (entry, pair) = (*entry, *pair);
        let (bytes, more) = application.offer();
        if let Some(after) = more {
            let at = network.now().saturating_add(after);
            network.wake(at, Event::Transfer(process));
        } else {
            self.open[entry as usize] -= 1;
        }
        let id = self.transfer(network, &plan.traffic[entry as usize], entry, pair);
        if network.is_here(self.flows[id.index()].from) {
            self.flows[id.index()].offer(network, id, bytes, true);
        }
    }
}
