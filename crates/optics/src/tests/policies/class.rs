//! A class with its queues, driven as the module's documentation says and checked at every packet
//! against the definition of its policy.

use std::collections::{BTreeMap, BTreeSet};

use random::Stream;
use units::{Span, Time};

use super::built_in;
use crate::{
    AllocationRule, Assembly, AssemblyPolicy, AssemblySpec, Cause, Cycle, LossKnown, Overflow,
    Place, Policy, Seen, Thresholds, Timer,
};

/// A packet that comes, and what goes with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    pub(super) now: Time,
    pub(super) flow: u32,
    pub(super) life: u32,
    pub(super) bytes: u32,
    pub(super) resent: bool,
    pub(super) window: u64,
    /// Whether the flow loses data right after it.
    pub(super) lost: bool,
}

impl Arrival {
    pub(super) fn new(now: Time, flow: u32, bytes: u32) -> Self {
        Self { now, flow, life: 0, bytes, resent: false, window: 1, lost: false }
    }

    fn seen(self) -> Seen {
        Seen { flow: self.flow, life: self.life, resent: self.resent, window: self.window }
    }
}

/// A packet that waits or has left, with its number in the order of arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Packet {
    pub(super) number: usize,
    pub(super) flow: u32,
    pub(super) life: u32,
}

/// A burst that has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Burst {
    pub(super) left: Time,
    pub(super) by_size: bool,
    pub(super) packets: Vec<Packet>,
}

#[derive(Debug)]
struct Queue {
    assembly: Assembly,
    packets: Vec<Packet>,
}

/// A class.
#[derive(Debug)]
pub(super) struct Class {
    policy: Policy,
    /// None where only the bursts are looked at.
    twin: Option<Twin>,
    thresholds: Thresholds,
    queues: Vec<Queue>,
    /// Whether a packet goes before an alarm of the same instant.
    pub(super) packets_first: bool,
    pub(super) bursts: Vec<Burst>,
    /// The packets that came, each with its queue.
    pub(super) entered: Vec<(u32, Packet)>,
}

impl Class {
    pub(super) fn new(spec: &AssemblySpec, stream: Stream) -> Self {
        Self {
            policy: Policy::new(spec, stream.clone()),
            thresholds: Thresholds::new(spec),
            twin: Some(Twin::new(built_in(spec), stream)),
            queues: Vec::new(),
            packets_first: false,
            bursts: Vec::new(),
            entered: Vec::new(),
        }
    }

    /// The same without a look at every place: for many packets, or what the twin never forgets.
    pub(super) fn unwatched(spec: &AssemblySpec, stream: Stream) -> Self {
        Self { twin: None, ..Self::new(spec, stream) }
    }

    pub(super) fn on_packet(&mut self, arrival: Arrival) {
        let Arrival { now, flow, life, bytes, lost, .. } = arrival;
        self.handle_alarms(now, !self.packets_first);
        let seen = arrival.seen();
        let expected = self.twin.as_mut().map(|twin| twin.place(now, seen));
        let mut place = self.policy.place(now, seen);
        let queue = place.queue;
        assert_eq!(place, expected.unwrap_or(place), "packet {} at {now:?}", self.entered.len());
        let at = place.queue as usize;
        if at >= self.queues.len() {
            let thresholds = self.thresholds;
            let queue = || Queue { assembly: Assembly::new(thresholds), packets: Vec::new() };
            self.queues.resize_with(at + 1, queue);
        }
        if let Some(cause) = self.queues[at].assembly.make_room(now, bytes) {
            self.close(now, at, cause);
            place = self.policy.reopen(now, place.queue, seen);
            let expected = self.twin.as_mut().map(|twin| twin.reopen(now, queue, seen));
            assert_eq!(place, expected.unwrap_or(place));
            assert_eq!(place.queue, queue);
        }
        let packet = Packet { number: self.entered.len(), flow, life };
        self.entered.push((place.queue, packet));
        self.queues[at].packets.push(packet);
        if let Some(cause) = self.queues[at].assembly.on_packet(now, place.since, bytes) {
            self.close(now, at, cause);
            self.policy.on_release(place.queue);
            self.twin.iter_mut().for_each(|twin| twin.on_release(queue));
        }
        if lost {
            self.twin.iter_mut().for_each(|twin| twin.on_loss(flow));
            if self.policy.wants_losses() {
                self.policy.on_loss(flow);
            }
        }
    }

    /// Handles the alarms up to an instant, those at it included.
    pub(super) fn run_to(&mut self, now: Time) {
        self.handle_alarms(now, true);
    }

