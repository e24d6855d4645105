//! The course of a run, as far as its memory depends on it: how long its budget of events lasts, which flows exist at once
//! and how many end, and how many packets are under way.
//!
//! Traffic is a fluid: each entry has a rate, which divides among links as `offered` says. What comes to a link beyond its
//! rate fills its queue.

use network::plan::{Between, Plan, TrafficPlan, TransportPlan};
use network::routing::Routing;
use network::spec::{Change, LossSpec, NodeKind, QueueSpec};
use network::topology::OneWayLink;
use traffic::{Source, Start, StartLaw};
use transport::tcp::{congestion, recovery};
use units::{NodeId, Span};

use crate::offered::{Offered, hosts};

/// Of the pairs of a random pattern, how many are looked at.
const PAIRS: usize = 100_000;
/// Rounds in which what links let through is passed on to the next ones.
const ROUNDS: usize = 8;
/// Packets without data that take as long as one with data.
const SYNS: f64 = 30.0;
/// Steps in which the flows of an entry start whose starts are drawn.
const STEPS: u32 = 16;

/// What one entry of traffic does.
pub(super) struct Flows {
    /// Flows that exist at once.
    pub(super) at_once: f64,
    /// Flows that end.
    pub(super) ended: f64,
}

/// The course of a run.
pub(super) struct Course {
    /// How long it lasts, in seconds.
    pub(super) seconds: f64,
    /// By entry.
    pub(super) flows: Vec<Flows>,
    /// The most packets in the network.
    pub(super) packets: f64,
    /// Those of them, lost ones included, of which a sender of TCP with RACK keeps an account.
    pub(super) kept: f64,
    /// Packets that sources give to the network in all, and their bytes.
    pub(super) sent: f64,
    pub(super) sent_bytes: f64,
}

/// An entry of traffic, as a fluid.
struct Fluid {
    /// Its share of each link.
    shares: Vec<f64>,
    /// The bits of a packet on the wire, and of its data.
    wire: f64,
    data: f64,
    /// The bits of data of a flow; infinite if it does not end.
    size: f64,
    /// Flows that are there from the start, those that may be at once, and flows that start in a second.
    first: f64,
    most: f64,
    starts: f64,
    /// The limit of the flows that end.
    limit: f64,
    /// The rate at which it sends data if nothing holds it, in b/s of packets on the wire.
    offered: f64,
    /// The rate at which they arrive.
    carried: f64,
    /// Packets that a flow sends before any answer, and may have under way.
    burst: f64,
    window: f64,
    /// Whether it waits for answers.
    is_answered: bool,
    /// Whether a flow sends its first window in one event: without a handshake, from an edge, which has no interface.
    leaps: bool,
    /// How long a flow is silent before its first data.
    handshake: f64,
    /// Events for a packet that arrives, and for a flow in addition.
    per_packet: f64,
    per_flow: f64,
    /// When its first and last flows start, when it stops, and for how long it is active, in seconds.
    start: f64,
    last: f64,
    stop: f64,
    seconds: f64,
    /// The share of its flows that have started.
    begun: f64,
    /// What its flows send if links do not hold them, in b/s.
    free: f64,
    /// Whether its senders keep an account of each packet.
    keeps: bool,
}

impl Course {
    /// The course of a plan.
    pub(super) fn of(plan: &Plan) -> Self {
        let routing = Routing::new(&plan.graph, plan.metric, 0);
        let links = &plan.graph.links;
        let rates: Vec<f64> = links.iter().map(rate).collect();
        let mut fluids: Vec<Fluid> =
            plan.traffic.iter().map(|entry| Fluid::new(plan, entry, &routing, &rates)).collect();
        share(&mut fluids, &rates);
        let seconds = spend(plan, &mut fluids, &rates);
        let most = plan.max_events as f64;
        let flows = fluids.iter().map(|fluid| fluid.flows(most)).collect();
        let sent = fluids.iter().map(|fluid| (fluid.wanted() * fluid.seconds).min(most));
        let sent = sent.sum();
        let bytes =
            fluids.iter().map(|fluid| fluid.wanted() * fluid.seconds * fluid.wire / 8.0).sum();
        let (packets, kept) = packets(plan, &fluids, &rates);
        let limit = 2.0 * most + fluids.iter().map(Fluid::at_start).sum::<f64>();
        Self {
            seconds,
            flows,
            packets: packets.min(limit),
            kept: kept.min(limit),
            sent,
            sent_bytes: bytes,
        }
    }
}

