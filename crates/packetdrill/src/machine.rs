//! The host that a script tests: the ends of one connection behind the calls of a socket.
//!
//! The sender of `transport` sends the host's data, the receiver answers data of the other end. A script
//! numbers octets from 1, behind the SYN; the ends number them from 0.

use std::collections::VecDeque;
use std::sync::Arc;

use transport::tcp::{Condition, Flags, Receiver, SackBlocks, Segment, Sender, UNLIMITED_WINDOW};
use units::{Span, Time};

use crate::script::{Call, Packet};
use crate::settings::Settings;

/// What of `tcp_info` is known, and the constants it is compared with.
pub const KNOWN: [&str; 20] = [
    "tcpi_snd_cwnd",
    "tcpi_snd_ssthresh",
    "tcpi_unacked",
    "tcpi_sacked",
    "tcpi_lost",
    "tcpi_retrans",
    "tcpi_delivered",
    "tcpi_ca_state",
    "tcpi_backoff",
    "tcpi_rto",
    "tcpi_rtt",
    "tcpi_snd_mss",
    "TCP_CA_Open",
    "TCP_CA_Disorder",
    "TCP_CA_CWR",
    "TCP_CA_Recovery",
    "TCP_CA_Loss",
    "TCP_INFINITE_SSTHRESH",
    "True",
    "False",
];

/// `TCP_INFINITE_SSTHRESH` of Linux.
const NO_LIMIT: i64 = 0x7fff_ffff;

/// A packet that the host has sent.
#[derive(Clone, Debug)]
pub struct Sent {
    /// When.
    pub at: Time,
    /// Its flags by the letters of a script.
    pub flags: String,
    /// Its first number; none where it has no data and its number says nothing.
    pub seq: Option<u64>,
    /// Its octets.
    pub len: u64,
    /// What it acknowledges.
    pub ack: Option<u64>,
    /// Whether it is ECN-capable.
    pub capable: bool,
    /// Its blocks of selective acknowledgments.
    pub sack: Vec<(u64, u64)>,
    /// The instants of its timestamps.
    pub stamps: Option<(Time, Time)>,
}

/// The two ends, once the connection is negotiated.
struct Ends {
    sender: Sender,
    receiver: Receiver,
    segment: u64,
    timestamps: bool,
    ecn: bool,
    peer_fin: bool,
    /// The number behind the last that was sent.
    sent_below: u64,
}

/// The host.
pub struct Machine {
    /// The time.
    pub now: Time,
    /// What it has sent and nobody has looked at.
    pub sent: VecDeque<Sent>,
    settings: Settings,
    ends: Option<Ends>,
    /// The SYN that has arrived, and when its answer went out first; none where it went out more than once.
    syn: Option<(Packet, Option<Time>)>,
    /// The SYN-ACK that will arrive: it decides what an active opener negotiates.
    answer: Option<Packet>,
    /// The shift of the peer's window.
    shift: u64,
    /// The instant of a timestamp that the host sends, and its value.
    stamp: Option<(Time, u64)>,
    closed: bool,
    written: u64,
}

impl Machine {
    /// A host with these settings to which, if it opens the connection, `answer` will come.
    pub fn new(settings: Settings, answer: Option<Packet>) -> Self {
        Self {
            now: Time::ZERO,
            sent: VecDeque::new(),
            settings,
            ends: None,
            syn: None,
            answer,
            shift: 0,
            stamp: None,
            closed: false,
            written: 0,
        }
    }

    /// Performs a call.
    pub fn call(&mut self, call: &Call) -> Result<(), String> {
        let argument = |n: usize| call.arguments.get(n).map_or("", String::as_str);
        match call.name.as_str() {
            "write" | "send" | "sendto" => {
                let written = call.returns.split_whitespace().next().unwrap_or_default();
                if let Ok(octets) = written.parse() {
                    self.write(octets)?;
                }
            }
            "connect" if self.ends.is_none() => self.open()?,
            "shutdown" if argument(1) != "SHUT_RD" => self.close(),
            "close" => self.close(),
            "setsockopt" if argument(2) == "TCP_MAXSEG" => {
                let value = argument(3).trim_matches(['[', ']']);
                self.settings.max_segment = value.parse().ok();
            }
            "setsockopt" if argument(2) == "TCP_CONGESTION" => {
                if self.ends.is_some() {
                    return Err("a window rule that changes during the connection".into());
                }
                self.settings.congestion = argument(3).trim_matches(['[', ']', '"']).into();
            }
            _ => {}
        }
        Ok(())
    }

