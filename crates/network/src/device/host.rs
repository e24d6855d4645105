//! The host: opens and closes connections, hands segments to the wire and to the transport.
//!
//! A host puts segments on its one link as soon as TCP releases them; that link's queue is the
//! interface queue, and a segment that finds it full is lost like anywhere else. The application
//! takes delivered data at once.

use random::Stream;
use traffic::{Generator, Offer};
use transport::tcp::{Flags, Receiver, SackBlocks, Segment, Sender};
use units::{FlowId, NodeId, Span, Time};

use crate::event::{Event, Life};
use crate::fabric::{Fabric, Port};
use crate::packet::{Marks, Packet};
use crate::record::{Delays, FirstSent, FlowCounts, Reordering};

/// The largest datagram in bytes, its headers included (RFC 791 and RFC 768).
const LARGEST_DATAGRAM: u32 = 65_535;

/// A flow with both of its ends.
#[derive(Debug)]
pub struct Flow {
    /// Its number in the order of creation, never used twice.
    pub number: u64,
    /// Which of the flows that had this id.
    pub life: Life,
    /// The entry of the scenario's traffic.
    pub traffic: u32,
    /// The source host.
    pub from: NodeId,
    /// The sink host.
    pub to: NodeId,
    /// Where the source hands over its packets.
    pub up: Port,
    /// Where the sink hands over its packets.
    pub back: Port,
    /// When its first data was offered.
    pub started: Option<Time>,
    /// When all of its data was acknowledged, if it has an end.
    pub finished: Option<Time>,
    /// All data offered so far in bytes; `None` when it has no end.
    pub offered: Option<u64>,
    /// The transport.
    pub ends: Ends,
    /// Delays of data packets from sending to the last bit at the sink.
    pub delays: Delays,
    /// The same from the first bit on the wire: without the wait in the source's interface.
    pub wire_delays: Delays,
    /// Data packets that arrived behind one sent later.
    pub reordering: Reordering,
    /// When its segments were first sent, if that is asked for.
    pub first_sent: Option<Box<FirstSent>>,
    /// When the agenda wakes the sender and the receiver.
    armed: [Time; 2],
    application: Option<Box<Application>>,
    /// Whether the application has said its last word.
    closed: bool,
    /// Whether the flow goes when it is over: one of a process of transfers.
    pub passing: bool,
    /// Where it stands.
    pub stage: Stage,
    /// The counts when measuring began.
    pub baseline: Option<Box<Baseline>>,
}

/// Where a flow stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It runs, or will.
    Alive,
    /// It is over and waits for its last packets.
    Lingering,
    /// Its row is written and its place empty.
    Gone,
}

/// An application that goes on offering data.
#[derive(Debug)]
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

/// The transport at both ends.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "almost every flow of almost every run is TCP")]
pub enum Ends {
    /// TCP.
    Tcp {
        /// At the source.
        sender: Sender,
        /// At the sink.
        receiver: Receiver,
        /// Bytes that each segment adds on the wire.
        header: u32,
        /// Whether data packets can carry a congestion mark.
        ecn: bool,
    },
    /// UDP.
    Udp {
        /// Bytes of headers on the wire.
        header: u32,
        /// Datagrams sent.
        sent: u64,
        /// Payload bytes delivered.
        delivered: u64,
    },
}

/// What had happened to a flow when measuring began.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// Packets.
    pub counts: FlowCounts,
    /// Delays.
    pub delays: Delays,
    /// Delays from the first bit on the wire.
    pub wire_delays: Delays,
    /// Delays from the first transmission.
    pub first_delays: Delays,
    /// Reordered data packets.
    pub reordered: u64,
    /// The transport's numbers.
    pub transport: TransportCounts,
}

/// What the transport of a flow has done.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TransportCounts {
    /// Payload bytes delivered in order.
    pub delivered: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Expired retransmission timers.
    pub timeouts: u64,
    /// Entries into fast retransmit.
    pub fast_retransmits: u64,
    /// Round-trip times measured.
    pub rtt_samples: u64,
    /// Their sum in seconds.
    pub rtt_sum: f64,
}