/// The seconds for which the budget of events lasts; each entry is told how many of them it is active.
fn spend(plan: &Plan, fluids: &mut [Fluid], rates: &[f64]) -> f64 {
    let end = plan.duration.as_secs_f64();
    let mut now_rates = rates.to_vec();
    let mut changes: Vec<_> = plan.changes.iter().collect();
    changes.sort_by_key(|change| change.0);
    let mut instants: Vec<f64> = changes.iter().map(|change| change.0.as_secs_f64()).collect();
    for fluid in fluids.iter() {
        let step = (fluid.last - fluid.start) / f64::from(STEPS);
        instants.extend((0..=STEPS).map(|at| fluid.start + f64::from(at) * step));
        instants.push(fluid.stop);
    }
    instants.extend([0.0, end]);
    instants.retain(|&at| at <= end);
    instants.sort_by(f64::total_cmp);
    instants.dedup();
    let (mut left, mut changes) = (plan.max_events as f64, changes.into_iter().peekable());
    for span in instants.windows(2) {
        let (from, to) = (span[0], span[1]);
        while let Some((_, link, change)) = changes.next_if(|change| change.0.as_secs_f64() <= from)
        {
            let at = link.index();
            now_rates[at] = match change {
                Change::Down => 0.0,
                Change::Up => rates[at],
                Change::Rate { rate } => rate.as_f64(),
            };
        }
        let begin = |fluid: &Fluid| {
            (fluid.share_begun(to) - fluid.share_begun(from)) * fluid.first_events()
        };
        left -= fluids.iter().map(begin).sum::<f64>();
        let active = |fluid: &Fluid| fluid.start <= from && from < fluid.stop;
        let events = fluids.iter().filter(|fluid| active(fluid));
        let events: f64 = events.map(|fluid| fluid.events(&now_rates, fluid.share_begun(to))).sum();
        let lasts = (left / events.max(1e-300)).max(0.0).min(to - from);
        for fluid in fluids.iter_mut().filter(|fluid| active(fluid)) {
            fluid.seconds += lasts;
            fluid.begun = fluid.share_begun(to);
        }
        left -= events * lasts;
        if lasts < to - from {
            return from + lasts;
        }
    }
    end
}

