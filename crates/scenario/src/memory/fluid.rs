//! An entry of traffic as a fluid, and its pace.

use std::f64::consts::LN_2;
use std::iter::Sum;

use plan::routing::Routing;
use plan::spec::MarkAbove;
use plan::topology::OneWayLink;
use plan::{Plan, TrafficPlan, TransportPlan};
use traffic::{ClosedLoop, Size};

use super::entry::{self, Ends, Keeps};
use super::events::Events;
use super::links::{loss, narrowest, openings, time, way};
use crate::offered::Offered;

/// How often a first packet is sent again at most.
const TRIES: u32 = 16;
/// The share of what an entry sends that is taken for all of it.
const NEARLY: f64 = 1.0 - 1e-9;
/// The shortest round trip, in seconds: no link has one of 0.
const SHORTEST: f64 = 1e-9;

/// What an entry of traffic does in a second, or has done.
#[derive(Clone, Copy, Default)]
pub(super) struct Pace {
    /// Flows that start one by one, those of them that get an answer, those that end, and those that are removed: others
    /// that start do that, so the last ones stay.
    started: f64,
    pub(super) opened: f64,
    ended: f64,
    removed: f64,
    /// Packets with data that its flows send, and those that arrive.
    pub(super) sent: f64,
    pub(super) arrived: f64,
    /// Its events.
    pub(super) events: f64,
}

impl Pace {
    /// Goes on with a pace for some seconds.
    fn advance(&mut self, pace: &Self, seconds: f64) {
        self.started += pace.started * seconds;
        self.opened += pace.opened * seconds;
        self.ended += pace.ended * seconds;
        self.removed += pace.removed * seconds;
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

/// What one entry of traffic does.
#[derive(Default)]
pub(super) struct Flows {
    /// Flows that exist at once.
    pub(super) at_once: f64,
    /// Flows that end.
    pub(super) ended: f64,
    /// Packets that are sent and do not arrive.
    pub(super) missing: f64,
    /// For how long they exist, and have had an answer, all together, in seconds.
    pub(super) lived: [f64; 2],
}

impl Sum for Flows {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            at_once: sum.at_once + one.at_once,
            ended: sum.ended + one.ended,
            missing: sum.missing + one.missing,
            lived: [sum.lived[0] + one.lived[0], sum.lived[1] + one.lived[1]],
        })
    }
}

/// A part of an entry of traffic, as a fluid.
pub(super) struct Fluid {
    /// Its share of each link.
    pub(super) shares: Vec<f64>,
    /// The bits of a packet on the wire, and of its data.
    pub(super) wire: f64,
    pub(super) data: f64,
    /// The bits of data of a flow; infinite if it does not end.
    pub(super) size: f64,
    /// Flows that are there from the start, those that may be at once, and flows that start in a second.
    first: f64,
    pub(super) most: f64,
    pub(super) starts: f64,
    /// The limit of the flows that end, and the files for which a run may wait.
    limit: f64,
    files: f64,
    /// Whether those that answer one request start in one event.
    in_one_event: bool,
    /// The rate at which it sends data if nothing holds it, in b/s of packets on the wire.
    pub(super) offered: f64,
    /// How often in a second its sources give data at that rate.
    writes: f64,
    /// The rate at which they arrive.
    pub(super) carried: f64,
    /// Packets that a flow sends before any answer, and may have under way.
    burst: f64,
    pub(super) window: f64,
    /// The sizes of flows that start one by one.
    sizes: Option<Size>,
    /// The bits of a packet without data on the wire.
    header: f64,
    /// How long a packet and its answer are under way where none waits, and when the first one of a flow is sent again, in
    /// seconds.
    there_and_back: f64,
    again: f64,
    /// The share of packets that no link of a way loses.
    passes: f64,
    /// The packets of a window from which on it grows more slowly, and whether marks hold it.
    threshold: (f64, bool),
    /// Whether it waits for answers.
    pub(super) is_answered: bool,
    /// Whether a flow sends its first window in one event: without a handshake, from an edge, which has no interface.
    pub(super) leaps: bool,
    /// Of the first packets of flows that start together, those that find room in the queue of the narrowest link.
    openings: f64,
    /// How long a flow is silent before its first data.
    pub(super) handshake: f64,
    events: Events,
    /// The pairs of hosts between which it goes.
    pairs: f64,
    /// When its first and last flows start, when it stops, and for how long it is active, in seconds.
    pub(super) start: f64,
    pub(super) last: f64,
    pub(super) stop: f64,
    pub(super) seconds: f64,
    /// The share of its flows that have started.
    pub(super) begun: f64,
    /// What it has done so far.
    pub(super) done: Pace,
    /// For how long its flows have been there so far, and had an answer, all together, in seconds.
    pub(super) lived: f64,
    pub(super) answered: f64,
    /// What its flows send if links do not hold them, in b/s.
    free: f64,
    /// The flows that ended before measuring began: they have no row.
    ended_early: f64,
    /// What its senders keep of each packet.
    pub(super) keeps: Keeps,
}