impl TransportCounts {
    /// What was counted since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            delivered: self.delivered - earlier.delivered,
            retransmissions: self.retransmissions - earlier.retransmissions,
            timeouts: self.timeouts - earlier.timeouts,
            fast_retransmits: self.fast_retransmits - earlier.fast_retransmits,
            rtt_samples: self.rtt_samples - earlier.rtt_samples,
            rtt_sum: self.rtt_sum - earlier.rtt_sum,
        }
    }
}

/// Where a flow runs and what names it.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// The entry of the scenario's traffic.
    pub traffic: u32,
    /// The source host.
    pub from: NodeId,
    /// The sink host.
    pub to: NodeId,
    /// Where the source hands over its packets.
    pub up: Port,
    /// Where the sink hands over its packets.
    pub back: Port,
}

impl Flow {
    /// A flow that has not begun.
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
            started: None,
            finished: None,
            offered: Some(0),
            ends,
            delays: Delays::default(),
            wire_delays: Delays::default(),
            reordering: Reordering::default(),
            first_sent: None,
            armed: [Time::NEVER; 2],
            application: None,
            closed: false,
            passing: false,
            stage: Stage::Alive,
            baseline: None,
        }
    }

    /// Gives the flow an application whose first offer is due at `at`.
    pub fn run(&mut self, fabric: &mut Fabric, id: FlowId, at: Time, application: Application) {
        fabric.wake(at, Event::Offer(id, self.life));
        self.application = Some(Box::new(application));
    }

    /// The application's next offer is due.
    pub fn on_offer(&mut self, fabric: &mut Fabric, id: FlowId) {
        let Some(application) = &mut self.application else { return };
        let (bytes, more) = application.offer();
        if let Some(after) = more {
            fabric.wake(fabric.now.saturating_add(after), Event::Offer(id, self.life));
        } else {
            self.application = None;
        }
        self.offer(fabric, id, bytes, more.is_none());
    }

    /// The application offers data; `last` says that it is the end.
    pub fn offer(&mut self, fabric: &mut Fabric, id: FlowId, bytes: u64, last: bool) {
        let now = fabric.now;
        self.started.get_or_insert(now);
        self.closed = last && bytes != Offer::ENDLESS;
        self.offered = match self.offered {
            Some(sum) if bytes != Offer::ENDLESS => Some(sum + bytes),
            _ => None,
        };
        match &mut self.ends {
            Ends::Tcp { sender, .. } => {
                sender.offer(now, bytes);
                if self.closed {
                    sender.close(now);
                }
                self.pump_sender(fabric, id);
            }
            Ends::Udp { .. } => self.send_datagram(fabric, id, bytes),
        }
    }

    fn send_datagram(&mut self, fabric: &mut Fabric, id: FlowId, bytes: u64) {
        let Ends::Udp { header, sent, .. } = &mut self.ends else { return };
        // A drawn size may exceed what fits into a datagram: it is cut.
        let room = LARGEST_DATAGRAM.saturating_sub(*header);
        let size = u32::try_from(bytes).map_or(room, |bytes| bytes.min(room));
        let datagram = Segment { seq: *sent, len: size, ..Segment::empty(fabric.now, Flags::NONE) };
        *sent += 1;
        let packet = Packet::of_segment(&datagram, id, self.to, size + *header);
        fabric.launch(self.up, packet, SackBlocks::default());
    }

    /// A packet of this flow has reached its host.
    #[inline]
    pub fn receive(&mut self, fabric: &mut Fabric, id: FlowId, packet: &Packet, sack: SackBlocks) {
        let now = fabric.now;
        let marked = packet.transit.marks.has(Marks::CONGESTION_EXPERIENCED);
        match &mut self.ends {
            Ends::Tcp { sender, receiver, .. } => {
                let segment = packet.segment(sack);
                if packet.transit.marks.has(Marks::BACKWARD) {
                    sender.on_segment(now, &segment);
                    self.pump_sender(fabric, id);
                } else {
                    if let Some(first) = &mut self.first_sent {
                        first.arrived(segment.seq, segment.len, now);
                    }
                    receiver.on_segment(now, &segment, marked);
                    self.pump_receiver(fabric, id);
                }
            }
            Ends::Udp { delivered, .. } => *delivered += u64::from(packet.data()),
        }
    }

    /// The sender's timer may be due.
    pub fn on_sender_alarm(&mut self, fabric: &mut Fabric, id: FlowId) {
        if self.armed[0] == fabric.now {
            self.armed[0] = Time::NEVER;
        }
        let Ends::Tcp { sender, .. } = &mut self.ends else { return };
        if sender.next_timeout().is_some_and(|due| due <= fabric.now) {
            sender.on_timeout(fabric.now);
        }
        self.pump_sender(fabric, id);
    }

    /// The receiver's timer may be due.
    pub fn on_receiver_alarm(&mut self, fabric: &mut Fabric, id: FlowId) {
        if self.armed[1] == fabric.now {
            self.armed[1] = Time::NEVER;
        }
        let Ends::Tcp { receiver, .. } = &mut self.ends else { return };
        if receiver.next_timeout().is_some_and(|due| due <= fabric.now) {
            receiver.on_timeout(fabric.now);
        }
        self.pump_receiver(fabric, id);
    }

    /// Sends what the sender has to send and sees to its timer.
    #[inline]
    fn pump_sender(&mut self, fabric: &mut Fabric, id: FlowId) {
        let Ends::Tcp { sender, header, ecn, .. } = &mut self.ends else { return };
        if fabric.tells_windows {
            fabric.windows[id.index()] = sender.cwnd();
        }
        while let Some(segment) = sender.next_segment(fabric.now) {
            let bytes = *header + segment.len;
            let mut packet = Packet::of_segment(&segment, id, self.to, bytes);
            if let Some(first) = self.first_sent.as_mut().filter(|_| segment.len > 0) {
                first.sent(segment.seq, fabric.now + fabric.wait(self.up));
            }
            // RFC 3168, 6.1.4 and 6.1.5: neither control packets nor resent data are ECT.
            if *ecn && segment.len > 0 && !segment.resent {
                packet.transit.marks.0 |= Marks::ECN_CAPABLE;
            }
            fabric.launch(self.up, packet, SackBlocks::default());
        }
        if self.finished.is_none() && self.closed && sender.is_finished() {
            self.finished = Some(fabric.now);
        }
        let due = sender.next_timeout();
        self.rearm(fabric, due, 0, Event::SenderAlarm(id, self.life));
    }

    /// Sends what the receiver has to send and sees to its timer.
    #[inline]
    fn pump_receiver(&mut self, fabric: &mut Fabric, id: FlowId) {
        let Ends::Tcp { receiver, header, .. } = &mut self.ends else { return };
        while let Some(segment) = receiver.next_segment(fabric.now) {
            let bytes = *header + segment.len;
            let mut packet = Packet::of_segment(&segment, id, self.from, bytes);
            packet.transit.marks.0 |= Marks::BACKWARD;
            fabric.launch(self.back, packet, segment.sack);
        }
        let due = receiver.next_timeout();
        self.rearm(fabric, due, 1, Event::ReceiverAlarm(id, self.life));
    }

    /// Enters an alarm unless an earlier one is there: that one will look again.
    #[inline]
    fn rearm(&mut self, fabric: &mut Fabric, due: Option<Time>, end: usize, event: Event) {
        if let Some(due) = due.filter(|due| *due < self.armed[end]) {
            self.armed[end] = due;
            fabric.wake(due, event);
        }
    }

    /// Whether it was over before an instant.
    pub fn ended_before(&self, time: Time) -> bool {
        self.finished.is_some_and(|finished| finished < time)
    }

    /// Delays from the first transmission, if they are asked for.
    pub fn first_delays(&self) -> Delays {
        self.first_sent.as_ref().map(|first| first.delays).unwrap_or_default()
    }

    /// What the transport has done so far.
    pub fn transport_counts(&self) -> TransportCounts {
        match &self.ends {
            Ends::Tcp { sender, receiver, .. } => {
                let counters = sender.counters();
                TransportCounts {
                    delivered: receiver.delivered(),
                    retransmissions: counters.retransmissions,
                    timeouts: counters.timeouts,
                    fast_retransmits: counters.fast_retransmits,
                    rtt_samples: counters.rtt_samples,
                    rtt_sum: counters.rtt_sum as f64 * 1e-12,
                }
            }
            Ends::Udp { delivered, .. } => {
                TransportCounts { delivered: *delivered, ..TransportCounts::default() }
            }
        }
    }
}
