//! The host: opens and closes connections, passes segments to the wire and to the transport.
//!
//! A host puts segments on its one link as soon as TCP releases them; that link's queue is the
//! interface queue, and a segment that finds it full is lost like at any other queue. The
//! application reads delivered data at once.

mod endpoints;

use endpoints::Released;
use kernel::{Order, prefetch_whole};
use random::Stream;
use traffic::{Generator, Offer};
use transport::tcp::{Flags, SackBlocks, Segment};
use units::{FlowId, LinkId, NodeId, Span, Time};

pub use endpoints::{Ends, Message, StopAndWait, Tcp, TransportCounts};

use cores::Signal;
use wire::context::{Controlled, Failure, Port};
use wire::event::{Event, Life};
use wire::packet::{Body, Marks, Packet, PacketId};
use wire::record::{Delays, Observed, Reordering, ReorderingCounts, Resent, Spurious};

use crate::network::Network;

/// The largest datagram in bytes, its headers included (RFC 791 and RFC 768).
const LARGEST_DATAGRAM: u32 = 65_535;

/// An instant that may not have come.
#[derive(Debug, Clone, Copy)]
pub struct Happened(Time);

impl Happened {
    const NOT_YET: Self = Self(Time::NEVER);

    fn at(time: Time) -> Self {
        Self(time)
    }

    /// When it has happened, if it has.
    #[inline]
    pub fn get(self) -> Option<Time> {
        self.is_some().then_some(self.0)
    }

    /// Whether it has happened.
    #[inline]
    pub fn is_some(self) -> bool {
        self.0 != Time::NEVER
    }
}

/// A flow with both of its ends: first what each packet touches, then what each packet with data does.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct Flow {
    /// The transport.
    pub ends: Ends,
    /// Where the source sends its packets.
    pub up: Port,
    /// Where the sink sends its packets.
    pub back: Port,
    /// The source host.
    pub from: NodeId,
    /// The sink host.
    pub to: NodeId,
    /// When the agenda wakes the sender and the receiver.
    armed: [Time; 2],
    /// Further observations of its data packets, if any are requested.
    pub observed: Option<Box<Observed>>,
    /// When all of its data was acknowledged, if it has an end.
    pub finished: Happened,
    /// Which of the flows that had this id.
    pub life: Life,
    /// The entry of the scenario's traffic.
    pub traffic: u32,
    /// Whether the application has ended.
    closed: bool,
    /// Whether the flow is removed when it ends: a flow of a process of transfers.
    pub passing: bool,
    /// Who may wait for it.
    pub awaited: Awaited,
    /// Its state.
    pub stage: Stage,
    /// The number of bytes at which its data is completely delivered; [`u64::MAX`] while that is not
    /// known, and afterwards.
    whole: u64,
    /// Delays of data packets from sending to the last bit at the sink.
    pub delays: Delays,
    /// The same from the first bit on the wire: without the wait in the source's interface.
    pub wire_delays: Delays,
    /// Data packets that arrived after one sent later.
    pub reordering: Reordering,
    /// Fast retransmits of segments that were not lost.
    pub spurious: Spurious,
    /// Its number in the order of creation, never used twice.
    pub number: u64,
    /// When its first data was offered.
    pub started: Happened,
    /// All data offered so far in bytes; `None` when it has no end.
    pub offered: Option<u64>,
    /// The instant of complete delivery.
    pub delivered: Happened,
    application: Option<Box<Application>>,
    /// The counts when measuring began.
    pub baseline: Option<Box<Baseline>>,
}

const _: () = assert!(size_of::<Flow>() == 256);

/// Whether a packet that arrives now was sent before measuring began, which has begun.
#[inline]
fn is_early(network: &Network, packet: &Body) -> bool {
    packet.sent < network.measured_from() && network.now() >= network.measured_from()
}

/// Who may wait for a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// Nobody.
    No,
    /// The run, for its end: it is of a list.
    ByRun,
    /// The run, for its end, and operations, for the delivery of its data: it is a send of a graph.
    ByGraph,
}

/// The state of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It runs, or will.
    Alive,
    /// It has ended and waits for its last packets.
    Lingering,
    /// Its row is written and its place is free.
    Gone,
}