impl Fluid {
    fn new(plan: &Plan, entry: &TrafficPlan, routing: &Routing, rates: &[f64]) -> Self {
        let links = &plan.graph.links;
        let ends = pairs(entry);
        let shares = Offered::of_pairs(plan, routing, &ends).links;
        let way: Vec<(usize, f64)> = way(&shares).collect();
        let hops: f64 = shares.iter().sum::<f64>().max(1.0);
        let (data, header) = packet_bits(entry);
        let wire = data + header;
        let capacity = narrowest(way.iter().copied(), rates);
        let time = |&(at, share): &(usize, f64)| -> f64 {
            share * (links[at].delay.as_secs_f64() + wire / rates[at])
        };
        let one_way: f64 = way.iter().map(time).sum();
        let [first, most, starts, limit, size] = numbers(plan, entry);
        let slowest = way.iter().map(|&(at, _)| rates[at]).fold(f64::INFINITY, f64::min);
        let (burst, window) = windows(entry, wire, data, (capacity, slowest), 2.0 * one_way);
        let is_answered = !matches!(entry.transport, TransportPlan::Udp { .. });
        let loss: f64 = shares.iter().zip(links).map(|(share, link)| share * loss(link)).sum();
        let given = entry.source.mean_rate().map(|rate| rate * weight(entry) * wire / data);
        let offered = given.unwrap_or(f64::INFINITY);
        let there_and_back = 2.0 * one_way;
        let (mut carried, mut free) = (capacity.min(offered), offered);
        if is_answered && starts == 0.0 {
            let of_flow =
                (window / there_and_back).min(with_losses(loss, there_and_back, timeout(entry)));
            free = most * of_flow * wire;
            carried = carried.min(free);
        }
        let (start, last, stop) = times(entry);
        let forwards = |node: NodeId| plan.graph.nodes[node.index()].kind.forwards();
        let from_edges = ends.iter().any(|(from, ..)| forwards(*from));
        let leaps = from_edges && matches!(entry.transport, TransportPlan::Message(_));
        let (per_packet, per_flow) = match &entry.transport {
            TransportPlan::Udp { .. } => (hops + 1.0, 0.0),
            TransportPlan::Tcp(_) => (1.35 * hops + 0.25, 3.9 * hops + 1.0),
            TransportPlan::StopAndWait(_) | TransportPlan::Message(_) => (2.0 * hops + 1.0, 1.0),
        };
        Self {
            shares,
            wire,
            data,
            size,
            first,
            most,
            starts,
            limit,
            offered,
            carried,
            burst,
            window,
            is_answered,
            leaps,
            handshake: if matches!(entry.transport, TransportPlan::Tcp(_)) {
                there_and_back
            } else {
                0.0
            },
            per_packet,
            per_flow,
            start,
            last,
            stop,
            seconds: 0.0,
            begun: 0.0,
            free,
            keeps: keeps(entry),
        }
    }

    /// The events with which its flows start: each has one, and its first packets where they do not leap.
    fn first_events(&self) -> f64 {
        let packets = if self.leaps || !self.is_answered { 0.0 } else { self.first_packets() };
        self.most * (1.0 + packets)
    }

    /// The packets of a flow's first window.
    fn first_packets(&self) -> f64 {
        self.burst.min((self.size / self.data).max(1.0))
    }

    /// The packets that all flows give to their edges when they start, in one event each.
    fn at_start(&self) -> f64 {
        if self.leaps { self.most * self.begun * self.first_packets() } else { 0.0 }
    }

    /// The share of its flows that have started at an instant.
    fn share_begun(&self, at: f64) -> f64 {
        if at <= self.start {
            0.0
        } else if at >= self.last {
            1.0
        } else {
            (at - self.start) / (self.last - self.start)
        }
    }

    /// The events in a second, if links have these rates and this share of its flows has started.
    fn events(&self, rates: &[f64], begun: f64) -> f64 {
        let carried = narrowest(way(&self.shares), rates).min(self.carried).min(self.free * begun);
        let packets = carried / self.wire;
        if self.starts > 0.0 {
            // Flows for which there is no room start all the same, and some of their packets are dropped.
            let ended = (carried * self.data / self.wire / self.size).min(self.starts);
            return packets * self.per_packet + ended * self.per_flow + 2.0 * (self.starts - ended);
        }
        let lost = (self.wanted() * begun - packets).max(0.0);
        packets * (self.per_packet + self.per_flow * self.data / self.size) + lost
    }

    /// The packets that its source offers in a second; none if it offers all at once.
    fn wanted(&self) -> f64 {
        if self.offered.is_finite() && self.starts == 0.0 {
            self.offered / self.wire
        } else {
            self.carried / self.wire
        }
    }

    fn flows(&self, events: f64) -> Flows {
        let packets = (self.size / self.data).max(1.0);
        let at_most = events / (packets * self.per_packet + self.per_flow).max(1.0);
        let done = self.carried * self.data / self.wire / self.size * self.seconds;
        let ended = done.min(self.limit).min(at_most);
        if self.starts == 0.0 {
            // A flow that starts later takes an event at least.
            let later = if self.limit > 0.0 { events } else { f64::INFINITY };
            return Flows { at_once: self.most.min(later).max(self.first), ended };
        }
        let begun = (self.starts * self.seconds).min(self.limit).min(events);
        let ended = ended.min(begun);
        Flows { at_once: self.first + begun - ended, ended }
    }
}

