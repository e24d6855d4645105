//! The course of a run, as far as its memory depends on it: how long its budget of events lasts, which flows exist at once
//! and how many end, and how many packets are under way.
//!
//! Traffic is a fluid: each entry has a rate, which divides among links as `offered` says. What comes to a link beyond its
//! rate fills its queue.

use network::plan::{Between, Plan, TrafficPlan, TransportPlan};
use network::routing::Routing;
use network::spec::{Change, LossSpec, NodeKind, QueueSpec};
use network::topology::OneWayLink;
use traffic::{Size, Source, Start, StartLaw};
use transport::tcp::{congestion, recovery};
use units::{Bytes, NodeId, Span};

use crate::offered::{Offered, hosts};

/// Of the pairs of a random pattern, how many are looked at.
const PAIRS: usize = 100_000;
/// Rounds in which what links let through is passed on to the next ones.
const ROUNDS: usize = 8;
/// Into how many parts the budget of events is divided at least, in each of which entries keep their pace.
const PARTS: f64 = 64.0;
/// How often a first packet is sent again at most.
const TRIES: u32 = 16;
/// Steps in which the flows of an entry start whose starts are drawn.
const STEPS: u32 = 16;

/// What one entry of traffic does.
pub(super) struct Flows {
    /// Flows that exist at once.
    pub(super) at_once: f64,
    /// Flows that end.
    pub(super) ended: f64,
    /// Packets that are sent and do not arrive.
    pub(super) missing: f64,
    /// For how long they exist, all together, in seconds.
    pub(super) lived: f64,
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
    /// The same of senders of messages.
    pub(super) kept_of_messages: f64,
    /// Packets that sources give to the network in all, and their bytes.
    pub(super) sent: f64,
    pub(super) sent_bytes: f64,
}

/// What an entry of traffic does in a second, or has done.
#[derive(Clone, Copy, Default)]
struct Pace {
    /// Flows that start one by one, those of them that get an answer, and those that end.
    started: f64,
    opened: f64,
    ended: f64,
    /// Packets with data that its flows send, and those that arrive.
    sent: f64,
    arrived: f64,
    /// Its events.
    events: f64,
}

impl Pace {
    /// Goes on with a pace for some seconds.
    fn advance(&mut self, pace: &Self, seconds: f64) {
        self.started += pace.started * seconds;
        self.opened += pace.opened * seconds;
        self.ended += pace.ended * seconds;
        self.sent += pace.sent * seconds;
        self.arrived += pace.arrived * seconds;
        self.events += pace.events * seconds;
    }
}

/// What a flow has sent on average.
#[derive(Clone, Copy, Default)]
struct Sent {
    /// Its bits on the wire.
    wire: f64,
    /// Its packets.
    packets: f64,
    /// The share of flows that have sent all.
    over: f64,
}

