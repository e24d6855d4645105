//! What an entry of traffic says about its flows and packets.

use plan::{Between, Plan, TrafficPlan, TransportPlan};
use traffic::{Form, OfGraph, Size, Start, StartLaw, Transfers};
use transport::Config;
use transport::tcp::{congestion, recovery};
use units::{Bytes, NodeId, Span};

use crate::offered::hosts;

/// Of the pairs of a random pattern, how many are looked at.
const PAIRS: usize = 100_000;

/// Flows of a list start in this part of a run at least.
const AT_ONCE: f64 = 1e3;

/// What senders keep of each packet that is under way.
#[derive(Clone, Copy)]
pub(super) enum Keeps {
    Nothing,
    /// What RACK needs.
    Segments,
    /// What a message transport needs.
    Messages,
}

/// A pair of hosts, with its share of an entry or of a part of it.
pub(super) type Ends = (NodeId, NodeId, f64);

/// By node, the router behind a host; any other node is its own.
pub(super) fn routers(plan: &Plan) -> Vec<NodeId> {
    let mut routers: Vec<NodeId> = (0..plan.graph.nodes.len()).map(NodeId::at).collect();
    for link in plan.graph.links.iter().filter(|link| !plan.graph.forwards(link.from)) {
        routers[link.from.index()] = link.to;
    }
    routers
}

/// The parts of an entry, each with its pairs of hosts: that which stays at the routers where it begins, and the rest.
/// `routers` are those of all hosts.
pub(super) fn parts(entry: &TrafficPlan, routers: &[NodeId]) -> Vec<(f64, Vec<Ends>)> {
    let (near, far): (Vec<Ends>, Vec<Ends>) = pairs(entry)
        .into_iter()
        .partition(|ends| routers[ends.0.index()] == routers[ends.1.index()]);
    let of = |pairs: &[Ends]| pairs.iter().map(|pair| pair.2).sum::<f64>();
    if near.is_empty() || far.is_empty() {
        return vec![(1.0, if far.is_empty() { near } else { far })];
    }
    let parts = [near, far].into_iter().map(|mut pairs| {
        let part = of(&pairs);
        for pair in &mut pairs {
            pair.2 /= part;
        }
        (part, pairs)
    });
    parts.collect()
}

