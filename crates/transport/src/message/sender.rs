//! The sender: the end that the data come from.

use std::collections::VecDeque;
use std::sync::Arc;

use random::Stream;
use units::{Rate, Span, Time};

use super::config::{MessageCircuits, MessageOptions};
use super::sent::{Packets, Sent, Stand};
use super::spraying::{Fate, Spraying};
use super::timer::Timer;
use super::window::{Delivered, Missing, Terms, Window};
use super::wire::{About, Answer, Data, Feedback};
use crate::segment::Segment;

/// The least of a minimum of the timeout that is not given.
const LEAST_RTO: Span = Span::from_us(100);

/// The minimum span of time.
const TICK: Span = Span::from_ps(1);

/// The least number of packets by which one may be overtaken.
const LEAST_REORDERING: u64 = 5;

/// The most packets for which credit is wanted ahead: what a field of 16 bits tells apart.
const MOST_WANTED: u64 = 30_000;

/// The way of a flow in an idle network.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// The rate of its host's link.
    pub rate: Rate,
    /// The time of a full packet there and an answer back.
    pub base_rtt: Span,
    /// The time in which the queues on both ways empty that delay it, all of them full.
    pub queues: Span,
}

/// What a sender has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Packets sent again.
    pub retransmissions: u64,
    /// Expired timers.
    pub timeouts: u64,
    /// Packets that were trimmed.
    pub nacks: u64,
    /// Packets that were given up since many had overtaken them.
    pub overtaken: u64,
    /// Measurements of the round-trip time.
    pub rtt_samples: u64,
    /// Their sum in picoseconds.
    pub rtt_sum: u128,
}

/// The end that the data come from.
#[derive(Clone, Debug)]
pub struct Sender {
    options: Arc<MessageOptions>,
    /// Octets of all messages.
    offered: u64,
    /// Where messages end that are not all sent.
    ends: VecDeque<u64>,
    /// Octets sent for the first time.
    sent: u64,
    /// Octets that have come.
    acked: u64,
    packets: Packets,
    /// Octets on the wire of packets in flight.
    in_flight: u64,
    /// How many these are.
    packets_in_flight: u64,
    /// The last packet sent, if it asks for an answer and is not given up.
    asks: Option<u64>,
    /// Octets on the wire sent so far.
    place: u64,
    /// The latest place of a packet that came.
    overtaking: u64,
    spraying: Spraying,
    window: Window,
    timer: Timer,
    /// When the packet in the interface of the host begins: the next one is given to it then.
    turn: Time,
    /// Packets that may be sent with credit in all, and those that were sent.
    allowed: u64,
    spent: u64,
    /// How many of those are allowed without a grant.
    unasked: u64,
    /// When it last sent or heard something.
    active: Time,
    closed: bool,
    /// If it is told of circuits, whether data wait for one.
    held: Option<bool>,
    counters: SenderCounters,
}

impl Sender {
    /// An idle sender on a path; its entropies are drawn from `stream`.
    pub fn new(options: Arc<MessageOptions>, path: Path, stream: Stream) -> Self {
        let base_rtt = options.base_rtt.unwrap_or(path.base_rtt).max(TICK);
        let terms = Terms { packet: options.full().0, rate: path.rate, base_rtt };
        let window = Window::new(&options.window, &terms);
        let unasked = window.octets().div_ceil(options.full().0).max(1);
        let initial = Span(base_rtt.0.saturating_mul(3));
        let waits = Span(base_rtt.0.saturating_add(path.queues.0)).max(LEAST_RTO);
        let min_rto = options.min_rto.unwrap_or(waits).min(options.max_rto);
        Self {
            spraying: Spraying::new(&options.spraying, options.entropies, stream),
            timer: Timer::new(initial, (min_rto, options.max_rto)),
            window,
            held: options.circuits.map(|MessageCircuits::Hold| true),
            options,
            offered: 0,
            ends: VecDeque::new(),
            sent: 0,
            acked: 0,
            packets: Packets::default(),
            in_flight: 0,
            packets_in_flight: 0,
            asks: None,
            place: 0,
            overtaking: 0,
            turn: Time::ZERO,
            allowed: unasked,
            spent: 0,
            unasked,
            active: Time::ZERO,
            closed: false,
            counters: SenderCounters::default(),
        }
    }

    /// The application has a message of `bytes` octets; [`u64::MAX`] never ends.
    pub fn offer(&mut self, bytes: u64) {
        debug_assert!(!self.closed, "nothing is written after the end");
        if bytes > 0 {
            self.offered = self.offered.saturating_add(bytes);
            self.ends.push_back(self.offered);
        }
    }

    /// There are no further messages.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// The application takes back what has not been sent for the first time, and has no further messages; says how
    /// many octets remain.
    pub fn withdraw(&mut self) -> u64 {
        self.offered = self.sent;
        self.ends.clear();
        self.closed = true;
        self.offered
    }

    /// Whether it is to be told when a circuit to the rack of its receiver opens or closes.
    #[inline]
    pub fn wants_signals(&self) -> bool {
        self.held.is_some()
    }