    fn handle_alarms(&mut self, until: Time, at_it_too: bool) {
        let due = |queue: &Queue| {
            queue.assembly.alarm().filter(|&due| due < until || (at_it_too && due == until))
        };
        loop {
            let dues =
                self.queues.iter().enumerate().filter_map(|(at, queue)| Some((due(queue)?, at)));
            let Some((now, at)) = dues.min() else { return };
            assert!(self.queues[at].assembly.on_deadline(now));
            self.close(now, at, Cause::Timer);
            let queue = u32::try_from(at).unwrap();
            self.policy.on_release(queue);
            self.twin.iter_mut().for_each(|twin| twin.on_release(queue));
        }
    }

    fn close(&mut self, now: Time, at: usize, cause: Cause) {
        let packets = std::mem::take(&mut self.queues[at].packets);
        assert!(!packets.is_empty());
        self.bursts.push(Burst { left: now, by_size: cause == Cause::Size, packets });
    }

    /// In how many queues packets wait.
    pub(super) fn waiting(&self) -> usize {
        self.queues.iter().filter(|queue| !queue.packets.is_empty()).count()
    }

    /// The queues in which packets of a flow wait.
    pub(super) fn queues_of(&self, flow: u32, life: u32) -> usize {
        let of_flow = |packet: &Packet| (packet.flow, packet.life) == (flow, life);
        self.queues.iter().filter(|queue| queue.packets.iter().any(of_flow)).count()
    }
}

/// A flow: its id and which one of that id it is.
type Flow = (u32, u32);

/// What each policy decides, as its definition says and slowly: with a list of all flows that there
/// ever were, and for each queue the flows of its present cycle.
#[derive(Debug)]
struct Twin {
    spec: AssemblySpec,
    stream: Stream,
    known: BTreeMap<Flow, Known>,
    /// When the first packet of all came that went to each queue.
    firsts: BTreeMap<u32, Time>,
    queues: Vec<Inside>,
    /// When the common cycle started, if it goes on.
    start: Option<Time>,
}

/// Where a flow went last, and whether it lost data since it drew.
#[derive(Debug, Clone, Copy)]
struct Known {
    queue: u32,
    lost: bool,
}

/// What is in a queue in its present cycle.
#[derive(Debug, Clone, Default)]
struct Inside {
    /// The flows, each with its window.
    flows: BTreeMap<Flow, u64>,
    /// Whether a packet waits.
    waits: bool,
    /// The flows of a common cycle whose time is up, until the alarm of the queue is handled.
    leaving: BTreeSet<Flow>,
}

impl Twin {
    fn new(spec: AssemblySpec, stream: Stream) -> Self {
        let queues = match spec.policy {
            AssemblyPolicy::MixedFlow | AssemblyPolicy::None => 1,
            AssemblyPolicy::PerFlow => 0,
            _ => spec.queues.unwrap(),
        };
        let queues = vec![Inside::default(); queues as usize];
        Self { spec, stream, known: BTreeMap::new(), firsts: BTreeMap::new(), queues, start: None }
    }

    fn common(&self) -> bool {
        self.spec.cycle == Some(Cycle::Common)
    }

    fn place(&mut self, now: Time, seen: Seen) -> Place {
        let over = |start: Time| now > start + self.spec.timeout.unwrap();
        if self.start.is_some_and(over) {
            self.end();
        }
        let flow = (seen.flow, seen.life);
        if self.spec.loss_known == Some(LossKnown::Resent) && seen.resent {
            self.known.entry(flow).and_modify(|known| known.lost = true);
        }
        let holds = self
            .queues
            .iter()
            .position(|inside| inside.flows.contains_key(&flow) || inside.leaving.contains(&flow));
        let queue = match holds {
            Some(queue) => u32::try_from(queue).unwrap(),
            None => self.choose(flow),
        };
        self.enter(now, queue, seen)
    }

    fn choose(&mut self, flow: Flow) -> u32 {
        let (policy, count) = (self.spec.policy, self.queues.len());
        let known = self.known.get(&flow).copied();
        let a_posteriori = self.spec.allocation == Some(AllocationRule::APosteriori);
        let queue = match (policy, known) {
            (AssemblyPolicy::MixedFlow | AssemblyPolicy::None, _) => 0,
            (AssemblyPolicy::PerFlow, _) => {
                let free = self.queues.iter().position(|inside| inside.flows.is_empty());
                if free.is_none() {
                    self.queues.push(Inside::default());
                }
                free.unwrap_or(count) as u64
            }
            (AssemblyPolicy::Program, _) => unreachable!("the twin is that of what it does"),
            (AssemblyPolicy::StaticQueues, None) => (self.known.len() % count) as u64,
            (AssemblyPolicy::StaticQueues, Some(known)) => u64::from(known.queue),
            (AssemblyPolicy::DynamicQueues, Some(known)) if a_posteriori && !known.lost => {
                u64::from(known.queue)
            }
            (AssemblyPolicy::DynamicQueues, _) => self.stream.below(count as u64),
            (AssemblyPolicy::WindowAware, _) => {
                let sums = self.queues.iter().map(|inside| inside.flows.values().sum::<u64>());
                sums.zip(0..).min().unwrap().1
            }
        };
        let queue = u32::try_from(queue).unwrap();
        self.known.insert(flow, Known { queue, lost: false });
        queue
    }