impl Fluid {
    /// A part of an entry, which goes between `ends`.
    pub(super) fn new(
        plan: &Plan,
        entry: &TrafficPlan,
        routing: &Routing,
        rates: &[f64],
        (part, ends): (f64, Vec<Ends>),
    ) -> Self {
        let links = &plan.graph.links;
        let shares = Offered::of_pairs(plan, routing, &ends).links;
        let way: Vec<(usize, f64)> = way(&shares).collect();
        let (data, headers) = entry::packet_bits(entry);
        let (wire, header) = (data + headers, entry::without_data(entry));
        let capacity = narrowest(way.iter().copied(), rates);
        let trip = |bits: f64| 2.0 * time(plan, &way, rates, bits);
        let there_and_back = trip(wire).max(SHORTEST);
        let [first, most, starts, limit, size] = entry::numbers(plan, entry, part);
        let channels = way.iter().map(|&(at, _)| links[at].rate.as_f64());
        let slowest = channels.fold(f64::INFINITY, f64::min);
        let is_answered = !matches!(entry.transport, TransportPlan::Udp { .. });
        let pass = |&(at, share): &(usize, f64)| (1.0 - share * loss(plan, &links[at])).max(0.0);
        let passes: f64 = way.iter().map(pass).product();
        let (burst, window) =
            entry::windows(entry, (wire, data), (capacity, slowest), there_and_back, 1.0 - passes);
        let offered = entry::offered(entry, (data, headers), size) * part;
        let (mut carried, mut free) = (capacity.min(offered), offered);
        if is_answered && starts == 0.0 {
            let lossy = entry::with_losses(1.0 - passes, there_and_back, entry);
            let of_flow = (window / there_and_back).min(lossy);
            free = most * of_flow * wire;
            carried = carried.min(free);
        }
        let (start, last, stop) = entry::times(entry);
        let from_edges = ends.iter().any(|&(from, ..)| plan.graph.forwards(from));
        Self {
            shares,
            wire,
            data,
            size,
            first,
            most,
            starts,
            limit,
            files: entry.files() as f64 * part,
            in_one_event: entry.source.closed_loop().is_some_and(ClosedLoop::is_of_receivers),
            offered,
            writes: offered / wire * data / entry::written(entry).map_or(data, |it| it * 8.0),
            carried,
            burst,
            window,
            is_answered,
            leaps: from_edges && matches!(entry.transport, TransportPlan::Message(_)),
            threshold: entry::threshold(entry, data),
            sizes: entry::sizes(entry),
            header,
            there_and_back,
            again: entry::again(entry),
            passes,
            openings: openings(plan, &way, rates, header, last - start),
            handshake: if entry::has_handshake(entry) { trip(header) } else { 0.0 },
            events: Events::new(plan, entry, &way, &ends, rates),
            pairs: ends.len() as f64,
            start,
            last,
            stop,
            seconds: 0.0,
            begun: 0.0,
            done: Pace::default(),
            lived: 0.0,
            answered: 0.0,
            free,
            ended_early: 0.0,
            keeps: entry::keeps(entry),
        }
    }

    /// Goes on with a pace from an instant on for some seconds, in a run that measures from `warmup` on.
    pub(super) fn go_on(&mut self, pace: &Pace, now: f64, seconds: f64, warmup: f64) {
        self.seconds += seconds;
        self.lived += self.there() * seconds;
        self.answered += self.answered(now) * seconds;
        self.done.advance(pace, seconds);
        if now + seconds <= warmup {
            self.ended_early = self.ended();
        }
    }