/// An application that continues to offer data.
#[derive(Debug, Clone)]
pub struct Application {
    generator: Generator,
    stream: Stream,
    pending: u64,
}

impl Application {
    /// An application with the time until its first offer; `None` when it offers nothing.
    pub fn new(mut generator: Generator, mut stream: Stream) -> Option<(Self, Span)> {
        let Offer { after, bytes: pending } = generator.next(&mut stream)?;
        Some((Self { generator, stream, pending }, after))
    }

    /// From now on other offers are drawn, after the first offer; the time to the next one, unless it stays as it was
    /// drawn because it depends on the past.
    pub fn branch(&mut self, key: u64) -> Option<Span> {
        self.stream.branch(key);
        let Offer { after, bytes } = self.generator.again(&mut self.stream)?;
        self.pending = bytes;
        Some(after)
    }

    /// The bytes of the offer that is due, and the time until the one after it.
    pub fn offer(&mut self) -> (u64, Option<Span>) {
        let bytes = self.pending;
        let next = self.generator.next(&mut self.stream);
        if let Some(Offer { bytes, .. }) = next {
            self.pending = bytes;
        }
        (bytes, next.map(|offer| offer.after))
    }
}

/// What had happened to a flow when measuring began.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// Delays.
    pub delays: Delays,
    /// Delays from the first bit on the wire.
    pub wire_delays: Delays,
    /// Delays from the first transmission.
    pub first_delays: Delays,
    /// Delays of acknowledgments.
    pub ack_delays: Delays,
    /// Reordered data packets.
    pub reordered: u64,
    /// Spurious fast retransmits.
    pub spurious: u64,
    /// Bytes offered.
    pub offered: u64,
    /// The transport's numbers, in which all data that arrived in packets sent before count as
    /// delivered.
    pub transport: TransportCounts,
}

/// The endpoints and the numbers of a flow.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// The entry of the scenario's traffic.
    pub traffic: u32,
    /// The source host.
    pub from: NodeId,
    /// The sink host.
    pub to: NodeId,
    /// Where the source sends its packets.
    pub up: Port,
    /// Where the sink sends its packets.
    pub back: Port,
}

impl Flow {
    /// A flow that has not started.
    pub fn new(number: u64, life: Life, route: Route, ends: Ends) -> Self {
        let Route { traffic, from, to, up, back } = route;
        Self {
            number,
            life,
            traffic,
            from,
            to,
            up,
            back,
            started: Happened::NOT_YET,
            finished: Happened::NOT_YET,
            offered: Some(0),
            whole: u64::MAX,
            delivered: Happened::NOT_YET,
            ends,
            delays: Delays::default(),
            wire_delays: Delays::default(),
            reordering: Reordering::default(),
            spurious: Spurious::default(),
            observed: None,
            armed: [Time::NEVER; 2],
            application: None,
            closed: false,
            passing: false,
            awaited: Awaited::No,
            stage: Stage::Alive,
            baseline: None,
        }
    }

    /// Prefetches what a packet touches.
    #[inline]
    pub fn prefetch(&self) {
        prefetch_whole(self);
    }

    /// Gives the flow an application whose first offer is due at `at`.
    pub fn run(&mut self, network: &mut Network, id: FlowId, at: Time, application: Application) {
        network.wake(at, Event::Offer(id, self.life));
        self.application = Some(Box::new(application));
    }

    /// From now on other offers are drawn; the time to the next one, unless it stays.
    pub fn branch(&mut self, key: u64) -> Option<Span> {
        let application = self.application.as_mut().filter(|_| self.started.is_some())?;
        application.branch(key)
    }

    /// The application's next offer is due; returns when the one after it is, and its place among the
    /// events of that instant.
    #[inline]
    pub fn on_offer(&mut self, network: &mut Network, id: FlowId) -> Option<(Time, Order)> {
        let application = self.application.as_mut()?;
        let (bytes, more) = application.offer();
        let last = more.is_none() || application.pending == Offer::WITHDRAWN;
        let next = more.map(|after| (network.now().saturating_add(after), network.reserve()));
        if next.is_none() {
            self.application = None;
        }
        self.offer(network, id, bytes, last);
        next
    }