/// What senders keep of each packet that is under way.
#[derive(Clone, Copy)]
enum Keeps {
    Nothing,
    /// What RACK needs.
    Segments,
    /// What a message transport needs.
    Messages,
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
    /// The sizes of flows that start one by one.
    sizes: Option<Size>,
    /// The bits of a packet without data on the wire.
    header: f64,
    /// How long a packet and its answer are under way where none waits, and when the first one of a flow is sent again, in
    /// seconds.
    there_and_back: f64,
    again: f64,
    /// Whether it waits for answers.
    is_answered: bool,
    /// Whether a flow sends its first window in one event: without a handshake, from an edge, which has no interface.
    leaps: bool,
    /// Of the first packets of flows that start together, those that find room in the queue of the narrowest link.
    openings: f64,
    /// How long a flow is silent before its first data.
    handshake: f64,
    /// Events for a packet that arrives, and for a flow in addition: with its handshake, and after it.
    per_packet: f64,
    per_opening: f64,
    per_flow: f64,
    /// When its first and last flows start, when it stops, and for how long it is active, in seconds.
    start: f64,
    last: f64,
    stop: f64,
    seconds: f64,
    /// The share of its flows that have started.
    begun: f64,
    /// What it has done so far.
    done: Pace,
    /// For how long its flows have been there so far, all together, in seconds.
    lived: f64,
    /// What its flows send if links do not hold them, in b/s.
    free: f64,
    /// What its senders keep of each packet.
    keeps: Keeps,
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
        let sent = fluids.iter().map(|fluid| fluid.done.sent.min(most)).sum();
        let bytes = fluids.iter().map(|fluid| fluid.done.sent * fluid.wire / 8.0).sum();
        let (packets, [kept, kept_of_messages]) = packets(plan, &fluids, &rates);
        let limit = 2.0 * most + fluids.iter().map(Fluid::at_start).sum::<f64>();
        Self {
            seconds,
            flows,
            packets: packets.min(limit),
            kept: kept.min(limit),
            kept_of_messages: kept_of_messages.min(limit),
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
        instants.extend(fluid.tries(end));
    }
    instants.extend([0.0, end]);
    instants.retain(|&at| at <= end);
    instants.sort_by(f64::total_cmp);
    instants.dedup();
    let most = plan.max_events as f64;
    let (mut left, mut changes) = (most, changes.into_iter().peekable());
    for span in instants.windows(2) {
        let (from, to) = (span[0], span[1]);
        while let Some((_, link, change)) = changes.next_if(|change| change.0.as_secs_f64() <= from)
        {
            let at = link.index();
            now_rates[at] = match change {
                Change::Down => 0.0,
                Change::Up => rates[at],
                Change::Rate { rate } => {
                    rate.as_f64() * f64::from(plan.graph.links[at].data_channels())
                }
            };
        }
        let begin = |fluid: &Fluid| {
            (fluid.share_begun(to) - fluid.share_begun(from)) * fluid.first_events()
        };
        // Where the first packets of flows are sent again at this instant, each takes an event.
        let again = |fluid: &Fluid| {
            if fluid.tries(end).contains(&from) {
                fluid.most * fluid.begun - fluid.open(from - fluid.start)
            } else {
                0.0
            }
        };
        left -= fluids.iter().map(|fluid| begin(fluid) + again(fluid)).sum::<f64>();
        let mut active: Vec<&mut Fluid> =
            fluids.iter_mut().filter(|fluid| fluid.start <= from && from < fluid.stop).collect();
        let rooms: Vec<f64> =
            active.iter().map(|fluid| narrowest(way(&fluid.shares), &now_rates)).collect();
        active.iter_mut().for_each(|fluid| fluid.begun = fluid.share_begun(to));
        let mut now = from;
        while now < to {
            let paces: Vec<Pace> =
                active.iter().zip(&rooms).map(|(fluid, &room)| fluid.pace(room, now)).collect();
            let events: f64 = paces.iter().map(|pace| pace.events).sum();
            let steady = active.iter().map(|fluid| fluid.steady(now)).fold(to - now, f64::min);
            let step = steady.min(most / PARTS / events.max(1e-300));
            let lasts = step.min((left / events.max(1e-300)).max(0.0));
            for (fluid, pace) in active.iter_mut().zip(&paces) {
                fluid.seconds += lasts;
                fluid.lived += fluid.there() * lasts;
                fluid.done.advance(pace, lasts);
            }
            left -= events * lasts;
            if lasts < step {
                return now + lasts;
            }
            // A step may be too small to change the clock.
            now = (now + step).max(now.next_up());
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
        let slowest =
            way.iter().map(|&(at, _)| links[at].rate.as_f64()).fold(f64::INFINITY, f64::min);
        let is_answered = !matches!(entry.transport, TransportPlan::Udp { .. });
        let loss: f64 = way.iter().map(|&(at, share)| share * loss(plan, &links[at])).sum();
        let (burst, window) =
            windows(entry, (wire, data), (capacity, slowest), 2.0 * one_way, loss);
        let given = entry.source.mean_rate().map(|rate| rate * weight(entry) * wire / data);
        let offered = given.unwrap_or(f64::INFINITY);
        let there_and_back = 2.0 * one_way;
        let has_handshake = match &entry.transport {
            TransportPlan::Tcp(_) => true,
            TransportPlan::StopAndWait(options) => options.handshake,
            TransportPlan::Message(_) | TransportPlan::Udp { .. } => false,
        };
        let empty = |&(at, share): &(usize, f64)| -> f64 {
            share * (links[at].delay.as_secs_f64() + header / rates[at])
        };
        let handshake = if has_handshake { 2.0 * way.iter().map(empty).sum::<f64>() } else { 0.0 };
        let sizes = match &entry.source {
            Source::Transfers { size, .. } => Some(size.clone()),
            _ => None,
        };
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
            TransportPlan::Tcp(_) => (1.35 * hops + 0.25, 1.9 * hops),
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
            sizes,
            header,
            there_and_back,
            again: again(entry),
            openings: way
                .iter()
                .map(|&(at, share)| {
                    let drained = (last - start) * rates[at] / header.max(1.0);
                    (room(plan, &links[at], header.max(1.0)) + 1.0 + drained) / share
                })
                .fold(f64::INFINITY, f64::min),
            handshake,
            per_packet,
            per_opening: if has_handshake { 2.0 * hops + 1.0 } else { 0.0 },
            per_flow,
            start,
            last,
            stop,
            seconds: 0.0,
            begun: 0.0,
            done: Pace::default(),
            lived: 0.0,
            free,
            keeps: keeps(entry),
        }
    }

