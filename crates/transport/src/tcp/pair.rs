//! Two ends, a delay and a script of what the network does: for tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use units::{Bytes, Span, Time};

use super::{Receiver, Segment, Sender, recovery};
use crate::profile::Profile;
use crate::tcp::config::{Config, Preset, RtoLaw, TcpOptions, WindowValidation, resolve};

/// Data octets of a segment: segment `n` begins at octet `1000 n`.
pub(super) const SEGMENT: u64 = 1000;

/// From sender to receiver, or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Forth,
    Back,
}

/// What the network does with a segment.
#[derive(Clone, Debug, Default)]
pub(super) struct Fate {
    /// When the copies arrive, beyond the delay: none is a loss, two a duplication.
    pub(super) copies: Vec<Span>,
    /// Whether it is marked as having met congestion.
    pub(super) marked: bool,
}

impl Fate {
    pub(super) fn delivered() -> Self {
        Self { copies: vec![Span::ZERO], marked: false }
    }

    pub(super) fn lost() -> Self {
        Self::default()
    }

    pub(super) fn marked() -> Self {
        Self { marked: true, ..Self::delivered() }
    }

    pub(super) fn late(by: Span) -> Self {
        Self { copies: vec![by], marked: false }
    }
}

/// One segment that was sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) at: Time,
    pub(super) way: Way,
    pub(super) segment: Segment,
}

impl Sent {
    /// Milliseconds since the start.
    pub(super) fn ms(&self) -> u64 {
        self.at.0 / 1_000_000_000
    }
}

/// An acknowledgment that has reached the sender, and what it did to the window.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) segment: Segment,
    /// cwnd and ssthresh before it.
    pub(super) before: (u64, u64),
    /// cwnd and ssthresh after it.
    pub(super) cwnd: u64,
    pub(super) ssthresh: u64,
    /// Whether a fast recovery was under way before it, and whether data were sent again after a timeout.
    pub(super) recovers: bool,
    pub(super) goes_back: bool,
    /// How often the window was reduced before it and after it, and reductions taken back.
    pub(super) reductions: (u64, u64),
    pub(super) undone: (u64, u64),
}

pub(super) type Script = Box<dyn FnMut(&Sent) -> Fate>;

/// Two ends and the path between them, of infinite rate.
pub(super) struct Pair {
    pub(super) now: Time,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    /// Every segment sent, in order.
    pub(super) log: Vec<Sent>,
    /// Every segment that reached the sender, in order.
    pub(super) seen: Vec<Seen>,
    delay: Span,
    script: Script,
    on_the_way: BTreeMap<(Time, usize), (Way, Segment, bool)>,
    count: usize,
    stopped: bool,
}

impl Pair {
    /// A path with a round-trip time of 100 ms that delivers everything.
    pub(super) fn new(config: Config) -> Self {
        let config = Arc::new(config);
        Self {
            now: Time::ZERO,
            sender: Sender::new(Arc::clone(&config)),
            receiver: Receiver::new(config),
            log: Vec::new(),
            seen: Vec::new(),
            delay: Span::from_ms(50),
            script: Box::new(|_| Fate::delivered()),
            on_the_way: BTreeMap::new(),
            count: 0,
            stopped: false,
        }
    }

    /// The same over a path with this delay each way.
    pub(super) fn with_delay(mut self, delay: Span) -> Self {
        self.delay = delay;
        self
    }

    pub(super) fn with_script(mut self, script: impl FnMut(&Sent) -> Fate + 'static) -> Self {
        self.script = Box::new(script);
        self
    }

    /// Loses the first copy of each of these data segments.
    pub(super) fn losing(self, numbers: &[u64]) -> Self {
        let mut to_lose = numbers.to_vec();
        self.with_script(move |sent| {
            let number = sent.segment.seq / SEGMENT;
            let hit = sent.way == Way::Forth && sent.segment.len > 0;
            match to_lose.iter().position(|n| hit && *n == number) {
                Some(i) => {
                    to_lose.swap_remove(i);
                    Fate::lost()
                }
                None => Fate::delivered(),
            }
        })
    }

    pub(super) fn offer(&mut self, bytes: u64) {
        self.sender.offer(self.now, bytes);
        self.poll();
    }

    /// A circuit opens or closes.
    pub(super) fn circuit(&mut self, open: bool) {
        self.sender.on_signal(self.now, open);
        self.poll();
    }

    pub(super) fn close(&mut self) {
        self.sender.close(self.now);
        self.poll();
    }

