//! Two ends of TCP with any options, and a network that delivers, delays, doubles, loses, marks and
//! forges segments in any order.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use transport::tcp::{Flags, Receiver, SackBlocks, Segment, Sender};
use transport::{Config, Profile, TcpOptions, resolve};
use units::{Span, Time};

/// The most that is on the way at once; what is sent beyond it is lost.
const ROOM: usize = 4096;
/// Steps after which a transfer over a path that loses nothing must be over.
const STEPS: u32 = 300_000;
/// Full segments that are offered at the most, in all.
const SEGMENTS: u64 = 5000;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Unstructured::new(data);
    let Ok(Some(config)) = configuration(&mut bytes) else { return };
    let mut pair = Pair::new(config);
    while !bytes.is_empty() {
        if pair.step(&mut bytes).is_err() {
            break;
        }
        pair.hold();
    }
    if !pair.forged {
        pair.finish();
    }
});

/// Options by the words of a scenario; none where they are refused.
fn configuration(bytes: &mut Unstructured) -> Result<Option<Config>> {
    let mut options = serde_json::Map::new();
    for _ in 0..bytes.int_in_range(0..=12)? {
        let (key, values) = bytes.choose(WORDS)?;
        let value = bytes.choose(values)?;
        options.insert((*key).to_owned(), serde_json::from_str(value).expect("JSON"));
    }
    let options: TcpOptions = serde_json::from_value(options.into()).expect("words of the schema");
    let profiles = [Profile::Modern, Profile::Linux, Profile::Ns2_2003, Profile::Inet2_1];
    Ok(resolve(*bytes.choose(&profiles)?, &options).ok())
}

const SWITCH: &[&str] = &["true", "false"];
const WINDOWS: &[&str] = &[
    "\"1 segment\"", "\"2 segments\"", "\"10 segments\"", "\"64 kB\"", "\"65535 segments\"",
    "\"unlimited\"",
];
const TIMES: &[&str] = &["\"0 s\"", "\"1 us\"", "\"1 ms\"", "\"200 ms\"", "\"1 s\"", "\"60 s\""];
/// Keys with some of their values, those at the ends among them.
const WORDS: &[(&str, &[&str])] = &[
    ("preset", &[
        "\"tahoe\"", "\"reno\"", "\"newreno\"", "\"sack\"", "\"cubic\"", "\"maimd\"", "\"msack\"",
        "\"dctcp\"", "\"compound\"",
    ]),
    ("recovery", &[
        "\"tahoe\"", "\"reno\"", "\"newreno\"", "\"sack\"", "\"rack\"",
        "{\"kind\": \"reno\", \"repeated-fast-retransmit\": true}",
        "{\"kind\": \"reno\", \"repeated-fast-retransmit\": false}",
        "{\"kind\": \"newreno\", \"exit\": \"flight\"}",
        "{\"kind\": \"newreno\", \"exit\": \"ssthresh\", \"timer\": \"each\"}",
        "{\"kind\": \"newreno\", \"deflation\": \"wraps\"}",
        "{\"kind\": \"newreno\", \"inflation\": \"beyond-threshold\"}",
        "{\"kind\": \"rack\", \"undo\": false}",
        "{\"kind\": \"rack\", \"prr\": true}",
        "{\"kind\": \"sack\", \"prr\": true}",
    ]),
    ("congestion", &[
        "\"reno\"", "\"cubic\"", "\"maimd\"", "\"dctcp\"", "\"compound\"", "\"bbr3\"", "\"bbr1\"", "\"prague\"",
        "{\"kind\": \"bbr3\", \"quantum\": \"1 B\"}",
        "{\"kind\": \"maimd\", \"decrease\": 0.01, \"increase\": 1000.0}",
        "{\"kind\": \"maimd\", \"decrease\": 0.99, \"increase\": 0.01}",
        "{\"kind\": \"dctcp\", \"gain\": 0.001}",
        "{\"kind\": \"dctcp\", \"gain\": 1.0}",
        "{\"kind\": \"compound\", \"gamma\": 0.1}",
        "{\"kind\": \"compound\", \"gamma\": 1000000.0, \"gamma-tuning\": true}",
        "{\"kind\": \"cubic\", \"law\": \"linux\"}",
    ]),
    ("slow-start", &[
        "\"standard\"", "\"hystart\"", "\"hystart++\"", "\"limited\"",
        "{\"kind\": \"limited\", \"max-ssthresh\": 1}",
    ]),
    ("quick-acks", &["0", "1", "16", "65535"]),
    ("segment", &["\"1 B\"", "\"536 B\"", "\"1460 B\"", "\"65535 B\""]),
    ("initial-window", WINDOWS),
    ("initial-ssthresh", WINDOWS),
    ("max-window", WINDOWS),
    ("receive-window", WINDOWS),
    ("rto-law", &["\"rfc6298\"", "\"average\""]),
    ("rto-backoff", &["1.0", "1.1", "2.0", "1000.0"]),
    ("rto-weight", &["0.0", "0.5", "1.0"]),
    ("rto-margin", &["0.0", "4.0", "1000000.0"]),
    ("min-rto", TIMES),
    ("max-rto", TIMES),
    ("initial-rto", TIMES),
    ("granularity", &["\"1 ps\"", "\"1 ms\"", "\"10 s\""]),
    ("ack-every", &["1", "2", "255"]),
    ("ack-delay", &["\"0 s\"", "\"40 ms\"", "\"10 s\""]),
    ("timestamps", SWITCH),
    ("window-scaling", SWITCH),
    ("silly-window-avoidance", SWITCH),
    ("limited-transmit", SWITCH),
    ("dup-acks", &["1", "3", "255"]),
    ("growth", &["\"acks\"", "\"bytes\""]),
    ("window-validation", &["\"rfc7661\"", "\"none\""]),
    ("ssthresh-from", &["\"flight\"", "\"window\"", "\"cwnd\""]),
    ("handshake", SWITCH),
    ("release", SWITCH),
    ("sack-blocks", &["1", "3", "4"]),
    ("ecn", SWITCH),
    ("ecn-feedback", &["\"classic\"", "\"dctcp\"", "\"accurate\""]),
    ("pacing", SWITCH),
];