    /// The events with which its flows start: each has one, and its first packets where they do not leap.
    pub(super) fn first_events(&self) -> f64 {
        let waits = self.leaps || !self.is_answered || self.handshake > 0.0;
        self.most * (1.0 + if waits { 0.0 } else { self.first_packets() })
    }

    /// The packets of a flow's first window.
    pub(super) fn first_packets(&self) -> f64 {
        self.burst.min((self.size / self.data).max(1.0))
    }

    /// The window of a flow after `packets` packets were sent or answered: it grows by one with each of them, and beyond its
    /// threshold by one with each window.
    pub(super) fn grown(&self, packets: f64) -> f64 {
        let (threshold, _) = self.threshold;
        let beyond = (packets - threshold).max(0.0);
        let slow = (threshold * threshold + 2.0 * beyond).sqrt();
        (if beyond > 0.0 { slow } else { packets }).min(self.window)
    }

    /// How many packets wait for a link whose marks hold its windows.
    pub(super) fn marked(&self, link: &OneWayLink) -> f64 {
        let (_, heeds_marks) = self.threshold;
        match link.queue.facts().mark_above.filter(|_| heeds_marks) {
            Some(MarkAbove::Packets(packets)) => f64::from(packets),
            Some(MarkAbove::Bytes(bytes)) => bytes.as_f64() * 8.0 / self.wire,
            None => f64::INFINITY,
        }
    }

    /// Whether many packets of its flows may be sent in one event.
    pub(super) fn is_in_bursts(&self) -> bool {
        self.is_answered && self.events.bursts.is_some()
    }

    /// The packets that all flows give to their edges when they start, in one event each.
    pub(super) fn at_start(&self) -> f64 {
        if self.leaps { self.most * self.begun * self.first_packets() } else { 0.0 }
    }

    /// The share of its flows that have started at an instant.
    pub(super) fn share_begun(&self, at: f64) -> f64 {
        if at <= self.start {
            0.0
        } else if at >= self.last {
            1.0
        } else {
            (at - self.start) / (self.last - self.start)
        }
    }

    /// The flows that are there now.
    pub(super) fn there(&self) -> f64 {
        if self.starts > 0.0 {
            self.first + self.done.started - self.done.removed
        } else {
            self.most * self.begun
        }
    }

    /// Those of them that have had an answer.
    pub(super) fn answered(&self, now: f64) -> f64 {
        let age = now - self.start;
        if self.starts > 0.0 {
            // All have had one soon after the last has started.
            let have_all = self.done.started >= self.limit && age >= self.handshake;
            let opened = if have_all { self.done.started } else { self.done.opened };
            (opened - self.done.removed).max(0.0) * self.heard(age / 2.0)
        } else if age < self.handshake {
            0.0
        } else {
            self.open(age) * self.heard(age)
        }
    }

    /// The flows that have ended, and were removed if others start.
    fn ended(&self) -> f64 {
        if self.starts > 0.0 { self.done.removed } else { self.all_ended() }
    }

    /// The flows that have ended.
    fn all_ended(&self) -> f64 {
        if self.starts == 0.0 {
            self.done.arrived * self.data / self.size
        } else if self.done.started >= self.limit && self.done.started - self.done.ended < 1.0 {
            self.limit
        } else {
            self.done.ended
        }
    }

    /// The files for which a run may wait, and those of them that are delivered.
    pub(super) fn files(&self) -> (f64, f64) {
        let done = self.all_ended();
        (self.files, if done >= self.files * NEARLY { self.files } else { done })
    }

    /// For how long it keeps its pace, about: changes take a round-trip time, and later ones take longer. No more flows
    /// start than there are, and none ends that has not started.
    pub(super) fn steady(&self, pace: &Pace, now: f64) -> f64 {
        let usual = ((now - self.start) / 4.0).max(self.there_and_back / 2.0);
        let left = if pace.started > 0.0 {
            (self.limit - self.done.started) / pace.started
        } else if self.starts > 0.0 && pace.ended > 0.0 {
            (self.done.started - self.done.ended) / pace.ended
        } else if self.files > 0.0 && pace.arrived > 0.0 {
            let (files, delivered) = self.files();
            (files - delivered) * self.size / (pace.arrived * self.data)
        } else {
            f64::INFINITY
        };
        usual.min(left)
    }