    fn enter(&mut self, now: Time, queue: u32, seen: Seen) -> Place {
        let inside = &mut self.queues[queue as usize];
        inside.flows.insert((seen.flow, seen.life), seen.window);
        inside.waits = true;
        let since = if self.common() { *self.start.get_or_insert(now) } else { now };
        let first = *self.firsts.entry(queue).or_insert(now);
        let runs = self.spec.timer == Timer::Interval;
        Place { queue, since: if runs { first } else { since } }
    }

    /// Whether the burst that leaves frees the flows of its queue.
    fn frees(&self) -> bool {
        match self.spec.policy {
            AssemblyPolicy::DynamicQueues | AssemblyPolicy::WindowAware => true,
            _ => self.spec.timer == Timer::FirstPacket,
        }
    }

    fn reopen(&mut self, now: Time, queue: u32, seen: Seen) -> Place {
        self.on_release(queue);
        self.enter(now, queue, seen)
    }

    fn on_release(&mut self, queue: u32) {
        let (common, frees) = (self.common(), self.frees());
        let inside = &mut self.queues[queue as usize];
        inside.waits = false;
        inside.leaving.clear();
        if !common {
            inside.flows.retain(|_, _| !frees);
        } else if self.queues.iter().all(|inside| !inside.waits) {
            self.end();
        }
    }

    /// The common cycle is over.
    fn end(&mut self) {
        for inside in &mut self.queues {
            let flows = std::mem::take(&mut inside.flows);
            if std::mem::take(&mut inside.waits) {
                inside.leaving = flows.into_keys().collect();
            }
        }
        self.start = None;
    }

    fn on_loss(&mut self, flow: u32) {
        let at_once = self.spec.loss_known != Some(LossKnown::Resent);
        if let Some((_, known)) = self.known.range_mut((flow, 0)..=(flow, u32::MAX)).next_back() {
            known.lost |= at_once;
        }
    }
}

/// The bursts of one queue by their definition: a burst collects from its first packet to the
/// timeout after it, or to the end of the interval, as many as fit.
pub(super) fn bursts_of(thresholds: Thresholds, packets: &[(Arrival, Packet)]) -> Vec<Burst> {
    let mut rest = packets;
    let mut bursts = Vec::new();
    // Where intervals are counted from.
    let mut start = packets.first().map(|(first, _)| first.now);
    while let Some((first, _)) = rest.first() {
        let mut ends = match thresholds.timer {
            Timer::FirstPacket => first.now,
            Timer::Interval => start.unwrap(),
        } + thresholds.timeout;
        while ends < first.now {
            ends += thresholds.timeout;
        }
        let most = thresholds.max_size.map_or(u64::MAX, |size| size.0);
        let in_time = rest.iter().take_while(|(arrival, _)| arrival.now <= ends).count();
        let mut bytes = 0;
        let fits = |(arrival, _): &&(Arrival, Packet)| {
            let fits = match thresholds.overflow {
                _ if bytes == 0 => true,
                Overflow::NextBurst => bytes < most && bytes + u64::from(arrival.bytes) <= most,
                Overflow::ThisBurst => bytes < most,
            };
            bytes += u64::from(arrival.bytes);
            fits
        };
        let count = rest[..in_time].iter().take_while(fits).count();
        let (burst, next) = rest.split_at(count);
        let bytes: u64 = burst.iter().map(|(arrival, _)| u64::from(arrival.bytes)).sum();
        // It leaves when it is full, when the packet comes that does not fit, or when its time is up.
        let pushed_out = next.first().filter(|_| count < in_time).map(|(arrival, _)| arrival.now);
        let full = (bytes >= most).then(|| burst[count - 1].0.now);
        let by_size = full.or(pushed_out);
        start = by_size.or(start);
        bursts.push(Burst {
            left: by_size.unwrap_or(ends + Span::from_ps(1)),
            by_size: by_size.is_some(),
            packets: burst.iter().map(|&(_, packet)| packet).collect(),
        });
        rest = next;
    }
    bursts
}