    /// It is not told of circuits, since there are none on its way.
    pub fn ignore_signals(&mut self) {
        self.held = None;
    }

    /// The rack says whether a circuit leads to that of the receiver now; at first none does.
    pub fn on_signal(&mut self, open: bool) {
        self.held = self.held.map(|_| !open);
    }

    /// Octets that have come, as far as it knows.
    #[inline]
    pub fn acked(&self) -> u64 {
        self.acked
    }

    /// The options of the connection.
    #[inline]
    pub fn options(&self) -> &MessageOptions {
        &self.options
    }

    /// Octets on the wire that may be in flight.
    #[inline]
    pub fn window(&self) -> u64 {
        self.window.octets()
    }

    /// The smoothed round-trip time.
    pub fn srtt(&self) -> Option<Span> {
        self.timer.srtt()
    }

    /// Whether all messages have come and there are no further ones.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.closed && self.acked == self.offered
    }

    /// What it has done so far.
    pub fn counters(&self) -> &SenderCounters {
        &self.counters
    }

    /// When it is to be woken: a packet is given up, or the interface of its host has sent the packet before.
    #[inline]
    pub fn next_timeout(&mut self, now: Time) -> Option<Time> {
        // A timeout that has become shorter may be over already.
        let deadline = self.deadline().map(|deadline| deadline.max(now));
        let turn = (self.turn > now && self.may_send()).then_some(self.turn);
        match (deadline, turn) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// When the oldest packet in flight is given up; with none in flight, when the credit that is waited for is taken
    /// for lost.
    fn deadline(&mut self) -> Option<Time> {
        let rto = self.timer.rto();
        let from = match self.packets.oldest() {
            Some((_, packet)) => packet.first_bit,
            None if self.lacks_credit() && self.next_size().is_some() => self.active,
            None => return None,
        };
        Some(from.saturating_add(rto).saturating_add(TICK))
    }

    fn lacks_credit(&self) -> bool {
        self.options.credits && self.spent >= self.allowed
    }

    /// The time has come; a call before it does nothing.
    pub fn on_timeout(&mut self, now: Time) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        let rto = self.timer.rto();
        self.counters.timeouts += 1;
        while let Some((number, packet)) = self.packets.oldest() {
            if packet.first_bit.saturating_add(rto) >= now {
                break;
            }
            self.lose(now, number);
        }
        if self.lacks_credit() {
            // The receiver may not know that something is wanted, or its grant may be lost: one packet asks.
            self.unasked += 1;
            self.allowed += 1;
        }
    }

    /// A packet in flight is given up: it is to be sent again.
    fn lose(&mut self, now: Time, number: u64) {
        if let Some(missing) = self.give_up(now, number, Fate::Lost) {
            self.window.on_loss(&missing);
        }
    }

    /// The same, for whatever reason; what the window is told, if it was in flight.
    fn give_up(&mut self, now: Time, number: u64, fate: Fate) -> Option<Missing> {
        let packet = self.packets.give_up(number)?;
        let octets = self.on_wire(packet.len);
        self.in_flight -= octets;
        self.packets_in_flight -= 1;
        self.asks = self.asks.filter(|&asks| asks != number);
        self.spraying.on_fate(now, packet.entropy, fate);
        Some(Missing { now, octets, in_flight: self.in_flight })
    }

    fn on_wire(&self, len: u32) -> u64 {
        self.options.header.0 + u64::from(len)
    }

    /// An answer has come from the receiver.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        self.active = now;
        match Answer::of(segment) {
            Answer::Credit { granted } => {
                self.allowed = self.allowed.max(self.unasked + granted);
            }
            Answer::Nack { number, about } => self.on_nack(now, number, &about),
            Answer::Feedback(feedback) => self.on_feedback(now, &feedback),
        }
    }

    fn on_nack(&mut self, now: Time, number: u64, about: &About) {
        self.take_come(self.packets.first()..about.next);
        // That of an earlier copy says nothing of the one in flight.
        let is_latest = |packet: &Sent| packet.first_bit == about.first_bit;
        if !self.packets.get(number).is_some_and(is_latest) {
            return;
        }
        // The latest copy has the entropy that the answer names.
        if let Some(missing) = self.give_up(now, number, Fate::Trimmed) {
            self.counters.nacks += 1;
            self.window.on_nack(&missing);
        }
    }

    fn on_feedback(&mut self, now: Time, feedback: &Feedback) {
        let About { next, entropy, marked, first_bit } = feedback.about;
        let rtt = now.since(first_bit);
        self.timer.sample(rtt, self.in_flight / self.options.full().0);
        self.counters.rtt_samples += 1;
        self.counters.rtt_sum += u128::from(rtt.0);
        let octets = self.take_come((self.packets.first()..next).chain(feedback.come()));
        self.spraying.on_fate(now, entropy, if marked { Fate::Marked } else { Fate::Good });
        let in_flight = self.in_flight;
        self.window.on_delivered(&Delivered { now, octets, in_flight, marked, rtt });
        self.find_overtaken(now);
    }

    /// Takes what has come off; its octets on the wire.
    fn take_come(&mut self, numbers: impl Iterator<Item = u64>) -> u64 {
        let mut octets = 0;
        for number in numbers {
            let Some(packet) = self.packets.came(number) else { continue };
            let size = self.on_wire(packet.len);
            octets += size;
            self.acked += u64::from(packet.len);
            if packet.stand == Stand::InFlight {
                self.in_flight -= size;
                self.packets_in_flight -= 1;
                self.overtaking = self.overtaking.max(packet.place);
            }
        }
        octets
    }

    /// Packets are lost when enough that was sent after them has come.
    fn find_overtaken(&mut self, now: Time) {
        let windows = self.options.reordering * self.window.octets() as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few windows"
        )]
        let room = (windows as u64).max(LEAST_REORDERING * self.options.full().0);
        while let Some((number, packet)) = self.packets.oldest() {
            if packet.place + room >= self.overtaking {
                break;
            }
            self.counters.overtaken += 1;
            self.lose(now, number);
        }
    }

    /// Octets of the next packet on the wire, if one is to be sent.
    fn next_size(&mut self) -> Option<u64> {
        let len = match self.packets.next_missing() {
            Some(number) => self.packets.get(number).expect("it is missing").len,
            None => self.next_len()?,
        };
        Some(self.on_wire(len))
    }

    /// Data octets of the next new packet: at most what is left of its message.
    fn next_len(&self) -> Option<u32> {
        let end = *self.ends.front()?;
        let octets = (end - self.sent).min(self.options.packet.0);
        Some(u32::try_from(octets).expect("checked with the options"))
    }

    /// Whether a packet is to be sent, and window, credit and circuits allow it.
    fn may_send(&mut self) -> bool {
        self.has_room() || self.waits_in_vain() && self.is_allowed() && self.next_size().is_some()
    }

    fn is_allowed(&self) -> bool {
        !self.lacks_credit() && self.held != Some(true)
    }

    /// Whether a packet is to be sent and has room in the window.
    fn has_room(&mut self) -> bool {
        let (in_flight, window) = (self.in_flight, self.window.octets());
        // A packet may always be in flight.
        let fits = |size| in_flight == 0 || in_flight + size <= window;
        self.is_allowed() && self.next_size().is_some_and(fits)
    }

    /// Whether the receiver answers none of the packets in flight: too few, and none asks, since there was room for
    /// another one in a window that has become smaller.
    fn waits_in_vain(&self) -> bool {
        self.asks.is_none() && self.packets_in_flight < u64::from(self.options.answer_every)
    }

    /// The next packet to send at `now`, with its first bit on the wire at `first_bit`; none if nothing is due. Poll
    /// until none.
    #[inline]
    pub fn next_segment(&mut self, now: Time, first_bit: impl FnOnce() -> Time) -> Option<Segment> {
        if self.turn > now || !self.may_send() {
            return None;
        }
        let first_bit = first_bit();
        (self.turn, self.active) = (first_bit, first_bit);
        let entropy = self.spraying.next(now);
        let missing = self.packets.take_missing();
        let (number, packet) = match missing {
            Some(number) => (number, *self.packets.get(number).expect("it is missing")),
            None => (self.packets.next_number(), self.new_packet()),
        };
        let octets = self.on_wire(packet.len);
        self.in_flight += octets;
        self.packets_in_flight += 1;
        self.place += octets;
        self.spent += 1;
        if missing.is_some() {
            self.counters.retransmissions += 1;
            self.packets.resend(number, entropy, first_bit, self.place);
        } else {
            let place = self.place;
            self.packets.add(Sent { first_bit, place, entropy, ..packet });
        }
        // Nothing else will bring an answer.
        self.asks = (!self.has_room()).then_some(number);
        let data = Data {
            number,
            offset: packet.offset,
            len: packet.len,
            entropy,
            wanted: self.wanted(),
            asks: self.asks.is_some(),
            resent: missing.is_some(),
            first_bit,
        };
        Some(data.segment(now))
    }

    /// The next part of a message.
    fn new_packet(&mut self) -> Sent {
        let len = self.next_len().expect("something may be sent");
        let offset = self.sent;
        self.sent += u64::from(len);
        if self.ends.front() == Some(&self.sent) {
            self.ends.pop_front();
        }
        Sent { offset, first_bit: Time::ZERO, place: 0, len, entropy: 0, stand: Stand::InFlight }
    }

    /// The packets for which credit is wanted in all, modulo 2¹⁶: those sent and those to be sent, without those that
    /// may be sent unasked.
    #[expect(clippy::cast_possible_truncation, reason = "modulo 2¹⁶")]
    fn wanted(&mut self) -> u16 {
        if !self.options.credits {
            return 0;
        }
        let new = (self.offered - self.sent).div_ceil(self.options.packet.0);
        let ahead = new.saturating_add(self.packets.missing()).min(MOST_WANTED);
        (self.spent + ahead).saturating_sub(self.unasked) as u16
    }
}