    /// What it does in a second from now on, if links let `room` b/s through.
    pub(super) fn pace(&self, room: f64, now: f64) -> Pace {
        let room = room.min(if self.carried < self.offered { self.carried } else { f64::INFINITY });
        if self.starts > 0.0 {
            return if self.done.started < self.limit {
                self.starting(room, now - self.start)
            } else {
                self.draining(room)
            };
        }
        let (files, delivered) = self.files();
        if files > 0.0 && delivered >= files {
            return Pace::default();
        }
        let age = now - self.start;
        let open = self.open(age);
        let share = if self.most > 0.0 { open / self.most } else { 0.0 };
        let written = if self.has_rate() { self.writes * self.begun } else { 0.0 };
        if age < self.handshake {
            let opened = (open / self.handshake).min(room / self.header.max(1.0));
            return Pace { events: opened * self.per_opening() + written, ..Pace::default() };
        }
        let arrived = room.min(self.carried).min(self.free * share) / self.wire;
        let arrived = if self.is_in_bursts() {
            // Windows double in a round trip, however few events that takes.
            arrived.min(LN_2 * open * self.at_once() / self.there_and_back)
        } else {
            arrived
        };
        let sent = match (self.has_rate(), self.is_in_bursts()) {
            (true, _) => self.wanted() * self.begun,
            (false, true) => arrived,
            (false, false) => self.wanted() * share,
        };
        let flow = (self.per_opening() + self.events.per_flow) * self.data / self.size;
        let given = if self.has_rate() { written } else { (sent - arrived).max(0.0) };
        let events = arrived * (self.per_packet(arrived) + flow) + given;
        Pace { sent, arrived, events, ..Pace::default() }
    }

    /// The share of flows of some age that have had an answer, of which packets get lost on the way there and back.
    fn heard(&self, age: f64) -> f64 {
        1.0 - (1.0 - self.passes * self.passes).powf(1.0 + self.retries(age))
    }

    /// How often the first packet of a flow has been sent again after some time: each time takes twice as long.
    fn retries(&self, age: f64) -> f64 {
        libm::log2(age.max(0.0) / self.again + 1.0)
    }

    /// Of flows that start together, those of which the first packet has found room.
    pub(super) fn open(&self, age: f64) -> f64 {
        let flows = self.most * self.begun;
        if self.handshake > 0.0 {
            flows.min(self.openings * (1.0 + libm::floor(self.retries(age))))
        } else {
            flows
        }
    }

    /// The instants at which the first packets of flows that started together are sent again.
    pub(super) fn tries(&self, end: f64) -> Vec<f64> {
        if self.starts > 0.0 || self.handshake == 0.0 || self.openings >= self.most {
            return Vec::new();
        }
        let tries = (1..=TRIES)
            .map(|number| self.start + self.again * (libm::exp2(f64::from(number)) - 1.0));
        tries.take_while(|&at| at < end).collect()
    }