    /// The link of its host, if the flow sends a packet on it whenever its application offers one.
    #[inline]
    pub fn link_of_datagrams(&self) -> Option<LinkId> {
        match self.up {
            Port::Link(link) if matches!(self.ends, Ends::Udp { .. }) && !self.passing => {
                Some(link)
            }
            _ => None,
        }
    }

    /// The application offers data; `last` says that it is the end.
    pub fn offer(&mut self, network: &mut Network, id: FlowId, bytes: u64, last: bool) {
        if bytes == Offer::NOTHING_YET && !last {
            return;
        }
        let now = network.now();
        if bytes == Offer::WITHDRAWN {
            return self.withdraw(network, id);
        }
        if !self.started.is_some() {
            self.started = Happened::at(now);
            if self.ends.wants_signals() {
                network.wake(now, Event::Signal(id, self.life));
            }
        }
        self.closed = last && bytes != Offer::ENDLESS;
        self.offered = match self.offered {
            Some(sum) if bytes != Offer::ENDLESS => Some(sum + bytes),
            _ => None,
        };
        if matches!(self.ends, Ends::Udp { .. }) {
            if bytes != Offer::NOTHING_YET {
                self.send_datagram(network, id, bytes);
            }
            return;
        }
        if let Some(sum) = self.offered.filter(|_| self.closed) {
            self.whole = sum;
            network.note_size(id, self.to, sum);
        }
        self.ends.offer(now, bytes, self.closed);
        self.pump_sender(network, id);
    }

    /// The application is stopped: data that have not been sent are withdrawn, and the flow ends with the
    /// data already sent.
    fn withdraw(&mut self, network: &mut Network, id: FlowId) {
        let sent = self.ends.withdraw(network.now());
        self.offered = Some(sent);
        self.closed = true;
        if !self.delivered.is_some() {
            self.whole = sent;
            if self.ends.delivered() >= sent {
                self.deliver_whole(network, id);
            }
        }
        self.pump_sender(network, id);
    }

    fn send_datagram(&mut self, network: &mut Network, id: FlowId, bytes: u64) {
        let Ends::Udp { header, sent, .. } = &mut self.ends else { return };
        // A drawn size may exceed what fits into a datagram: it is cut.
        let room = LARGEST_DATAGRAM.saturating_sub(*header);
        let size = u32::try_from(bytes).map_or(room, |bytes| bytes.min(room));
        let datagram =
            Segment { seq: *sent, len: size, ..Segment::empty(network.now(), Flags::NONE) };
        *sent += 1;
        let packet = Packet::of_segment(&datagram, id, self.to, size + *header);
        if let Some(observed) = &mut self.observed {
            observed.datagram_sent(&datagram);
        }
        network.launch(self.up, packet, SackBlocks::default());
    }

    /// Whether a packet that reaches its host is for TCP alone: nothing is observed of it, and it carries no signal.
    #[inline]
    pub fn is_for_tcp_alone(&self, network: &Network, packet: PacketId) -> bool {
        let is_tcp = matches!(&self.ends, Ends::Tcp(tcp) if !tcp.sender.wants_signals());
        is_tcp && self.observed.is_none() && !is_early(network, network.packets().body(packet))
    }

    /// A packet [for TCP alone](Self::is_for_tcp_alone) has reached its host.
    #[inline(always)]
    pub fn receive_segment(
        &mut self,
        network: &mut Network,
        id: FlowId,
        packet: &Packet,
        sack: SackBlocks,
    ) {
        let Ends::Tcp(tcp) = &mut self.ends else { return };
        let (now, marks, segment) = (network.now(), packet.transit.marks, packet.segment(sack));
        if marks.has(Marks::BACKWARD) {
            tcp.sender.on_segment(now, &segment);
            return self.pump_sender(network, id);
        }
        tcp.receiver.on_segment(now, &segment, marks.has(Marks::CONGESTION_EXPERIENCED));
        if tcp.receiver.delivered() >= self.whole {
            self.deliver_whole(network, id);
        }
        self.pump_receiver(network, id);
    }

