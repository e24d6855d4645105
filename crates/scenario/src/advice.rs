//! Warnings of what limits the results of a whole scenario, which no single key shows: windows and times that are short
//! for the paths of the flows, queues that are short for the windows.

use std::collections::BTreeMap;

use plan::routing::Routing;
use plan::spec::queue::trimming;
use plan::{Between, Plan, TrafficPlan, TransportPlan};
use random::Seed;
use traffic::Form;
use transport::message::window;
use transport::{Config, Limit, Transport};
use units::{Bytes, LinkId, NodeId, Rate, Span};

use crate::assemble;
use crate::mistake::{Flaw, Mistakes};
use crate::schema::{Scenario, TrafficSpec};
use crate::tree::Node;

/// The most flows that are looked at: of more, windows are no limit all together.
const MOST_FLOWS: usize = 10_000;

/// The most routers of a network whose paths are looked for.
const MOST_ROUTERS: usize = 1000;

/// The share of a link's rate that windows have to allow.
const NEARLY: f64 = 0.95;

/// The least round trips in a measured time that says something about rates.
const ROUND_TRIPS: u64 = 10;

/// The way of a packet and of its answer back through an idle network.
struct Way {
    there: Vec<LinkId>,
    /// The round-trip time.
    rtt: Span,
}

impl Way {
    fn new(
        (plan, routing): (&Plan, &Routing),
        (from, to): (NodeId, NodeId),
        [packet, answer]: [Bytes; 2],
    ) -> Option<Self> {
        let path = |from, to| routing.path(&plan.graph, from, to, 0);
        let (there, back) = (path(from, to)?, path(to, from)?);
        let time = |path: &[LinkId], bytes| -> u64 {
            let links = path.iter().map(|link| &plan.graph.links[link.index()]);
            links.map(|link| link.rate.time_to_send(bytes).0 + link.delay.0).sum()
        };
        let rtt = Span(time(&there, packet) + time(&back, answer));
        Some(Self { there, rtt })
    }
}

/// A flow of TCP that has always something to send, or much.
struct Flow<'a> {
    entry: usize,
    config: &'a Config,
    /// How many there are of it.
    count: f64,
    way: Way,
}

impl Flow<'_> {
    fn window(&self) -> Limit {
        self.config.max_window.min(self.config.receive_window)
    }

    /// The rate in b/s that its window allows in an idle network.
    fn rate(&self) -> f64 {
        8.0 * self.window().0 as f64 / self.way.rtt.as_secs_f64()
    }
}

/// Warns of windows that fill no link of a path, and of a measured time of a few round trips.
pub(crate) fn give(scenario: &Scenario, root: &Node, mistakes: &mut Mistakes) {
    // Most scenarios have nothing that is looked at, and need no plan.
    let may_be = |entry: &TrafficSpec| match &entry.transport {
        Transport::Tcp(_) => entry.source.is_endless(),
        Transport::Message(_) => match entry.source.form() {
            Form::File(_) => true,
            Form::ClosedLoop(of) => of.is_of_receivers(),
            Form::Stream | Form::Transfers(_) | Form::List(_) | Form::Graph(_) => false,
        },
        Transport::StopAndWait(_) | Transport::Udp(_) => false,
    };
    if !scenario.traffic.iter().any(may_be) {
        return;
    }
    let mut plan = assemble::plan(scenario, Seed(0));
    let routers = plan.graph.nodes.iter().filter(|node| node.kind.forwards()).count();
    let pairs: usize = plan.traffic.iter().map(looked_at).sum();
    if plan.facts().has_racks() || routers > MOST_ROUTERS || !(1..=MOST_FLOWS).contains(&pairs) {
        return;
    }
    plan.graph.mean_rtts();
    let routing = Routing::new(&plan.graph, plan.metric, 0);
    let flows = flows(&plan, &routing);
    short_windows(&plan, &flows, root, mistakes);
    short_time(&plan, &flows, root, mistakes);
    for at in 0..plan.traffic.len() {
        let key = format!("traffic.{at}.transport.kind");
        if let Some(warning) = short_trimming(&plan, &routing, at, &key) {
            mistakes.warn(root.place_of(&key), warning);
        }
    }
}