/// Pairs of hosts of an entry, each with its share.
fn pairs(entry: &TrafficPlan) -> Vec<Ends> {
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
pub(super) fn weight(entry: &TrafficPlan) -> f64 {
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

/// Of the flows of a part of an entry: those that are there from the start, the most at once, how many start in a second, the
/// most that end, and the bits of each.
pub(super) fn numbers(plan: &Plan, entry: &TrafficPlan, part: f64) -> [f64; 5] {
    let [first, most, starts, limit, size] = numbers_of_all(plan, entry);
    [first * part, most * part, starts * part, limit * part, size]
}

/// The same of all parts of an entry.
fn numbers_of_all(plan: &Plan, entry: &TrafficPlan) -> [f64; 5] {
    let never = f64::INFINITY;
    let (from, to) = match &entry.between {
        Between::Pairs(pairs) => (pairs.len() as u64, 1),
        Between::Random { from, to } => (from.len() as u64, to.len() as u64),
        Between::Any { from, to } => (from.len() as u64, to.len() as u64),
    };
    let flows = match &entry.between {
        Between::Pairs(_) => from as f64 * f64::from(entry.count),
        Between::Random { .. } | Between::Any { .. } => f64::from(entry.count),
    };
    match entry.source.form() {
        Form::Transfers(Transfers { per_second, limit, size, .. }) => {
            let starts = per_second * weight(entry);
            let limit = limit.map_or(never, |limit| limit as f64 * flows);
            let first = flows * f64::from(entry.source.under_way());
            [first, first, starts, limit, size.mean() * 8.0]
        }
        Form::List(flows) => {
            let bits: f64 = entry.weights.iter().sum::<f64>() * 8.0;
            let count = flows.len() as f64;
            let last = flows.iter().map(|flow| flow.start).max().unwrap_or_default();
            let seconds = plan.duration.as_secs_f64();
            let seconds = last.as_secs_f64().clamp(seconds / AT_ONCE, seconds);
            [0.0, 0.0, count / seconds, count, bits / count.max(1.0)]
        }
        Form::Graph(of) => {
            let Some(graph) = &entry.graph else { return [0.0; 5] };
            let groups = graph.groups() as f64;
            let sends = graph.graph.sends().count() as f64 * groups;
            let at_once = match of {
                OfGraph::Collective(_) => sends.min(2.0 * graph.hosts.len() as f64),
                OfGraph::Listed(_) => sends,
            };
            let bits: f64 = graph.graph.sends().map(|(_, _, bytes)| bytes as f64 * 8.0).sum();
            let size = bits * groups / sends.max(1.0);
            [0.0, at_once, 0.0, sends * f64::from(graph.repeat), size]
        }
        Form::ClosedLoop(of) => {
            let (hosts, partners) = if of.is_of_receivers() { (to, from) } else { (from, to) };
            let [at_once, ended] = of.blocks(partners).map(|each| hosts as f64 * each as f64);
            [0.0, at_once, 0.0, ended, of.block().as_f64() * 8.0]
        }
        Form::File(size) => {
            [flows, flows, 0.0, 0.0, size.map_or(never, |size| size.as_f64() * 8.0)]
        }
        Form::Stream => [flows, flows, 0.0, 0.0, never],
    }
}

/// The packets that a flow sends before any answer, and the most that it has under way.
pub(super) fn windows(
    entry: &TrafficPlan,
    (wire, data): (f64, f64),
    (capacity, slowest): (f64, f64),
    there_and_back: f64,
    loss: f64,
) -> (f64, f64) {
    match &entry.transport {
        TransportPlan::Udp { .. } => (0.0, f64::INFINITY),
        TransportPlan::StopAndWait(_) => (1.0, 1.0),
        TransportPlan::Tcp(config) => {
            let path = if follows_path(config) {
                3.0 * capacity * there_and_back / wire
            } else {
                f64::INFINITY
            };
            let most = config.max_window.0.min(config.receive_window.0) as f64 * 8.0 / data;
            let most = most.min(path.max(4.0));
            let first = (config.initial_window.0 as f64 * 8.0 / data).min(most);
            // Mathis, Semke, Mahdavi and Ott 1997: a loss halves the window, on average when it has grown to that.
            let most = most.min((8.0 / (3.0 * loss)).sqrt().max(first));
            // A window that leaps is sent at once, others grow with what is delivered.
            (if config.recovery.leaps() { most } else { first }, most.max(1.0))
        }
        TransportPlan::Message(options) => {
            // By the rate of a channel of the slowest link, before it knows of others.
            let there_and_back = options.base_rtt.map_or(there_and_back, Span::as_secs_f64);
            let window = 1.5 * slowest * there_and_back / wire + 1.0;
            (window, window)
        }
    }
}

/// Whether a window follows the product of bandwidth and delay, not the queue.
pub(super) fn follows_path(config: &Config) -> bool {
    matches!(config.congestion, congestion::Options::Bbr1(_) | congestion::Options::Bbr3(_))
}

/// The packets of a window from which on it grows more slowly, before any loss, and whether marks hold it.
pub(super) fn threshold(entry: &TrafficPlan, data: f64) -> (f64, bool) {
    match &entry.transport {
        TransportPlan::Tcp(config) => (config.initial_ssthresh.0 as f64 * 8.0 / data, config.ecn),
        _ => (f64::INFINITY, false),
    }
}

/// What the senders of an entry keep of each packet that is under way.
pub(super) fn keeps(entry: &TrafficPlan) -> Keeps {
    match &entry.transport {
        TransportPlan::Tcp(config) if matches!(config.recovery, recovery::Options::Rack(_)) => {
            Keeps::Segments
        }
        TransportPlan::Message(_) => Keeps::Messages,
        TransportPlan::Tcp(_) | TransportPlan::StopAndWait(_) | TransportPlan::Udp { .. } => {
            Keeps::Nothing
        }
    }
}

/// When the first and the last flows of an entry start, and when it stops, in seconds.
pub(super) fn times(entry: &TrafficPlan) -> (f64, f64, f64) {
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

/// The whole bytes of `bits`.
pub(super) fn octets(bits: f64) -> Bytes {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    Bytes((bits / 8.0) as u64)
}

/// The events of a packet that arrives over `hops` links, with its answer but without that of its source, and of a flow in
/// addition: with its handshake, and after it.
pub(super) fn events(entry: &TrafficPlan, hops: f64) -> [f64; 3] {
    let opening = if has_handshake(entry) { 2.0 * hops + 1.0 } else { 0.0 };
    match &entry.transport {
        TransportPlan::Udp { .. } => [hops, opening, 0.0],
        // Packets that find a link busy share some of their events.
        TransportPlan::Tcp(config) => {
            [(0.85 + 1.0 / f64::from(config.ack_every)) * hops + 0.25, opening, 1.9 * hops]
        }
        TransportPlan::StopAndWait(_) | TransportPlan::Message(_) => {
            [2.0 * hops + 1.0, opening, 1.0]
        }
    }
}

/// The rate at which an entry sends if nothing holds it, in b/s of packets on the wire; infinite if its source has none. A
/// packet has `data` and `header` bits, a flow `size` bits of data.
pub(super) fn offered(entry: &TrafficPlan, (data, header): (f64, f64), size: f64) -> f64 {
    let headers = if entry.source.transfers().is_some() {
        // One without data, and one with data however small they are.
        header * ((size / data).max(1.0) + 1.0) / size
    } else {
        header / data
    };
    let rate = entry.source.mean_rate().map(|rate| rate * weight(entry) * (1.0 + headers));
    rate.unwrap_or(f64::INFINITY)
}

/// The sizes of the flows of an entry that start one by one.
pub(super) fn sizes(entry: &TrafficPlan) -> Option<Size> {
    entry.source.transfers().map(|of| of.size.clone())
}

/// Whether the first packet of a flow, and its answer, have no data.
pub(super) fn has_handshake(entry: &TrafficPlan) -> bool {
    match &entry.transport {
        TransportPlan::Tcp(_) => true,
        TransportPlan::StopAndWait(options) => options.handshake,
        TransportPlan::Message(_) | TransportPlan::Udp { .. } => false,
    }
}

/// When the first packet of a flow is sent again if it is not answered, in seconds.
pub(super) fn again(entry: &TrafficPlan) -> f64 {
    match &entry.transport {
        TransportPlan::Tcp(config) => config.initial_rto.as_secs_f64(),
        TransportPlan::StopAndWait(options) => options.initial_rto.as_secs_f64(),
        TransportPlan::Message(_) => timeout(entry),
        TransportPlan::Udp { .. } => f64::INFINITY,
    }
}

/// The packets that a flow sends in a second if a share `loss` of them is lost, by the formula of Padhye, Firoiu, Towsley and
/// Kurose 1998. There all that follows a lost packet in its round trip is lost too, so that of the losses in windows of w
/// packets a share 3 / w ends in a timeout. Losses are independent here: with selective acknowledgments that happens only
/// where a window has fewer than four packets, which is as rare as the square of it, or where the packet is lost again.
pub(super) fn with_losses(loss: f64, there_and_back: f64, entry: &TrafficPlan) -> f64 {
    let loss = loss.min(1.0);
    let has_sack =
        matches!(&entry.transport, TransportPlan::Tcp(config) if config.recovery.has_sack());
    let small = 3.0 * (3.0 * loss / 8.0).sqrt();
    let timed_out = if has_sack { small * small + loss } else { small }.min(1.0);
    let timeouts = timed_out * loss * (1.0 + 32.0 * loss * loss);
    let timeout = timeout(entry).max(2.0 * there_and_back);
    1.0 / (there_and_back * (2.0 * loss / 3.0).sqrt() + timeout * timeouts)
}

/// The bits of a packet of an entry: of its data, and of its headers.
pub(super) fn packet_bits(entry: &TrafficPlan) -> (f64, f64) {
    let (octets, header) = match &entry.transport {
        TransportPlan::Tcp(config) => (config.segment.0 as f64, config.header.0 as f64),
        TransportPlan::StopAndWait(options) => (options.packet.0 as f64, options.header.0 as f64),
        TransportPlan::Message(options) => (options.packet.0 as f64, options.header.0 as f64),
        TransportPlan::Udp { header } => (written(entry).unwrap_or(512.0), f64::from(*header)),
    };
    (octets.clamp(1.0, 65_535.0) * 8.0, header * 8.0)
}

/// The bits on the wire of a packet without data.
pub(super) fn without_data(entry: &TrafficPlan) -> f64 {
    match &entry.transport {
        TransportPlan::StopAndWait(options) => options.control.0 as f64 * 8.0,
        _ => packet_bits(entry).1,
    }
}

/// The octets that a source gives at once, where it gives some again and again.
pub(super) fn written(entry: &TrafficPlan) -> Option<f64> {
    entry.source.facts().packet.map(|packet| packet.mean())
}