    /// A packet of this flow has reached its host.
    #[inline(never)]
    pub fn receive(
        &mut self,
        network: &mut Network,
        id: FlowId,
        packet: &Packet,
        sack: SackBlocks,
    ) {
        let now = network.now();
        let marked = packet.transit.marks.has(Marks::CONGESTION_EXPERIENCED);
        let segment = packet.segment(sack);
        if packet.transit.marks.has(Marks::BACKWARD) {
            if let Some(observed) = &mut self.observed {
                observed.acknowledged(now.since(packet.body.sent));
            }
            if self.ends.wants_signals() {
                self.note_signal(network);
            }
            self.ends.at_sender(now, &segment);
            self.pump_sender(network, id);
        } else {
            if let Some(observed) = &mut self.observed {
                observed.arrived(&segment, now);
            }
            let early = is_early(network, &packet.body);
            let before = if early { self.ends.arrived() } else { 0 };
            self.ends.at_receiver(now, &segment, marked);
            self.want_credit(network, id);
            if early {
                self.note_early(before);
            }
            if matches!(self.ends, Ends::Udp { .. }) {
                return;
            }
            if self.ends.delivered() >= self.whole {
                self.deliver_whole(network, id);
            }
            self.pump_receiver(network, id);
        }
    }

    /// Its receiver waits for its turn, if it wants credit.
    #[inline]
    fn want_credit(&mut self, network: &mut Network, id: FlowId) {
        if let Ends::Message(message) = &mut self.ends
            && !message.waits
            && message.receiver.wants_credit()
        {
            message.waits = true;
            network.want_credit(self.to, (id, self.life));
        }
    }

    /// It is the turn of its receiver to be granted credit for a packet; how long the packet takes on the link of
    /// its host.
    pub fn grant(&mut self, network: &mut Network, id: FlowId) -> Span {
        let Ends::Message(message) = &mut self.ends else { return Span::ZERO };
        message.waits = false;
        message.receiver.grant();
        let took = message.receiver.options().packet_time(network.rate(self.to));
        self.want_credit(network, id);
        self.pump_receiver(network, id);
        took
    }

    /// A packet that was sent before measuring began has arrived after it; `before` octets had
    /// arrived until then.
    #[cold]
    fn note_early(&mut self, before: u64) {
        let arrived = self.ends.arrived() - before;
        if let Some(baseline) = &mut self.baseline {
            baseline.transport.delivered += arrived;
        }
    }

    /// The sink learns from another part of the network how many bytes the flow has.
    pub fn learn_size(&mut self, bytes: u64) {
        self.whole = bytes;
    }

    /// The sink learns from another part of the network when a segment was sent.
    pub fn learn_first_sent(&mut self, seq: u64, first_bit: Time) {
        let observed = self.observed.as_mut().and_then(|observed| observed.first_sent.as_mut());
        if let Some(first_sent) = observed {
            first_sent.sent(seq, first_bit);
        }
    }

    /// Takes what has happened at the sink from the flow as it was simulated there.
    pub fn take_sink(&mut self, there: &mut Self) {
        self.delivered = there.delivered;
        self.delays = there.delays;
        self.wire_delays = there.wire_delays;
        self.reordering = std::mem::take(&mut there.reordering);
        self.ends.swap_sinks(&mut there.ends);
        if let (Some(here), Some(there)) = (&mut self.observed, &mut there.observed) {
            std::mem::swap(&mut here.first_sent, &mut there.first_sent);
        }
        if let (Some(here), Some(there)) = (&mut self.baseline, &there.baseline) {
            here.delays = there.delays;
            here.wire_delays = there.wire_delays;
            here.first_delays = there.first_delays;
            here.reordered = there.reordered;
            here.transport.delivered = there.transport.delivered;
        }
    }

    /// The application at the sink has received everything.
    #[cold]
    fn deliver_whole(&mut self, network: &mut Network, id: FlowId) {
        let now = network.now();
        self.whole = u64::MAX;
        self.delivered = Happened::at(now);
        if self.awaited == Awaited::ByGraph {
            network.wake(now, Event::Delivered(id, self.life));
        }
        if !self.passing {
            network.file_delivered();
        }
    }