/// How many pairs of hosts of an entry are looked at.
fn looked_at(entry: &TrafficPlan) -> usize {
    match (&entry.between, &entry.transport) {
        (Between::Pairs(pairs), TransportPlan::Message(_)) => pairs.len(),
        (Between::Any { from, .. }, TransportPlan::Message(_)) => from.len(),
        _ => endless_pairs(entry).len(),
    }
}

/// The pairs of hosts of flows of TCP without end.
fn endless_pairs(entry: &TrafficPlan) -> &[(NodeId, NodeId)] {
    match (&entry.between, &entry.transport) {
        (Between::Pairs(pairs), TransportPlan::Tcp(_)) if entry.source.is_endless() => pairs,
        _ => &[],
    }
}

fn flows<'a>(plan: &'a Plan, routing: &Routing) -> Vec<Flow<'a>> {
    let mut flows = Vec::new();
    for (entry, traffic) in plan.traffic.iter().enumerate() {
        let TransportPlan::Tcp(config) = &traffic.transport else { continue };
        let sizes = [config.segment + config.header, config.header];
        let ways = endless_pairs(traffic).iter();
        let ways = ways.filter_map(|&pair| Way::new((plan, routing), pair, sizes));
        let count = f64::from(traffic.count);
        flows.extend(ways.map(|way| Flow { entry, config, count, way }));
    }
    flows
}

/// Warns of the first entry of which a flow's window allows less than each link of its path has left beside the
/// windows of the others there.
fn short_windows(plan: &Plan, flows: &[Flow<'_>], root: &Node, mistakes: &mut Mistakes) {
    let mut allowed = vec![0.0; plan.graph.links.len()];
    for flow in flows {
        for link in &flow.way.there {
            allowed[link.index()] += flow.count * flow.rate();
        }
    }
    let rate = |link: &LinkId| match &plan.graph.links[link.index()] {
        link if plan.never_waits(link) => f64::INFINITY,
        link => link.bits_per_second(),
    };
    let fills = |link: &LinkId| allowed[link.index()] >= NEARLY * rate(link);
    // What other traffic sends is not known here; losses may be what limits a flow.
    let loses = |link: &LinkId| plan.graph.links[link.index()].loss.is_some();
    let others = plan.traffic.iter().any(|entry| endless_pairs(entry).is_empty());
    let short = |flow: &&Flow<'_>| {
        flow.window() != Limit::NONE
            && !flow.way.there.iter().any(|link| fills(link) || loses(link))
    };
    let Some(flow) = flows.iter().find(short).filter(|_| !others) else { return };
    let narrowest = flow.way.there.iter().map(rate).fold(f64::INFINITY, f64::min);
    let product = Bytes(rounded(narrowest * flow.way.rtt.as_secs_f64() / 8.0));
    let name = if flow.config.max_window < flow.config.receive_window {
        "max-window"
    } else {
        "receive-window"
    };
    let key = format!("traffic.{}.transport.{name}", flow.entry);
    let problem = format!(
        "below the bandwidth-delay product, so that flows fill no link of their path: at most {} in a round trip of {}",
        Rate(rounded(flow.rate())),
        told(flow.way.rtt),
    );
    let warning = Flaw::new(&key, problem)
        .found(Bytes(flow.window().0).to_string())
        .accepted(format!("{product} or more for one flow at {}", Rate(rounded(narrowest))));
    mistakes.warn(root.place_of(&key), warning);
}