    fn write(&mut self, octets: u64) -> Result<(), String> {
        let Some(ends) = &mut self.ends else { return Err("data before the handshake".into()) };
        self.written += octets;
        ends.sender.offer(self.now, octets);
        self.poll();
        Ok(())
    }

    fn close(&mut self) {
        let is_first = !std::mem::replace(&mut self.closed, true);
        if let Some(ends) = self.ends.as_mut().filter(|_| is_first) {
            ends.sender.close(self.now);
            self.poll();
        }
    }

    /// Opens the connection.
    fn open(&mut self) -> Result<(), String> {
        let Some(answer) = self.answer.clone() else {
            return Err("a SYN without an answer".into());
        };
        let config = Arc::new(self.settings.config(&answer)?);
        let sender = Sender::new(Arc::clone(&config));
        self.begin(sender, config, &answer);
        self.poll();
        Ok(())
    }

    fn begin(&mut self, sender: Sender, config: Arc<transport::Config>, peer: &Packet) {
        let (segment, timestamps, ecn) = (config.segment.0, config.timestamps, config.ecn);
        self.shift = peer.window_scale().unwrap_or(0);
        let receiver = Receiver::new(config);
        self.ends = Some(Ends {
            sender,
            receiver,
            segment,
            timestamps,
            ecn,
            peer_fin: false,
            sent_below: 0,
        });
    }

    /// A packet arrives.
    pub fn inject(&mut self, packet: &Packet) -> Result<(), String> {
        if packet.has('S') && !packet.has('.') {
            return self.take_syn(packet);
        }
        if self.ends.is_none() {
            self.accept(packet)?;
            if packet.len == 0 && !packet.has('F') {
                return Ok(());
            }
        }
        let segment = self.segment(packet);
        let now = self.now;
        let Some(ends) = &mut self.ends else { return Ok(()) };
        if segment.ack > ends.sent_below {
            // RFC 9293 section 3.10.7.4: what was not sent cannot be acknowledged, and the segment is dropped.
            return Ok(());
        }
        if packet.len > 0 {
            let data = Segment {
                seq: packet.seq.saturating_sub(1),
                len: u32::try_from(packet.len).map_err(|_| "a packet too long")?,
                ack: 0,
                sack: SackBlocks::NONE,
                ..segment
            };
            ends.receiver.on_segment(now, &data, packet.ecn.as_deref() == Some("ce"));
        }
        ends.peer_fin |= packet.has('F');
        ends.sender.on_segment(now, &segment);
        self.poll();
        Ok(())
    }

    /// A SYN: the host answers it.
    fn take_syn(&mut self, packet: &Packet) -> Result<(), String> {
        if self.ends.is_some() {
            return Err("a SYN within a connection".into());
        }
        let is_first = self.syn.is_none();
        self.syn = Some((packet.clone(), is_first.then_some(self.now)));
        let ecn = if self.settings.uses_ecn(packet) { "E" } else { "" };
        let stamps = packet.timestamps().map(|(value, _)| (self.now, self.instant_of_peer(value)));
        self.sent.push_back(Sent {
            at: self.now,
            flags: format!("S{ecn}."),
            seq: Some(0),
            len: 0,
            ack: Some(1),
            capable: false,
            sack: Vec::new(),
            stamps: stamps.filter(|_| self.settings.timestamps),
        });
        Ok(())
    }

    /// The handshake of a connection that the other end has opened is over.
    fn accept(&mut self, packet: &Packet) -> Result<(), String> {
        let Some((syn, answered)) = self.syn.clone() else {
            return Err("a packet without a connection".into());
        };
        self.shift = syn.window_scale().unwrap_or(0);
        let config = Arc::new(self.settings.config(&syn)?);
        let segment = self.segment(packet);
        let sender = Sender::accepted(&config, answered, self.now, &segment);
        self.begin(sender, config, &syn);
        if self.closed {
            self.closed = false;
            self.close();
        }
        Ok(())
    }