    /// The sender's timer may be due.
    pub fn on_sender_alarm(&mut self, network: &mut Network, id: FlowId) {
        if self.armed[0] == network.now() {
            self.armed[0] = Time::NEVER;
        }
        if self.ends.sender_timeout(network.now()).is_some_and(|due| due <= network.now()) {
            self.ends.wake_sender(network.now());
        }
        self.pump_sender(network, id);
    }

    /// The receiver's timer may be due.
    pub fn on_receiver_alarm(&mut self, network: &mut Network, id: FlowId) {
        if self.armed[1] == network.now() {
            self.armed[1] = Time::NEVER;
        }
        if self.ends.receiver_timeout().is_some_and(|due| due <= network.now()) {
            self.ends.wake_receiver(network.now());
        }
        self.pump_receiver(network, id);
    }

    /// The core may have a signal for the sender.
    pub fn on_signal(&mut self, network: &mut Network, id: FlowId) {
        if self.finished.is_some() {
            return;
        }
        let Some(signal) = network.signal(self.up, (self.from, self.to)) else { return };
        match signal {
            Signal::Steady => self.ends.ignore_signals(),
            Signal::Path { open, next, .. } => {
                if next != Time::NEVER {
                    network.wake(next, Event::Signal(id, self.life));
                }
                self.ends.on_signal(network.now(), open);
            }
        }
        self.pump_sender(network, id);
    }

    /// An acknowledgment has come, which may carry a signal.
    #[inline(never)]
    fn note_signal(&mut self, network: &Network) {
        if let Some(Signal::Path { open, with_acks: true, .. }) =
            network.signal(self.up, (self.from, self.to))
        {
            self.ends.on_signal(network.now(), open);
        }
    }

    /// Sends what the sender has to send and updates its timer.
    #[inline]
    fn pump_sender(&mut self, network: &mut Network, id: FlowId) {
        network.report_window(id, || self.ends.window());
        let now = network.now();
        let due = match &mut self.ends {
            Ends::Tcp(tcp) if tcp.sender.sends_in_order() && self.observed.is_none() => {
                while let Some(segment) = tcp.sender.next_in_order(now) {
                    let bytes = tcp.header + segment.len;
                    let packet = Packet::of_segment(&segment, id, self.to, bytes);
                    network.launch(self.up, packet, SackBlocks::NONE);
                }
                tcp.sender.next_timeout()
            }
            _ => self.send_any(network, id),
        };
        if self.closed && !self.finished.is_some() && self.ends.is_finished() {
            self.finished = Happened::at(now);
            if self.awaited != Awaited::No {
                network.file_delivered();
            }
        }
        if let Some(fault) = self.ends.fault() {
            let of = Controlled::Window { flow: self.number, traffic: self.traffic };
            network.fail(|at| Failure { of, at, fault: fault.clone() });
        }
        self.rearm(network, due, 0, Event::SenderAlarm(id, self.life));
    }

    /// Sends what the sender of any transport has to send; when it is to be woken.
    #[inline(never)]
    fn send_any(&mut self, network: &mut Network, id: FlowId) -> Option<Time> {
        let (now, up) = (network.now(), self.up);
        // What is in the interface goes on when the path has changed: it is to have one packet.
        let one_by_one = self.ends.holds_data();
        let may_send = |network: &Network| !one_by_one || network.wait(up) == Span::ZERO;
        while may_send(network)
            && let Some(released) = self.ends.from_sender(now, || now + network.wait(up))
        {
            let Released { segment, bytes, marks, entropy } = released;
            let mut packet = Packet::of_segment(&segment, id, self.to, bytes);
            if let Some(observed) = &mut self.observed {
                let first_bit = now + network.wait(up);
                if observed.first_sent.is_none() || network.is_here(self.to) {
                    observed.sent(&segment, first_bit);
                } else if segment.len > 0 {
                    network.pass_first_sent(id, self.to, (segment.seq, first_bit));
                }
            }
            if segment.resent {
                self.note_resent(network, id, &packet);
            }
            packet.transit.marks.0 |= marks;
            packet.transit.hash = entropy;
            network.launch(up, packet, SackBlocks::NONE);
        }
        let due = self.ends.sender_timeout(now);
        if may_send(network) { due } else { due.into_iter().chain([now + network.wait(up)]).min() }
    }