/// Warns of a measured time of a few round trips.
fn short_time(plan: &Plan, flows: &[Flow<'_>], root: &Node, mistakes: &mut Mistakes) {
    let Some(longest) = flows.iter().map(|flow| flow.way.rtt).max() else { return };
    let measured = plan.duration.saturating_sub(plan.warmup);
    if measured.0 / ROUND_TRIPS >= longest.0 {
        return;
    }
    let trips = measured.as_secs_f64() / longest.as_secs_f64();
    let key = "run.duration";
    let problem = format!(
        "{trips:.2} round trips of {} are measured: rates are of the beginning of connections, and equal where \
         nothing has come",
        told(longest)
    );
    let accepted =
        format!("{} or more", told(Span(longest.0.saturating_mul(ROUND_TRIPS)) + plan.warmup));
    let flaw = Flaw::new(key, problem).found(plan.duration.to_string()).accepted(accepted);
    mistakes.warn(root.place_of(key), flaw);
}

/// Messages that begin at the same time: a receiver with one of its senders, how many these are, and the size of each.
fn burst(entry: &TrafficPlan) -> Option<((NodeId, NodeId), u64, u64)> {
    match (entry.source.form(), &entry.between) {
        (Form::ClosedLoop(of), Between::Any { from, to }) if of.is_of_receivers() => {
            let receiver = *to.first()?;
            let sender = *from.iter().find(|&&from| from != receiver)?;
            let others = from.iter().filter(|&&from| from != receiver).count() as u64;
            Some(((sender, receiver), others.min(of.blocks(others)[0]), of.block().0))
        }
        (Form::File(size), Between::Pairs(pairs)) => {
            let mut of: BTreeMap<NodeId, u64> = BTreeMap::new();
            for (_, to) in pairs {
                *of.entry(*to).or_default() += u64::from(entry.count);
            }
            let (&receiver, &most) = of.iter().max_by_key(|(_, count)| **count)?;
            let pair = pairs.iter().find(|(_, to)| *to == receiver)?;
            Some((*pair, most, size.map_or(u64::MAX, |size| size.0)))
        }
        _ => None,
    }
}

/// Warns of first windows whose headers find no room in the queue in front of their receiver: they are lost.
fn short_trimming(plan: &Plan, routing: &Routing, at: usize, key: &str) -> Option<Flaw> {
    let TransportPlan::Message(options) = &plan.traffic[at].transport else { return None };
    let (pair, senders, size) = burst(&plan.traffic[at])?;
    let way = Way::new((plan, routing), pair, [options.full(), options.control])?;
    let [first, last] =
        [way.there.first()?, way.there.last()?].map(|link| &plan.graph.links[link.index()]);
    let trimming::Options { packets, bytes, header, headers, .. } = last.queue.facts().trimming?;
    let base_rtt = options.base_rtt.unwrap_or(way.rtt);
    let full = options.full().0;
    let terms = window::Terms { packet: full, rate: first.rate, base_rtt };
    let window = window::Window::new(&options.window, &terms).octets().div_ceil(full);
    let each = window.min(size.div_ceil(options.packet.0));
    let kept = packets.map_or_else(|| bytes.map_or(0, |bytes| bytes.0 / full), u64::from);
    // While they come, each header takes its time on the wire.
    let comes = each as f64 * first.rate.time_to_send(options.full()).as_secs_f64();
    let sent = comes / last.rate.time_to_send(header).as_secs_f64();
    let waiting = (senders * each).saturating_sub(kept) as f64 - sent;
    if waiting <= f64::from(headers) {
        return None;
    }
    let problem = format!(
        "{senders} senders begin with {each} packets each to {}: of the headers that are left of them {} wait at a time",
        plan.graph.nodes[pair.1.index()].name,
        rounded(waiting)
    );
    let accepted = "headers of the trimming queue for them, or credits, or smaller windows";
    Some(Flaw::new(key, problem).found(format!("headers = {headers}")).accepted(accepted))
}

/// A time to three digits.
fn told(span: Span) -> Span {
    Span(rounded(span.0 as f64))
}

/// A number to three digits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate or a size")]
fn rounded(number: f64) -> u64 {
    let unit = 10_f64.powf(number.max(1.0).log10().floor() - 2.0).max(1.0);
    ((number / unit).round() * unit) as u64
}
