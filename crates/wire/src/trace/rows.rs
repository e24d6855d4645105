//! The rows of a trace.

use transport::tcp::{Flags, SackBlocks};
use units::{LinkId, NodeId, Time};

use crate::link::{Drop, Passage};
use crate::optical::Lost;
use crate::packet::{Marks, Packet};

/// Why a packet was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A link dropped it.
    Link(Drop),
    /// The memory of an input line card was full.
    LineCard,
    /// The queue of a rack for packets to another one was full.
    Rack,
    /// It waited for a lightpath, which was blocked.
    Blocked,
    /// A circuit switch was dark, or went dark before it had passed.
    Dark,
    /// Its burst was lost.
    Burst(Lost),
}

impl Cause {
    /// Its name in tables: that of the column of `links`, `line-cards` or `fecs` in which it counts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Link(Drop::Full) => "dropped-queue",
            Self::Link(Drop::Early) => "dropped-red",
            Self::Link(Drop::Loss) => "dropped-loss",
            Self::Link(Drop::Down) => "dropped-down",
            Self::Link(Drop::Contention) => "dropped-contention",
            Self::LineCard => "dropped-line-card",
            Self::Rack => "dropped-rack",
            Self::Blocked => "dropped-blocked",
            Self::Dark => "dropped-dark",
            Self::Burst(lost) => lost.name(),
        }
    }
}

/// A packet at a link.
#[derive(Debug, Clone, Copy)]
pub struct HopRow {
    /// The packet, by its row.
    pub packet: u32,
    /// The link.
    pub link: LinkId,
    /// The number of the link on the packet's path, from 1.
    pub hop: u16,
    /// When it was offered.
    pub offered: Time,
    /// When it is on the link.
    pub passage: Passage,
    /// The data channel and the burst's number, on an optical link.
    pub burst: Option<(u16, u64)>,
    /// Whether it carries a congestion mark from here on.
    pub marked: bool,
    /// When and why it was lost here.
    pub lost: Option<(Time, Cause)>,
}

impl HopRow {
    /// When its first bit left, its last bit left and the far end acted on it, as far as it
    /// happened before the loss, and before `now`. A packet that the wire loses has used it.
    pub fn happened(&self, now: Time) -> [Option<Time>; 3] {
        let Passage { start, end, arrives } = self.passage;
        let until = match self.lost {
            Some((at, cause)) if cause != Cause::Link(Drop::Loss) => at.min(now),
            _ => now,
        };
        let before = |at: Time, until: Time| Some(at).filter(|&at| at < until);
        let arrived = if self.lost.is_none() { now } else { Time::ZERO };
        [before(start, until), before(end, until), before(arrives, arrived)]
    }

    /// Whether it has left the link before `now`, one way or the other.
    pub(super) fn has_ended(&self, now: Time) -> bool {
        match self.lost {
            Some((at, cause)) if cause != Cause::Link(Drop::Loss) => at < now,
            _ => self.passage.arrives < now,
        }
    }
}

/// A packet.
#[derive(Debug, Clone, Copy)]
pub struct PacketRow {
    /// Its number in the order of sending.
    pub number: u64,
    /// Its flow's number.
    pub flow: u64,
    /// Bytes on the wire.
    pub bytes: u32,
    /// Octets of data.
    pub data: u32,
    /// The first octet; for an empty segment the next one that its end will send.
    pub seq: u64,
    /// The octet acknowledged.
    pub ack: u64,
    /// The window offered, in octets.
    pub window: u32,
    /// When it was sent.
    pub sent: Time,
    /// The timestamp echoed; [`Time::NEVER`] if there is none.
    pub echo: Time,
    /// TCP's flags.
    pub flags: Flags,
    /// Direction, ECN, and whether it repeats data.
    pub marks: Marks,
    /// Selective acknowledgments, as offsets from `ack`.
    pub sack: SackBlocks,
}

impl PacketRow {
    /// The row of a packet.
    pub(super) fn new(number: u64, flow: u64, packet: &Packet, sack: SackBlocks) -> Self {
        let (transit, body) = (&packet.transit, &packet.body);
        Self {
            number,
            flow,
            bytes: transit.bytes,
            data: packet.data(),
            seq: body.seq,
            ack: body.ack,
            window: body.window,
            sent: body.sent,
            echo: body.echo,
            flags: transit.flags,
            marks: transit.marks,
            sack,
        }
    }
}

/// A flow of which packets are recorded.
#[derive(Debug, Clone, Copy)]
pub struct TracedFlow {
    /// Its number in the order of creation.
    pub number: u64,
    /// The entry of the scenario's traffic.
    pub traffic: u32,
    /// The source.
    pub from: NodeId,
    /// The sink.
    pub to: NodeId,
}