    /// Runs until `end`, or until nothing is left to happen.
    pub(super) fn run_to(&mut self, end: Time) {
        self.poll();
        while !self.stopped {
            let arrival = self.on_the_way.first_key_value().map_or(Time::NEVER, |(key, _)| key.0);
            let timeout = self.sender.next_timeout().unwrap_or(Time::NEVER);
            let timeout = timeout.min(self.receiver.next_timeout().unwrap_or(Time::NEVER));
            let next = arrival.min(timeout);
            if next > end || next == Time::NEVER {
                break;
            }
            assert!(next >= self.now, "a deadline lies in the past");
            self.now = next;
            if arrival <= timeout {
                self.deliver();
            } else {
                self.sender.on_timeout(next);
                self.receiver.on_timeout(next);
            }
            self.poll();
        }
        if end != Time::NEVER {
            self.now = end;
        }
    }

    pub(super) fn run_for(&mut self, millis: u64) {
        self.run_to(self.now + Span::from_ms(millis));
    }

    /// Runs until nothing is left to happen.
    pub(super) fn run(&mut self) {
        self.run_to(Time::NEVER);
    }

    /// The numbers of the data segments sent, by the millisecond of their sending.
    pub(super) fn rounds(&self) -> Vec<(u64, Vec<u64>)> {
        let mut rounds: Vec<(u64, Vec<u64>)> = Vec::new();
        let data = self.log.iter().filter(|sent| sent.way == Way::Forth && sent.segment.len > 0);
        for sent in data {
            let number = sent.segment.seq / SEGMENT;
            match rounds.last_mut() {
                Some((ms, numbers)) if *ms == sent.ms() => numbers.push(number),
                _ => rounds.push((sent.ms(), vec![number])),
            }
        }
        rounds
    }

    fn deliver(&mut self) {
        let (_, (way, segment, marked)) = self.on_the_way.pop_first().expect("something arrives");
        match way {
            Way::Forth => self.receiver.on_segment(self.now, &segment, marked),
            Way::Back => self.deliver_back(segment),
        }
    }

    fn deliver_back(&mut self, segment: Segment) {
        let reductions = |sender: &Sender| {
            let counters = sender.counters();
            counters.timeouts + counters.fast_retransmits + counters.ecn_reductions
        };
        let sender = &self.sender;
        let before = (sender.cwnd(), sender.ssthresh());
        let recovers = sender.is_recovering();
        let goes_back = !recovers && sender.is_repairing();
        let (reduced, undone) = (reductions(sender), sender.counters().undone);
        self.sender.on_segment(self.now, &segment);
        self.seen.push(Seen {
            segment,
            before,
            cwnd: self.sender.cwnd(),
            ssthresh: self.sender.ssthresh(),
            recovers,
            goes_back,
            reductions: (reduced, reductions(&self.sender)),
            undone: (undone, self.sender.counters().undone),
        });
    }

    fn poll(&mut self) {
        while let Some(segment) = self.sender.next_segment(self.now) {
            self.carry(Way::Forth, segment);
        }
        while let Some(segment) = self.receiver.next_segment(self.now) {
            self.carry(Way::Back, segment);
        }
    }

    fn carry(&mut self, way: Way, segment: Segment) {
        let sent = Sent { at: self.now, way, segment };
        let fate = (self.script)(&sent);
        self.log.push(sent);
        for extra in fate.copies {
            self.count += 1;
            let at = self.now + self.delay + extra;
            self.on_the_way.insert((at, self.count), (way, segment, fate.marked));
        }
    }
}

/// Options for traces by hand: established from the start, an acknowledgment a segment, no
/// timestamps, no limited transmit, ten segments in congestion avoidance, RTO by RFC 6298, at first and at
/// least 1 s.
pub(super) fn by_hand(preset: Preset) -> TcpOptions {
    TcpOptions {
        preset: Some(preset),
        segment: Some(Bytes(SEGMENT)),
        initial_window: "10 segments".parse().ok(),
        initial_ssthresh: "10 segments".parse().ok(),
        rto_law: preset.rto_law().or(Some(RtoLaw::Rfc6298)),
        min_rto: Some(Span::from_secs(1)),
        initial_rto: Some(Span::from_secs(1)),
        ack_every: Some(1),
        timestamps: Some(false),
        limited_transmit: Some(false),
        growth: Some(crate::tcp::congestion::Growth::Acks),
        window_validation: Some(WindowValidation::None),
        handshake: Some(false),
        release: Some(false),
        ..TcpOptions::default()
    }
}

/// The options on top of the profile in which a preset's recovery is RFC 6675's and no receiver is the limit.
pub(super) fn config(options: &TcpOptions) -> Config {
    resolve(Profile::ModernSack, options).unwrap()
}

/// RACK with nothing told.
pub(super) fn rack() -> recovery::Options {
    recovery::Options::Rack(recovery::rack::Options::default())
}