    /// An injected packet as the sender sees it.
    fn segment(&self, packet: &Packet) -> Segment {
        let mut flags = Flags::NONE;
        let letters = [('S', Flags::SYN), ('.', Flags::ACK), ('F', Flags::FIN), ('E', Flags::ECE)];
        for (letter, flag) in letters {
            if packet.has(letter) {
                flags |= flag;
            }
        }
        if packet.has('W') {
            flags |= Flags::CWR;
        }
        let ack = packet.ack.unwrap_or(1).saturating_sub(1);
        let stamps = packet.timestamps();
        let shift = if packet.has('S') { 0 } else { self.shift };
        let window = packet.window.map_or(UNLIMITED_WINDOW, |window| {
            u32::try_from(window << shift).unwrap_or(UNLIMITED_WINDOW)
        });
        Segment {
            ack,
            window,
            sack: blocks(packet.sack(), ack + 1),
            ts_ecr: stamps.map_or(Time::NEVER, |(_, echo)| self.instant_of_ours(echo)),
            ..Segment::empty(
                stamps.map_or(self.now, |(value, _)| self.instant_of_peer(value)),
                flags,
            )
        }
    }

    /// The instant that stands for a timestamp of the peer: its ticks from the start.
    fn instant_of_peer(&self, value: u64) -> Time {
        Time::ZERO + Span::from_us(value * self.settings.tick)
    }

    /// When the host sent this timestamp.
    fn instant_of_ours(&self, value: u64) -> Time {
        let Some((at, base)) = self.stamp else { return Time::NEVER };
        let from_start = at.0 / 1_000_000 + value * self.settings.tick;
        let offset = base * self.settings.tick;
        Time::ZERO + Span::from_us(from_start.saturating_sub(offset))
    }

    /// The script says that a packet sent at `at` has this timestamp.
    pub fn note_stamp(&mut self, at: Time, value: u64) {
        self.stamp.get_or_insert((at, value));
    }

    /// The timestamp of an instant, once the script has told one.
    pub fn stamp_of(&self, at: Time) -> Option<u64> {
        let (base_at, base) = self.stamp?;
        let ticks = |time: Time| time.0 / 1_000_000 / self.settings.tick;
        Some((ticks(at) + base).saturating_sub(ticks(base_at)))
    }

    /// The timestamp of the peer that an instant stands for.
    pub fn echo_of(&self, at: Time) -> u64 {
        if at == Time::NEVER { 0 } else { at.0 / 1_000_000 / self.settings.tick }
    }

    /// The earliest deadline of the ends.
    pub fn deadline(&self) -> Option<Time> {
        let ends = self.ends.as_ref()?;
        let both = [ends.sender.next_timeout(), ends.receiver.next_timeout()];
        both.into_iter().flatten().min()
    }

    /// Moves to a deadline.
    pub fn expire(&mut self, deadline: Time) {
        self.now = self.now.max(deadline);
        if let Some(ends) = &mut self.ends {
            ends.sender.on_timeout(self.now);
            ends.receiver.on_timeout(self.now);
            self.poll();
        }
    }

    /// Takes what the ends send now.
    fn poll(&mut self) {
        let Some(ends) = &mut self.ends else { return };
        let mut carries = false;
        while let Some(segment) = ends.sender.next_segment(self.now) {
            carries |= segment.len > 0;
            let fin = u64::from(segment.flags.has(Flags::FIN));
            ends.sent_below = ends.sent_below.max(segment.seq + u64::from(segment.len) + fin);
            self.sent.push_back(of_sender(ends, self.now, &segment));
        }
        while let Some(segment) = ends.receiver.next_segment(self.now) {
            // Data have carried the acknowledgment.
            if !carries || !segment.sack.is_empty() {
                self.sent.push_back(of_receiver(ends, self.now, &segment));
            }
        }
    }