/// The links that have a share, each with it.
fn way(shares: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    shares.iter().copied().enumerate().filter(|&(_, share)| share > 0.0)
}

/// The rate that the narrowest of some links with shares lets through.
fn narrowest(way: impl Iterator<Item = (usize, f64)>, rates: &[f64]) -> f64 {
    way.map(|(at, share)| rates[at] / share).fold(f64::INFINITY, f64::min)
}

/// Lets entries that want more of a link than there is share it.
fn share(fluids: &mut [Fluid], rates: &[f64]) {
    let load = |fluids: &[Fluid], link: usize| -> f64 {
        fluids.iter().map(|fluid| fluid.carried * fluid.shares[link]).sum()
    };
    let over: Vec<f64> =
        (0..rates.len()).map(|link| (load(fluids, link) / rates[link]).max(1.0)).collect();
    for fluid in fluids {
        fluid.carried /= way(&fluid.shares).map(|(at, _)| over[at]).fold(1.0, f64::max);
    }
}

/// The most packets in the network.
fn packets(plan: &Plan, fluids: &[Fluid], rates: &[f64]) -> (f64, f64) {
    let links = &plan.graph.links;
    let mut waiting = vec![0.0; links.len()];
    let (mut flying, mut kept) = (0.0, 0.0);
    let seconds = fluids.iter().map(|fluid| fluid.seconds).fold(0.0, f64::max);
    let unanswered: Vec<&Fluid> = fluids.iter().filter(|fluid| !fluid.is_answered).collect();
    let come = arrivals(plan, &unanswered, rates);
    for (at, link) in links.iter().enumerate() {
        let load: f64 = unanswered.iter().map(|fluid| fluid.offered * fluid.shares[at]).sum();
        let count: f64 =
            unanswered.iter().map(|fluid| fluid.offered * fluid.shares[at] / fluid.wire).sum();
        if load <= 0.0 {
            continue;
        }
        let bits = load / count;
        let excess = (come[at] - rates[at]).max(0.0) * seconds / bits;
        waiting[at] = excess.min(room(link, bits));
        flying += come[at].min(rates[at]) / bits * link.delay.as_secs_f64().min(seconds);
    }
    for fluid in fluids.iter().filter(|fluid| fluid.is_answered) {
        let flows = fluid.flows(plan.max_events as f64).at_once;
        let packets = (fluid.size / fluid.data).max(1.0);
        let arrived = fluid.carried / fluid.wire * fluid.seconds;
        // A handshake goes before the first window of TCP.
        let begun = flows * fluid.begun;
        let open = if fluid.leaps && fluid.starts == 0.0 {
            begun
        } else if fluid.seconds > fluid.handshake {
            begun.min(SYNS * arrived)
        } else {
            0.0
        };
        let first = begun + open * (fluid.burst - 1.0).max(0.0);
        // A window grows by what arrives.
        let grown = (first + arrived).min(flows * fluid.window);
        let wanted =
            grown.min(flows * packets).min(if fluid.offered.is_finite() && fluid.starts == 0.0 {
                fluid.offered / fluid.wire * fluid.seconds
            } else {
                f64::INFINITY
            });
        let narrow = narrowest(way(&fluid.shares), rates) * 1.01;
        let narrowest: Vec<usize> = way(&fluid.shares)
            .filter(|&(at, share)| rates[at] / share <= narrow)
            .map(|(at, _)| at)
            .collect();
        let times: f64 = narrowest.iter().map(|&at| fluid.shares[at]).sum();
        let wires: f64 = way(&fluid.shares)
            .map(|(at, share)| share * fluid.carried / fluid.wire * links[at].delay.as_secs_f64())
            .sum();
        let free: f64 =
            narrowest.iter().map(|&at| (room(&links[at], fluid.wire) - waiting[at]).max(0.0)).sum();
        let free = free / times.max(1.0);
        // The first packets of all flows wait where they begin.
        let queued = (wanted - wires).clamp(0.0, free.max(0.0));
        if free > 0.0 {
            for &at in &narrowest {
                let room = (room(&links[at], fluid.wire) - waiting[at]).max(0.0);
                let share = if room.is_finite() {
                    room / (free * times.max(1.0))
                } else {
                    1.0 / narrowest.len() as f64
                };
                waiting[at] += queued * share;
            }
        }
        flying += wanted.min(wires);
        // Packets that are lost are kept as well, those of the first windows above all.
        let lost = (wanted - queued - wires).clamp(0.0, first);
        kept += if fluid.keeps { queued + wanted.min(wires) + lost } else { 0.0 };
    }
    (flying + waiting.iter().sum::<f64>(), kept)
}