    /// The pace of flows that start one by one, `age` seconds after the first of them.
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
        let enters = self.starts.min(self.events.enters / self.header.max(1.0));
        let opened = if is_open { asked } else { 0.0 };
        let all = self.sent_by(age - self.handshake);
        let left = (room - opening * through).max(0.0);
        let delivered = through.min(left / (opened * all.wire).max(1e-300));
        // The first of them are on their way.
        let delivered = delivered * ((age - self.handshake) / self.there_and_back).clamp(0.0, 1.0);
        let [sent, arrived] = [opened * all.packets, opened * all.packets * delivered];
        let ended = opened * all.over * delivered;
        // What was lost is sent again, each time later.
        let again = (self.starts - asked * through) * self.retries(age);
        let answered = if has_handshake { (age / self.handshake).min(1.0) } else { 1.0 };
        let events = self.starts
            + (enters - asked).max(0.0) * self.events.per_lost_opening
            + asked * answered * self.per_opening()
            + arrived * self.per_packet(arrived)
            + ended * self.events.per_flow
            + again;
        Pace { started: self.starts, opened, ended, removed: ended, sent, arrived, events }
    }

    /// The pace of flows of which no more start.
    fn draining(&self, room: f64) -> Pace {
        let flows = self.done.started - self.done.ended;
        let packets = (self.size / self.data).max(1.0);
        let arrived = (room / self.wire).min(flows * self.window / self.there_and_back);
        let ended = if flows < 1.0 { 0.0 } else { arrived / packets };
        let arrived = ended * packets;
        let events = arrived * self.per_packet(arrived) + ended * self.events.per_flow;
        Pace { ended, sent: arrived, arrived, events, ..Pace::default() }
    }

    /// What a flow has sent on average `age` seconds after its first data, if nothing was lost.
    fn sent_by(&self, age: f64) -> Sent {
        if age < 0.0 {
            return Sent::default();
        }
        let rounds = libm::floor(age / self.there_and_back) + 1.0;
        // The window doubles up to its limit.
        let doublings = libm::log2((self.window / self.burst).max(1.0)).min(rounds);
        let packets = self.burst * (libm::exp2(doublings) - 1.0)
            + if rounds > doublings { (rounds - doublings) * self.window } else { 0.0 };
        let most = (packets * self.data).max(self.data);
        let up_to = |bits: f64| match &self.sizes {
            Some(size) if size.mean().is_finite() => {
                size.mean() * 8.0 * (1.0 - size.share_beyond(entry::octets(bits)))
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

    /// The events of a packet that arrives, as one of `per_second` packets.
    fn per_packet(&self, per_second: f64) -> f64 {
        self.events.of_packet(per_second, self.at_once(), self.together())
    }

    /// The events of a handshake.
    fn per_opening(&self) -> f64 {
        self.events.of_opening(self.together())
    }

    /// The packets that a flow sends at once: those of a window, as far as windows have grown.
    fn at_once(&self) -> f64 {
        if !self.is_answered {
            return 1.0;
        }
        if self.starts > 0.0 {
            let packets = (self.size / self.data).max(1.0);
            let rounds = libm::log2(packets / self.first_packets() + 1.0);
            return (packets / rounds).min(self.window);
        }
        let flows = (self.most * self.begun).max(1.0);
        self.grown(self.first_packets() + self.done.arrived / flows)
    }

    /// The flows of a pair that are together: what began so goes on, for a burst of acknowledgments opens the windows of all.
    fn together(&self) -> f64 {
        let is_together = self.starts == 0.0 && self.last - self.start < self.there_and_back;
        if is_together { self.most * self.begun / self.pairs } else { 1.0 }
    }

    /// Whether its source has a rate, whatever the network does.
    fn has_rate(&self) -> bool {
        self.offered.is_finite() && self.starts == 0.0
    }

    /// The packets that its source offers in a second; none if it offers all at once.
    fn wanted(&self) -> f64 {
        (if self.has_rate() { self.offered } else { self.carried }) / self.wire
    }

    /// Its flows, in a run of at most `events` events.
    pub(super) fn flows(&self, events: f64) -> Flows {
        let packets = (self.size / self.data).max(1.0);
        let per_second = self.done.arrived / self.seconds.max(SHORTEST);
        let per_packet = self.per_packet(per_second);
        let at_most = events / (packets * per_packet + self.events.per_flow).max(1.0);
        let ended = self.ended().min(self.limit).min(at_most);
        let lived = [self.lived, self.answered];
        // Who waits for answers does not send what has not arrived.
        let lost = if self.is_answered { 0.0 } else { self.done.sent - self.done.arrived };
        let missing = lost.clamp(0.0, events);
        if self.starts == 0.0 {
            // Those that end are there until their last packets have arrived, when others have started already.
            let at_once =
                self.most + if self.limit > self.most { ended.min(self.most) } else { 0.0 };
            // A flow that starts later takes an event at least, but those of an incast all start in one.
            let later = if self.limit > 0.0 && !self.in_one_event { events } else { f64::INFINITY };
            let at_once = at_once.min(later).max(self.first);
            let ended = (ended - self.ended_early).max(0.0);
            return Flows { at_once, ended, missing, lived };
        }
        let begun = self.done.started.min(self.limit).min(events);
        let at_once = self.first + begun - self.done.removed.min(begun);
        let ended = (self.done.removed - self.ended_early).clamp(0.0, begun);
        Flows { at_once, ended, missing, lived }
    }
}