    /// The value of a variable of `tcp_info` or a constant.
    pub fn value(&self, name: &str) -> Option<i64> {
        match name {
            "TCP_CA_Open" | "False" => return Some(0),
            "TCP_CA_Disorder" | "True" => return Some(1),
            "TCP_CA_CWR" => return Some(2),
            "TCP_CA_Recovery" => return Some(3),
            "TCP_CA_Loss" => return Some(4),
            "TCP_INFINITE_SSTHRESH" => return Some(NO_LIMIT),
            _ => {}
        }
        let ends = self.ends.as_ref()?;
        let info = ends.sender.info();
        let segments = |octets: u64| octets.div_ceil(ends.segment).cast_signed();
        let micros = |span: Span| (span.0 / 1_000_000).cast_signed();
        Some(match name {
            "tcpi_snd_cwnd" => (info.cwnd / ends.segment).cast_signed(),
            "tcpi_snd_ssthresh" if info.ssthresh == u64::MAX => NO_LIMIT,
            "tcpi_snd_ssthresh" => (info.ssthresh / ends.segment).cast_signed(),
            "tcpi_unacked" => segments(info.unacked),
            "tcpi_sacked" => segments(info.sacked),
            "tcpi_lost" => segments(info.lost),
            "tcpi_retrans" => segments(info.resent),
            "tcpi_delivered" => segments(info.delivered) + 1,
            "tcpi_ca_state" => match info.condition {
                Condition::Open => 0,
                Condition::Disorder => 1,
                Condition::Reduced => 2,
                Condition::Recovery => 3,
                Condition::Loss => 4,
            },
            "tcpi_backoff" => i64::from(ends.sender.backoffs()),
            "tcpi_rto" => micros(ends.sender.rto()),
            "tcpi_rtt" => micros(ends.sender.srtt()?),
            "tcpi_snd_mss" => ends.segment.cast_signed(),
            _ => return None,
        })
    }
}

/// What the host acknowledges.
fn acknowledged(ends: &Ends) -> u64 {
    1 + ends.receiver.delivered() + u64::from(ends.peer_fin)
}

fn of_sender(ends: &Ends, now: Time, segment: &Segment) -> Sent {
    let has = |flag: Flags, letter: &'static str| if segment.flags.has(flag) { letter } else { "" };
    let (syn, fin, cwr) = (has(Flags::SYN, "S"), has(Flags::FIN, "F"), has(Flags::CWR, "W"));
    let (ack, asks) = (has(Flags::ACK, "."), if ends.ecn && !syn.is_empty() { "EW" } else { "" });
    let seq = if segment.len > 0 || !fin.is_empty() { Some(segment.seq + 1) } else { None };
    Sent {
        at: now,
        flags: format!("{syn}{fin}{asks}{cwr}{ack}"),
        seq: if syn.is_empty() { seq } else { Some(0) },
        len: u64::from(segment.len),
        ack: (!ack.is_empty()).then(|| acknowledged(ends)),
        capable: ends.ecn && segment.len > 0 && !segment.resent,
        sack: Vec::new(),
        stamps: ends.timestamps.then_some((now, segment.ts_ecr)),
    }
}

fn of_receiver(ends: &Ends, now: Time, segment: &Segment) -> Sent {
    let ack = acknowledged(ends);
    let ece = if segment.flags.has(Flags::ECE) { "E" } else { "" };
    let octet = |edge: u32| SackBlocks::octet(segment.ack, edge) + 1;
    Sent {
        at: now,
        flags: format!("{ece}."),
        seq: None,
        len: 0,
        ack: Some(ack),
        capable: false,
        sack: segment
            .sack
            .as_slice()
            .iter()
            .map(|block| (octet(block.0), octet(block.1)))
            .collect(),
        stamps: ends.timestamps.then_some((now, segment.ts_ecr)),
    }
}

/// Blocks as offsets from what is acknowledged.
fn blocks(told: &[(u64, u64)], ack: u64) -> SackBlocks {
    let mut blocks = SackBlocks::NONE;
    for &(start, end) in told {
        if start >= ack {
            blocks.push(start - ack, end.saturating_sub(ack));
        } else if blocks.is_empty() {
            let offset = |octet: u64| octet.cast_signed() - ack.cast_signed();
            blocks.push_duplicate(offset(start), offset(end));
        }
    }
    blocks
}