/// A segment on its way, and whether the network has marked it.
type Travelling = (Segment, bool);

/// The two ends and all that is between them.
struct Pair {
    now: Time,
    segment: u64,
    offered: u64,
    closed: bool,
    forged: bool,
    sender: Sender,
    receiver: Receiver,
    forth: Vec<Travelling>,
    back: Vec<Travelling>,
}

impl Pair {
    fn new(config: Config) -> Self {
        let segment = config.segment.0;
        let config = Arc::new(config);
        let mut pair = Self {
            now: Time::ZERO,
            segment,
            offered: 0,
            closed: false,
            forged: false,
            sender: Sender::new(Arc::clone(&config)),
            receiver: Receiver::new(config),
            forth: Vec::new(),
            back: Vec::new(),
        };
        pair.poll();
        pair
    }

    /// One thing that happens.
    fn step(&mut self, bytes: &mut Unstructured) -> Result<()> {
        match bytes.int_in_range(0..=15)? {
            0 | 1 if !self.closed => self.offer(1 + bytes.int_in_range(0..=100_000)?),
            2 if !self.closed => self.close(),
            3..=5 => {
                let at = bytes.choose_index(self.forth.len().max(1))?;
                self.arrive(true, at, bytes.ratio(1, 8)?);
            }
            6..=8 => {
                let at = bytes.choose_index(self.back.len().max(1))?;
                self.arrive(false, at, bytes.ratio(1, 8)?);
            }
            9 => drop_at(&mut self.forth, bytes)?,
            10 => drop_at(&mut self.back, bytes)?,
            11 => self.wait(Span(1 << bytes.int_in_range(0..=43)?)),
            12 => self.now = self.now.max(self.next_timeout().min(Time(1 << 60))),
            13 => {
                let at = bytes.choose_index(self.forth.len().max(1))?;
                if let Some(travelling) = self.forth.get_mut(at) {
                    travelling.1 = true;
                }
            }
            14 if bytes.ratio(1, 16)? => self.forge(bytes)?,
            _ => self.wait(Span::from_us(10)),
        }
        self.ring();
        self.poll();
        Ok(())
    }

    fn offer(&mut self, octets: u64) {
        if self.offered + octets <= SEGMENTS * self.segment {
            self.offered += octets;
            self.sender.offer(self.now, octets);
        }
    }

    fn close(&mut self) {
        self.closed = true;
        self.sender.close(self.now);
    }

    fn wait(&mut self, span: Span) {
        if self.now.0 < 1 << 61 {
            self.now = self.now + span;
        }
    }

    fn next_timeout(&self) -> Time {
        let sender = self.sender.next_timeout().unwrap_or(Time::NEVER);
        sender.min(self.receiver.next_timeout().unwrap_or(Time::NEVER))
    }