/// What comes to each link, in b/s: what is sent, as far as earlier links let it through.
fn arrivals(plan: &Plan, fluids: &[&Fluid], rates: &[f64]) -> Vec<f64> {
    let links = &plan.graph.links;
    let sent: Vec<f64> = (0..links.len())
        .map(|at| fluids.iter().map(|fluid| fluid.offered * fluid.shares[at]).sum())
        .collect();
    let forwards = |node: NodeId| plan.graph.nodes[node.index()].kind != NodeKind::Host;
    let mut come = sent.clone();
    for _ in 0..ROUNDS {
        let (mut whole, mut through) =
            (vec![0.0; plan.graph.nodes.len()], vec![0.0; plan.graph.nodes.len()]);
        for (at, link) in links.iter().enumerate() {
            whole[link.to.index()] += sent[at];
            through[link.to.index()] += come[at].min(rates[at]);
        }
        for (at, link) in links.iter().enumerate() {
            let node = link.from.index();
            if forwards(link.from) && whole[node] > 0.0 {
                come[at] = sent[at] * through[node] / whole[node];
            }
        }
    }
    come
}

/// Pairs of hosts of an entry, each with its share.
fn pairs(entry: &TrafficPlan) -> Vec<(NodeId, NodeId, f64)> {
    let spread = |from: &[NodeId], to: &[NodeId]| {
        let each = (PAIRS / from.len().max(1)).clamp(1, to.len().max(1));
        let step = to.len() / each;
        let pairs = from.iter().enumerate().flat_map(|(at, &from)| {
            (0..each).map(move |turn| (from, to[(at + 1 + turn * step.max(1)) % to.len()], 1.0))
        });
        pairs.filter(|(from, to, _)| from != to).collect()
    };
    let mut pairs: Vec<_> = match &entry.between {
        Between::Pairs(pairs) => {
            let pairs = pairs.iter().enumerate();
            pairs.map(|(at, &(from, to))| (from, to, entry.weight(at))).collect()
        }
        Between::Random { from, to } => spread(&hosts(from), &hosts(to)),
        Between::Any { from, to } => spread(from, to),
    };
    let all: f64 = pairs.iter().map(|pair| pair.2).sum();
    if all > 0.0 {
        for pair in &mut pairs {
            pair.2 /= all;
        }
    } else {
        pairs.clear();
    }
    pairs
}

/// By how much the rate of a source is that of its entry.
fn weight(entry: &TrafficPlan) -> f64 {
    let count = f64::from(entry.count);
    match &entry.between {
        Between::Pairs(pairs) if entry.source.is_shared_by_flows() => {
            let mut senders: Vec<NodeId> = pairs.iter().map(|pair| pair.0).collect();
            senders.sort_unstable();
            senders.dedup();
            senders.len() as f64
        }
        Between::Pairs(pairs) if entry.weights.is_empty() => pairs.len() as f64 * count,
        Between::Pairs(_) => entry.weights.iter().sum::<f64>() * count,
        Between::Random { .. } | Between::Any { .. } => count,
    }
}