    /// The events with which its flows start: each has one, and its first packets where they do not leap.
    fn first_events(&self) -> f64 {
        let waits = self.leaps || !self.is_answered || self.handshake > 0.0;
        self.most * (1.0 + if waits { 0.0 } else { self.first_packets() })
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

    /// The flows that are there now.
    fn there(&self) -> f64 {
        if self.starts > 0.0 {
            self.first + self.done.started - self.done.ended
        } else {
            self.most * self.begun
        }
    }

    /// For how long it keeps its pace, about: round-trip times are shorter than what has changed before.
    fn steady(&self, now: f64) -> f64 {
        if self.seconds == 0.0 && self.starts > 0.0 {
            return self.there_and_back.max(1e-9) / 2.0;
        }
        ((now - self.start) / 4.0).max(self.there_and_back / 2.0).max(1e-9)
    }

    /// What it does in a second from now on, if links let so many b/s through.
    fn pace(&self, room: f64, now: f64) -> Pace {
        let room = room.min(if self.carried < self.offered { self.carried } else { f64::INFINITY });
        if self.starts > 0.0 {
            return if self.done.started < self.limit {
                self.starting(room, now - self.start)
            } else {
                self.draining(room)
            };
        }
        let age = now - self.start;
        let open = self.open(age);
        let share = if self.most > 0.0 { open / self.most } else { 0.0 };
        let offered = if self.has_rate() { self.wanted() * self.begun } else { 0.0 };
        if age < self.handshake {
            let opened = (open / self.handshake).min(room / self.header.max(1.0));
            return Pace { events: opened * self.per_opening + offered, ..Pace::default() };
        }
        let arrived = room.min(self.carried).min(self.free * share) / self.wire;
        let sent = if self.has_rate() { offered } else { self.wanted() * share };
        let flow = (self.per_opening + self.per_flow) * self.data / self.size;
        let events = arrived * (self.per_packet + flow) + (sent - arrived).max(0.0);
        Pace { sent, arrived, events, ..Pace::default() }
    }

    /// How often the first packet of a flow has been sent again after some time: each time takes twice as long.
    fn retries(&self, age: f64) -> f64 {
        libm::log2(age.max(0.0) / self.again + 1.0)
    }

    /// Of flows that start together, those of which the first packet has found room.
    fn open(&self, age: f64) -> f64 {
        let flows = self.most * self.begun;
        if self.handshake > 0.0 {
            flows.min(self.openings * (1.0 + libm::floor(self.retries(age))))
        } else {
            flows
        }
    }

    /// The instants at which the first packets of flows that started together are sent again.
    fn tries(&self, end: f64) -> Vec<f64> {
        if self.starts > 0.0 || self.handshake == 0.0 || self.openings >= self.most {
            return Vec::new();
        }
        let tries = (1..=TRIES)
            .map(|number| self.start + self.again * (libm::exp2(f64::from(number)) - 1.0));
        tries.take_while(|&at| at < end).collect()
    }

    /// The pace of flows that start one by one, so long after the first of them.
    ///
    /// What all flows do in a second is what those of all ages do: as much as the oldest one has done in all. Of the
    /// packets that come to a full queue the same share finds a place, those without data included; flows whose first
    /// packets do not all find one go on much later.
    fn starting(&self, room: f64, age: f64) -> Pace {
        let has_handshake = self.handshake > 0.0;
        let opening = if has_handshake { self.starts * self.header } else { 0.0 };
        let is_open = age >= self.handshake;
        let first = if is_open { self.starts * self.sent_by(0.0).wire } else { 0.0 };
        let through = if opening == 0.0 {
            room / first
        } else if first == 0.0 {
            room / opening
        } else {
            // through · (opening + through · first) = room
            2.0 * room / (opening + (opening * opening + 4.0 * first * room).sqrt())
        };
        let through = through.min(1.0);
        let asked = self.starts * if has_handshake { through } else { 1.0 };
        let opened = if is_open { asked } else { 0.0 };
        let all = self.sent_by(age - self.handshake);
        let left = (room - opening * through).max(0.0);
        let arrives = through.min(left / (opened * all.wire).max(1e-300));
        let [sent, arrived] = [opened * all.packets, opened * all.packets * arrives];
        let ended = opened * all.over * arrives;
        // What was lost is sent again, each time later.
        let again = (self.starts - asked * through) * self.retries(age);
        let answered = if has_handshake { (age / self.handshake).min(1.0) } else { 1.0 };
        let events = self.starts
            + asked * answered * self.per_opening
            + arrived * self.per_packet
            + ended * self.per_flow
            + again;
        Pace { started: self.starts, opened, ended, sent, arrived, events }
    }

    /// The pace of flows of which no more start.
    fn draining(&self, room: f64) -> Pace {
        let flows = self.done.started - self.done.ended;
        let packets = (self.size / self.data).max(1.0);
        let arrived = (room / self.wire).min(flows * self.window / self.there_and_back);
        let ended = if flows < 1.0 { 0.0 } else { arrived / packets };
        let arrived = ended * packets;
        let events = arrived * self.per_packet + ended * self.per_flow;
        Pace { ended, sent: arrived, arrived, events, ..Pace::default() }
    }

    /// What a flow has sent on average so long after its first data, if nothing was lost.
    fn sent_by(&self, age: f64) -> Sent {
        if age < 0.0 {
            return Sent::default();
        }
        let rounds = libm::floor(age / self.there_and_back) + 1.0;
        // The window doubles up to its limit.
        let doublings = libm::log2(self.window / self.burst).clamp(0.0, rounds);
        let packets = self.burst * (libm::exp2(doublings) - 1.0)
            + if rounds > doublings { (rounds - doublings) * self.window } else { 0.0 };
        let most = (packets * self.data).max(self.data);
        let up_to = |bits: f64| match &self.sizes {
            Some(size) if size.mean().is_finite() => {
                size.mean() * 8.0 * (1.0 - size.share_beyond(octets(bits)))
            }
            Some(_) => bits,
            None => bits.min(self.size),
        };
        let bits = up_to(most);
        let packets = (bits / self.data).max(1.0);
        // How much more is sent if each flow may send a little more is the share of flows that would.
        let more = (up_to(most * 1.01) - bits) / (most * 0.01);
        let wire = bits + packets * (self.wire - self.data);
        Sent { wire, packets, over: (1.0 - more).clamp(0.0, 1.0) }
    }

    /// Whether its source has a rate, whatever the network does.
    fn has_rate(&self) -> bool {
        self.offered.is_finite() && self.starts == 0.0
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
        let done = self.done.arrived * self.data / self.size;
        let ended = done.min(self.limit).min(at_most);
        let lived = self.lived;
        let missing = (self.done.sent - self.done.arrived).clamp(0.0, events);
        if self.starts == 0.0 {
            // Those that end are there until their last packets have arrived, when others have started already.
            let at_once =
                self.most + if self.limit > self.most { ended.min(self.most) } else { 0.0 };
            // A flow that starts later takes an event at least.
            let later = if self.limit > 0.0 { events } else { f64::INFINITY };
            return Flows { at_once: at_once.min(later).max(self.first), ended, missing, lived };
        }
        let begun = self.done.started.min(self.limit).min(events);
        let ended = self.done.ended.min(begun);
        Flows { at_once: self.first + begun - ended, ended, missing, lived }
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
fn packets(plan: &Plan, fluids: &[Fluid], rates: &[f64]) -> (f64, [f64; 2]) {
    let links = &plan.graph.links;
    let mut waiting = vec![0.0; links.len()];
    let (mut flying, mut kept) = (0.0, [0.0; 2]);
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
        waiting[at] = excess.min(room(plan, link, bits));
        flying += come[at].min(rates[at]) / bits * link.delay.as_secs_f64().min(seconds);
    }
    for fluid in fluids.iter().filter(|fluid| fluid.is_answered) {
        let flows = fluid.flows(plan.max_events as f64).at_once;
        let arrived = fluid.done.arrived;
        // A handshake goes before the first window of TCP.
        let begun = flows * fluid.begun;
        let open = if fluid.starts > 0.0 {
            fluid.done.opened.min(begun)
        } else if fluid.leaps {
            begun
        } else if fluid.seconds > fluid.handshake {
            fluid.open(fluid.seconds).min(fluid.done.arrived)
        } else {
            0.0
        };
        let first = begun + open * (fluid.first_packets() - 1.0).max(0.0);
        // A window grows by what arrives.
        let grown = (first + arrived).min(flows * fluid.window);
        let wanted = grown.min(flows * (fluid.size / fluid.data).max(1.0)).min(
            if fluid.offered.is_finite() && fluid.starts == 0.0 {
                fluid.offered / fluid.wire * fluid.seconds
            } else {
                f64::INFINITY
            },
        );
        let narrow = narrowest(way(&fluid.shares), rates) * 1.01;
        let narrowest: Vec<usize> = way(&fluid.shares)
            .filter(|&(at, share)| rates[at] / share <= narrow)
            .map(|(at, _)| at)
            .collect();
        let times: f64 = narrowest.iter().map(|&at| fluid.shares[at]).sum();
        let wires: f64 = way(&fluid.shares)
            .map(|(at, share)| share * fluid.carried / fluid.wire * links[at].delay.as_secs_f64())
            .sum();
        let free: f64 = narrowest
            .iter()
            .map(|&at| (room(plan, &links[at], fluid.wire) - waiting[at]).max(0.0))
            .sum();
        let free = free / times.max(1.0);
        // The first packets of all flows wait where they begin.
        let queued = (wanted - wires).clamp(0.0, free.max(0.0));
        if free > 0.0 {
            for &at in &narrowest {
                let room = (room(plan, &links[at], fluid.wire) - waiting[at]).max(0.0);
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
        let under_way = queued + wanted.min(wires) + lost;
        match fluid.keeps {
            // A flow has room for one.
            Keeps::Segments => kept[0] += (under_way - begun).max(0.0),
            Keeps::Messages => kept[1] += under_way,
            Keeps::Nothing => {}
        }
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
    (wire, data): (f64, f64),
    (capacity, slowest): (f64, f64),
    there_and_back: f64,
    loss: f64,
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

/// What the senders of an entry keep of each packet that is under way.
fn keeps(entry: &TrafficPlan) -> Keeps {
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

/// Whole bytes of so many bits.
fn octets(bits: f64) -> Bytes {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    Bytes((bits / 8.0) as u64)
}

/// When the first packet of a flow is sent again if it is not answered, in seconds.
fn again(entry: &TrafficPlan) -> f64 {
    match &entry.transport {
        TransportPlan::Tcp(config) => config.initial_rto.as_secs_f64(),
        TransportPlan::StopAndWait(options) => options.initial_rto.as_secs_f64(),
        TransportPlan::Message(_) | TransportPlan::Udp { .. } => f64::INFINITY,
    }
}

/// The packets that a flow sends in a second if so many are lost, by the formula of Padhye, Firoiu, Towsley and Kurose 1998.
fn with_losses(loss: f64, there_and_back: f64, timeout: f64) -> f64 {
    let loss = loss.min(1.0);
    let timeouts = (3.0 * (3.0 * loss / 8.0).sqrt()).min(1.0) * loss * (1.0 + 32.0 * loss * loss);
    let timeout = timeout.max(2.0 * there_and_back);
    1.0 / (there_and_back * (2.0 * loss / 3.0).sqrt() + timeout * timeouts)
}

/// The share of packets that a link loses; of a fibre that leaves an edge, that of the bursts.
fn loss(plan: &Plan, link: &OneWayLink) -> f64 {
    match link.loss {
        None if is_fed_by_edge(plan, link) => {
            plan.optical.as_ref().map_or(0.0, |optical| optical.assembly.loss)
        }
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

/// Whether a link is a fibre that leaves an edge.
fn is_fed_by_edge(plan: &Plan, link: &OneWayLink) -> bool {
    link.channels.is_some() && plan.graph.nodes[link.from.index()].kind == NodeKind::Edge
}

/// The packets of so many bits that the queue of a link holds. What waits for a fibre is in the assembly queues of an edge,
/// which have no limit.
fn room(plan: &Plan, link: &OneWayLink, bits: f64) -> f64 {
    match link.queue.limits() {
        _ if is_fed_by_edge(plan, link) => f64::INFINITY,
        _ if link.channels.is_some() => 0.0,
        (Some(packets), _) => f64::from(packets),
        (None, Some(bytes)) => bytes.as_f64() * 8.0 / bits,
        (None, None) => 0.0,
    }
}