    /// Calls what is due.
    fn ring(&mut self) {
        if self.next_timeout() <= self.now {
            self.sender.on_timeout(self.now);
            self.receiver.on_timeout(self.now);
        }
    }

    /// One of those on the way arrives, as a copy where it is doubled.
    fn arrive(&mut self, forth: bool, at: usize, doubled: bool) {
        let way = if forth { &mut self.forth } else { &mut self.back };
        if at >= way.len() {
            return;
        }
        let (segment, marked) = if doubled { way[at] } else { way.remove(at) };
        if forth {
            self.receiver.on_segment(self.now, &segment, marked);
        } else {
            self.sender.on_segment(self.now, &segment);
        }
    }

    /// A segment arrives that nobody sent, or one of those on the way with other contents.
    fn forge(&mut self, bytes: &mut Unstructured) -> Result<()> {
        self.forged = true;
        let mut segment = Segment::empty(self.now, Flags::ACK);
        segment.seq = bytes.int_in_range(0..=self.offered + 10)?;
        segment.ack = bytes.int_in_range(0..=self.offered + 10)?;
        segment.len = bytes.int_in_range(0..=100_000)?;
        segment.window = bytes.arbitrary()?;
        segment.ts_ecr = Time(bytes.int_in_range(0..=self.now.0)?);
        segment.sack = SackBlocks::NONE;
        for _ in 0..bytes.int_in_range(0..=4)? {
            let start = bytes.int_in_range(0..=u32::MAX / 2)?;
            segment.sack.push(u64::from(start), u64::from(start) + bytes.int_in_range(0..=100_000)?);
        }
        for flag in [Flags::SYN, Flags::FIN, Flags::ECE, Flags::CWR] {
            if bytes.ratio(1, 6)? {
                segment.flags = segment.flags | flag;
            }
        }
        if bytes.arbitrary()? {
            self.sender.on_segment(self.now, &segment);
        } else {
            self.receiver.on_segment(self.now, &segment, bytes.arbitrary()?);
        }
        Ok(())
    }

    /// Takes what the ends send.
    fn poll(&mut self) {
        let mut sent = 0;
        while let Some(segment) = self.sender.next_segment(self.now) {
            sent += 1;
            assert!(sent < 1 << 20, "a sender that sends without end at one instant");
            assert!(u64::from(segment.len) <= self.segment, "more data than a segment holds");
            if self.forth.len() < ROOM {
                self.forth.push((segment, false));
            }
        }
        sent = 0;
        while let Some(segment) = self.receiver.next_segment(self.now) {
            sent += 1;
            assert!(sent < 1 << 20, "a receiver that answers without end at one instant");
            if self.back.len() < ROOM {
                self.back.push((segment, false));
            }
        }
    }

    /// What holds at every instant.
    fn hold(&self) {
        assert!(self.sender.cwnd() >= self.segment, "the window is less than a segment");
        assert!(self.sender.rto() > Span::ZERO, "no time until the timer expires");
        if !self.forged {
            let (acked, delivered) = (self.sender.acked(), self.receiver.delivered());
            assert!(acked <= delivered, "acknowledged {acked}, delivered {delivered}");
            assert!(delivered <= self.offered, "delivered {delivered}, offered {}", self.offered);
        }
    }

    /// The network loses nothing any more: all that was offered arrives and is acknowledged.
    fn finish(&mut self) {
        if !self.closed {
            self.close();
            self.poll();
        }
        for _ in 0..STEPS {
            if self.sender.is_finished() {
                assert_eq!(self.receiver.delivered(), self.offered, "closed before all is there");
                return;
            }
            if !self.forth.is_empty() {
                self.arrive(true, 0, false);
            } else if !self.back.is_empty() {
                self.arrive(false, 0, false);
            } else {
                let next = self.next_timeout();
                assert!(next != Time::NEVER, "nothing is on the way and nothing is awaited");
                self.now = self.now.max(next);
                self.ring();
            }
            self.poll();
            self.hold();
        }
        let (acked, offered) = (self.sender.acked(), self.offered);
        panic!("not over after {STEPS} steps without a loss: {acked} of {offered} acknowledged");
    }
}

fn drop_at(way: &mut Vec<Travelling>, bytes: &mut Unstructured) -> Result<()> {
    let at = bytes.choose_index(way.len().max(1))?;
    if at < way.len() {
        way.remove(at);
    }
    Ok(())
}