    /// Reports to the record that octets are retransmitted.
    #[cold]
    fn note_resent(&mut self, network: &mut Network, id: FlowId, packet: &Packet) {
        if let Some(octets) = packet.stream() {
            let (acked, _) = self.ends.progress().unwrap_or_default();
            let resent = Resent { octets, acked, entered: self.ends.fast_retransmits() };
            network.note_resent(id, &mut self.spurious, resent);
        }
    }

    /// Sends what the receiver has to send and updates its timer.
    #[inline]
    fn pump_receiver(&mut self, network: &mut Network, id: FlowId) {
        let now = network.now();
        let due = match &mut self.ends {
            Ends::Tcp(tcp) => {
                while let Some(segment) = tcp.receiver.next_segment(now) {
                    let bytes = tcp.header + segment.len;
                    let mut packet = Packet::of_segment(&segment, id, self.from, bytes);
                    packet.transit.marks.0 |= Marks::BACKWARD;
                    network.launch(self.back, packet, segment.sack);
                }
                tcp.receiver.next_timeout()
            }
            _ => self.acknowledge_otherwise(network, id),
        };
        self.rearm(network, due, 1, Event::ReceiverAlarm(id, self.life));
    }

    /// Sends what the receiver of another transport has to send; when it is to be woken.
    #[inline(never)]
    fn acknowledge_otherwise(&mut self, network: &mut Network, id: FlowId) -> Option<Time> {
        let (now, back) = (network.now(), self.back);
        while let Some(released) = self.ends.from_receiver(now, || now + network.wait(back)) {
            let Released { segment, bytes, marks, entropy } = released;
            let mut packet = Packet::of_segment(&segment, id, self.from, bytes);
            packet.transit.marks.0 |= marks | Marks::BACKWARD;
            packet.transit.hash = entropy;
            network.launch(back, packet, segment.sack);
        }
        self.ends.receiver_timeout()
    }

    /// Enters an alarm unless there is an earlier one: that one will enter the next.
    #[inline]
    fn rearm(&mut self, network: &mut Network, due: Option<Time>, end: usize, event: Event) {
        if let Some(due) = due.filter(|due| *due < self.armed[end]) {
            self.armed[end] = due;
            network.wake(due, event);
        }
    }

    /// Whether it has begun, has an end, and is not finished; never with UDP, which does not know.
    pub fn is_under_way(&self) -> bool {
        let acknowledged = !matches!(self.ends, Ends::Udp { .. });
        self.started.is_some() && self.closed && !self.finished.is_some() && acknowledged
    }

    /// Whether it ended before an instant.
    pub fn ended_before(&self, time: Time) -> bool {
        self.finished.get().is_some_and(|finished| finished < time)
    }

    /// Delays from the first transmission, if requested.
    pub fn first_delays(&self) -> Delays {
        let observed = self.observed.as_ref().and_then(|observed| observed.first_sent.as_ref());
        observed.map(|first| first.delays).unwrap_or_default()
    }

    /// Delays of its acknowledgments, if requested.
    pub fn ack_delays(&self) -> Delays {
        self.observed.as_ref().and_then(|observed| observed.acknowledgments).unwrap_or_default()
    }

    /// The study of its reordering, if requested.
    pub fn reordering_counts(&self) -> Option<Box<ReorderingCounts>> {
        let study = self.observed.as_ref()?.reordering.as_ref()?;
        Some(Box::new(study.counts()))
    }

    /// What the transport has done so far.
    pub fn transport_counts(&self) -> TransportCounts {
        self.ends.counts()
    }

    /// Data delivered in order, of those sent since measuring began, in bytes.
    pub fn delivered_since_measuring_began(&self) -> u64 {
        let before = self.baseline.as_ref().map_or(0, |baseline| baseline.transport.delivered);
        self.ends.counts().delivered.saturating_sub(before)
    }

    /// The same when measuring begins, with all data that has arrived counted as delivered: data behind a
    /// gap are delivered later, but were sent before.
    pub fn transport_baseline(&self) -> TransportCounts {
        TransportCounts { delivered: self.ends.arrived(), ..self.ends.counts() }
    }
}