/// Of the flows of an entry: those that are there from the start, the most at once, how many start in a second, the most
/// that end, and the bits of each.
fn numbers(plan: &Plan, entry: &TrafficPlan) -> [f64; 5] {
    let never = f64::INFINITY;
    let (from, to) = match &entry.between {
        Between::Pairs(pairs) => (pairs.len() as f64, 1.0),
        Between::Random { from, to } => (from.len() as f64, to.len() as f64),
        Between::Any { from, to } => (from.len() as f64, to.len() as f64),
    };
    let flows = match &entry.between {
        Between::Pairs(_) => from * f64::from(entry.count),
        Between::Random { .. } | Between::Any { .. } => f64::from(entry.count),
    };
    match &entry.source {
        Source::Transfers { per_second, limit, size, .. } => {
            let starts = per_second * weight(entry);
            let limit = limit.map_or(never, |limit| limit as f64 * flows);
            let first = flows * f64::from(entry.source.under_way());
            [first, first, starts, limit, size.mean() * 8.0]
        }
        Source::Flows { flows, .. } => {
            let bits: f64 = entry.weights.iter().sum::<f64>() * 8.0;
            let count = flows.len() as f64;
            let seconds = plan.duration.as_secs_f64();
            [0.0, 0.0, count / seconds, count, bits / count.max(1.0)]
        }
        source if source.is_graph() => {
            let Some(graph) = &entry.graph else { return [0.0; 5] };
            let groups = graph.groups() as f64;
            let sends = graph.graph.sends().count() as f64 * groups;
            let at_once = match entry.source {
                Source::Collective { .. } => sends.min(2.0 * graph.hosts.len() as f64),
                _ => sends,
            };
            let bits: f64 = graph.graph.sends().map(|(_, _, bytes)| bytes as f64 * 8.0).sum();
            let size = bits * groups / sends.max(1.0);
            [0.0, at_once, 0.0, sends * f64::from(graph.repeat), size]
        }
        Source::Shuffle { block, parallel } => {
            [0.0, from * f64::from(*parallel).min(to), 0.0, from * to, block.as_f64() * 8.0]
        }
        Source::Incast { block, rounds, senders } => {
            let senders = senders.map_or(from, f64::from);
            let ended = to * senders * f64::from(*rounds);
            [0.0, to * senders, 0.0, ended, block.as_f64() * 8.0]
        }
        Source::Bulk { size: Some(size) } => [flows, flows, 0.0, 0.0, size.as_f64() * 8.0],
        _ => [flows, flows, 0.0, 0.0, never],
    }
}

/// The packets that a flow sends before any answer, and the most that it has under way.
fn windows(
    entry: &TrafficPlan,
    wire: f64,
    data: f64,
    (capacity, slowest): (f64, f64),
    there_and_back: f64,
) -> (f64, f64) {
    match &entry.transport {
        TransportPlan::Udp { .. } => (0.0, f64::INFINITY),
        TransportPlan::StopAndWait(_) => (1.0, 1.0),
        TransportPlan::Tcp(config) => {
            // Its window follows the product of bandwidth and delay, not the queue.
            let follows = matches!(
                config.congestion,
                congestion::Options::Bbr1(_) | congestion::Options::Bbr3(_)
            );
            let path = if follows { 3.0 * capacity * there_and_back / wire } else { f64::INFINITY };
            let most = config.max_window.0.min(config.receive_window.0) as f64 * 8.0 / data;
            let most = most.min(path.max(4.0));
            let first = (config.initial_window.0 as f64 * 8.0 / data).min(most);
            // A window that leaps is sent at once, others grow with what is delivered.
            (if config.recovery.leaps() { most } else { first }, most.max(1.0))
        }
        TransportPlan::Message(_) => {
            // By the rate of the slowest link, before it knows of others.
            let window = 1.5 * slowest * there_and_back / wire + 1.0;
            (window, window)
        }
    }
}

/// Whether the senders of an entry keep an account of each packet that is under way.
fn keeps(entry: &TrafficPlan) -> bool {
    match &entry.transport {
        TransportPlan::Tcp(config) => matches!(config.recovery, recovery::Options::Rack(_)),
        TransportPlan::Message(_) => true,
        TransportPlan::StopAndWait(_) | TransportPlan::Udp { .. } => false,
    }
}

/// When the first and the last flows of an entry start, and when it stops, in seconds.
fn times(entry: &TrafficPlan) -> (f64, f64, f64) {
    let (first, last) = match entry.start {
        Start::At(at) => (at, at),
        Start::Drawn(StartLaw::Uniform { from, to }) => (from, to),
    };
    let stop = entry.stop.map_or(f64::INFINITY, Span::as_secs_f64);
    (first.as_secs_f64(), last.as_secs_f64(), stop)
}

/// The least timeout of a transport, in seconds.
fn timeout(entry: &TrafficPlan) -> f64 {
    match &entry.transport {
        TransportPlan::Tcp(config) => config.min_rto.as_secs_f64(),
        TransportPlan::StopAndWait(_) => 0.2,
        TransportPlan::Message(options) => options.min_rto.map_or(1e-3, Span::as_secs_f64),
        TransportPlan::Udp { .. } => 0.0,
    }
}

/// The packets that a flow sends in a second if so many are lost, by the formula of Padhye, Firoiu, Towsley and Kurose 1998.
fn with_losses(loss: f64, there_and_back: f64, timeout: f64) -> f64 {
    let loss = loss.min(1.0);
    let timeouts = (3.0 * (3.0 * loss / 8.0).sqrt()).min(1.0) * loss * (1.0 + 32.0 * loss * loss);
    let timeout = timeout.max(2.0 * there_and_back);
    1.0 / (there_and_back * (2.0 * loss / 3.0).sqrt() + timeout * timeouts)
}

/// The share of packets that a link loses.
fn loss(link: &OneWayLink) -> f64 {
    match link.loss {
        None => 0.0,
        Some(LossSpec::Bernoulli { p, .. }) => p,
        Some(LossSpec::GilbertElliott {
            good_to_bad, bad_to_good, loss_good, loss_bad, ..
        }) => {
            let both = good_to_bad + bad_to_good;
            let bad = if both > 0.0 { good_to_bad / both } else { 0.0 };
            bad * loss_bad + (1.0 - bad) * loss_good
        }
    }
}

/// The bits of a packet of an entry: of its data, and of its headers.
fn packet_bits(entry: &TrafficPlan) -> (f64, f64) {
    let (octets, header) = match (&entry.transport, &entry.source) {
        (TransportPlan::Tcp(config), _) => (config.segment.0 as f64, config.header.0 as f64),
        (TransportPlan::StopAndWait(options), _) => (options.packet.0 as f64, 0.0),
        (TransportPlan::Message(options), _) => (options.packet.0 as f64, options.header.0 as f64),
        (
            TransportPlan::Udp { header },
            Source::Cbr { packet, .. }
            | Source::PoissonPackets { packet, .. }
            | Source::Bernoulli { packet, .. }
            | Source::OnOff { packet, .. },
        ) => (packet.mean(), f64::from(*header)),
        (TransportPlan::Udp { header }, Source::PoissonWrites { write: Some(write), .. }) => {
            (write.as_f64(), f64::from(*header))
        }
        (TransportPlan::Udp { header }, _) => (512.0, f64::from(*header)),
    };
    (octets.clamp(1.0, 65_535.0) * 8.0, header * 8.0)
}

/// The rate at which what waits leaves a link, on all of its channels together, in b/s.
fn rate(link: &OneWayLink) -> f64 {
    let all = link.bits_per_second();
    match link.queue {
        QueueSpec::Shaper { rate, .. } => all.min(rate.as_f64()),
        _ => all,
    }
}

/// The packets of so many bits that the queue of a link holds.
fn room(link: &OneWayLink, bits: f64) -> f64 {
    match link.queue.limits() {
        (Some(packets), _) => f64::from(packets),
        (None, Some(bytes)) => bytes.as_f64() * 8.0 / bits,
        // What waits for a fibre is in assembly queues, which have no limit.
        (None, None) => {
            if link.channels.is_some() {
                f64::INFINITY
            } else {
                0.0
            }
        }
    }
}
